"""Kinds of cells: text that holds numbers, labels or truths, and words for what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import validation
from ..errors import DataError
from .column_names import shown

if TYPE_CHECKING:
    import polars as pl


# Words for no number, of R, pandas, SQL and spreadsheets, and of runs that did not end.
MISSING = (
    *("na", "n/a", "#n/a", "nan", "null", "none", "missing", "-", "–", "—", "?", "."),
    *("oom", "oot", "t/o", "timeout"),
)
# Words for right and wrong. The first two are read; the others are shown to whoever wrote them.
ANSWERS = [
    "true",
    "false",
    "yes",
    "no",
    "right",
    "wrong",
    "correct",
    "incorrect",
    "pass",
    "fail",
    "passed",
    "failed",
]
GLANCE = 1000  # cells that show whether a column of text is worth reading as numbers


def as_truths(series: pl.Series) -> pl.Series:
    """Return true and false, as words or numbers, as 1 and 0; null where it is neither."""
    import polars as pl

    if series.dtype.is_nested():
        return pl.Series(series.name, [None] * len(series), dtype=pl.Float64)
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return series.cast(pl.Float64)
    words = series.cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
    truths = words.replace_strict(
        {"true": 1.0, "false": 0.0}, default=None, return_dtype=pl.Float64
    )
    return words.cast(pl.Float64, strict=False).fill_null(truths)


def all_truths(series: pl.Series) -> bool:
    """Tell whether the cells that are not missing are 0 and 1, or say true and false."""
    known = as_truths(series.filter(~is_missing(series)))
    return bool(len(known)) and bool(((known == 0) | (known == 1)).fill_null(False).all())


def as_numbers(series: pl.Series) -> pl.Series | None:
    """Return a column as numbers if every cell that is not empty holds one, else None."""
    import polars as pl

    if series.dtype == pl.Boolean:
        return series.cast(pl.UInt8)
    if series.dtype in (pl.Null, pl.Decimal):
        return series.cast(pl.Float64)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return series if series.dtype.is_numeric() else None
    if len(series) > GLANCE and not _numbers_like(series.head(GLANCE)):
        return None
    text = stripped(series)
    for kind in (pl.Int64, pl.Float64):
        typed = text.cast(kind, strict=False)
        if typed.null_count() == text.null_count():
            return typed
    if has_decimal_commas(series):
        return text.str.replace(",", ".", literal=True).cast(pl.Float64)
    plain = without_thousands(text)
    return None if plain is None else plain.cast(pl.Float64)


def without_thousands(text: pl.Series) -> pl.Series | None:
    """Return numbers without marks of thousands, where 1,234.5 or 1.234,5 shows what they are."""
    import polars as pl

    if text.dtype != pl.String or not text.head(GLANCE).str.contains(r"[0-9][.,][0-9]{3}").any():
        return None
    for mark, point in ((",", "."), (".", ",")):
        number = rf"^[+-]?([0-9]{{1,3}}(\{mark}[0-9]{{3}})+|[0-9]+)(\{point}[0-9]+)?$"
        sure = rf"[0-9]\{mark}[0-9]{{3}}\{point}|\{mark}[0-9]{{3}}\{mark}[0-9]{{3}}"
        if text.str.contains(sure).any() and text.drop_nulls().str.contains(number).all():
            bare = text.str.replace_all(mark, "", literal=True)
            return bare.str.replace(point, ".", literal=True)
    return None


def as_fractions(series: pl.Series) -> pl.Series | None:
    """Return percentages as fractions if every cell that is not empty has the sign, else None."""
    import polars as pl

    if not has_percent_signs(series):
        return None
    text = stripped(series)
    points, commas = (text.str.contains(mark, literal=True).any() for mark in ".,")
    if (points and commas) or not text.str.contains(r"^[+-]?[0-9]*[.,]?[0-9]+ ?%$").all():
        return None
    # As text: 98.2 / 100 is not the number that 0.982 is.
    moved = text.str.replace(",", ".", literal=True).str.replace(" ?%", "e-2")
    return moved.cast(pl.Float64)


def mostly_numbers(series: pl.Series) -> bool:
    """Tell whether most of the first cells are numbers, maybe with marks beside them, or truths."""
    import polars as pl

    if series.dtype != pl.String:
        return False
    known = series.head(GLANCE).filter(~is_missing(series.head(GLANCE)))
    number = as_truths(known).is_not_null() | known.str.contains("[0-9][.,][0-9]")
    return 2 * int(number.sum()) > len(known)


def holds_numbers(series: pl.Series) -> bool:
    """Tell whether a column holds numbers, without a copy where that shows.

    Cells may be empty, or say so in a word: what is missing is named when numbers are needed.
    """
    import polars as pl

    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return True
    if as_numbers(series) is not None or as_fractions(series) is not None:
        return True
    return first_missing(series) is not None


def holds_words(series: pl.Series) -> bool:
    """Tell whether the first cells are words: no numbers, with decimals or not, and no truths."""
    import polars as pl

    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return series.dtype.is_temporal()
    text = stripped(series.head(GLANCE)).drop_nulls()
    number = text.cast(pl.Float64, strict=False).is_not_null()
    number |= text.str.contains("[0-9][.,][0-9]|[0-9] ?%$")
    other = text.str.to_lowercase().is_in([*MISSING, *ANSWERS])
    return bool(len(text)) and not bool((number | other).any())


def first_missing(series: pl.Series) -> int | None:
    """Return the first row of a column of numbers that holds a word for a missing one."""
    import polars as pl

    if series.dtype != pl.String:
        return None
    missing = _is_missing(series.head(GLANCE))
    if not missing.any() and not _numbers_like(series.head(GLANCE)):
        return None
    missing = _is_missing(series)
    rest = series.filter(~missing)
    if not missing.any() or rest.null_count() == len(rest):
        return None
    return None if as_numbers(rest) is None and as_fractions(rest) is None else missing.arg_max()


def is_missing(series: pl.Series) -> pl.Series:
    """Tell of every cell whether it is empty, no number (NaN), or a word for a missing one."""
    import polars as pl

    if series.dtype.is_float():
        return series.is_null() | series.is_nan().fill_null(True)
    if series.dtype != pl.String:
        return series.is_null()
    return _is_missing(series) | stripped(series).is_null()


def _is_missing(series: pl.Series) -> pl.Series:
    return series.str.strip_chars().str.to_lowercase().is_in(MISSING).fill_null(False)


def as_labels(series: pl.Series) -> pl.Series | None:
    """Return a column as numbers if these tell its labels apart: beyond 2**53 they may not."""
    typed = as_numbers(series)
    if typed is None or not typed.dtype.is_float():
        return typed
    return None if bool((typed.abs() > validation.LARGEST_EXACT).any()) else typed


def counts_up(numbers: pl.Series) -> bool:
    """Tell whether each number is one more than that of the row before."""
    if not numbers.dtype.is_integer() or numbers.null_count():
        return False
    cells = numbers.to_numpy()
    return bool((cells[1:] > cells[:-1]).all() and (cells[1:] - cells[:-1] == 1).all())


def has_decimal_commas(series: pl.Series) -> bool:
    """Tell whether a column writes decimals with a comma; 1,234 alone could be thousands."""
    import polars as pl

    if series.dtype != pl.String or not _numbers_like(series.head(GLANCE)):
        return False
    points, commas = (series.str.contains(mark, literal=True).any() for mark in ".,")
    if points or not commas or not _numbers_like(series):
        return False
    return bool(stripped(series).str.contains("^[+-]?0,|,([0-9]{1,2}|[0-9]{4,})$").any())


def has_percent_signs(series: pl.Series) -> bool:
    """Tell whether some of the first cells end with a percent sign."""
    import polars as pl

    return series.dtype == pl.String and bool(series.head(GLANCE).str.contains("[0-9] ?%$").any())


def _numbers_like(series: pl.Series) -> bool:
    """Tell whether all cells are empty, numbers, or numbers with a comma."""
    import polars as pl

    text = stripped(series)
    number = text.cast(pl.Float64, strict=False).is_not_null()
    return bool((number | text.str.contains("^[+-]?[0-9]+,[0-9]+$")).all())


def stripped(series: pl.Series) -> pl.Series:
    import polars as pl

    text = series.cast(pl.String).str.strip_chars().replace("", None)
    return text.str.replace("−", "-", literal=True)  # the minus sign of typography


def as_text(series: pl.Series, name: str) -> pl.Series:
    """Return a column as text, verbatim."""
    import polars as pl

    if series.dtype.is_nested() or series.dtype in (pl.Object, pl.Binary):
        raise DataError(
            f"column {shown(name)} has type {series.dtype}; it must contain text or numbers. "
            "Convert it"
        )
    return series.cast(pl.String)
