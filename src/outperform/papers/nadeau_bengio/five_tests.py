"""The five statistics of Table 1, computed on every dataset by the package's own methods (N-24)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...registry import get
from ...sums import Array
from ...views import Differences, Halves
from .letter import ALPHA, J, Losses, M, Means

__all__ = ["OUT", "Tests", "common", "conservative", "natural", "resampled", "t_test", "twofold"]

OUT = ", 40% out"
"""Ends the names of statistics for which 40% of the data were thrown out (N-28)."""


def common(found: Losses) -> dict[str, Tests]:
    """Return the eight curves of Figure 1, all aimed at n₁ = n/2 (N-28, N-29)."""
    z = conservative(found)
    return {
        "t-test": t_test(found.half),
        "resampled t": resampled(found.half, "resampled_t"),
        f"resampled t{OUT}": resampled(found.thrown, "resampled_t"),
        "corrected t": resampled(found.half, "corrected_t"),
        f"corrected t{OUT}": resampled(found.thrown, "corrected_t"),
        "conservative Z": z.over(found.half.values.mean(axis=1)),
        f"conservative Z{OUT}": z.over(found.thrown.values.mean(axis=1)),
        "5x2cv": twofold(found.twofold),
    }


def natural(found: Losses) -> dict[str, Tests]:
    """Return the statistics in their natural habitat, n₁ = 9n/10 and n₂ = n/10 (N-31)."""
    return {
        "resampled t": resampled(found.habitat, "resampled_t"),
        "corrected t": resampled(found.habitat, "corrected_t"),
        "conservative Z": conservative(found),
    }


class Tests(NamedTuple):
    """One test on every dataset: estimate, its standard error, and the critical value of (9)."""

    estimate: Array
    stderr: Array
    law: Any

    def rejects(self, mu0: float, alpha: float = ALPHA) -> Array:
        """Return 1 for each dataset where |μ̂ − μ₀| / σ̂ > c (9), else 0 (N-24)."""
        critical = float(self.law.isf(alpha / 2))
        beyond = np.abs(self.estimate - mu0) > critical * self.stderr + 1e-12
        return beyond.astype(np.float64)

    def distances(self, mu0: float) -> Array:
        """Return |μ̂ − μ₀| / σ̂, infinite where nothing varies."""
        gap = np.abs(self.estimate - mu0)
        infinite = np.where(gap > 1e-12, np.inf, 0.0)
        return np.divide(gap, self.stderr, out=infinite, where=self.stderr > 0)

    def over(self, estimate: Array) -> Tests:
        """Return the test with another numerator (N-29)."""
        return self._replace(estimate=estimate)


def t_test(found: Means) -> Tests:
    """The t-test on the items of the first split (N-21)."""
    n = found.n_test
    total, square = (np.rint(n * part[:, 0]) for part in (found.values, found.squares))
    plus, minus = (square + total) / 2, (square - total) / 2
    place = np.arange(n)
    items = (place < plus[:, None]) * 1.0 - (place >= n - minus[:, None]) * 1.0
    return _on("paired_t", items[:, None, None, :])


def resampled(found: Means, method: str, n_resamples: int = J) -> Tests:
    """The resampled t or the corrected one on the first resamples (N-18, N-22)."""
    values = found.values[:, None, :n_resamples, None]
    return _on(method, values, found.n_test / found.n_train)


def twofold(found: Means) -> Tests:
    """The 5x2cv t-test of any μ₀ (N-23)."""
    return _on("five_by_two_t", found.values.reshape(-1, 1, 5, 2))


def conservative(found: Losses, n_halvings: int = M, n_resamples: int = J) -> Tests:
    """Conservative Z at n₁ = 9n/10, its variance from halves (N-19)."""
    whole = found.habitat.values[:, :n_resamples]
    view = Halves(whole, found.half_means(n_halvings, n_resamples), np.ones(len(whole)))
    return _tests(get("conservative_z").on(view))


def _on(method: str, values: Array, ratio: float | None = None) -> Tests:
    return _tests(get(method).on(Differences.subtract(values, None, ratio=ratio)))


def _tests(evidence: Any) -> Tests:
    return Tests(np.asarray(evidence.estimate), np.asarray(evidence.stderr), evidence.dist)
