"""Areas under ROC curves by placements: DeLong's covariance without pairs of items.

The placement of a positive item counts the negative items ranked below it, that of a negative item
the positive ones above it; ties count one half. DeLong, DeLong and Clarke-Pearson (1988), by the
sorting of Sun and Xu (2014).
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from .exact_sums import Array

Mask = npt.NDArray[np.bool_]


def placements(positive: Mask, scores: Array) -> Array:
    """Return twice the placement of every item, whole numbers, over the last axis."""
    positive, scores = np.broadcast_arrays(positive, scores)
    found = np.empty(scores.shape)
    for at in np.ndindex(scores.shape[:-1]):
        found[at] = _twice(positive[at], scores[at])
    return found


def _twice(positive: Mask, scores: Array) -> Array:
    """Return twice the placements by one model: of each run of equal scores, counted once."""
    order = np.argsort(scores)
    ranked, is_positive = scores[order], positive[order]
    first = np.concatenate([[0], np.flatnonzero(ranked[1:] != ranked[:-1]) + 1])
    last = np.append(first[1:], scores.size)
    counted = np.concatenate([[0], np.cumsum(is_positive)])
    below, upto = counted[first], counted[last]
    negatives, positives = first + last - below - upto, 2 * counted[-1] - below - upto
    if first.size < scores.size:
        negatives, positives = (np.repeat(part, last - first) for part in (negatives, positives))
    twice = np.empty(scores.size)
    twice[order] = np.where(is_positive, negatives, positives)
    return twice


def areas_of(positive: Mask, twice: Array) -> Any:
    """Return the area under the curve from twice the placements, over the last axis."""
    n1 = np.count_nonzero(positive, axis=-1)
    return np.sum(np.where(positive, twice, 0.0), axis=-1) / (2.0 * n1 * (positive.shape[-1] - n1))


EXACT = 2.0**53
"""Whole numbers up to this are floats, so that their sums lose nothing in any order."""


def area_gaps(positive: Mask, ranked: Array, i: Any, j: Any) -> tuple[Any, Any, Any]:
    """Return for pairs of models the difference of areas, its standard error, and if all is equal.

    `ranked` is twice the placements by each model, (models, items). One product of matrices for
    each class gives all covariances: whole numbers, exact up to 2⁵³, so that what nearly equal
    models share cancels without loss. Pairs are worked out one by one where they could be larger.
    """
    n1 = int(np.count_nonzero(positive))
    n0 = positive.size - n1
    if positive.size * (2.0 * max(n1, n0)) ** 2 >= EXACT:
        each = [area_difference(positive, ranked[a] - ranked[b]) for a, b in zip(i, j, strict=True)]
        alike = [bool((ranked[a] == ranked[b]).all()) for a, b in zip(i, j, strict=True)]
        gaps, errors = (np.array(part) for part in zip(*each, strict=True))
        return gaps, errors, np.array(alike)
    variance, total, same = np.zeros(len(i)), np.zeros(len(i)), np.ones(len(i), dtype=bool)
    for kind, n, others in ((positive, n1, n0), (~positive, n0, n1)):
        x = ranked[:, kind]
        sums = x.sum(axis=1)
        middle = np.round(sums / n)
        left = x - middle[:, None]
        rest = sums - n * middle
        product = left @ left.T
        squares = product[i, i] + product[j, j] - 2 * product[i, j]
        gap = rest[i] - rest[j]
        variance += np.maximum(squares - gap * gap / n, 0.0) / (n - 1) / n / (2.0 * others) ** 2
        same &= (squares == 0) & (sums[i] == sums[j])
        if kind is positive:
            total = sums[i] - sums[j]
    return total / (2.0 * n1 * n0), np.sqrt(variance), same


def area_interval(area: float, stderr: float, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of one area on the logit scale, which stays between 0 and 1.

    logit(A) ± z · se/(A(1 − A)); an area of 0 or 1, whose logit is infinite, has no spread.
    """
    if stderr == 0 or not 0 < area < 1:
        return area, area
    z = -NormalDist().inv_cdf((1 - level) / 2)
    middle, half = math.log(area / (1 - area)), z * stderr / (area * (1 - area))
    low, high = (1 / (1 + math.exp(-(middle + side * half))) for side in (-1, 1))
    return low, high


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
