"""The five tests as decisions on whole numbers: what exact sums count.

Each is the method's statistic, squared and cleared of divisions. Where nothing varies but the
difference is not 0 the statistic is infinite and the test rejects, as in the paper's figures.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..dists import Normal, T

__all__ = [
    "mcnemar_rejects",
    "proportions_rejects",
    "square_share",
    "two_sided",
]


@lru_cache(maxsize=256)
def two_sided(alpha: float, df: float | None = None) -> float:
    """Return the critical value of |t| with `df` degrees of freedom, or of |z|."""
    return float((Normal() if df is None else T(df)).isf(alpha / 2))


def square_share(n_splits: int, alpha: float, test_train_ratio: float = 0.0) -> float:
    """Return κ: a t-test of n differences rejects where (Σd)² > κ Σd² (D-22, D-23).

    With `test_train_ratio` the variance is widened as corrected t does (N-18).
    """
    widened = two_sided(alpha, n_splits - 1) ** 2 * (1 + n_splits * test_train_ratio)
    return widened * n_splits / (n_splits - 1 + widened)


def mcnemar_rejects(n01: Any, n10: Any, critical: float) -> Any:
    """Judge (|n01 − n10| − 1)² / (n01 + n10) (D-16)."""
    distance = np.maximum(np.abs(n01 - n10) - 1, 0)
    return distance > critical * np.sqrt(n01 + n10)


def proportions_rejects(wrong_a: Any, wrong_b: Any, n: int, critical: float) -> Any:
    """Judge (p_A − p_B) / √(2p(1 − p)/n), p the mean of both (D-19)."""
    both = wrong_a + wrong_b
    spread = critical * np.sqrt(both * (2 * n - both))
    return math.sqrt(2 * n) * np.abs(wrong_a - wrong_b) > spread
