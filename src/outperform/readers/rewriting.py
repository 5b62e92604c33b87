"""What a reader of one tool's tables returns, and how it asks for one of several metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import DataError, argument, did_you_mean
from ..notes import Note
from .column_names import bare, listed, shown
from .score_table import ScoreTable
from .split_grid import MOST_COUNTED

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A table of scores, and what its tool says of it."""

    table: ScoreTable
    options: dict[str, Any]
    """Options of `from_frame` that follow from the tool."""
    notes: tuple[Note, ...] = field(default=())
    measure: str | None = None
    """What its scores are called, where the layout would give them another name."""


def one_metric(metrics: Sequence[str], asked: str | None, what: str) -> str:
    """Return the metric asked for, or the only one; refuse where there are several."""
    if asked is not None:
        same = [name for name in metrics if name == asked]
        same = same or [name for name in metrics if bare(name) == bare(asked)]
        if len(same) != 1:
            raise DataError(
                f"The 'metric' parameter must be one of the metrics of {what}, got "
                f"{shown(asked)}; {did_you_mean(asked, metrics)}"
            )
        return same[0]
    if len(metrics) > 1:
        raise DataError(
            f"{what} has {len(metrics)} metrics ({listed(metrics)}). Choose one: "
            f"{argument(metric=metrics[0])}"
        )
    return metrics[0]


def assumed_folds(n: int, asked: Mapping[str, Any], what: str) -> tuple[dict[str, Any], list[Note]]:
    """Return k-fold cross-validation for splits of unknown sizes, and say that it is assumed.

    More splits than `MOST_COUNTED` may as well be repeated cross-validation, which is not guessed.
    """
    if asked.get("design") is not None or not 2 <= n <= MOST_COUNTED:
        return {}, []
    halves = next((k for k in (5, 3, 2) if n % k == 0 and n > k), None)
    other = argument(design=f"{n // halves}x{halves}cv" if halves else f"{n}xresampled@1/3")
    return {"design": f"{n}cv"}, [
        Note(
            "OP001",
            f"Design assumed to be {n}cv: {what} gives no sizes. If the {n} splits were repeated "
            f"or random, pass the design, such as {other}.",
        )
    ]


def stacked(columns: Sequence[pl.Series]) -> pl.Series:
    """Return columns one below the other: as they are if they are of one type, else as text."""
    import polars as pl

    kinds = {column.dtype for column in columns}
    if len(kinds) > 1:
        numeric = all(kind.is_numeric() or kind == pl.Null for kind in kinds)
        columns = [column.cast(pl.Float64 if numeric else pl.String) for column in columns]
    return pl.concat([column.rename("score") for column in columns])


def distinct(names: Sequence[str]) -> list[str]:
    """Return names, with the row appended to those that occur again."""
    counts = Counter(names)
    return [f"{name} #{row}" if counts[name] > 1 else name for row, name in enumerate(names)]
