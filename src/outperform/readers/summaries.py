"""Summary rows: means, deviations and totals that stand below the scores of splits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..columns import is_number_of_row, is_summary, listed, role_of, shown
from ..errors import DataError
from .kinds import GLANCE, as_numbers
from .tables import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["without_summaries"]

LABELS = ("dataset", "partition", "repeat", "fold", "seed")
MOST = 100_000
"""Rows whose labels are all looked at: of larger files, the first and the last."""


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
