"""Results as LaTeX and Markdown tables; names, captions and labels may hold anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import scope, sentences
from .formatting import bracketed, decimals_for, fixed, p_number, sentence, terminal
from .scope import intervals_of
from .text import level_of

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result


SPECIALS = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # Not special but after a line's end, where they would be its options.
    "[": "{[}",
    "*": "{*}",
    # Not special, but other letters in TeX's old font encoding.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # What our own words hold beyond ASCII, for engines that know no Unicode.
    "−": "$-$",
    "±": r"$\pm$",
    "α": r"$\alpha$",
    "μ": r"$\mu$",
    "χ": r"$\chi$",
    "²": "$^2$",
    "₀": "$_0$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "–": "--",
    "…": r"\ldots{}",
}


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
    **options: Any,
) -> str:
    """Return a booktabs table environment with a row for each pair."""
    table = _table(shown, **options)
    heads = (
        "Pair" if table.rows and table.rows[0].second is not None else "Learner",
        escape_latex(table.metric),
        escape_latex(table.intervals.replace(" %", "%")),
        "adjusted $p$" if table.adjusted else "$p$",
        "Verdict",
    )
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escape_latex(table.about if caption is None else caption)}}}",
    ]
    if label is not None:  # letters, digits and ":._-" can be read by TeX
        lines.append(f"  \\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', terminal(label))}}}")
    lines += [r"  \begin{tabular}{lrrrl}", r"    \toprule", f"    {' & '.join(heads)} \\\\"]
    lines += [r"    \midrule", *(f"    {_latex_row(row)} \\\\" for row in table.rows)]
    return "\n".join([*lines, r"    \bottomrule", r"  \end{tabular}", r"\end{table}"])


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as itself: its ten specials can do nothing."""
    return "".join(SPECIALS.get(c, c) for c in sentence(text))


def _latex_row(row: PaperRow) -> str:
    pair = " $-$ ".join(escape_latex(name) for name in (row.first, row.second) if name is not None)
    p = p_number(*row.p, power="10^{{-{}}}")
    numbers = (
        _math(row.estimate),
        "--" if row.interval is None else _math(row.interval),
        p if row.p[0] is None else _math(p),
    )
    return " & ".join([pair, *numbers, row.verdict])


def _math(number: str) -> str:
    return "$" + number.replace("−", "-").replace("∞", r"\infty") + "$"


def markdown(shown: Result | Comparison, **options: Any) -> str:
    """Return a table with a row for each pair."""
    table = _table(shown, **options)
    heads = (
        "pair" if table.rows and table.rows[0].second is not None else "learner",
        escape_markdown(table.metric),
        escape_markdown(table.intervals.replace(" %", "%")),
        "adjusted p" if table.adjusted else "p",
        "verdict",
    )
    lines = [f"| {' | '.join(heads)} |", "| --- | ---: | ---: | ---: | --- |"]
    return "\n".join([*lines, *map(_markdown_row, table.rows)])


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as itself: pipes, backticks, tags, links and emphasis."""
    safe = terminal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`|*_\[\]~#!])", r"\\\1", safe)


def _markdown_row(row: PaperRow) -> str:
    pair = " − ".join(escape_markdown(name) for name in (row.first, row.second) if name is not None)
    interval = row.interval or "–"  # our own numbers; brackets without a target make no link
    p = escape_markdown(p_number(*row.p))
    return f"| {pair} | {row.estimate} | {interval} | {p} | {row.verdict} |"


def _table(
    shown: Any, alpha: float = 0.05, level: float | None = None, rope: float | None = None
) -> PaperTable:
    """Return every pair of a comparison, adjusted as its family is, or one result."""
    level, limits = level_of(alpha, level), sentences.limits_of(shown, rope)
    if not hasattr(shown, "pairs"):
        interval, outcome = shown.interval(level), shown.verdict(alpha, rope).outcome
        p = shown.pvalue, shown.log_pvalue
        row = _row(shown.names, shown.estimate, shown.stderr, interval, limits, p, outcome)
        return PaperTable(
            _headed(shown),
            sentences.interval_heading(shown, level),
            False,
            f"{shown.method.title} (evidence: {shown.grade}); {scope.estimand(shown)}",
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
    about = f"{shown.method.title}{how} (evidence: {shown.grade}). {scope.estimand(shown)}"
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
