"""The scores of every learner as a LaTeX and a Markdown table: best first, with marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import learner_scores
from .formatting import terminal
from .paper_escapes import booktabs, escape_latex, escape_markdown

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result


@dataclass(frozen=True, slots=True)
class LearnerRow:
    """One learner, and whether it is the best or significantly different from the reference."""

    name: str
    mean: str
    n: int
    best: bool
    marked: bool


@dataclass(frozen=True, slots=True)
class LearnerTable:
    """Learners, best first, under what was measured and how."""

    about: str
    legend: tuple[str, ...]
    """What bold and the mark mean, where they are used."""
    heads: tuple[str, str, str]
    rows: tuple[LearnerRow, ...]


def latex(shown: Result | Comparison, alpha: float, label: str | None) -> str:
    """Return a booktabs table; "" where scores are not known."""
    table = _table(shown, alpha)
    if table is None:
        return ""
    heads = ("Learner", *map(escape_latex, table.heads[1:]))
    caption = " ".join(f"{words}." for words in (table.about, *table.legend))
    return booktabs("lrr", heads, map(_latex_row, table.rows), caption, label)


def markdown(shown: Result | Comparison, alpha: float) -> str:
    """Return a table between its heading and its legend; "" where scores are not known."""
    table = _table(shown, alpha)
    if table is None:
        return ""
    heads = f"| {' | '.join(map(escape_markdown, table.heads))} |"
    lines = [escape_markdown(f"{table.about}:"), "", heads, "| --- | ---: | ---: |"]
    lines += map(_markdown_row, table.rows)
    legend = " ".join(f"{words}." for words in table.legend)
    return "\n".join([*lines, *(["", escape_markdown(legend)] if legend else [])])


def _latex_row(row: LearnerRow) -> str:
    name, mean = escape_latex(row.name), escape_latex(row.mean)
    if row.best:
        name, mean = (f"\\textbf{{{text}}}" for text in (name, mean))
    return f"{name} & {mean}{'$^{*}$' if row.marked else ''} & {row.n}"


def _markdown_row(row: LearnerRow) -> str:
    name, mean = escape_markdown(row.name), row.mean
    if row.best:
        name, mean = f"**{name}**", f"**{mean}**"
    mark = r" \*" if row.marked else ""
    return f"| {name} | {mean}{mark} | {row.n} |"


def _table(shown: Any, alpha: float) -> LearnerTable | None:
    found = shown.performances() if callable(shown.performances) else shown.performances
    if not found:
        return None
    control = getattr(shown, "control", None)
    reference = control or found[0].name
    apart = _apart(shown, reference, alpha)
    decimals, several = learner_scores.digits(found), len(found) > 1
    tied = {one.name for one in found if several and one.mean == found[0].mean}
    rows = tuple(
        LearnerRow(
            terminal(one.name),
            learner_scores.mean_sd(one, decimals),
            one.n,
            one.name in tied,
            one.name in apart,
        )
        for one in found
    )
    legend = ["Best in bold"] if several else []
    if apart:
        p = "adjusted p" if getattr(shown, "family_size", 1) > 1 else "p"
        whom = f"the control {terminal(reference)}" if control else terminal(reference)
        legend.append(f"* significantly different from {whom} ({p} < {alpha:g})")
    heads = "learner", learner_scores.label(found), f"{found[0].unit}s"
    return LearnerTable(learner_scores.measured(shown), tuple(legend), heads, rows)


def _apart(shown: Any, reference: str, alpha: float) -> set[str]:
    """Return the learners whose pair with the reference has a p-value below α."""
    if not shown.method.compares:
        return set()
    if not hasattr(shown, "pairs"):
        log, names = shown.log_pvalue, set(shown.names) - {None}
        decided = log is not None and len(names) == 2 and log < math.log(alpha)
        return names - {reference} if decided and reference in names else set()
    row = shown.told_apart(alpha)[shown.names.index(reference)]
    return {name for name, is_apart in zip(shown.names, row, strict=True) if is_apart}
