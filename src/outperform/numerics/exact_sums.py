"""Means and spreads: exactly rounded for one experiment, vectorised for many."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]

SMALL = 1e-240
"""Sums of squares between this and its reciprocal lost nothing to the range of float64."""
ROUNDING = 4 * float(np.finfo(np.float64).eps)
"""Two scores and their difference are each rounded once: spread below this share of the scores
is rounding, not evidence."""


def mean(values: Array, residual: Array | None = None) -> Array:
    """Return the mean over the last axis; `residual` is what earlier rounding took off `values`."""
    if values.ndim == 1:
        tail = [] if residual is None else residual.tolist()
        return np.asarray(_mean(values.tolist() + tail, values.size))
    return centre(values, residual)[0]


def centre(values: Array, residual: Array | None = None) -> tuple[Array, Array]:
    """Return the mean over the last axis and the deviations from it.

    The mean is rounded, so what is left of it in the deviations is taken out once more: that
    keeps near-constant data right.
    """
    middle = mean(values, residual) if values.ndim == 1 else np.mean(values, axis=-1)
    centred = values - middle[..., None]
    if residual is not None:
        centred += residual
    left = mean(centred) if values.ndim == 1 else np.mean(centred, axis=-1)
    centred -= left[..., None]
    return (middle if values.ndim == 1 else middle + left), centred


def largest(values: Array) -> Array:
    """Return max |x| over the last axis, without a copy of the values."""
    return np.asarray(np.maximum(np.max(values, axis=-1), -np.min(values, axis=-1)))


def mean_difference(a: Array, b: Array) -> Array:
    """Return mean(a) − mean(b) over the last axes, right though both be large and near."""
    first, second = mean(a), mean(b)
    rest = _left_over(a, first) - _left_over(b, second)
    return np.asarray((first - second) + rest)


def _left_over(values: Array, middle: Array) -> Array:
    """Return what rounding took off the mean."""
    if values.ndim == 1:
        n = values.size
        return np.asarray(_mean(values.tolist() + [-float(middle)] * n, n))
    return np.asarray(np.mean(values - middle[..., None], axis=-1))


def row_means(values: Array, *, single: bool) -> Array:
    """Return the mean of every row; exactly rounded where all rows belong to one experiment."""
    if not single:
        return mean(values)
    return np.array([mean(row) for row in values])


def root_sum_squares(values: Array) -> Array:
    """Return √Σx² over the last axis; scaled by powers of two where squares leave the range."""
    with np.errstate(over="ignore", under="ignore"):
        total = _sum_squares(values)
    if np.all((total > SMALL) & (total < 1 / SMALL)):
        return np.asarray(np.sqrt(total))
    exponent = np.frexp(largest(values))[1]
    scaled = np.ldexp(values, -exponent[..., None])
    return np.asarray(np.ldexp(np.sqrt(_sum_squares(scaled)), exponent))


def _sum_squares(values: Array) -> Array:
    if values.ndim > 1:
        return np.asarray(np.einsum("...i,...i->...", values, values))
    try:
        return np.asarray(math.fsum((values * values).tolist()))
    except OverflowError:
        return np.asarray(math.inf)


def standard_deviation(values: Array) -> Array:
    """Return the sample standard deviation (divisor n − 1) over the last axis, in two passes."""
    return np.asarray(root_sum_squares(centre(values)[1]) / math.sqrt(values.shape[-1] - 1))


def split_difference(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a − b and the rounding error of that subtraction, so that their sum is exact."""
    d = a - b
    back = d + b
    return d, (a - back) + ((back - d) - b)


def _mean(values: list[float], n: int) -> float:
    """Return the exactly rounded sum over n; divided first if the sum would overflow."""
    try:
        return math.fsum(values) / n
    except OverflowError:
        return math.fsum(v / n for v in values)
