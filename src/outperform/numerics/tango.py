"""Tango's score test and interval for the difference of two proportions on the same items.

Tango (1998), Statistics in Medicine 17, 891–908. δ = p10 − p01: positive means the first is better.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError
from .exact_sums import Array

# Elements solved at a time, so that the dozen arrays of a step stay in the cache.
_CHUNK = 1 << 14
# Six steps were the most ever needed; 64 bisections alone would reach the last bit.
_STEPS = 64


def tango_z(n10: Any, n01: Any, n: Any, delta: Any) -> Array:
    """Return z(δ) = (n10 − n01 − nδ)/√(n(p̃10 + p̃01 − δ²)), p̃ most likely given p10 − p01 = δ.

    `n10` items only the first has right, `n01` only the second, of `n`; all broadcast.
    z(0) = (n10 − n01)/√(n10 + n01), McNemar's without correction; 0 where nothing differs.

    >>> round(float(tango_z(6, 16, 161, 0.0)), 3)
    -2.132
    """
    n10, n01, n, delta = _table(n10, n01, n, validation.numbers(delta, "delta"))
    if (np.abs(delta) > 1).any():
        raise DataError(
            f"delta must lie between -1 and 1, got {delta[np.abs(delta) > 1].flat[0]:g}; "
            "give a difference of proportions"
        )
    variance, _ = _variance(n10, n01, n, delta)
    distance = (n10 - n01) - n * delta
    with np.errstate(divide="ignore", invalid="ignore"):
        z = distance / np.sqrt(n * variance)
    return np.asarray(np.where(distance == 0, 0.0, z))


def tango_interval(n10: Any, n01: Any, n: Any, level: float = 0.95) -> tuple[Array, Array]:
    """Return the limits (low, high) of p10 − p01 at which |z(δ)| reaches the level's quantile.

    >>> low, high = tango_interval(6, 16, 161)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.124, -0.0054)
    """
    from statistics import NormalDist

    z = -NormalDist().inv_cdf((1 - validation.fraction(level, "level")) / 2)
    table = _table(n10, n01, n)
    n10, n01, n = (part.ravel() for part in table)
    low, high = np.empty(n.size), np.empty(n.size)
    for start in range(0, n.size, _CHUNK):
        at = slice(start, start + _CHUNK)
        high[at] = _upper_limit(n10[at], n01[at], n[at], z)
        low[at] = -_upper_limit(n01[at], n10[at], n[at], z)
    return low.reshape(table[0].shape), high.reshape(table[0].shape)


def _upper_limit(n10: Array, n01: Array, n: Array, z: float) -> Array:
    """Solve (δ − δ̂)² = (z²/n)·V(δ) for δ ≥ δ̂.

    V is 2p̃ + |δ|(1 − |δ|) with p̃ a branch of a hyperbola, all but straight: each step puts its
    tangent for p̃ and solves the quadratic that is left. A bracket guards the steps.
    """
    estimate = (n10 - n01) / n
    k = z * z / n
    u, low, high = np.zeros(n.size), np.zeros(n.size), 1 - estimate
    for _ in range(_STEPS):
        delta = estimate + u
        variance, slope = _variance(n10, n01, n, delta)
        beyond = u * u > k * variance
        high, low = np.where(beyond, u, high), np.where(beyond, low, u)
        # V ≈ at_zero + along·u − u², the tangent of p̃ beside the exact square.
        along = slope + 2 * u
        at_zero = variance - along * u + u * u
        half = 0.5 * k * along
        root = np.sqrt(np.maximum(half * half + (1 + k) * k * at_zero, 0.0))
        other = np.divide(k * at_zero, root - half, out=np.zeros_like(u), where=root > half)
        step = np.where(half > 0, (half + root) / (1 + k), other)
        still = np.abs(step - u) <= 1e-14 * u + 4e-16 * np.abs(delta)
        outside = ~still & ~((step >= low) & (step <= high))
        u = np.where(outside, 0.5 * (low + high), step)
        if still.all():
            break
    return np.clip(estimate + u, estimate, 1.0)


def _variance(n10: Array, n01: Array, n: Array, delta: Array) -> tuple[Array, Array]:
    """Return V(δ) = p̃10 + p̃01 − δ² and its slope.

    With a = |δ| and p the rarer proportion, V = 2p + a(1 − a), and the likelihood is greatest at
    the root of 2np² + Bp − C = 0, B = (2n − major + minor)a − (n10 + n01), C = minor·a(1 − a).
    Both are free of cancellation, which is why δ < 0 swaps the models.
    """
    a = np.abs(delta)
    minor = np.where(delta < 0, n10, n01)
    major = np.where(delta < 0, n01, n10)
    spread = a * (1 - a)
    towards = 2 * n - major + minor
    b = towards * a - (n10 + n01)
    root = np.sqrt(b * b + 8 * n * minor * spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(b > 0, 2 * minor * spread / (b + root), (root - b) / (4 * n))
        p_slope = np.where(root > 0, (minor * (1 - 2 * a) - towards * p) / root, 0.0)
    slope = 2 * p_slope + 1 - 2 * a
    return 2 * p + spread, np.where(delta < 0, -slope, slope)


def _table(n10: Any, n01: Any, n: Any, *more: Array) -> tuple[Array, ...]:
    named = (n10, "n10"), (n01, "n01"), (n, "n")
    parts = [validation.counts(values, name) for values, name in named]
    try:
        first, second, total, *rest = np.broadcast_arrays(*parts, *more)
    except ValueError:
        shapes = ", ".join(str(part.shape) for part in (*parts, *more))
        raise DataError(
            f"n10, n01, n (and delta) must have shapes that fit together, got {shapes}; "
            "give one entry per pair in each, or a single number for all"
        ) from None
    wrong = (total < 1) | (first + second > total)
    if wrong.any():
        b, c, n = (part[wrong].flat[0] for part in (first, second, total))
        raise DataError(
            f"n must be at least 1 and at least n10 + n01, got n={n:.0f} with n10={b:.0f} and "
            f"n01={c:.0f}; count also the items both have right or both have wrong"
        )
    return first, second, total, *rest
