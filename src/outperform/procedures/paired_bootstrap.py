"""Paired bootstrap for metrics other than means over items: Efron (1987)."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..numerics.exact_sums import Array
from ..numerics.paired_resampling import ResampledGaps, levels, resample
from ..registry import method
from ..results.evidence import Exact, Inverted
from ..validation import choice, whole
from ..views import ItemStatistics

KINDS = ("bca", "percentile")


@method(
    title="Paired bootstrap",
    paper="efron",
    requirements=(),
    designs=("holdout", "items", "clustered-items"),
    accounts_for=("test data", "label noise"),
    standing="reference",
    advice="For metrics of a whole test set, such as F1 or BLEU, that are not means over items; "
    "for means use paired_t, mcnemar_mid_p or cluster_t.",
    note="OP401",
)
def paired_bootstrap(
    d: ItemStatistics, *, kind: str = "bca", n_draws: int = 4_999, seed: int = 0
) -> Exact:
    """How often does the sign of the difference change when items are resampled?

    Items, or whole clusters of them, are drawn with replacement, the same ones for both sides, and
    the metric of each side is computed from the items drawn. "bca" corrects the percentiles for
    bias and skewness with a jackknife; "percentile" takes them as they are. The p-value inverts the
    interval, and cannot be below 2/(B + 2) with B draws. With few items, or metrics near 0 or 1,
    intervals of the bootstrap are too short.

    Parameters
    ----------
    kind : {"bca", "percentile"}, default='bca'
        Kind of bootstrap interval.
    n_draws : int, default=4999
        Number of resamples.
    seed : int, default=0
        Seed of the draws.

    Examples
    --------
    >>> import outperform as op
    >>> first = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
    >>> second = [1, 0, 0, 1, 0, 0, 1, 0, 1, 1]
    >>> found = op.paired_bootstrap(first, second)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.2, 0.569)
    """
    choice(kind, "kind", KINDS)
    draws = whole(n_draws, "n_draws", least=199)
    lead = d.first.shape[:-2]
    codes = None if d.clusters is None else d.clusters.codes
    found = np.empty(lead, dtype=object)
    for at in np.ndindex(lead):
        sides = (d.first[at], d.second[at]) if d.turn > 0 else (d.second[at], d.first[at])
        found[at] = resample(*sides, d.metric, n_draws=draws, seed=seed, codes=codes)
    each = found.ravel().tolist()
    estimate = np.array([one.estimate for one in each]).reshape(lead)
    spread = np.array([np.std(one.draws, ddof=1) for one in each]).reshape(lead)
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = np.where(spread > 0, np.abs(estimate) / spread, 0.0)
    interval = Inverted(
        partial(_tails, found, kind), partial(_bounds, found, kind), 1 - 2 / (draws + 2)
    )
    less, greater = _tails(found, kind, 0.0)
    return Exact(
        estimate[()],
        strength[()],
        less,
        greater,
        stderr=spread[()],
        companion=interval,
        counted=False,
    )


def _tails(found: Any, kind: str, delta: Any) -> tuple[Any, Any]:
    """Return log p-values of (less, greater) against δ."""
    delta = np.broadcast_to(np.asarray(delta, dtype=np.float64), found.shape)
    less, greater = np.empty(found.shape), np.empty(found.shape)
    for at in np.ndindex(found.shape):
        one: ResampledGaps = found[at]
        p = levels(one, kind)
        upto = int(np.searchsorted(one.draws, delta[at], "right"))
        below = int(np.searchsorted(one.draws, delta[at], "left"))
        greater[at] = math.log(p[upto])
        less[at] = math.log(_from_above(one, kind)[one.draws.size - below])
    return less[()], greater[()]


def _from_above(one: ResampledGaps, kind: str) -> Array:
    """Return the p-value of "less" when c of the draws lie at or above δ."""
    turned = ResampledGaps(-one.estimate, -one.draws[::-1], -one.bias, -one.acceleration)
    return levels(turned, kind)


def _bounds(found: Any, kind: str, level: float) -> tuple[Any, Any]:
    low, high = np.full(found.shape, np.nan), np.full(found.shape, np.nan)
    tail = (1 - level) / 2
    for at in np.ndindex(found.shape):
        one: ResampledGaps = found[at]
        first = int(np.searchsorted(levels(one, kind), tail, "left"))
        last = int(np.searchsorted(_from_above(one, kind), tail, "left"))
        if 0 < first <= one.draws.size and 0 < last <= one.draws.size:
            low[at], high[at] = one.draws[first - 1], one.draws[-last]
    return low[()], high[()]
