"""Results as rows of a table in words, which LaTeX and Markdown dress each in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import prose
from .clean import terminal
from .numbers import decimals_for, fixed, pvalue
from .text import intervals_of, level_of

if TYPE_CHECKING:
    from ..families import Comparison
    from ..result import Result

__all__ = ["Row", "Table", "comparison", "result"]


@dataclass(frozen=True, slots=True)
class Row:
    """One pair in words: its two sides as text, and what was found."""

    first: str
    second: str | None
    estimate: str
    interval: str
    pvalue: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under their headings, with a sentence on what they show."""

    metric: str
    level: float
    adjusted: bool
    about: str
    rows: tuple[Row, ...]


def comparison(
    shown: Comparison, alpha: float = 0.05, level: float | None = None, rope: float | None = None
) -> Table:
    """Return every pair of a comparison; intervals hold together, p-values are the family's."""
    level = level_of(alpha, level)
    rows = []
    ends = intervals_of(shown, level)
    for row, interval in zip(shown.rows(level=level, alpha=alpha, rope=rope), ends, strict=True):
        digits = decimals_for(row["stderr"], row["estimate"])
        found = pvalue(row["adjusted"], row["log_adjusted"])
        first, second = row["names"]
        rows.append(_row(first, second, row["estimate"], interval, digits, found, row["verdict"]))
    family = shown.family_size > 1
    how = f", adjusted by {shown.adjust}" if family else ""
    about = f"{shown.method.title}{how}. {prose.estimand(shown)}"
    return Table(_headed(shown), level, family, about, tuple(rows))


def result(
    shown: Result, alpha: float = 0.05, level: float | None = None, rope: float | None = None
) -> Table:
    """Return one result as a table of one row."""
    level = level_of(alpha, level)
    digits = decimals_for(shown.stderr, shown.estimate)
    interval = shown.interval(level)
    ends = None if interval is None else (interval.low, interval.high)
    found = pvalue(shown.pvalue, shown.log_pvalue)
    outcome = shown.verdict(alpha, rope).outcome
    row = _row(*shown.names, shown.estimate, ends, digits, found, outcome)
    about = f"{shown.method.title}; {prose.estimand(shown)}"
    return Table(_headed(shown), level, False, about, (row,))


def _headed(shown: Result | Comparison) -> str:
    """Return the metric as a heading, with the direction where differences were turned."""
    turned = not shown.greater_is_better and shown.names[1] is not None
    return f"{terminal(shown.metric)}{', positive: first better' if turned else ''}"


def _row(
    first: str,
    second: str | None,
    estimate: float,
    interval: tuple[float, float] | None,
    digits: int,
    found: str,
    verdict: str,
) -> Row:
    sign = second is not None
    ends = "–"
    if interval is not None:
        ends = "[" + ", ".join(fixed(end, digits, sign=sign) for end in interval) + "]"
    return Row(
        terminal(first),
        None if second is None else terminal(second),
        fixed(estimate, digits, sign=sign),
        ends,
        found.removeprefix("p ").removeprefix("= "),
        verdict,
    )
