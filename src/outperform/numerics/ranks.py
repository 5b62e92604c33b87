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
    lead = values.shape[:-1]
    widths = np.broadcast_to(yardstick, lead).ravel()
    rows = [
        _one(row, width, zeros)
        for row, width in zip(values.reshape(-1, values.shape[-1]), widths, strict=True)
    ]
    columns = np.array(rows).reshape(*lead, 4)
    less, greater, plus, minus = (columns[..., i][()] for i in range(4))
    return less, greater, plus, minus


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
        i, j = np.triu_indices(n)
        step, at = max(BLOCK // i.size, 1), list(places)
        blocks = (rows[first : first + step] for first in range(0, len(rows), step))
        found = [
            row
            for block in blocks
            for row in np.partition((block[:, i] + block[:, j]) / 2, at)[:, at]
        ]
    else:
        runs = [places] if max(places) - min(places) < 2 else [(place,) for place in places]
        found = [
            np.concatenate([_selected(row, run) for run in runs]) for row in np.sort(rows, axis=-1)
        ]
    return np.array(found).reshape(*values.shape[:-1], len(places))


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


def _one(row: Array, width: float, zeros: str) -> tuple[float, float, float, float]:
    kept = row[np.abs(row) > width]
    none = row.size - kept.size
    shared = none * (none + 1) / 4 if zeros == "zsplit" else 0.0
    if kept.size == 0:
        return 0.0, 0.0, shared, shared
    doubled = _doubled_ranks(np.abs(kept), width) + (0 if zeros == "wilcox" else 2 * none)
    plus = int(doubled[kept > 0].sum())
    minus = int(doubled.sum()) - plus
    if kept.size <= LARGEST_COUNTED:
        # The law is symmetric: as small as `plus` is as large as `minus`.
        less, greater = _log_at_most(doubled, plus), _log_at_most(doubled, minus)
    else:
        half = doubled.sum() / 2
        sd = math.sqrt(float(np.sum(doubled.astype(float) ** 2))) / 2
        less, greater = (float(Normal().logsf((half - side) / sd)) for side in (plus, minus))
    return less, greater, plus / 2 + shared, minus / 2 + shared


def _doubled_ranks(sizes: Array, width: float) -> Any:
    """Return twice the average ranks, which are whole numbers even with ties."""
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    group = np.concatenate([[0], np.cumsum(np.diff(ordered) > width)])
    counts = np.bincount(group)
    last = np.cumsum(counts)
    doubled = np.empty(sizes.size, dtype=np.int64)
    doubled[order] = (2 * last - counts + 1)[group]
    return doubled


def _log_at_most(doubled: Any, limit: int) -> float:
    """Return log P(sum of the ranks of a random half of signs ≤ limit), counted exactly."""
    ways = _ways(tuple(sorted(doubled.tolist())))
    return math.log(float(ways[limit])) - len(doubled) * math.log(2)


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
