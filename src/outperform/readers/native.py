"""Data frames of any kind (pandas, polars, pyarrow …) become tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..columns import shown
from ..errors import DataError
from .tables import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_native"]


def from_native(frame: Any) -> Table:
    """Take over a data frame of any kind, with the named levels of its index."""
    import narwhals as nw
    import polars as pl

    levels = getattr(getattr(frame, "index", None), "names", None) or ()
    named = [n for n in levels if n is not None and n not in getattr(frame, "columns", levels)]
    try:
        data = nw.from_native(frame.reset_index(level=named) if named else frame)
        data = data.collect() if isinstance(data, nw.LazyFrame) else data
        names, native = [str(name) for name in data.columns], data.to_native()
        ours = isinstance(native, pl.DataFrame)
        columns = (
            native.get_columns()
            if ours
            else map(_series, names, map(data.get_column, data.columns))
        )
        table = Table(_named(names, columns), lambda row: f"row {row} (counted from 0)")
    except TypeError:
        raise DataError(
            f"a {type(frame).__name__} came; a data frame (pandas, polars, pyarrow …) is needed. "
            "For arrays use Scores.from_arrays, for a file Scores.read"
        ) from None
    except ValueError as error:
        raise DataError(
            f"a frame came whose columns cannot be told apart ({shown(error)}); every column needs "
            "a name of its own. Rename them"
        ) from None
    if not len(table):
        raise DataError("the frame has no rows; at least one score is needed")
    return table


def _named(names: list[str], columns: Iterable[pl.Series]) -> dict[str, pl.Series]:
    if len(set(names)) < len(names):
        raise ValueError("columns 1 and '1' have the same name as text")
    return dict(zip(names, columns, strict=True))


def _series(name: str, column: Any) -> pl.Series:
    import polars as pl

    if column.dtype.is_numeric() and not column.is_null().any():
        return pl.Series(name, column.to_numpy())
    try:
        return pl.Series(name, column.to_arrow())  # quick, where pyarrow is there
    except (ImportError, TypeError, ValueError):
        gone = column.is_null().to_list()
        cells = [None if g else cell for cell, g in zip(column.to_list(), gone, strict=True)]
        return pl.Series(name, cells, strict=False)
