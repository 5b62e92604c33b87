"""Tables of datasets: learners as rows are turned, doubtful rows are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DataError, argument
from .column_names import (
    ADDRESS,
    are_numbered,
    is_aside,
    is_number_of_row,
    is_summary,
    listed,
    lower_is_better,
    role_of,
    shown,
)
from .parsing import as_fractions, as_numbers, holds_words, is_missing
from .recognition import FileLayout
from .row_labels import NUMBERED
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

FEWEST = 3
"""Columns from which on a table of learners as rows is taken for one of datasets."""
LARGEST = 100.0
"""Scores on many datasets, as fractions or percent; sizes and counts are larger."""


def upright(table: ScoreTable, asked: Mapping[str, Any]) -> tuple[ScoreTable, str]:
    """Turn a table with a row for each learner and a column for each dataset; and say so.

    Only where nothing else fits: no column is known but the one that names learners, each of them
    has one row, and all others hold scores that a dataset may have, under names of no metric.
    """
    who = [name for name in table.columns if role_of(name) == "learner"]
    others = [name for name in table.columns if name not in who]
    if len(who) != 1 or any(map(role_of, others)) or any(v is not None for v in asked.values()):
        return table, ""
    datasets = [name for name in others if not is_summary(name)]
    odd = any(lower_is_better(n) is not None or is_aside(n) or is_number_of_row(n) for n in others)
    if len(datasets) < FEWEST or odd or are_numbered(datasets):
        return table, ""
    labels = _labels(table.columns[who[0]])
    cells = [table.columns[name] for name in datasets]
    if labels is None or not all(map(_may_be_scores, cells)):
        return table, ""
    import polars as pl

    words = [column.cast(pl.String).to_list() for column in cells]
    columns = {"dataset": pl.Series("dataset", datasets)}
    for at, label in enumerate(labels):
        columns[label] = pl.Series(label, [column[at] for column in words], dtype=pl.String)
    summaries = [name for name in others if name not in datasets]
    left = f" Not read: {listed(summaries)}." if summaries else ""
    said = (
        f"Transposed: rows are the learners {listed(labels)}, columns are the datasets "
        f"{listed(datasets)}.{left}"
    )
    turned = ScoreTable(
        columns, lambda row: f"dataset {shown(datasets[row])}", table.most_scores, table.said
    )
    return turned, said


def _labels(column: pl.Series) -> list[str] | None:
    """Return the names of learners, one for each row; None if they are none."""
    import polars as pl

    labels = column.cast(pl.String).to_list() if column.dtype != pl.Object else []
    clear = all(name and not role_of(name) and not is_summary(name) for name in labels)
    return labels if len(labels) > 1 and clear and len({*labels}) == len(labels) else None


def _may_be_scores(column: pl.Series) -> bool:
    known = column.filter(~is_missing(column))
    fractions = as_fractions(known)
    numbers = as_numbers(known) if fractions is None else fractions
    if numbers is None or not len(known):
        return False
    return not numbers.dtype.is_integer() and bool(numbers.is_between(0, LARGEST).all())


def refuse_named_rows(table: ScoreTable, reading: FileLayout) -> None:
    """Refuse rows that a column of words names, where they may be datasets or splits.

    As splits they would be judged by a test for overlapping training sets.
    """
    if reading.layout != "wide" or {"dataset", *ADDRESS, "seed"} & reading.roles.keys():
        return
    names = [name for name in reading.unread if _names_rows(table.columns[name])]
    if len(names) != 1 or len(table) < FEWEST:
        return
    name = names[0]
    rows: Sequence[str] = table.columns[name].to_list()
    raise DataError(
        f"column {shown(name)} names the rows ({listed(rows, 3)}), which may be datasets, splits "
        f"or learners. If they are datasets, pass {argument(dataset=name)}; if they are splits, "
        f"pass their design, such as {argument(design=f'{len(table)}cv')}; if they are learners, "
        "rename the column to learner"
    )


def _names_rows(column: pl.Series) -> bool:
    if not holds_words(column) or column.null_count() or column.n_unique() < len(column):
        return False
    return not column.cast(str).str.contains(NUMBERED).any()


def refuse_repeated(table: ScoreTable, reading: FileLayout) -> None:
    """Refuse a dataset with several rows where most have one: it is written twice, or is two."""
    name = reading.roles.get("dataset")
    if name is None or reading.layout != "wide" or {*ADDRESS, "seed"} & reading.roles.keys():
        return
    counts = table.columns[name].value_counts(sort=True, name="rows")
    if 2 * int((counts["rows"] == 1).sum()) <= len(counts) or counts["rows"][0] == 1:
        return
    raise DataError(
        f"dataset {shown(counts[name][0])} has {counts['rows'][0]} rows, but most datasets have "
        "one. Rename it if these are different datasets, remove the row that is there twice, or "
        "number the splits of every dataset in a column fold"
    )
