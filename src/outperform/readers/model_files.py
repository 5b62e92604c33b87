"""Files of one model each: scores of splits, results of cross_validate or predictions, together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from ..errors import DataError, argument
from ..validation import is_benchmark, is_store
from .column_names import (
    ADDRESS,
    is_aside,
    is_number_of_row,
    item_columns,
    listed,
    names_items,
    role_of,
    shown,
)
from .cross_validate import TEST
from .files import contents, named_file, table_in
from .item_logs import is_log
from .log_files import stem_of
from .parsing import as_text
from .score_table import ScoreTable

LEARNER = "learner"
SPLITS = {*ADDRESS, "seed", "n_train", "n_test", "dataset"}


def joined(paths: Sequence[Any], options: Mapping[str, Any]) -> ScoreTable | None:
    """Return files of scores or predictions as one table; None where they may be logs of items.

    A file that names no learner is one learner's, called as the file is.
    """
    if any(is_store(p) or is_benchmark(p) or is_log(p, named=False) for p in paths):
        return None
    separator, sheet, limits = (options.get(name) for name in ("separator", "sheet", "limits"))
    tables = [
        table_in(
            contents(path, limits=limits),
            named_file(path),
            separator=separator,
            sheet=sheet,
            limits=limits,
        )
        for path in paths
    ]
    names = [stem_of(str(path)).removesuffix(".json") for path in paths]
    found = [{role_of(name) for name in table.columns} for table in tables]
    tested = [any(name.startswith(TEST) for name in table.columns) for table in tables]
    if not any(
        roles & {"y_true", *SPLITS} or test for roles, test in zip(found, tested, strict=True)
    ):
        return None
    columns = list(tables[0].columns)
    for path, table in zip(paths, tables, strict=True):
        if {*table.columns} != {*columns}:
            raise DataError(
                f"{named_file(paths[0])} has the columns {listed(columns)}, but "
                f"{named_file(path)} has {listed(list(table.columns))}. Give all files the same "
                "columns, or write one table with the columns learner, fold, score"
            )
    if len({*names}) < len(names):
        names = [str(path) for path in paths]
    if "y_true" in found[0] and not tested[0]:
        return _predictions(paths, tables, names, options)
    if LEARNER not in found[0] and options.get("learner") is None:
        tables = [_with_learner(table, name) for table, name in zip(tables, names, strict=True)]
    return _below(tables)


def _with_learner(table: ScoreTable, name: str) -> ScoreTable:
    import polars as pl

    who = pl.Series(LEARNER, [name] * len(table), dtype=pl.String)
    return ScoreTable({LEARNER: who, **table.columns}, table.place, table.most_scores)


def _below(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the rows of all tables, each with its place."""
    import polars as pl

    frames = [pl.DataFrame(table.columns).select([*tables[0].columns]) for table in tables]
    kinds = [{frame.schema[name] for frame in frames} for name in tables[0].columns]
    mixed = [
        name
        for name, types in zip(tables[0].columns, kinds, strict=True)
        if pl.String in types and len(types) > 1
    ]
    frames = [frame.with_columns(pl.col(mixed).cast(pl.String)) for frame in frames]
    rows = pl.concat(frames, how="vertical_relaxed")
    starts = [0, *accumulate(len(table) for table in tables)]

    def place(row: int) -> str:
        at = bisect_right(starts, row) - 1
        return tables[at].place(row - starts[at])

    return ScoreTable({c.name: c for c in rows.get_columns()}, place, tables[0].most_scores)


def _predictions(
    paths: Sequence[Any],
    tables: Sequence[ScoreTable],
    names: Sequence[str],
    options: Mapping[str, Any],
) -> ScoreTable:
    """Return true labels and splits once, and a column of predictions for each file."""
    columns = list(tables[0].columns)
    truth = options.get("y_true") or next(n for n in columns if role_of(n) == "y_true")
    aside = [n for n in columns if is_aside(n) or is_number_of_row(n) or names_items(n)]
    own = options.get("learner")
    left = [n for n in columns if n != truth and n not in aside and role_of(n) is None]
    if own is None and len(left) != 1:
        raise DataError(
            f"{named_file(paths[0])} has the true labels {shown(truth)} and "
            f"{listed(left) if left else 'no other column'}; one column of predictions is "
            f"required. Name it: {argument(learner=left[0] if left else ...)}"
        )
    predicted = left[0] if own is None else str(own)
    items = next(iter(item_columns(aside)), None)
    tables = [_in_order(tables[0], table, items) for table in tables]
    known = as_text(tables[0].columns[truth], truth)
    for path, table in zip(paths, tables, strict=True):
        given = as_text(table.columns[truth], truth)
        same = len(given) == len(known) and bool(given.eq_missing(known).all())
        if not same:
            raise DataError(
                f"{named_file(path)} and {named_file(paths[0])} have different true labels in "
                f"column {shown(truth)}; models are compared on the same items. Write the rows of "
                "all files in the same order"
            )
    splits = [n for n in columns if role_of(n) in SPLITS and n not in (truth, predicted)]
    found = {n: tables[0].columns[n] for n in (truth, *splits)}
    for name, table in zip(names, tables, strict=True):
        found[name] = table.columns[predicted].alias(name)
    return ScoreTable(found, tables[0].place, tables[0].most_scores)


def _in_order(first: ScoreTable, table: ScoreTable, items: str | None) -> ScoreTable:
    """Return the rows in the order of the first file, where a column names the same items."""
    import numpy as np

    if items is None or len(first) != len(table):
        return table
    known = as_text(first.columns[items], items).to_list()
    given = as_text(table.columns[items], items).to_list()
    at = {name: row for row, name in enumerate(given)}
    if known == given:
        return table
    if len(at) < len(given) or {*known} != {*given}:
        raise DataError(
            f"{table.place(0)}: column {shown(items)} names other items than the first file, or "
            "names some twice; models are compared on the same items. Give each item one id, the "
            "same in all files"
        )
    return table.keep(np.array([at[name] for name in known], dtype=np.int64))
