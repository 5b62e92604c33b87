"""Tables: frames of any kind as named columns, whose cells become numbers and labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import DataError, argument
from ..numerics.exact_sums import Array
from ..scores.item_losses import BitItems, bits_for
from .column_names import shown
from .parsing import (
    as_fractions,
    as_labels,
    as_numbers,
    as_text,
    as_truths,
    first_missing,
    is_missing,
    stripped,
)

if TYPE_CHECKING:
    import polars as pl


Codes = npt.NDArray[np.int64]
NAMED = 5  # further cells that are named where many cannot be used
PIECE = 2**17  # rows unpacked at a time: whole bytes of bits, and few enough for a cache


@dataclass(frozen=True, eq=False, slots=True)
class ScoreTable:
    """Named columns, and where each row stands in what they were read from."""

    columns: dict[str, pl.Series]
    place: Callable[[int], str]
    most_scores: int | None = None
    """Scores of splits that may be read from it: the limit of a file, None for a frame."""
    said: tuple[str, ...] = ()
    """What was left out or made plain before it was a table."""

    def __len__(self) -> int:
        return max((len(column) for column in self.columns.values()), default=0)

    def keep(self, rows: Codes) -> ScoreTable:
        """Return some rows; each keeps its place."""
        kept = {name: column.gather(rows) for name, column in self.columns.items()}
        place = self.place
        return ScoreTable(kept, lambda row: place(int(rows[row])), self.most_scores, self.said)

    def without_blank_rows(self) -> ScoreTable:
        """Leave out rows in which every cell is empty, unless rows have but one cell."""
        blank = None
        for column in self.columns.values() if len(self.columns) > 1 else ():
            empty = column.is_null()
            if column.dtype.is_float():
                empty |= column.is_nan().fill_null(True)
            blank = empty if blank is None else blank & empty
            if not blank.any():
                return self
        return self if blank is None else self.keep(np.flatnonzero(~blank.to_numpy()))

    def may_be_right_wrong(self, learners: Sequence[str]) -> bool:
        """Tell whether the first cells of these columns are all 0 or 1, or true or false."""
        words = ("0", "1", "true", "false")
        return bool(learners) and all(
            str(self.columns[name][0]).removesuffix(".0").lower() in words for name in learners
        )

    def check_scores(self, learners: Sequence[str]) -> None:
        """Refuse more scores of splits than the limit, before each gets its address."""
        count = len(self) * max(len(learners), 1)
        if self.most_scores is None or count <= self.most_scores:
            return
        flags = self.may_be_right_wrong(learners)
        right = f"If rows are items and 1 means correct, pass {argument(layout='correct')}. "
        items = right if flags else ""
        raise DataError(
            f"{len(self):,} rows contain {count:,} scores, which exceeds the limit of "
            f"{self.most_scores:,}. {items}If this is intended, raise the limit: "
            f"{argument(limits={'scores': count})}"
        )

    def n_groups(self, names: Sequence[str]) -> int:
        """Return how many rows differ in some of these columns."""
        import polars as pl

        columns = {str(i): self.columns[name] for i, name in enumerate(names)}
        return pl.DataFrame(columns).n_unique() if columns else 1

    def has_doubles(self, names: Sequence[str]) -> bool:
        """Tell whether two rows have the same labels in all of these columns."""
        return self.n_groups(names) < len(self)

    def floats(self, name: str) -> tuple[Array, bool]:
        """Return a column as float64, NaN where a cell is no number, and if all were whole."""
        import polars as pl

        raw = self.columns[name]
        series = as_numbers(raw)
        if series is None and raw.dtype == pl.String:
            known = pl.select(pl.when(~is_missing(raw)).then(raw)).to_series()
            series = as_fractions(known) if as_numbers(known) is None else as_numbers(known)
        if series is None:
            series = stripped(as_text(raw, name)).cast(pl.Float64, strict=False)
        wide = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return wide, series.dtype.is_integer()

    def numbers(self, name: str, hint: str, *, whole: bool = False, gaps: bool = False) -> Array:
        """Return a column as finite float64, or say which cells cannot be used.

        With `gaps`, cells that are empty or say that a number is missing are NaN.
        """

        raw = self.columns[name]
        wide, integers = self.floats(name)
        # Larger ones cannot be held exactly, or overflow when they are summed.
        exact = whole or integers
        largest = validation.LARGEST_EXACT if exact else validation.LARGEST
        good = np.abs(wide) <= largest
        if whole:
            good &= (wide >= 1) & (wide == np.floor(wide))
        if gaps:
            good |= is_missing(raw).to_numpy()
        if not good.all():
            row = int(good.argmin())
            need = "a positive integer" if whole else "a finite number"
            need += f" of at most {largest:g}" if np.isfinite(wide[row]) and not whole else ""
            text = str(raw[row])
            if not whole and not is_missing(raw)[row]:
                hint = _rewritten(text)
            raise DataError(
                f"{self.place(row)}, column {shown(name)}: expected {need}, got "
                f"{_cell(raw[row])}{self._more(np.flatnonzero(~good)[1:])}. {hint}"
            )
        return np.array(wide)

    def _more(self, rows: Codes) -> str:
        """Say where else a cell cannot be used."""
        where = [self.place(int(row)).rpartition(", ")[2] for row in rows[:NAMED]]
        rest = ", …" if rows.size > NAMED else ""
        return f" (also missing or unusable: {', '.join(where)}{rest})" if where else ""

    def codes(self, name: str, *, sort: bool) -> tuple[list[str], Codes]:
        """Return the labels of a column, sorted or as they first come, and the code of each row."""
        import polars as pl

        typed = as_labels(self.columns[name]) if sort else None
        typed = as_text(self.columns[name], name) if typed is None else typed
        missing = (typed == "") if typed.dtype == pl.String else typed.cast(pl.Float64).is_nan()
        missing = missing.fill_null(True)
        if missing.any():
            raise DataError(
                f"{self.place(missing.arg_max() or 0)}, column {shown(name)} is empty; every row "
                "needs a label in this column. Fill it in"
            )
        labels = typed.unique(maintain_order=True)
        if sort:
            text = typed.dtype == pl.String
            labels = pl.Series(sorted(labels, key=_natural)) if text else labels.sort()
        codes = typed.replace_strict(labels, range(len(labels)), return_dtype=pl.Int64)
        names = [str(label).removesuffix(".0") if sort else label for label in labels]
        return names, codes.to_numpy()

    def right_wrong(self, names: list[str]) -> BitItems:
        """Return columns of right and wrong as bits, or say which cell is neither."""
        right = bits_for(len(names), len(self))
        for row, name in zip(right, names, strict=True):
            raw = self.columns[name]
            series = raw if raw.dtype.is_numeric() or _is_plain_boolean(raw) else as_numbers(raw)
            if series is None:
                series = as_truths(raw)
            # Piece by piece: unpacked, a column takes a byte or more for each bit.
            for start in range(0, len(series), PIECE):
                piece = _zero_one(series.slice(start, PIECE))
                if isinstance(piece, int):
                    at = start + piece
                    raise DataError(
                        f"{self.place(at)}, column {shown(name)}: expected 1 (correct) or 0 "
                        f"(wrong), got {_cell(raw[at])}. If this column is not a learner, list "
                        f"those that are: {argument(learner=[..., ...])}"
                    )
                _put(row, start, piece)
        return BitItems(right, len(self))

    def agreement(self, truth: str, names: list[str]) -> BitItems:
        """Tell, as bits, where columns of predicted labels equal the true ones."""
        labels = self._labels(truth)
        truths = labels.to_numpy() if labels.dtype.is_numeric() else None
        right = bits_for(len(names), len(self))
        for row, name in zip(right, names, strict=True):
            predicted = self._labels(name, like=labels)
            for start in range(0, len(self), PIECE):
                part = predicted.slice(start, PIECE)
                if truths is None:
                    equal = (part == labels.slice(start, PIECE)).to_numpy()
                else:  # quicker than polars' bits, and exact for integers of any two types
                    equal = part.to_numpy() == truths[start : start + PIECE]
                _put(row, start, equal)
            if not row.any() and not _in_common(predicted, labels):
                raise DataError(
                    f"column {shown(name)} has no label in common with {shown(truth)}, so it does "
                    "not look like predictions. List the columns that contain predictions: "
                    f"{argument(learner=[..., ...])}"
                )
        return BitItems(right, len(self))

    def _labels(self, name: str, like: pl.Series | None = None) -> pl.Series:
        """Return a column of class labels, of the kind that the true ones are."""
        import polars as pl

        series = as_labels(self.columns[name])
        if like is not None and (series is None) != (like.dtype == pl.String):
            missing = first_missing(self.columns[name]) if series is None else None
            if missing is not None:
                raise self._no_class(name, missing)
            kinds = ("numbers", "text") if series is None else ("text", "numbers")
            raise DataError(
                f"column {shown(like.name)} contains {kinds[0]} but {shown(name)} contains "
                f"{kinds[1]}, so no prediction could be correct; both must have the same type. If "
                "this column is not a prediction, list the columns that are: "
                f"{argument(learner=[..., ...])}"
            )
        labels = as_text(self.columns[name], name) if series is None else series
        row = _no_label(labels)
        if row is not None:
            raise self._no_class(name, row)
        return labels

    def _no_class(self, name: str, row: int) -> DataError:
        return DataError(
            f"{self.place(row)}, column {shown(name)}: expected a class label, got "
            f"{_cell(self.columns[name][row])}. For probabilities write the predicted label: 1 "
            "where the probability is at least 0.5, else 0; for scores that rank items of two "
            f"classes pass {argument(metric='roc_auc')}; if this column is not a prediction, "
            f"list the columns that are: {argument(learner=[..., ...])}"
        )


def _rewritten(text: str) -> str:
    """Say what to write instead of a cell that is not missing, but no number either."""
    if "," in text:
        return "If the comma is a decimal separator, write a point, otherwise leave it out"
    if "%" in text:
        return "Write all scores with a percent sign, or none"
    number = re.match(r"[*<>~≈\s]*([-−+]?[0-9]*\.?[0-9]+)(?=$|\s?[±(*†‡]|\s?\+/-)", text)
    alone = f": {number[1].replace('−', '-')}" if number else ""
    deviates = (
        ". A mean with its standard deviation is not the score of one split" if "±" in text else ""
    )
    return f"Write one finite number in the cell{alone}{deviates}"


def _is_plain_boolean(cells: pl.Series) -> bool:
    import polars as pl

    return cells.dtype == pl.Boolean and not cells.null_count()


def _zero_one(cells: pl.Series) -> npt.NDArray[Any] | int:
    """Return cells as an array of 0 and 1, or the first row that holds neither."""
    import polars as pl

    if cells.dtype == pl.Boolean:
        return cells.to_numpy()
    if cells.dtype in (pl.Int8, pl.UInt8) and not cells.null_count():
        narrow = cells.to_numpy().view(np.uint8)  # negative ones are large here
        if not narrow.size or narrow.max() <= 1:
            return narrow
    good = ((cells == 0) | (cells == 1)).fill_null(False)
    return (cells == 1).to_numpy() if good.all() else int(good.arg_min() or 0)


def _put(row: npt.NDArray[np.uint8], start: int, piece: npt.NDArray[Any]) -> None:
    """Write a piece of 0 and 1, which starts at a whole byte, as bits."""
    packed = np.packbits(piece, bitorder="little")
    row[start // 8 : start // 8 + packed.size] = packed


def _in_common(one: pl.Series, other: pl.Series) -> bool:
    """Tell whether two columns of labels, both text or both numbers, share one."""
    return not {*one.unique().to_list()}.isdisjoint(other.unique().to_list())  # 1.0 is 1


def _no_label(cells: pl.Series) -> int | None:
    """Return the first row without a class label, which is some text or a whole number."""
    import polars as pl

    if cells.dtype.is_integer() and not cells.null_count():
        return None
    if cells.dtype.is_integer():
        label = cells.is_not_null()
    elif cells.dtype == pl.String:
        label = (cells != "").fill_null(False)
    else:
        label = (cells.is_finite() & (cells == cells.floor())).fill_null(False)
    return None if label.all() else label.arg_min()


def _cell(value: object) -> str:
    return "an empty cell" if value is None or value == "" else shown(value)


def _natural(text: str) -> list[Any]:
    """Sort key that puts "fold 2" before "fold 10"."""
    parts = re.split("([0-9]+)", text)
    digits = [part.lstrip("0") for part in parts[1::2]]
    return [(*zip(parts[::2], [(len(d), d) for d in digits] + [(0, "")], strict=True),), text]
