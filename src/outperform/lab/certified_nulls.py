"""True null hypotheses on one's own data: the difference in the population, or learners made equal.

Datasets that are a share of their population vary less than new ones; here is by how much, at most.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..numerics.exact_sums import Array
from ..results.evidence import Pivot
from ..scores.split_scores import Scores
from ..views import stacked
from .contests import Contest, view_of
from .direct_fits import AfterFit, scores_of
from .scenarios import Reading, ScenarioView, least_size, stream, take_rows

Null = Literal["shift", "damaged"]
Change = Callable[[Scores, np.random.Generator], Scores]
"""Makes a null hypothesis true by changing what learners did."""
Seed = np.random.SeedSequence
Views = dict[Null, dict[Reading, ScenarioView]]
Draw = Callable[[Sequence[Reading], Seed, Seed], Views]
"""Returns what methods read of a block under each null, of the seeds of datasets and of splits."""
DAMAGE = 2
"""The stream of the predictions that are exchanged."""
TESTED = 5000
"""Items on which a model is tested to learn the truth; more of a large pool buys little."""


def pool_losses(
    contest: Contest,
    names: tuple[str, str],
    sizes: Sequence[int],
    n_datasets: int,
    random_state: int,
    after_fit: AfterFit | None = None,
    until: float | None = None,
) -> Array:
    """Return the mean loss of both learners: sizes × datasets × 2.

    Models trained on random items of the pool are tested on all others, or 5,000 of them.
    After `until` (`time.monotonic`) no dataset follows the second.
    """
    pool: Any = contest.source
    found = np.empty((len(sizes), n_datasets, 2))
    best = 0.0 if contest.scoring.startswith("neg_") else 1.0
    learners = dict(zip(names, (contest.first, contest.second), strict=True))
    for at in range(n_datasets):
        if at >= 2 and until is not None and time.monotonic() > until:
            return found[:, :at]
        rng = np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(at,)))
        order, own = rng.permutation(pool.n)[: max(sizes) + TESTED], int(rng.integers(1 << 31))
        test = np.arange(max(sizes), order.size)
        scores = scores_of(
            learners,
            take_rows(pool.X, order),
            take_rows(pool.y, order),
            [(np.arange(size), test) for size in sizes],
            scoring=contest.scoring,
            random_state=own,
            after_fit=after_fit,
        )
        found[:, at] = best - scores.values.T
    return found


def views_of(
    contest: Contest,
    names: tuple[str, str],
    nulls: Mapping[Null, Change],
    after_fit: AfterFit | None,
    readings: Sequence[Reading],
    seed: Seed,
    splits: Seed,
) -> Views:
    """Run both learners on a block, and show the same fits under each null hypothesis."""
    found: dict[Null, dict[Reading, list[ScenarioView]]] = {
        null: {asked: [] for asked in readings} for null in nulls
    }
    exchanges = {asked.design: stream(splits, DAMAGE, asked.key) for asked in readings}
    runs = contest.runs(
        readings, contest.block, seed, splits=splits, names=names, after_fit=after_fit
    )
    for wanted, scores in runs:
        for null, change in nulls.items():
            changed = change(scores, exchanges[wanted[0].design])
            for asked in wanted:
                found[null][asked].append(view_of(asked, changed))
    return {
        null: {asked: stacked(each) for asked, each in views.items()}
        for null, views in found.items()
    }


def nulls_of(contest: Contest, sizes: Sequence[int], lost: Array) -> dict[Null, Change]:
    """Return how each null changes what learners did; learners that cannot be made equal have one.

    An exchanged prediction that was right is wrong; one that was wrong is right with chance
    1 / (k − 1). The error is linear in the share that is exchanged, so one division settles it.
    """
    found: dict[Null, Change] = {"shift": lambda scores, rng: scores}
    pool: Any = contest.source
    if contest.scoring != "accuracy":
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
    found["damaged"] = lambda scores, rng: _damaged(scores, rates, k, rng)
    return found


def _damaged(
    scores: Scores, rates: Mapping[int, tuple[int, float]], k: int, rng: np.random.Generator
) -> Scores:
    """Exchange the share of the better learner's predictions that makes both equal."""
    items: Any = scores.items
    # Folds of unequal size train on an item more or less than the size that was measured.
    near = [min(rates, key=lambda size: abs(size - n)) for n in np.asarray(scores.n_train)]
    of_splits = [[rates[size][1] * (rates[size][0] == side) for size in near] for side in (0, 1)]
    wrong, at_items = items.values == 1, np.array(of_splits)[:, items.split]
    hit = rng.random(wrong.shape) < at_items
    righted = rng.random(wrong.shape) < 1 / (k - 1)
    lost = np.where(hit, ~(wrong & righted), wrong).astype(np.float64)
    n_test = np.bincount(items.split)
    values = [1 - np.bincount(items.split, side) / n_test for side in lost]
    return replace(scores, values=np.array(values), items=replace(items, values=lost))


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
