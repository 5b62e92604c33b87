"""Labels of rows: of datasets without a heading, of what is no item, of runs that failed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, argument
from .column_names import ADDRESS, is_unnamed, listed, normal, role_of, shown
from .parsing import GLANCE, as_numbers, as_text, holds_words
from .recognition import FileLayout
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

FEWEST = 3
NUMBERED = r"(?i)fold|split|run|seed|rep|trial|iter|sample|boot|cv|batch|day|week|[0-9]{4}-[0-9]{2}"
"""Labels of splits, items or times: no names of datasets."""

SHORT = {"y", "label", "labels", "target", "targets", "truth", "actual", "actuals", "gt", "gold"}
"""Names of true values that a learner may have as well."""


def refuse_doubtful_truth(table: ScoreTable, reading: FileLayout) -> None:
    """Refuse fractions called y where every row is a dataset or a split: y may be a learner."""
    truth = reading.roles.get("y_true", "")
    if reading.layout != "predictions" or "y_true" in reading.given or normal(truth) not in SHORT:
        return
    rows = [n for n in table.columns if role_of(n) in (*ADDRESS, "dataset", "seed")]
    cells = as_numbers(table.columns[truth])
    if not rows or cells is None or len(table) < 2 or table.has_doubles(rows):
        return
    known = cells.cast(float).drop_nulls().drop_nans()
    if bool((known != known.floor()).any()):
        split = role_of(rows[0]) in ADDRESS
        other = f"remove column {shown(rows[0])}" if split else f"pass {argument(y_true=truth)}"
        raise DataError(
            f"column {shown(truth)} may contain the scores of a learner or the true values of "
            f"items, since each row has its own {shown(rows[0])}. If it is a learner, pass "
            f"{argument(layout='wide')}; otherwise {other}"
        )


def as_datasets(table: ScoreTable, reading: FileLayout, said: list[str]) -> FileLayout:
    """Read words that differ in every row of a wide table, without a name, as datasets.

    Fewer rows than columns may be learners: that is asked about.
    """
    taken = {*ADDRESS, "dataset", "family", "seed", "metric"}
    if reading.layout != "wide" or taken & reading.roles.keys() or len(reading.learners) < 2:
        return reading
    if len(table) < len(reading.learners):
        return reading
    for name in filter(is_unnamed, reading.unread):
        cells = table.columns[name]
        if not FEWEST <= len(table) <= GLANCE or not holds_words(cells):
            continue
        if cells.n_unique() < len(cells) or cells.cast(str).str.contains(NUMBERED).any():
            continue
        splits = argument(design=f"{len(table)}xresampled@1/3")
        said.append(
            f"Column {shown(name)} names the rows and was read as dataset; if every row is a "
            f"split, pass the design: {splits}."
        )
        unread = tuple(n for n in reading.unread if n != name)
        roles = {"dataset": name, **reading.roles}
        return replace(reading, roles=roles, unread=unread, given=(*reading.given, "dataset"))
    return reading


STATUS_COLUMNS = {"status", "state", "runstatus", "runstate"}
UNFINISHED = {
    *("failed", "failure", "crashed", "crash", "error", "errored", "killed", "running", "started"),
    *("cancelled", "canceled", "aborted", "timeout", "timedout", "interrupted", "preempted"),
    *("pending", "queued", "scheduled", "unfinished", "incomplete", "partial", "oom", "fail"),
}
"""What trackers and schedulers call a run whose scores cover only part of the work."""


def unfinished_rows(columns: Mapping[str, pl.Series]) -> tuple[str, npt.NDArray[np.bool_]] | None:
    """Return the column of text that says of some rows that they did not finish, and which."""
    import polars as pl

    for name, column in columns.items():
        if normal(name) in STATUS_COLUMNS and column.dtype in (pl.String, pl.Categorical, pl.Enum):
            words = {
                word: normal(word) in UNFINISHED
                for word in column.cast(pl.String).unique()
                if word is not None
            }
            bad = column.cast(pl.String).is_in([word for word in words if words[word]])
            if bad.any():
                return name, bad.fill_null(False).to_numpy()
    return None


def without_unfinished(
    table: ScoreTable, asked: Mapping[str, Any], used: Collection[str]
) -> tuple[ScoreTable, str]:
    """Return a table of runs that finished, by a status column that is not `used` otherwise."""
    columns = {name: column for name, column in table.columns.items() if name not in used}
    unfinished = unfinished_rows(columns)
    if unfinished is None:
        return table, ""
    return of_status(table, unfinished[0], unfinished[1], asked)


def of_status(
    table: ScoreTable, column: str, bad: npt.NDArray[np.bool_], asked: Mapping[str, Any]
) -> tuple[ScoreTable, str]:
    """Refuse runs that did not finish, or leave them out where incomplete splits are dropped."""
    cells = as_text(table.columns[column], column).fill_null("").to_list()
    words = sorted({cells[row] or "no status" for row in np.flatnonzero(bad)})
    what = (
        f"{int(bad.sum())} of {len(table)} runs did not finish (column {shown(column)}: "
        f"{listed(words)})"
    )
    if not asked.get("drop_incomplete"):
        raise DataError(
            f"{what}, such as {table.place(int(bad.argmax()))}; their metrics cover only part of "
            "the work. Run them again, or leave out these runs and every split that then lacks a "
            f"score: {argument(drop_incomplete=True)}"
        )
    if bad.all():
        raise DataError(f"{what}; no run is left. Run them again")
    return table.keep(np.flatnonzero(~bad)), f"{what} and were left out."
