"""Results as LaTeX and Markdown tables: the scores of every learner, then every pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from ..results.stress import grade_at
from . import benchmark_tables, paper_scores, scope, sentences
from .formatting import bracketed, decimals_for, fixed, p_number, terminal
from .paper_escapes import (
    booktabs,
    escape_latex,
    escape_markdown,
    font_size,
    in_lines,
    math,
    stacked,
)
from .scope import intervals_of
from .text import level_of

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result


COLUMNS = "@{}lrrrl@{}"
MOST_SCORES = 10_000
"""Scores of datasets by learners that are put into a table; beyond, the means alone are."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One pair: its sides as text, and what was found."""

    first: str
    second: str | None
    estimate: str
    interval: str | None
    p: tuple[float | None, float | None]
    """The p-value and its logarithm."""
    verdict: str


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Rows under their headings, with a sentence on what they show."""

    metric: str
    intervals: str
    """What the column of intervals is called."""
    adjusted: bool
    about: str
    rows: tuple[PaperRow, ...]


def latex(
    shown: Result | Comparison,
    *,
    caption: str | None = None,
    label: str | None = None,
    alpha: float = 0.05,
    record: str | None = None,
    **options: Any,
) -> str:
    """Return booktabs tables: the scores, where they are known, then a row for each pair.

    Caption and label are of the pairs; the label of the scores has "-scores" added. The hash of a
    record stands behind our own caption, and as a comment behind one that was given.
    """
    table = _table(shown, alpha, **options)
    heads = (
        "Pair" if table.rows and table.rows[0].second is not None else "Learner",
        stacked(table.metric),
        stacked(table.intervals.replace(" %", "%")),
        in_lines(r"adjusted \\ $p$") if table.adjusted else "$p$",
        "Verdict",
    )
    about = table.about if caption is None else caption
    named = "" if record is None else scope.record_sentence(record)
    about = f"{about} {named}." if named and caption is None else about
    above = None if label is None else f"{label}-scores"
    if is_benchmark(shown):
        scores = benchmark_tables.latex(shown, alpha, above, options.get("rope"))
    else:
        scores = paper_scores.latex(shown, alpha, above)
    rows = list(map(_latex_row, table.rows))
    if font_size(COLUMNS, heads, rows):
        rows = [_latex_row(row, apart=True) for row in table.rows]
        rows[1:] = [rf"\addlinespace {row}" for row in rows[1:]]
    pairs = booktabs(COLUMNS, heads, rows, about, label)
    pairs = f"{pairs}\n% {named}" if named and caption is not None else pairs
    return f"{scores}\n\n{pairs}" if scores else pairs


def is_benchmark(shown: Result | Comparison) -> TypeGuard[Comparison]:
    """Tell whether scores on several datasets can be shown, not too many for a page."""
    benchmark = getattr(shown, "benchmark", None)
    return benchmark is not None and benchmark.values.size <= MOST_SCORES


def _latex_row(row: PaperRow, *, apart: bool = False) -> str:
    """Return the cells of a pair; `apart`, its second learner is on a line of its own."""
    names = [escape_latex(name) for name in (row.first, row.second) if name is not None]
    pair = in_lines(r" \\ $-$ ".join(names), side="l") if apart else " $-$ ".join(names)
    p = p_number(*row.p, power="10^{{-{}}}")
    numbers = (
        math(row.estimate),
        "--" if row.interval is None else math(row.interval),
        p if row.p[0] is None else math(p),
    )
    return " & ".join([pair, *numbers, row.verdict])


def markdown(shown: Result | Comparison, *, alpha: float = 0.05, **options: Any) -> str:
    """Return the scores, where they are known, a table with a row for each pair, and its test."""
    table = _table(shown, alpha, **options)
    heads = (
        "pair" if table.rows and table.rows[0].second is not None else "learner",
        escape_markdown(table.metric),
        escape_markdown(table.intervals.replace(" %", "%")),
        "adjusted p" if table.adjusted else "p",
        "verdict",
    )
    lines = [f"| {' | '.join(heads)} |", "| --- | ---: | ---: | ---: | --- |"]
    pairs = "\n".join([*lines, *map(_markdown_row, table.rows), "", escape_markdown(table.about)])
    if is_benchmark(shown):
        scores = benchmark_tables.markdown(shown, alpha, options.get("rope"))
    else:
        scores = paper_scores.markdown(shown, alpha)
    return f"{scores}\n\n{pairs}" if scores else pairs


def _markdown_row(row: PaperRow) -> str:
    pair = " − ".join(escape_markdown(name) for name in (row.first, row.second) if name is not None)
    interval = row.interval or "–"  # our own numbers; brackets without a target make no link
    p = escape_markdown(p_number(*row.p))
    return f"| {pair} | {row.estimate} | {interval} | {p} | {row.verdict} |"


def _table(
    shown: Any, alpha: float, level: float | None = None, rope: float | None = None
) -> PaperTable:
    """Return every pair of a comparison, adjusted as its family is, or one result."""
    level, limits = level_of(alpha, level), sentences.limits_of(shown, rope)
    grade = grade_at(shown, alpha)
    if not hasattr(shown, "pairs"):
        interval, outcome = shown.interval(level), shown.verdict(alpha, rope).outcome
        p = shown.pvalue, shown.log_pvalue
        row = _row(shown.names, shown.estimate, shown.stderr, interval, limits, p, outcome)
        return PaperTable(
            _headed(shown),
            sentences.interval_heading(shown, level),
            False,
            f"{shown.method.title} (evidence: {grade}); {scope.estimand(shown)}",
            (row,),
        )
    found = zip(
        shown.rows(level=level, alpha=alpha, rope=rope), intervals_of(shown, level), strict=True
    )
    rows = tuple(
        _row(
            row["names"],
            row["estimate"],
            row["stderr"],
            interval,
            limits,
            (row["adjusted"], row["log_adjusted"]),
            row["verdict"],
        )
        for row, interval in found
    )
    family = shown.family_size > 1
    how = f", {scope.adjustment(shown)}" if family else ""
    about = f"{shown.method.title}{how} (evidence: {grade}). {scope.estimand(shown)}"
    intervals = sentences.interval_heading(shown, level)
    return PaperTable(_headed(shown), intervals, family, about, rows)


def _headed(shown: Result | Comparison) -> str:
    """Return the metric as a heading, with what is not plain: the estimate, the direction."""
    turned = not shown.greater_is_better and shown.names[1] is not None
    words = shown.method.centre, "positive: first better" if turned else ""
    return ", ".join(filter(None, (terminal(shown.metric), *words)))


def _row(
    names: tuple[str, str | None],
    estimate: float,
    stderr: float | None,
    interval: Iterable[float] | None,
    limits: tuple[float, ...],
    p: tuple[float | None, float | None],
    verdict: str,
) -> PaperRow:
    first, second = names
    sign, digits = second is not None, decimals_for(stderr, estimate)
    inside = None if interval is None else bracketed(interval, digits, *limits, sign=sign)
    return PaperRow(
        terminal(first),
        None if second is None else terminal(second),
        fixed(estimate, digits, sign=sign),
        inside,
        p,
        verdict,
    )
