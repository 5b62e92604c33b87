"""Runs that did not finish, as a column of their status says: refused, or left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, argument
from .column_names import listed, normal, shown
from .parsing import as_text
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

COLUMNS = {"status", "state", "runstatus", "runstate"}
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
        if normal(name) in COLUMNS and column.dtype in (pl.String, pl.Categorical, pl.Enum):
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
