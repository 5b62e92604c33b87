"""Results as rows of a table in words, which LaTeX and Markdown dress each in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import prose
from .clean import terminal
from .numbers import decimals_for, ends, fixed, pvalue
from .text import intervals_of, level_of

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result

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
    limits, intervals = prose.limits_of(shown, rope), intervals_of(shown, level)
    found = shown.rows(level=level, alpha=alpha, rope=rope)
    for row, interval in zip(found, intervals, strict=True):
        digits = decimals_for(row["stderr"], row["estimate"])
        p = pvalue(row["adjusted"], row["log_adjusted"])
        first, second = row["names"]
        ends_of = _ends(interval, digits, limits, sign=True)
        rows.append(_row(first, second, row["estimate"], ends_of, digits, p, row["verdict"]))
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
    limits, sign = prose.limits_of(shown, rope), shown.names[1] is not None
    ends_of = _ends(None if interval is None else tuple(interval), digits, limits, sign=sign)
    found = pvalue(shown.pvalue, shown.log_pvalue)
    outcome = shown.verdict(alpha, rope).outcome
    row = _row(*shown.names, shown.estimate, ends_of, digits, found, outcome)
    about = f"{shown.method.title}; {prose.estimand(shown)}"
    return Table(_headed(shown), level, False, about, (row,))


def _headed(shown: Result | Comparison) -> str:
    """Return the metric as a heading, with what is not plain: the estimate, the direction."""
    turned = not shown.greater_is_better and shown.names[1] is not None
    words = shown.method.centre, "positive: first better" if turned else ""
    return ", ".join(filter(None, (terminal(shown.metric), *words)))


def _ends(
    interval: tuple[float, float] | None, digits: int, limits: tuple[float, ...], *, sign: bool
) -> str:
    if interval is None:
        return "–"
    return f"[{', '.join(ends(*interval, digits, *limits, sign=sign))}]"


def _row(
    first: str,
    second: str | None,
    estimate: float,
    interval: str,
    digits: int,
    found: str,
    verdict: str,
) -> Row:
    sign = second is not None
    return Row(
        terminal(first),
        None if second is None else terminal(second),
        fixed(estimate, digits, sign=sign),
        interval,
        found.removeprefix("p ").removeprefix("= "),
        verdict,
    )
