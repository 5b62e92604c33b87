"""Areas under ROC curves by placements: DeLong's covariance without pairs of items.

The placement of a positive item counts the negative items ranked below it, that of a negative item
the positive ones above it; ties count one half. DeLong, DeLong and Clarke-Pearson (1988), by the
sorting of Sun and Xu (2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .exact_sums import Array

Mask = npt.NDArray[np.bool_]


def placements(positive: Mask, scores: Array) -> Array:
    """Return twice the placement of every item, whole numbers, over the last axis."""
    positive, scores = np.broadcast_arrays(positive, scores)
    order = np.argsort(scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=-1)
    is_positive = np.take_along_axis(positive, order, axis=-1)
    n = scores.shape[-1]
    place = np.broadcast_to(np.arange(n), scores.shape)
    edge = np.ones((*scores.shape[:-1], 1), dtype=np.bool_)
    new = np.concatenate([edge, ranked[..., 1:] != ranked[..., :-1]], axis=-1)
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    ends = np.concatenate([new[..., 1:], edge], axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, n)[..., ::-1], axis=-1)[..., ::-1]

    def upto_and_below(kind: Mask) -> tuple[Any, Any]:
        """Count items of a kind ranked with or below each item, and strictly below it."""
        total = np.cumsum(kind, axis=-1)
        ends = np.take_along_axis(total, last, axis=-1)
        starts = np.take_along_axis(total, first, axis=-1)
        return ends, starts - np.take_along_axis(kind, first, axis=-1)

    negatives, n1 = sum(upto_and_below(~is_positive)), np.sum(positive, axis=-1)[..., None]
    positives = 2 * n1 - sum(upto_and_below(is_positive))
    twice = np.where(is_positive, negatives, positives)
    found = np.empty(scores.shape)
    np.put_along_axis(found, order, twice.astype(np.float64), axis=-1)
    return found


def area_difference(positive: Mask, gap: Array) -> tuple[Any, Any]:
    """Return the difference of two areas and its standard error, from twice-placement gaps.

    Var = var(gaps of positives) / n₁ + var(gaps of negatives) / n₀, which is DeLong's
    s₁₁ + s₂₂ − 2 s₁₂. The gaps are whole numbers, so that their sums are exact.
    """
    n1 = np.count_nonzero(positive, axis=-1).astype(np.float64)
    n0 = positive.shape[-1] - n1
    total = np.sum(np.where(positive, gap, 0.0), axis=-1)
    variance = np.zeros_like(total)
    for kind, n, others in ((positive, n1, n0), (~positive, n0, n1)):
        middle = np.round(np.sum(np.where(kind, gap, 0.0), axis=-1) / n)
        left = np.where(kind, gap - middle[..., None], 0.0)  # whole: the order changes no bit
        squares = np.sum(left * left, axis=-1) - np.sum(left, axis=-1) ** 2 / n
        variance += squares / (n - 1) / n / (2 * others) ** 2
    return total / (2 * n1 * n0), np.sqrt(variance)
