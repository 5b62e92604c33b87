"""Results as booktabs tables; names, captions and labels may hold anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import tables
from .clean import sentence, terminal

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.result import Result

__all__ = ["comparison", "escape", "label_of", "result"]

SPECIALS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    # Not special but after a line's end, where they would be its options.
    "[": "{[}", "*": "{*}",
    # Not special, but other letters in TeX's old font encoding.
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    # What our own words hold beyond ASCII, for engines that know no Unicode.
    "−": "$-$", "±": r"$\pm$", "α": r"$\alpha$", "μ": r"$\mu$", "χ": r"$\chi$", "²": "$^2$",
    "₀": "$_0$", "≤": r"$\leq$", "×": r"$\times$", "∞": r"$\infty$", "–": "--", "…": r"\ldots{}",
}  # fmt: skip


def escape(text: str) -> str:
    """Return text that LaTeX prints as itself: its ten specials can do nothing."""
    return "".join(SPECIALS.get(c, c) for c in sentence(text))


def label_of(text: str) -> str:
    """Return a label TeX can read: letters, digits and ``:._-``, anything else a hyphen."""
    return re.sub(r"[^A-Za-z0-9:._-]", "-", terminal(text))


def comparison(
    shown: Comparison, *, caption: str | None = None, label: str | None = None, **options: Any
) -> str:
    """Return a table environment with a row for each pair."""
    return _dress(tables.comparison(shown, **options), caption, label)


def result(
    shown: Result, *, caption: str | None = None, label: str | None = None, **options: Any
) -> str:
    """Return a table environment of one row."""
    return _dress(tables.result(shown, **options), caption, label)


def _dress(table: tables.Table, caption: str | None, label: str | None) -> str:
    heads = (
        "Pair" if table.rows and table.rows[0].second is not None else "Learner",
        escape(table.metric),
        f"{100 * table.level:.4g}\\% interval",
        "adjusted $p$" if table.adjusted else "$p$",
        "Verdict",
    )
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escape(table.about if caption is None else caption)}}}",
    ]
    if label is not None:
        lines.append(f"  \\label{{{label_of(label)}}}")
    lines += [r"  \begin{tabular}{lrrrl}", r"    \toprule", f"    {' & '.join(heads)} \\\\"]
    lines += [r"    \midrule", *(f"    {_line(row)} \\\\" for row in table.rows)]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    return "\n".join(lines)


def _line(row: tables.Row) -> str:
    pair = escape(row.first)
    if row.second is not None:
        pair += f" $-$ {escape(row.second)}"
    numbers = (_math(row.estimate), _math(row.interval), _math(row.pvalue))
    return " & ".join([pair, *numbers, escape(row.verdict)])


def _math(number: str) -> str:
    """Return a number of ours in mathematics; a word, such as "no p-value", as text."""
    if re.search("[a-z]{2}", number) or number == "–":
        return escape(number)
    plain = re.sub(r"10\^−(\d+)", r"10^{-\1}", number)
    return "$" + plain.replace("−", "-").replace("∞", r"\infty") + "$"
