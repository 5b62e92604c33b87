"""Times among the features: a caution where splits ignore them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..designs import CalibratedKFold, Design, Given
from ..errors import DesignError, argument
from ..notes import Note

NAMED = ("time", "date", "datetime", "timestamp")
"""Names of columns that hold times though their type does not say so."""


def time_notes(X: Any, design: Design) -> list[Note]:
    """Say where rows carry times: splits that shuffle them, forward splits of unsorted ones."""
    of_one_split = isinstance(design, Given) and design.kind == "holdout"
    found = None if of_one_split else times_of(X)
    if found is None:
        return []
    where, rises = found
    if design.kind == "forward":
        said = f"Forward splits follow the order of the rows, but {where} is not sorted. "
        return [] if rises else [Note("OP521", f"{said}Sort the rows by it before the run.")]
    sort = "" if rises else "sort the rows by it and "
    if isinstance(design, CalibratedKFold):
        raise DesignError(
            f"{where} contains times, and random halves of the data ignore their order, so the "
            f"variance between them would mislead. If the order matters, {sort}use "
            f"{argument(design='5forward')}; if not, {argument(design='10x10cv')}"
        )
    return [
        Note(
            "OP520",
            f"{where} contains times, but {design} trains on rows that are later than those it "
            f"tests. If the order matters, {sort}use the design 5forward.",
        )
    ]


def times_of(X: Any) -> tuple[str, bool] | None:
    """Return where times are, and whether the rows are sorted by them; None if there are none."""
    if len({*map(str, X.columns)}) < len(X.columns):
        return None  # names that come twice are for the learners to judge
    index = getattr(X, "index", None)
    if type(index).__name__ in ("DatetimeIndex", "PeriodIndex"):
        return "The index", bool(getattr(index, "is_monotonic_increasing", False))
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        return None
    for name in frame.columns:
        column = frame.get_column(name)  # frame[0] would be a row
        typed = column.dtype in (nw.Datetime, nw.Date)
        named = str(name).lower() in NAMED
        if not (typed or named):
            continue
        rises = _rises(column)
        if typed or rises:
            return f"Column {name!r}", rises
    return None


def _rises(column: Any) -> bool:
    """Tell whether a column goes up from row to row, somewhere and never down."""
    values = column.to_numpy()
    try:
        steps = values[1:] >= values[:-1]
        return bool(np.all(steps)) and bool(values[-1] > values[0])
    except TypeError:  # texts beside numbers have no order
        return False
