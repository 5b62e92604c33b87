"""True null hypotheses on one's own data: the difference in the population, or learners made equal.

Datasets that are a share of their population vary less than new ones; here is by how much, at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..numerics.exact_sums import Array
from ..results.evidence import Pivot
from .fitted_contests import FittedContest
from .fold_views import FoldOutcomes
from .scenarios import least_size, stream

Null = Literal["shift", "damaged"]
Change = Callable[[FoldOutcomes, np.random.SeedSequence], FoldOutcomes]
"""Makes a null hypothesis true by changing what learners did."""
DAMAGE = 2
"""The stream of the predictions that are exchanged."""


def nulls_of(contest: FittedContest, sizes: Sequence[int], lost: Array) -> dict[Null, Change]:
    """Return how each null changes what learners did; learners that cannot be made equal have one.

    An exchanged prediction that was right is wrong; one that was wrong is right with chance
    1 / (k − 1). The error is linear in the share that is exchanged, so one division settles it.
    """
    found: dict[Null, Change] = {"shift": lambda outcomes, seed: outcomes}
    pool: Any = contest.source
    if contest.loss != "0/1":
        return found
    k = np.unique(np.asarray(pool.y)).size
    rates: dict[int, tuple[int, float]] = {}
    for size, means in zip(sizes, lost.mean(axis=1), strict=True):
        better = int(means[1] < means[0])
        slope = 1 - means[better] - means[better] / (k - 1)
        rate = (means[1 - better] - means[better]) / slope if slope > 0 else 2.0
        if rate > 1:
            return found
        rates[size] = better, float(rate)
    found["damaged"] = lambda outcomes, seed: _damaged(outcomes, rates, k, seed)
    return found


def _damaged(
    outcomes: FoldOutcomes,
    rates: Mapping[int, tuple[int, float]],
    k: int,
    seed: np.random.SeedSequence,
) -> FoldOutcomes:
    """Exchange the share of the better learner's predictions that makes both equal."""
    folds = outcomes.folds
    trained = np.repeat(folds.members, folds.n_folds, axis=1) - folds.tested
    known = sorted(rates)
    # Folds of unequal size train on an item more or less than the size that was measured.
    near = [min(known, key=lambda size: abs(size - count)) for count in trained.sum(axis=-1)[0]]
    sides = [outcomes.first, outcomes.second]
    rng = stream(seed, DAMAGE, folds.n_folds)
    for side in (0, 1):
        by_fold = np.array([rates[size][1] if rates[size][0] == side else 0.0 for size in near])
        at_items = folds.at_items(np.broadcast_to(by_fold, (len(sides[side]), by_fold.size)))
        hit = rng.random(at_items.shape) < at_items
        righted = rng.random(at_items.shape) < 1 / (k - 1)
        sides[side] = np.where(hit, ~(sides[side] & righted), sides[side])
    return replace(outcomes, first=sides[0], second=sides[1])


def least_pvalues(evidence: Any, share: float) -> Array:
    """Return p-values as if estimates varied as much as those of new datasets may.

    The mean of items drawn without replacement has 1 − share of the variance that it has for new
    items. What is not linear in the items, and the noise of partitions, shrink less, so that this
    is an upper bound.
    """
    shrunk = math.sqrt(1 - share)
    if isinstance(evidence, Pivot):
        counts = evidence.counts
        if counts is not None:
            counts = (counts[0], counts[1] * shrunk, counts[2])
        smaller = replace(evidence, stderr=evidence.stderr * shrunk, counts=counts)
        return np.asarray(smaller.pvalue())
    return np.asarray(least_size(share, evidence.pvalue()))
