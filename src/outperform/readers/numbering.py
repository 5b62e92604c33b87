"""Numbering of rows: which column, or the order of rows, tells the splits of a learner apart."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..designs import Design
from ..errors import DataError
from . import split_grid
from .column_names import (
    ADDRESS,
    is_number_of_row,
    is_progress,
    listed,
    lower_is_better,
    may_number_splits,
    names_items,
    role_of,
    shown,
)
from .parsing import GLANCE, as_numbers, counts_up, holds_numbers, mostly_numbers
from .recognition import FileLayout, NumericColumns
from .score_table import Codes, ScoreTable
from .split_grid import AXES, numbered

if TYPE_CHECKING:
    import polars as pl


def with_seeds(
    table: ScoreTable, reading: FileLayout, plan: Design | None
) -> tuple[FileLayout, str]:
    """Read seeds that tell rows apart as repeats, and say so; refuse them on a single split."""
    roles = dict(reading.roles)
    seed = roles.get("seed")
    known = [*label_columns(roles), *filter(None, [roles.get("metric")])]
    if seed is None or "repeat" in roles or not table.has_doubles(known):
        return reading, ""
    addressed = bool({*ADDRESS} & roles.keys())
    if not addressed and plan is None and "dataset" not in roles:
        n = table.columns[seed].n_unique()
        raise DataError(
            f"column {shown(seed)} alone tells the scores of a learner apart: {n} seeds on one "
            "split, as far as this file says. They show how training varies, not what another "
            "split would show, so that no verdict on the learners follows. For this split alone, "
            "compare the scores of the seeds: outperform.paired_t(a, b). If every seed split the "
            f"data anew, say how: repeat={seed!r}, design='…'"
        )
    roles["repeat"] = roles.pop("seed")
    said = f"Every {shown(seed)} is taken to have split the data anew."
    return replace(reading, roles=roles), said


def label_columns(roles: Mapping[str, str]) -> list[str]:
    return [roles[axis] for axis in AXES if axis in roles]


def telling_apart(table: ScoreTable, reading: FileLayout, roles: Mapping[str, str]) -> str:
    """Say which column would tell rows apart that are the same cell, and as what."""
    axis = next((axis for axis in ("repeat", "fold", "partition") if axis not in roles), None)
    for name in reading.unread if axis is not None else ():
        if not table.has_doubles([*label_columns(roles), name]):
            if names_items(name):
                labels = label_columns(roles)
                return (
                    f"Column {shown(name)} names items; give the mean score of each split: "
                    f"frame.groupby({labels}, as_index=False)[{roles.get('score', 'score')!r}]"
                    ".mean().to_csv('scores.csv', index=False)"
                )
            if is_progress(name):
                return f"Keep one row for each learner and split, such as the last {shown(name)}"
            return f"If column {shown(name)} tells them apart, name it: {axis}={name!r}"
    return "Keep one"


def by_row(
    table: ScoreTable, reading: FileLayout, codes: list[Codes], names: list[str], said: list[str]
) -> Codes:
    """Number the splits by row where no column says which split a row is."""
    learner, dataset = codes[:2]
    numbers = split_grid.numbered(learner * (int(dataset.max()) + 1) + dataset)
    if not numbers.any():
        if reading.layout == "long" and len(names) > 1 and int(dataset.max()) == 0:
            raise DataError(
                f"one score came for each of {listed(names)}; the score of every split is needed, "
                "for one does not tell how much they vary. Write a row for each learner and split, "
                "such as learner,fold,score"
            )
        return numbers
    progress = [name for name in reading.unread if is_progress(name)]
    if progress and not table.has_doubles([*label_columns(reading.roles), progress[0]]):
        raise DataError(
            f"column {shown(progress[0])} alone tells the scores of a learner apart, and by its "
            "name it counts no splits; the score of every split is needed. Keep one row for each "
            f"split, and number them; if it does number the folds, say fold={progress[0]!r}"
        )
    pair = _numbering_pair(table, reading)
    if pair:
        raise DataError(
            f"columns {listed(pair)} tell the rows apart, and no other column says which split "
            f"each is. If they number the splits: repeat={pair[0]!r}, fold={pair[1]!r}"
        )
    if reading.layout == "long" and len(names) > 1:
        raise DataError(
            f"{shown(names[0])} has {int((learner == 0).sum())} rows, and no column says which "
            "split each is; scores are compared split by split, not in the order of rows. "
            + _numbering(table, reading)
        )
    said.append("No column numbers the splits: they were taken in the order of rows.")
    return numbers


def _numbering_pair(table: ScoreTable, reading: FileLayout) -> tuple[str, ...]:
    """Return two columns of whole numbers that tell the rows apart together, but not alone."""
    known = label_columns(reading.roles)
    whole = [n for n in reading.unread if is_whole(table.columns[n])]
    whole = [n for n in whole if table.has_doubles([*known, n]) and table.n_groups([n]) > 1]
    pairs = (pair for pair in combinations(whole, 2) if not table.has_doubles([*known, *pair]))
    return next(pairs, ())


def _numbering(table: ScoreTable, reading: FileLayout) -> str:
    """Say which column could be the fold, as it is the same for every learner."""
    known = label_columns(reading.roles)
    for name in (n for n in reading.unread if not names_items(n)):
        n = table.columns[name].n_unique()
        groups = len(table) / n
        if n > 1 and table.n_groups(known) == groups and not table.has_doubles([*known, name]):
            return (
                f"If column {shown(name)} numbers the folds of a cross-validation, say so: "
                f"fold={name!r}, design='{n}cv'"
            )
    return "Add a fold column"


LABELS = ("learner", "metric", "dataset", "partition", "repeat", "fold", "seed")
FOLD = r"(?i)^(cv)?[\W_]*(fold|split)[\W_]*\d+$"
MOST = 100_000
FEWEST = {"named": 2, "beside fractions": 3, "beside whole numbers": 5}
"""Rows from which on 1, 2, 3 … is no accident: whole numbers may well be scores."""


def look(table: ScoreTable, asked: Mapping[str, Any]) -> NumericColumns:
    """Find the columns that hold numbers, and of those without a known name the counting ones."""
    # A column named after a metric holds scores, though a cell of it may need to be rewritten.
    numeric = [
        name
        for name, column in table.columns.items()
        if holds_numbers(column) or (lower_is_better(name) is not None and mostly_numbers(column))
    ]
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
    return NumericColumns(numeric, whole, [*counters, *within], within)


def _names_folds(table: ScoreTable, name: str, labels: list[str]) -> bool:
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


def _counts_within(table: ScoreTable, name: str, labels: Collection[str]) -> bool:
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
