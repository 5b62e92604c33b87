"""Counting columns: whole numbers that number rows, folds or repeats, told by their cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..columns import is_number_of_row, may_number_splits, role_of
from .cells import numbered
from .kinds import GLANCE, as_numbers, counts_up, holds_numbers
from .recognition import Cells
from .tables import Codes, Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_whole", "look"]

LABELS = ("learner", "metric", "dataset", "partition", "repeat", "fold", "seed")
FOLD = r"(?i)^(cv)?[\W_]*(fold|split)[\W_]*\d+$"
MOST = 100_000
FEWEST = {"named": 2, "beside fractions": 3, "beside whole numbers": 5}
"""Rows from which on 1, 2, 3 … is no accident: whole numbers may well be scores."""


def look(table: Table, asked: Mapping[str, Any]) -> Cells:
    """Find the columns that hold numbers, and of those without a known name the counting ones."""
    numeric = [name for name, column in table.columns.items() if holds_numbers(column)]
    chosen: list[str] = []
    for column in asked.values():
        chosen += [column] if isinstance(column, str) else list(column or ())
    free = [name for name in numeric if role_of(name) is None and name not in chosen]
    whole = [name for name in free if is_whole(table.columns[name])]
    named = {role: name for role, name in asked.items() if isinstance(name, str)}
    labels = [n for n in table.columns if role_of(n) in LABELS and n not in chosen]
    labels += [name for role, name in named.items() if role in LABELS and name in table.columns]
    truth = [n for n in table.columns if role_of(n) == "y_true" or n == named.get("y_true")]
    distinct = bool(truth) and bool(table.columns[truth[0]].head(GLANCE).is_unique().all())
    long = any(role_of(n) == "learner" or n == named.get("learner") for n in labels)
    counters, within = [], []
    for name in whole:
        kind = "beside fractions" if len(whole) < len(free) else "beside whole numbers"
        if truth:  # labels of many classes may number the rows by chance; few never do
            kind = "beside whole numbers" if distinct else "beside fractions"
        fewest = FEWEST["named" if is_number_of_row(name) else kind]
        if len(table) < fewest or (distinct and fewest > FEWEST["named"]):
            continue
        if len(table) > MOST and fewest == FEWEST["named"]:
            continue  # its name tells that it is no score, and so many rows are items
        apart = bool(labels) and _counts_within(table, name, labels)
        if apart or _counts(table.columns[name]):
            counters.append(name)
            splits = (apart or not labels) and may_number_splits(name, long=long)
            within += [name] if splits else []
    words = [n for n in table.columns if role_of(n) is None and n not in (*chosen, *numeric)]
    within += [n for n in words if _names_folds(table, n, labels)]
    return Cells(numeric, whole, [*counters, *within], within)


def _names_folds(table: Table, name: str, labels: list[str]) -> bool:
    """Tell whether a column of text says fold 1, fold 2 … in every group of the same labels."""
    import polars as pl

    text = table.columns[name]
    if text.dtype != pl.String or not text.head(GLANCE).str.contains(FOLD).all():
        return False
    several = table.n_groups([*labels, name]) == len(table) > table.n_groups(labels)
    return several and table.n_groups(labels) * text.n_unique() == len(table)


def is_whole(column: pl.Series) -> bool:
    """Tell whether the first cells are whole numbers, or empty."""
    cells = as_numbers(column.head(GLANCE))
    if cells is None or not cells.dtype.is_float():
        return cells is not None
    known = cells.drop_nulls().drop_nans()
    return bool((known == known.floor()).all()) and bool(len(known))


def _counts(column: pl.Series) -> bool:
    """Tell whether a column holds 0 … n − 1 or 1 … n in any order, or counts up from row to row."""
    if not column.head(GLANCE).is_unique().all():
        return False
    cells = _integers(column)
    if cells is None:
        return False
    return _starts_at(cells.sort().to_numpy(), np.arange(len(cells))) or counts_up(cells)


def _counts_within(table: Table, name: str, labels: Collection[str]) -> bool:
    """Tell whether a column holds 0 … m − 1 or 1 … m within every group of the same labels."""
    import polars as pl

    cells = _integers(table.columns[name])
    if cells is None:
        return False
    frame = pl.DataFrame({f"{i}": table.columns[label] for i, label in enumerate(labels)})
    first = pl.col("row").min().over(frame.columns)
    group: Codes = frame.with_row_index("row").select(first.cast(pl.Int64)).to_series().to_numpy()
    if np.unique(group).size == len(table):
        return False
    order = np.lexsort((cells.to_numpy(), group))
    return _starts_at(cells.to_numpy()[order], numbered(group[order]))


def _integers(column: pl.Series) -> pl.Series | None:
    import polars as pl

    cells = as_numbers(column)
    if cells is None or cells.null_count():
        return None
    whole = cells.cast(pl.Int64, strict=False)
    return None if whole.null_count() or (whole != cells).any() else whole


def _starts_at(cells: Codes, places: Codes) -> bool:
    """Tell whether cells are the places, counted from 0 or from 1."""
    return bool(((cells - places) == (cells - places)[0]).all()) and int(cells[0]) in (0, 1)
