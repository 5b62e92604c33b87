"""What every plan from a pilot shares: other sizes, and a cautious variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..numerics.distributions import Chi2

CAUTION = 0.80
"""Variances are planned at this upper confidence limit: a pilot estimates them roughly."""
SIZES = (1, 1.5, 2, 3, 5, 10)
"""Multiples of the pilot's items, or datasets."""


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """Another number of items or datasets, and the smallest difference that it detects."""

    n: int
    detectable: float
    """At the upper limit of the variance."""
    expected: float
    """With the variance that the pilot estimated."""


def caution(df: float) -> float:
    """Return how much larger the variance may be than one estimated with so many df."""
    return df / float(Chi2(df).isf(CAUTION))


def planned_sizes(
    n: int, df: float, reach: Callable[[int, float], float]
) -> tuple[PlannedSize, ...]:
    """Return what more of the pilot's n detect; `reach` takes a size and a factor of the sd."""
    worst = math.sqrt(caution(df))
    sizes = [round(times * n) for times in SIZES]
    return tuple(PlannedSize(size, reach(size, worst), reach(size, 1.0)) for size in sizes)


def more(needed: int | None, n: int) -> int | None:
    """Return how many more than the n of the pilot are needed; None where that is not known."""
    return None if needed is None else max(needed - n, 0)
