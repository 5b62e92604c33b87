"""Tables as papers print them: means beside their deviations, and learners as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

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

MARKUP = r"\\(textbf|mathbf|boldsymbol|bm|underline|emph|textit)\b|[{}$]|\*\*|\\,"
NUMBER = r"[+\-−]?[0-9]*[.,]?[0-9]+"
BESIDE = rf"(?:(?:±|\+/?-)\s*{NUMBER}\s*%?|\(\s*{NUMBER}\s*%?\s*\)|\[[^\[\]]*\])"
PRINTED = rf"^({NUMBER})\s*%?\s*{BESIDE}?\s*\^?[*†‡•◦∘§]*$"
"""A number, what may stand beside it, and marks of significance."""
FEWEST = 3
"""Columns from which on a table of learners as rows is taken for one of datasets."""
LARGEST = 100.0
"""Scores on many datasets, as fractions or percent; sizes and counts are larger."""


def plain_means(table: ScoreTable, asked: Mapping[str, Any]) -> tuple[ScoreTable, str]:
    """Read "0.81 ± 0.02" in a table of datasets as the mean it begins with; and say so.

    Over datasets the mean on each is what counts. Of splits such a cell is no score, and stays.
    """
    roles = _roles(table, asked)
    known = set(roles.values())
    if "dataset" not in known or known & {*ADDRESS, "seed"}:
        return table, ""
    columns, example, found = dict(table.columns), "", list[str]()
    for name, column in table.columns.items():
        plain = None if roles.get(name) not in (None, "score") else _plain(column)
        if plain is not None:
            columns[name] = plain
            found.append(name)
            example = example or str(column.filter(~is_missing(column) & (column != plain))[0])
    if not found:
        return table, ""
    said = (
        f"Cells such as {shown(example)} were read as the number they begin with, in "
        f"{listed(found)}; deviations and marks were not read."
    )
    return ScoreTable(columns, table.place, table.most_scores, table.said), said


def _roles(table: ScoreTable, asked: Mapping[str, Any]) -> dict[str, str | None]:
    named = {column: role for role, column in asked.items() if isinstance(column, str)}
    return {name: named.get(name) or role_of(name) for name in table.columns}


def _plain(column: pl.Series) -> pl.Series | None:
    """Return the numbers that cells begin with; None if cells are plain, or not all are numbers."""
    import polars as pl

    if column.dtype != pl.String or as_numbers(column) is not None:
        return None
    missing = is_missing(column)
    known = column.filter(~missing)
    if as_numbers(known) is not None or as_fractions(known) is not None:
        return None
    text = column.str.replace_all(MARKUP, "").str.replace(r"\pm", "±", literal=True)
    text = text.str.replace_all("\\%", "%", literal=True).str.strip_chars()
    number = text.str.extract(PRINTED)
    if not len(known) or number.filter(~missing).null_count():
        return None
    outside = text.str.replace(r"[(\[].*$", "")  # a percent sign in brackets is of the deviation
    sign = pl.Series(np.where(outside.str.contains("%", literal=True).fill_null(False), "%", ""))
    return pl.select(pl.when(missing).then(column).otherwise(number + sign)).to_series()


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
    cells = [column if (plain := _plain(column)) is None else plain for column in cells]
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
