"""Signed ranks: rank sums, p-values counted over all signs, and the averages that invert them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .distributions import Normal
from .exact_sums import Array

LARGEST_COUNTED = 100
"""Values up to which p-values are counted; beyond, the normal law is within 1 % of them at .05,
and too large by 4 % at .01 and 14 % at .001."""
LARGEST_LISTED = 200
"""Values whose n(n + 1)/2 averages are listed; of more, only those near the wanted ones."""
BLOCK = 2**20
"""Averages listed at a time: 8 MB."""


ZEROS = ("wilcox", "pratt", "zsplit")


def signed_rank(
    values: Array, yardstick: Array, zeros: str = "wilcox"
) -> tuple[Any, Any, Any, Any]:
    """Return log p-values of (less, greater) and the rank sums of positive and negative values.

    Values within `yardstick` of zero are zeros; magnitudes within it share their rank. Zeros are
    left out ("wilcox"), or ranked first and then left out ("pratt"), or ranked and half of their
    ranks given to each sum ("zsplit"), which leaves the p-values of "pratt" as they are.
    """
    lead, n = values.shape[:-1], values.shape[-1]
    rows = values.reshape(-1, n)
    widths = np.broadcast_to(yardstick, lead).reshape(-1, 1)
    doubled, none, positive = _doubled_ranks(rows, widths)
    if zeros == "wilcox":
        doubled = np.maximum(doubled - 2 * none, 0)
    plus = np.sum(doubled, axis=1, where=positive)
    minus = doubled.sum(axis=1) - plus
    shared = none[:, 0] * (none[:, 0] + 1) / 4 * (zeros == "zsplit")
    tails = [
        _log_tails(row[start:], one, other)
        for row, start, one, other in zip(
            doubled, none[:, 0].tolist(), plus.tolist(), minus.tolist(), strict=True
        )
    ]
    less, greater = np.array(tails).reshape(-1, 2).T
    columns = (less, greater, plus / 2 + shared, minus / 2 + shared)
    first, second, third, fourth = (column.reshape(lead)[()] for column in columns)
    return first, second, third, fourth


def rejected(n: int, tail: float) -> int:
    """Return for how many rank sums 0, 1, … of n values P(as small or smaller) is below `tail`."""
    if n <= LARGEST_COUNTED:
        ways = _ways(tuple(range(2, 2 * n + 1, 2)))[::2]
        return int(np.searchsorted(ways, tail * 2.0**n))
    sd = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(math.ceil(n * (n + 1) / 4 - float(Normal().isf(tail)) * sd), 0)


def walsh_averages(values: Array, places: Sequence[int]) -> Array:
    """Return the averages (xᵢ + xⱼ)/2, i ≤ j, at these places of their order, on the last axis."""
    n = values.shape[-1]
    rows = values.reshape(-1, n)
    if n <= LARGEST_LISTED:
        step = max(2 * BLOCK // (n * (n + 1)), 1)
        blocks = (rows[first : first + step] for first in range(0, len(rows), step))
        found = [row / 2 for block in blocks for row in _placed(_sums(block), list(places))]
    else:
        runs = [places] if max(places) - min(places) < 2 else [(place,) for place in places]
        found = [
            np.concatenate([_selected(row, run) for run in runs]) for row in np.sort(rows, axis=-1)
        ]
    return np.array(found).reshape(*values.shape[:-1], len(places))


def _sums(rows: Array) -> Array:
    """Return xᵢ + xⱼ, i ≤ j, of each row: adding is much quicker than picking both."""
    n, at = rows.shape[-1], 0
    sums = np.empty((len(rows), n * (n + 1) // 2))
    for i in range(n):
        np.add(rows[:, i:], rows[:, i : i + 1], out=sums[:, at : at + n - i])
        at += n - i
    return sums


def _placed(sums: Array, places: list[int]) -> list[Array]:
    """Return what stands at these places of the order of each row.

    Of neighbouring places in a long row, a sorted sample tells where to look.
    """
    size, first, last = sums.shape[-1], min(places), max(places)
    if size < 1000 or last - first > 1:
        return list(np.partition(sums, places)[:, places])
    sample = np.sort(sums[:, :: size // SAMPLE], axis=-1)
    middle, most = first * sample.shape[-1] // size, sample.shape[-1] - 1
    lows = sample[:, max(middle - MARGIN, 0)]
    highs = sample[:, min(middle + MARGIN, most)]
    found = []
    for row, low, high in zip(sums, lows, highs, strict=True):
        near = row[(row >= low) & (row <= high)]
        before = int(np.count_nonzero(row < low))
        if before <= first and last < before + near.size:
            at = [place - before for place in places]
            found.append(np.partition(near, at)[at])
        else:
            found.append(np.partition(row, places)[places])
    return found


SAMPLE = 200
MARGIN = 25
"""Of a sample of 200, 3.5 standard deviations of the place of the median."""


def _selected(ordered: Array, places: Sequence[int]) -> Array:
    """Return the averages at neighbouring places: counts leave a few, and these are listed."""
    place, last = min(places), max(places)
    n = ordered.size
    at = np.arange(n)

    def upto(limit: float) -> Any:
        """Return for each i how many j ≥ i have xᵢ + xⱼ ≤ limit, as the place of the last."""
        return np.maximum(np.searchsorted(ordered, limit - ordered, side="right"), at)

    low, high = 2 * float(ordered[0]), 2 * float(ordered[-1])
    below, above = at, np.full(n, n)
    n_below, n_above = 0, n * (n + 1) // 2
    for step in range(60):
        if n_above - n_below <= 8 * n:
            break
        share = (place + 0.5 - n_below) / (n_above - n_below) if step % 3 else 0.5
        middle = low + (high - low) * min(max(share, 0.02), 0.98)
        if not low < middle < high:
            break
        ends = upto(middle)
        count = int((ends - at).sum())
        if count > last:
            high, above, n_above = middle, ends, count
        elif count <= place:
            low, below, n_below = middle, ends, count
        else:  # between the two
            return np.concatenate([_selected(ordered, (one,)) for one in places])
    sizes = above - below
    i = np.repeat(at, sizes)
    j = np.arange(i.size) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(below, sizes)
    wanted = [min(one - n_below, i.size - 1) for one in places]
    return np.asarray(np.partition((ordered[i] + ordered[j]) / 2, wanted)[wanted])


def _doubled_ranks(rows: Array, widths: Array) -> tuple[Any, Any, Any]:
    """Return twice the average ranks of |x| by size, how many are zero, and which x are positive.

    Doubled ranks are whole numbers even with ties; zeros come first and have none.
    """
    n, at = rows.shape[-1], np.arange(rows.shape[-1])
    sizes = np.abs(rows)
    order = np.argsort(sizes, axis=-1, kind="stable")
    ordered = np.take_along_axis(sizes, order, axis=-1)
    zero = ordered <= widths
    none = zero.sum(axis=-1, keepdims=True)
    starts = np.ones(rows.shape, dtype=np.bool_)
    starts[:, 1:] = (np.diff(ordered, axis=-1) > widths) | (at[1:] == none)
    first = np.maximum.accumulate(np.where(starts, at, 0), axis=-1)
    ends = np.full(rows.shape, n - 1)
    ends[:, :-1] = np.where(starts[:, 1:], at[:-1], n - 1)
    last = np.minimum.accumulate(ends[:, ::-1], axis=-1)[:, ::-1]
    doubled = np.where(zero, 0, first + last + 2)
    return doubled, none, np.take_along_axis(rows > 0, order, axis=-1)


def _log_tails(doubled: Any, plus: int, minus: int) -> tuple[float, float]:
    """Return log P(sum as small as `plus`), log P(as large): the law is symmetric."""
    if doubled.size == 0:
        return 0.0, 0.0
    if doubled.size <= LARGEST_COUNTED:
        ways = _ways(tuple(doubled.tolist()))
        total = doubled.size * math.log(2)
        return math.log(float(ways[plus])) - total, math.log(float(ways[minus])) - total
    half = (plus + minus) / 2
    sd = math.sqrt(float(np.sum(doubled.astype(float) ** 2))) / 2
    law = Normal()
    return float(law.logsf((half - plus) / sd)), float(law.logsf((half - minus) / sd))


@lru_cache(maxsize=256)
def _ways(doubled: tuple[int, ...]) -> Array:
    """Return for every limit how many choices of signs have a sum up to it.

    Without ties it depends on the number of ranks alone, so many experiments share one table. The
    counts are whole numbers up to 2⁵³, and beyond that sums of positive ones, right to 1e-13.
    """
    ways = np.zeros(sum(doubled) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    return np.cumsum(ways)
