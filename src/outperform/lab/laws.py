"""The laws of a population of two kinds of points: probabilities of counts and of differences."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..sums import Array

__all__ = [
    "Kinds",
    "Nodes",
    "binomial_law",
    "cell_law",
    "difference_law",
    "hypergeometric_law",
    "nodes_of",
]

Kinds: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""For each kind of point the probabilities that the first and that the second learner errs."""
Nodes: TypeAlias = tuple[tuple[float, float, float], ...]
"""Values of β for the first and for the second learner, each pair with its weight."""

Complex: TypeAlias = npt.NDArray[np.complex128]

GAUSS = 16
"""Nodes of a Gauss–Legendre sum: laws are polynomials in β, and |β| is small (D-37)."""


@lru_cache(maxsize=64)
def nodes_of(beta: float, *, shared: bool) -> Nodes:
    """Return the values that stand for β uniform on [−beta, beta], exactly for polynomials."""
    if beta == 0:
        return ((0.0, 0.0, 1.0),)
    points, weights = np.polynomial.legendre.leggauss(GAUSS)
    one = [(beta * float(x), float(w) / 2) for x, w in zip(points, weights, strict=True)]
    if shared:
        return tuple((x, x, w) for x, w in one)
    return tuple((x, z, w * v) for x, w in one for z, v in one)


def hypergeometric_law(n: int, drawn: int) -> Array:
    """Return P(h of the first kind among `drawn`) with m such points among n: row m, column h."""
    return _hypergeometric(n, drawn)


@lru_cache(maxsize=16)
def _hypergeometric(n: int, drawn: int) -> Array:
    log = _log_factorials(n)
    m, h = np.arange(n + 1)[:, None], np.arange(drawn + 1)[None, :]
    possible = (h <= m) & (drawn - h <= n - m)
    other = np.where(possible, drawn - h, 0)
    inside, rest = np.where(possible, m - h, 0), np.where(possible, n - m - other, 0)
    weight = log[m] - log[np.where(possible, h, 0)] - log[inside]
    weight = weight + log[n - m] - log[other] - log[rest]
    weight -= log[n] - log[drawn] - log[n - drawn]
    law = np.exp(np.where(possible, weight, -np.inf))
    law /= law.sum(axis=1, keepdims=True)
    law.setflags(write=False)
    return law


def binomial_law(n: int, p: float) -> Array:
    """Return P(x of k) for each k = 0…n: row k, column x."""
    log = _log_factorials(n)
    k, x = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    rest = np.maximum(k - x, 0)
    # 0**0 is 1 here, which is what a law with p = 0 or 1 needs.
    ways = np.exp(np.where(x <= k, log[k] - log[x] - log[rest], -np.inf))
    law = ways * np.power(p, x) * np.power(1 - p, rest)
    return np.asarray(law / law.sum(axis=1, keepdims=True))


def difference_law(n_test: int, kinds: Kinds, nodes: Nodes) -> Array:
    """Return the law of the second learner's errors minus the first's, given the kinds tested.

    Row h holds h points of the first kind among `n_test`; column d + n_test is the difference d.
    The law of a sum is a product of generating functions, taken at roots of unity.
    """
    size = 2 * n_test + 1
    z = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    total = np.zeros((n_test + 1, z.size), dtype=np.complex128)
    for beta_a, beta_b, weight in nodes:
        one, two = (_powers(a + beta_a, b + beta_b, z, n_test) for a, b in kinds)
        total += weight * one * two[::-1]
    law = np.fft.irfft(total, n=size, axis=1)
    law = np.maximum(law, 0.0)  # what is below 0 is rounding
    return np.asarray(law / law.sum(axis=1, keepdims=True))


def cell_law(kinds: Kinds, share: float, nodes: Nodes) -> list[tuple[float, Array]]:
    """Return for each β its weight and P(both wrong, A only, B only, none) of a random point."""
    found = []
    for beta_a, beta_b, weight in nodes:
        cells = np.zeros(4)
        for part, (a, b) in zip((share, 1 - share), kinds, strict=True):
            a, b = a + beta_a, b + beta_b
            cells += part * np.array([a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)])
        found.append((weight, cells))
    return found


def _powers(a: float, b: float, z: Complex, highest: int) -> Complex:
    """Return the generating function of one point's difference, shifted by 1, to each power."""
    down, up = a * (1 - b), (1 - a) * b
    factor = down + (1 - down - up) * z + up * z * z
    rows = np.ones((highest + 1, z.size), dtype=np.complex128)
    rows[1:] = factor
    return np.asarray(np.multiply.accumulate(rows, axis=0))


def _log_factorials(n: int) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
