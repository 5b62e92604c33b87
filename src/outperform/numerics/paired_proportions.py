"""Intervals for the difference of two proportions on the same items, beside Tango's.

Newcombe's square-and-add interval (1998, method 10) and the adjusted Wald interval of Bonett and
Price (2012), from the four counts of a 2 × 2 table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .distributions import Normal
from .exact_sums import Array

_STEPS = 80


def bonett_price(n10: Any, n01: Any, n: Any) -> tuple[Array, Array]:
    """Return centre and standard error of the adjusted Wald interval: one item added to each count.

    p̃10 = (n10 + 1)/(n + 2), p̃01 = (n01 + 1)/(n + 2); the variance is
    (p̃10 + p̃01 − (p̃10 − p̃01)²)/(n + 2).
    """
    first, second, size = (np.asarray(x, dtype=np.float64) for x in (n10, n01, n))
    p, q = (first + 1) / (size + 2), (second + 1) / (size + 2)
    # p + q − (p − q)² without cancellation: p(1 − p) + q(1 − q) + 2pq
    return p - q, np.sqrt((p * (1 - p) + q * (1 - q) + 2 * p * q) / (size + 2))


def newcombe_interval(n11: Any, n10: Any, n01: Any, n00: Any, z: Any) -> tuple[Array, Array]:
    """Return the square-and-add limits of p1 − p2 at the normal quantile z.

    Wilson's limits of both proportions are combined with the correlation φ of the table, whose
    numerator is reduced by n/2 (not below 0) where it is positive.
    """
    a, b, c, d = (np.asarray(x, dtype=np.float64) for x in (n11, n10, n01, n00))
    n = a + b + c + d
    first, second = a + b, a + c
    product = a * d - b * c
    product = np.where(product > 0, np.maximum(product - n / 2, 0.0), product)
    margins = np.sqrt(first) * np.sqrt(n - first) * np.sqrt(second) * np.sqrt(n - second)
    phi = np.divide(product, margins, out=np.zeros_like(n), where=margins > 0)
    below1, above1 = _wilson_arms(first, n, z)
    below2, above2 = _wilson_arms(second, n, z)

    def arm(x: Array, y: Array) -> Array:
        return np.asarray(np.sqrt(np.maximum(x * x - 2 * phi * x * y + y * y, 0.0)))

    middle = (b - c) / n
    low, high = middle - arm(below1, above2), middle + arm(below2, above1)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def _wilson_arms(count: Array, n: Array, z: Any) -> tuple[Array, Array]:
    """Return how far Wilson's limits lie below and above the proportion."""
    p, square = count / n, np.square(z)
    centre = (count + square / 2) / (n + square)
    half = z * np.sqrt(p * (1 - p) * n + square / 4) / (n + square)
    return np.maximum(p - (centre - half), 0.0), np.maximum(centre + half - p, 0.0)


def newcombe_tails(n11: Any, n10: Any, n01: Any, n00: Any, delta: Any) -> tuple[Any, Any]:
    """Return log p-values of (less, greater) against δ: the level at which a limit reaches it."""
    given = (np.asarray(x, dtype=np.float64) for x in (n11, n10, n01, n00, delta))
    a, b, c, d, delta = np.broadcast_arrays(*given)
    estimate = (b - c) / (a + b + c + d)
    above = delta > estimate
    low, high = np.zeros(delta.shape), np.full(delta.shape, 40.0)
    for _ in range(_STEPS):
        z = (low + high) / 2
        bottom, top = newcombe_interval(a, b, c, d, z)
        inside = np.where(above, top > delta, bottom < delta)
        low, high = np.where(inside, low, z), np.where(inside, z, high)
    z = np.where(delta == estimate, 0.0, np.where(above, -1.0, 1.0) * (low + high) / 2)
    return Normal().logsf(-z), Normal().logsf(z)
