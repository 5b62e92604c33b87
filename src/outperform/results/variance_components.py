"""Training sets × test items: how much each varies, and the mean of both (D-06, as in DELVE)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..errors import DataError
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.distributions import T
from ..numerics.exact_sums import ROUNDING, Array
from .evidence import Pivot


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one item's score: what another training set, or another item, changes (D-06)."""

    training_set: float
    test_item: float
    residual: float
    """Interaction of both, with internal randomness."""
    n_training_sets: int
    n_test_items: int

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def grand_mean(values: Array) -> tuple[Pivot, Components, list[Note]]:
    """Estimate the mean over new training sets and new items from I sets (rows) × J items.

    E[MSA] = σₑ² + Jσₐ² for sets, E[MSB] = σₑ² + Iσ_b² for items and E[MSE] = σₑ², so that the
    variance of the grand mean, σₐ²/I + σ_b²/J + σₑ²/(IJ), is estimated by
    (MSA + MSB − MSE)/(IJ), on Satterthwaite's degrees of freedom. A component below zero is taken
    as 0: then only the other mean square is left of the sum, or MSE if both are.
    """
    sets, items = values.shape
    if sets < 2 or items < 2:
        raise DataError(
            f"{sets} training sets × {items} test items are there; variance components need at "
            "least 2 of each, as in design='8disjoint@200'"
        )
    mean, msa, msb, mse = mean_squares(values)
    a, b = (msa - mse) / items, (msb - mse) / sets
    free = sets - 1, items - 1, (sets - 1) * (items - 1)
    used = (msa * (a > 0), msb * (b > 0), mse * (1 - (a > 0) - (b > 0)))
    total = sum(used)
    stderr = 0.0 if is_rounding(values.ravel()) else math.sqrt(total / (sets * items))
    bottom = sum(part**2 / df for part, df in zip(used, free, strict=True))
    pivot = Pivot(mean, stderr, T(total**2 / bottom if bottom else free[2]), math.nan)
    notes = [
        Note("OP311", f"The variance of {what} was estimated below 0 and set to 0.")
        for what, size in (("training sets", a), ("test items", b))
        if size < 0 < stderr
    ]
    return pivot, Components(max(a, 0.0), max(b, 0.0), mse, sets, items), notes


def mean_squares(values: Array) -> tuple[float, float, float, float]:
    """Return the grand mean and the mean squares of rows, of columns and of what is left."""
    rows, columns = values.shape
    mean, centred = exact_sums.centre(values.ravel())
    table = centred.reshape(values.shape)
    of_row = exact_sums.row_means(table, single=True)
    of_column = exact_sums.row_means(table.T, single=True)
    rest = table - of_row[:, None] - of_column
    msa = columns * float(exact_sums.root_sum_squares(of_row)) ** 2 / (rows - 1)
    msb = rows * float(exact_sums.root_sum_squares(of_column)) ** 2 / (columns - 1)
    mse = float(exact_sums.root_sum_squares(rest.ravel())) ** 2 / ((rows - 1) * (columns - 1))
    return float(mean), msa, msb, mse


def is_rounding(values: Array) -> bool:
    """Tell whether values differ by no more than rounding at their scale."""
    centred = exact_sums.centre(values)[1]
    return bool(exact_sums.largest(centred) <= ROUNDING * exact_sums.largest(values))
