"""The runs behind Tables 1 to 4: three learners, 27 datasets, ten repetitions of each design."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...lab.repeated_tests import Repetitions, repetitions, replicate
from ...replication import pair_agreement
from ...scores import Scores
from ...sums import Array
from ..exhibits import Scale

__all__ = ["PAIRS", "SEED", "SUMMARIES", "chance_errors", "datasets", "repeated", "spread_of"]

SEED = 2004
LEARNERS = ("NB", "C4.5", "NN")
PAIRS = tuple(combinations(LEARNERS, 2))
QUICK = ("iris", "labor", "zoo")
BOOTSTRAPS = 4000


def datasets(scale: Scale) -> tuple[str, ...]:
    """Return the names of the datasets, fewer at the quick scale."""
    from ...data import BOUCKAERT_FRANK

    return QUICK if scale.quick else BOUCKAERT_FRANK


def scores(scale: Scale, design: str) -> dict[str, Scores]:
    """Run all learners over repetitions of a design on every dataset; stores make it go on."""
    from ...data import load
    from ...learners import C45, NaiveBayes, NearestNeighbor

    learners: dict[str, Any] = {
        "NB": NaiveBayes(),
        "C4.5": C45(),
        "NN": NearestNeighbor(normalize=True),
    }
    word = design.replace("/", "-").replace("@", "-")
    found = {}
    for name in datasets(scale):
        data = load(name)
        scale.say(f"  {name}, {design}")
        found[name] = replicate(
            learners,
            data.X,
            data.y,
            design=design,
            n=scale.of(10, 4),
            random_state=SEED,
            n_jobs=scale.n_jobs,
            store=scale.store(f"bouckaert-frank-{name}-{word}"),
        )
    return found


def repeated(
    scale: Scale, design: str, method: str, runs: Sequence[int | None] = (None,)
) -> list[list[Repetitions]]:
    """Return the repetitions of a method by numbers of runs, for each pair of learners."""
    found = scores(scale, design)
    return [
        [repetitions(found, method, *pair, runs=count, undefined="reject") for count in runs]
        for pair in PAIRS
    ]


SUMMARIES: dict[str, Callable[[Any, int], Any]] = {
    "consistent": lambda k, n: ((k == 0) | (k == n)).sum(axis=-1),
    "almost_consistent": lambda k, n: ((k <= 1) | (k >= n - 1)).sum(axis=-1),
    "R": lambda k, n: np.mean(pair_agreement(k, n), axis=-1),
    "different": lambda k, n: (k > 0).sum(axis=-1),
}
"""What tables and text print of the rejections k of n repetitions, datasets last (R-04 to R-07):
the last counts where a choice of seed could claim a difference (R-22)."""


def spread_of(counts: Any, n: int, key: str) -> float:
    """Return the standard error of a summary of another, equal set of repetitions against ours.

    Repetitions on one dataset are independent given the data, so rejections are binomial. Their
    chances are drawn from Jeffreys' posterior, and both sets of repetitions anew.
    """
    rng = np.random.default_rng(SEED)
    k = np.asarray(counts)
    chance = rng.beta(k + 0.5, n - k + 0.5, size=(BOOTSTRAPS, k.size))
    first, second = (SUMMARIES[key](rng.binomial(n, chance), n) for _ in range(2))
    return float(np.std(first - second))


def chance_errors(ours: Array, theirs: Array, n: int) -> Array:
    """Return the standard error of the difference of two counts of n, by their common chance."""
    chance = (ours + theirs + 1) / (2 * n + 2)
    return np.asarray(np.sqrt(2 * n * chance * (1 - chance)))
