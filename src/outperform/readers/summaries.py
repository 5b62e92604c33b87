"""Summary rows: means, deviations and totals that stand below the scores of splits."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from ..columns import is_number_of_row, is_summary, listed, role_of, shown
from ..errors import DataError
from ..numerics.exact_sums import Array
from .kinds import GLANCE, as_numbers
from .tables import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["refuse_mean_row", "without_summaries"]

LABELS = ("dataset", "partition", "repeat", "fold", "seed")
MOST = 100_000
"""Rows whose labels are all looked at: of larger files, the first and the last."""
ROUNDING, LAST = 1e-6, 5
"""How near a row is to the mean of those above it if it is that, and how many are looked at."""
CHANCE = 0.1
"""How rarely a split at the end would by chance be the mean, as rounded, of those above it."""


def without_summaries(table: Table, asked: Mapping[str, Any]) -> tuple[Table, str]:
    """Leave out rows whose label says that they summarise others; and say so."""
    import polars as pl

    named = {column: role for role, column in asked.items() if isinstance(column, str)}
    listing = asked.get("learner")
    own: Collection[str] = () if isinstance(listing, str) or listing is None else listing
    for name, column in table.columns.items():
        role = named.get(name) or role_of(name)
        if name in own or not _may_label(column, name, role):
            continue
        text = column.cast(pl.String)
        seen = text if len(text) <= MOST else _ends(text)
        found = [label for label in seen.unique(maintain_order=True) if is_summary(label or "")]
        if not found:
            continue
        rows = text.is_in(found).fill_null(False).to_numpy()
        if rows.all() and len(found) == 1:
            continue
        if rows.all():
            raise DataError(
                f"column {shown(name)} holds {listed(found)} alone, which summarise scores; the "
                "score of every split is needed, for means and deviations do not tell how two "
                "learners differ on the same split. Write a row for each split"
            )
        kept = table.keep(np.flatnonzero(~rows))
        many = f"{int(rows.sum())} summary rows" if rows.sum() > len(found) else "Summary rows"
        rest, more = without_summaries(kept, asked)
        return rest, f"{many} left out: {listed(found)} (column {shown(name)}). {more}".strip()
    return table, ""


def refuse_mean_row(table: Table, rows: Array, all_of_them: str) -> None:
    """Refuse a row at the end that is the mean of those above, though no label says so."""
    n = rows.shape[1]
    for at in range(n - 1, max(n - LAST, 1), -1):
        above = rows[:, :at]
        mean = above.mean(axis=1)
        near = np.abs(rows[:, at] - mean) <= np.maximum(ROUNDING * np.abs(mean), _half(rows, at))
        if near.all() and np.ptp(above, axis=1).all():
            raise DataError(
                f"{table.place(at)} is the mean of the rows above it, in every column; the score "
                "of a split is needed in each row. Leave it out; if it is a split, list the "
                f"learners: {all_of_them}"
            )


def _half(rows: Array, at: int) -> float:
    """Return half a unit of the last digit written in a row, 0 where it proves no mean.

    Below a mean that is rounded stand deviations at most, and splits seldom meet it by chance.
    """
    above, below = rows[:, :at], np.abs(rows[:, at + 1 :])
    if not np.isfinite(rows[:, : at + 1]).all() or (below > np.abs(rows[:, [at]]) / 2).any():
        return 0.0
    digits = (Decimal(f"{value:.12g}").normalize().as_tuple().exponent for value in rows[:, at])
    half = 0.5000001 * 10.0 ** min(int(digit) for digit in digits)
    # The density of a normal distribution at its mean, in each column.
    with np.errstate(over="ignore"):
        chances = 2 * half / (np.std(above, axis=1) * math.sqrt(2 * math.pi) + half)
    return half if float(np.prod(np.minimum(chances, 1))) <= CHANCE else 0.0


def _may_label(column: pl.Series, name: str, role: str | None) -> bool:
    """Tell whether a column of text labels rows: by its name, or as numbers beside summaries."""
    import polars as pl

    if column.dtype not in (pl.String, pl.Categorical, pl.Enum) or role not in (None, *LABELS):
        return False
    if role is not None or is_number_of_row(name):
        return True
    ends = _ends(column.cast(pl.String)).drop_nulls().unique()
    rest = ends.filter(~pl.Series([is_summary(label) for label in ends], dtype=pl.Boolean))
    numbers = as_numbers(rest)
    return 0 < len(rest) < len(ends) and numbers is not None and numbers.dtype.is_integer()


def _ends(text: pl.Series) -> pl.Series:
    return text.head(GLANCE).append(text.tail(GLANCE))
