"""Signed ranks: sums of ranks by sign, and their p-values counted over all signs."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from .dists import Normal
from .sums import Array

__all__ = ["signed_rank"]

LARGEST_COUNTED = 50


def signed_rank(values: Array, yardstick: Array) -> tuple[Any, Any, Any, Any]:
    """Return log p-values of (less, greater) and the rank sums of positive and negative values.

    Values within `yardstick` of zero are left out; magnitudes within it share their rank.
    """
    lead = values.shape[:-1]
    widths = np.broadcast_to(yardstick, lead).ravel()
    rows = [_one(row, width) for row, width in
            zip(values.reshape(-1, values.shape[-1]), widths, strict=True)]  # fmt: skip
    columns = np.array(rows).reshape(*lead, 4)
    less, greater, plus, minus = (columns[..., i][()] for i in range(4))
    return less, greater, plus, minus


def _one(row: Array, width: float) -> tuple[float, float, float, float]:
    kept = row[np.abs(row) > width]
    if kept.size == 0:
        return 0.0, 0.0, 0.0, 0.0
    doubled = _doubled_ranks(np.abs(kept), width)
    plus = int(doubled[kept > 0].sum())
    minus = int(doubled.sum()) - plus
    if kept.size <= LARGEST_COUNTED:
        # The law is symmetric: as small as `plus` is as large as `minus`.
        less, greater = _log_at_most(doubled, plus), _log_at_most(doubled, minus)
    else:
        half = doubled.sum() / 2
        sd = math.sqrt(float(np.sum(doubled.astype(float) ** 2))) / 2
        less, greater = (float(Normal().logsf((half - side) / sd)) for side in (plus, minus))
    return less, greater, plus / 2, minus / 2


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
    return math.log(ways[limit]) - len(doubled) * math.log(2)


@lru_cache(maxsize=256)
def _ways(doubled: tuple[int, ...]) -> list[int]:
    """Return for every limit how many choices of signs have a sum up to it.

    Without ties it depends on the number of ranks alone, so many experiments share one table.
    """
    ways = [1, *[0] * sum(doubled)]
    for rank in doubled:
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return list(accumulate(ways))
