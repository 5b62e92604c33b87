"""Means and spreads: exactly rounded for one experiment, vectorised for many."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]

ROUNDING = 4 * float(np.finfo(np.float64).eps)
"""Two scores and their difference are each rounded once: spread below this share of the scores
is rounding, not evidence."""


def mean(values: Array, residual: Array | None = None) -> Array:
    """Return the mean over the last axis; `residual` is what earlier rounding took off `values`."""
    n = values.shape[-1]
    if values.ndim == 1:
        tail = [] if residual is None else residual.tolist()
        return np.asarray(_sum(values.tolist() + tail) / n)
    first = np.mean(values, axis=-1)
    rest = values - first[..., None] if residual is None else values - first[..., None] + residual
    return np.asarray(first + np.mean(rest, axis=-1))


def deviations(values: Array, residual: Array | None = None) -> Array:
    """Return values minus their mean, over the last axis."""
    centred = values - mean(values, residual)[..., None]
    return centred if residual is None else centred + residual


def root_sum_squares(values: Array) -> Array:
    """Return √Σx² over the last axis, scaled by a power of two so that no square overflows."""
    exponent = np.frexp(np.max(np.abs(values), axis=-1))[1]
    scaled = np.ldexp(values, -exponent[..., None])
    if values.ndim == 1:
        total: Array = np.asarray(math.fsum((scaled * scaled).tolist()))
    else:
        total = np.einsum("...i,...i->...", scaled, scaled)
    return np.asarray(np.ldexp(np.sqrt(total), exponent))


def standard_deviation(values: Array, residual: Array | None = None) -> Array:
    """Return the sample standard deviation (divisor n − 1) over the last axis, in two passes."""
    centred = deviations(values, residual)
    # The mean was rounded: taking out what is left of it keeps near-constant data right.
    centred = centred - mean(centred)[..., None]
    return np.asarray(root_sum_squares(centred) / math.sqrt(values.shape[-1] - 1))


def split_difference(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a − b and the rounding error of that subtraction, so that their sum is exact."""
    d = a - b
    back = d + b
    return d, (a - back) + ((back - d) - b)


def _sum(values: list[float]) -> float:
    """Return the exactly rounded sum; halved first if the plain one would overflow."""
    try:
        return math.fsum(values)
    except OverflowError:
        return 2 * math.fsum(v / 2 for v in values)
