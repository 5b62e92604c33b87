"""Paired bootstrap: items, or clusters of items, drawn with replacement for both sides at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .exact_sums import Array

_CELLS = 2_000_000
"""Counts held at a time: 16 MB."""
_JACKKNIFE = 2_000
"""Items left out one by one where the metric must be called for each; blocks of them beyond."""


def mean_of(sums: Array, n: Any) -> Array:
    return np.asarray(sums[..., 0] / n)


def ratio_of_sums(sums: Array, n: Any) -> Array:
    return _divided(sums[..., 0], sums[..., 1])


def f1_of(sums: Array, n: Any) -> Array:
    """Of true positives, false positives and false negatives."""
    hit = 2 * sums[..., 0]
    return _divided(hit, hit + sums[..., 1] + sums[..., 2])


def bleu_of(sums: Array, n: Any) -> Array:
    """Of a corpus: n-gram matches (1 to 4), n-grams (1 to 4), output length, reference length."""
    matches, totals = sums[..., :4], sums[..., 4:8]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(matches) - np.log(totals)
        brevity = np.minimum(1 - sums[..., 9] / sums[..., 8], 0.0)
        score = np.exp(np.mean(logs, axis=-1) + brevity)
    return np.where((matches > 0).all(axis=-1), score, 0.0)


def _divided(top: Array, bottom: Array) -> Array:
    return np.divide(top, bottom, out=np.zeros(np.shape(bottom)), where=np.asarray(bottom) != 0)


SUM_METRICS: dict[str, tuple[int, Callable[[Array, Any], Array]]] = {
    "mean": (1, mean_of),
    "ratio": (2, ratio_of_sums),
    "f1": (3, f1_of),
    "bleu": (10, bleu_of),
}
"""By name: how many numbers an item has, and the metric of their sums over items."""


@dataclass(frozen=True, eq=False)
class ResampledGaps:
    """Differences of a metric on resampled items, sorted, and what BCa needs beside them."""

    estimate: float
    draws: Array
    bias: float
    """z₀: where the estimate lies among the draws, as a normal quantile."""
    acceleration: float


def resample(
    first: Array,
    second: Array,
    metric: str | Callable[[Array], float],
    *,
    n_draws: int,
    seed: int,
    codes: Any = None,
) -> ResampledGaps:
    """Return the draws of metric(first) − metric(second) over items (rows) or their clusters.

    Rows are put into an order of their own first and the better side comes first, so that neither
    the order of items nor that of the sides changes what is drawn.
    """
    if isinstance(metric, str):
        return _of_sums(first, second, metric, n_draws, seed, codes)
    return _of_calls(first, second, metric, n_draws, seed, codes)


def _of_sums(
    first: Array, second: Array, name: str, n_draws: int, seed: int, codes: Any
) -> ResampledGaps:
    q, of = SUM_METRICS[name]
    table = np.concatenate([first, second, np.ones((len(first), 1))], axis=1)
    if codes is not None:
        table = np.stack([np.bincount(codes, weights=column) for column in table.T], axis=1)
    turned = _turn(table, q)
    if turned:
        table = np.concatenate([table[:, q : 2 * q], table[:, :q], table[:, 2 * q :]], axis=1)
    table = table[np.lexsort(table.T[::-1])]

    def gap(sums: Array) -> Array:
        n = sums[..., -1]
        return of(sums[..., :q], n) - of(sums[..., q : 2 * q], n)

    rng = np.random.default_rng(seed)
    units = len(table)
    draws = np.empty(n_draws)
    step = max(1, _CELLS // units)
    for at in range(0, n_draws, step):
        rows = min(step, n_draws - at)
        drawn = rng.integers(0, units, (rows, units)) + units * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units)
        draws[at : at + rows] = gap(counts.astype(np.float64) @ table)
    total = table.sum(axis=0)
    left_out = gap(total - table)
    return _finished(float(gap(total)), draws, left_out, turned)


def _turn(table: Array, q: int) -> bool:
    """Tell whether the sides are to change places: one order of the two, whichever came first."""
    return _comes_second(table[:, :q], table[:, q : 2 * q])


def _comes_second(a: Array, b: Array) -> bool:
    """Tell whether a's smallest numbers are below those of b, where they first differ."""
    gaps = np.ravel(np.sort(a, axis=0) - np.sort(b, axis=0))
    differ = np.flatnonzero(gaps)
    return bool(differ.size and gaps[differ[0]] < 0)


def _of_calls(
    first: Array, second: Array, metric: Any, n_draws: int, seed: int, codes: Any
) -> ResampledGaps:
    turned = _comes_second(first, second)
    a, b = (second, first) if turned else (first, second)
    if codes is None:
        both = np.concatenate([a, b], axis=1)
        order = np.lexsort(both.T[::-1])
        units = [order[at : at + 1] for at in range(len(order))]
    else:
        units = [np.flatnonzero(codes == label) for label in np.unique(codes)]

    def gap(rows: Any) -> float:
        return float(metric(a[rows])) - float(metric(b[rows]))

    rng = np.random.default_rng(seed)
    draws = np.array(
        [
            gap(np.concatenate([units[u] for u in rng.integers(0, len(units), len(units))]))
            for _ in range(n_draws)
        ]
    )
    everything = np.concatenate(units)
    blocks = np.array_split(np.arange(len(units)), min(len(units), _JACKKNIFE))
    left_out = np.array(
        [
            gap(np.concatenate([units[u] for u in np.delete(np.arange(len(units)), block)]))
            for block in blocks
        ]
    )
    return _finished(gap(everything), draws, left_out, turned)


def _finished(estimate: float, draws: Array, left_out: Array, turned: bool) -> ResampledGaps:
    from scipy.special import ndtri

    draws = np.sort(draws)
    below = np.searchsorted(draws, estimate, "left") + np.searchsorted(draws, estimate, "right")
    share = (below / 2 + 0.5) / (draws.size + 1)
    influence = left_out.mean() - left_out
    size = np.max(np.abs(influence))
    acceleration = 0.0
    if size > 0:
        scaled = influence / size
        acceleration = float(np.sum(scaled**3) / (6 * np.sum(scaled**2) ** 1.5))
    bias = float(ndtri(share))
    if turned:
        return ResampledGaps(-estimate, -draws[::-1], -bias, -acceleration)
    return ResampledGaps(estimate, draws, bias, acceleration)


def levels(found: ResampledGaps, kind: str) -> Array:
    """Return the one-sided p-value of "greater" when c of the draws lie at or below δ, c = 0 … B.

    Percentile: (1 + c)/(B + 2). BCa: Φ(w/(1 + âw) − ẑ₀) with w = Φ⁻¹((1 + c)/(B + 2)) − ẑ₀.
    """
    n = found.draws.size
    shares = np.arange(1, n + 2) / (n + 2)
    if kind == "percentile":
        return shares
    from scipy.special import ndtr, ndtri

    w = ndtri(shares) - found.bias
    inner = 1 + found.acceleration * w
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(inner > 0, w / np.where(inner > 0, inner, 1.0), np.sign(w) * 40) - found.bias
    return np.asarray(ndtr(np.maximum.accumulate(z)))
