"""Tables: frames of any kind as named columns, whose cells become numbers or labels, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import inputs
from .columns import listed, shown
from .errors import DataError
from .sums import Array

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Codes", "Table", "as_numbers", "as_text", "from_native"]

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Named columns, and where each row stands in what they were read from."""

    columns: dict[str, pl.Series]
    place: Callable[[int], str]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return max((len(column) for column in self.columns.values()), default=0)

    def keep(self, mask: pl.Series) -> Table:
        """Return the rows where `mask` is true; each keeps its place."""
        rows = np.flatnonzero(mask.to_numpy())
        kept = {name: column.filter(mask) for name, column in self.columns.items()}
        return Table(kept, lambda row: self.place(int(rows[row])), self.notes)

    def numbers(self, name: str, hint: str, *, whole: bool = False) -> Array:
        """Return a column as finite float64, or say which cell cannot be used."""
        import polars as pl

        raw = self.columns[name]
        series = as_numbers(raw)
        if series is None:
            series = as_text(raw, name).str.strip_chars().cast(pl.Float64, strict=False)
        wide = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        bad = ~np.isfinite(wide) | (whole & ((wide < 1) | (wide != np.floor(wide))))
        if bad.any():
            row = int(bad.argmax())
            need = "a whole number from 1 up" if whole else "a finite number"
            if raw.dtype == pl.String and "," in (raw[row] or ""):
                hint = "If the comma marks decimals, write a point"
            raise DataError(
                f"{self.place(row)}, column {shown(name)} holds {_cell(raw[row])}; {need} is "
                f"needed. {hint}"
            )
        return inputs.numbers(series.to_numpy(), name)

    def codes(self, name: str, *, sort: bool) -> tuple[list[str], Codes]:
        """Return the labels of a column, sorted or as they first come, and the code of each row."""
        import polars as pl

        typed = as_numbers(self.columns[name]) if sort else None
        typed = as_text(self.columns[name], name) if typed is None else typed
        missing = (typed == "") if typed.dtype == pl.String else typed.cast(pl.Float64).is_nan()
        missing = missing.fill_null(True)
        if missing.any():
            raise DataError(
                f"{self.place(missing.arg_max() or 0)}, column {shown(name)} is empty; every row "
                "needs a label there. Fill it in"
            )
        labels = typed.unique(maintain_order=True)
        if sort:
            text = typed.dtype == pl.String
            labels = pl.Series(sorted(labels, key=_natural)) if text else labels.sort()
        codes = typed.replace_strict(labels, range(len(labels)), return_dtype=pl.Int64)
        names = [str(label).removesuffix(".0") if sort else label for label in labels]
        return names, codes.to_numpy()


def as_numbers(series: pl.Series) -> pl.Series | None:
    """Return a column as numbers if every cell that is not empty holds one, else None."""
    import polars as pl

    if series.dtype in (pl.Boolean, pl.Null, pl.Decimal):
        return series.cast(pl.Float64)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return series if series.dtype.is_numeric() else None
    text = series.cast(pl.String).str.strip_chars().replace("", None)
    for kind in (pl.Int64, pl.Float64):
        typed = text.cast(kind, strict=False)
        if typed.null_count() == text.null_count():
            return typed
    # A decimal comma, unless every number could as well be one with a comma for thousands.
    if text.str.contains("^[+-]?[0-9]+(,[0-9]+)?$").all() and (
        text.str.contains("^[+-]?0,|,([0-9]{1,2}|[0-9]{4,})$").any()
    ):
        return text.str.replace(",", ".", literal=True).cast(pl.Float64)
    return None


def as_text(series: pl.Series, name: str) -> pl.Series:
    """Return a column as text, verbatim."""
    import polars as pl

    if series.dtype.is_nested() or series.dtype in (pl.Object, pl.Binary):
        raise DataError(
            f"column {shown(name)} holds {series.dtype}; text or numbers are needed. Convert it"
        )
    return series.cast(pl.String)


def _cell(value: object) -> str:
    return "nothing" if value is None or value == "" else shown(value)


def _natural(text: str) -> list[Any]:
    """Sort key that puts "fold 2" before "fold 10"."""
    parts = re.split("([0-9]+)", text)
    digits = [part.lstrip("0") for part in parts[1::2]]
    return [*zip(parts[::2], [(len(d), d) for d in digits] + [(0, "")], strict=True), text]
