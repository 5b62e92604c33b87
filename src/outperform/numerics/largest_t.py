"""The law of the largest |t| of dependent differences, by a multiplier bootstrap over units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .distributions import Number, float64, plain
from .exact_sums import Array

BLOCK = 2**20
"""Studentized differences held at a time: 8 MB."""


@dataclass(frozen=True, eq=False, slots=True)
class BootstrapMaximum:
    """The largest |t| of a family, as bootstrap draws of it."""

    maxima: Array
    """Sorted."""

    @property
    def label(self) -> str:
        return f"max |t| ({self.maxima.size} draws)"

    def at(self, index: Any) -> BootstrapMaximum:
        return self

    def sf(self, x: npt.ArrayLike) -> Number:
        """Return (1 + how many draws are as large) / (1 + draws), so that p is never 0."""
        size = self.maxima.size
        smaller = np.searchsorted(self.maxima, float64(x) * (1 - 1e-12), side="left")
        return plain(float64((1.0 + size - smaller) / (1.0 + size)))

    def logsf(self, x: npt.ArrayLike) -> Number:
        return plain(np.log(self.sf(x)))

    def isf(self, q: npt.ArrayLike) -> Number:
        """Return the smallest draw at which `sf` is q or less; the largest where none is."""
        size = self.maxima.size
        place = np.ceil((1 + size) * (1 - float64(q)) - 1e-9).astype(np.int64)
        return plain(self.maxima[np.clip(place, 0, size - 1)])

    def isf_error(self, q: float) -> float:
        """Return the Monte Carlo standard error of the upper q point."""
        by = math.sqrt(q * (1 - q) / self.maxima.size)
        low, high = (float(self.isf(min(max(q + s * by, 1e-12), 1 - 1e-12))) for s in (1, -1))
        return (high - low) / 2


def bootstrap_maximum(
    values: Array, pairs: tuple[Any, Any], n_draws: int, rng: np.random.Generator
) -> BootstrapMaximum:
    """Draw the largest |t| of the differences of columns i and j of values, (units, columns).

    Each unit's deviations are multiplied by a standard normal number (Chernozhukov, Chetverikov &
    Kato, 2013), and each draw is divided by √(χ²_{n−1}/(n − 1)), so that a single pair has
    Student's t. Pairs that do not vary take no part.
    """
    n = len(values)
    i, j = pairs
    centred = values - values.mean(axis=0)
    spread = np.sqrt(((centred[:, i] - centred[:, j]) ** 2).sum(axis=0))
    varies = spread > 1e-12 * max(float(np.abs(values).max()), 1e-300) * math.sqrt(n)
    i, j, spread = i[varies], j[varies], spread[varies]
    maxima = np.zeros(n_draws)
    if i.size == 0:
        return BootstrapMaximum(maxima)
    step = max(BLOCK // i.size, 1)
    for at in range(0, n_draws, step):
        size = min(step, n_draws - at)
        drawn = rng.standard_normal((size, n)) @ centred
        largest = np.max(np.abs(drawn[:, i] - drawn[:, j]) / spread, axis=1)
        maxima[at : at + size] = largest / np.sqrt(rng.chisquare(n - 1, size) / (n - 1))
    return BootstrapMaximum(np.sort(maxima))
