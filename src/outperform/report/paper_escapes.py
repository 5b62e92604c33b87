"""Text that LaTeX and Markdown show as itself; names, captions and labels may hold anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .formatting import sentence, terminal

GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "ι": "iota",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "υ": "upsilon",
    "φ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
}
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
    **{c: rf"$\{name}$" for c, name in GREEK.items()},
    "²": "$^2$",
    "₀": "$_0$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "–": "--",
    "…": r"\ldots{}",
}


def booktabs(
    columns: str, heads: Sequence[str], rows: Iterable[str], caption: str, label: str | None
) -> str:
    """Return a table environment of rows that are LaTeX already, under a caption that is not."""
    lines = [r"\begin{table}", r"  \centering", f"  \\caption{{{escape_latex(caption)}}}"]
    if label is not None:  # letters, digits and ":._-" can be read by TeX
        lines.append(f"  \\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', terminal(label))}}}")
    lines += [f"  \\begin{{tabular}}{{{columns}}}", r"    \toprule"]
    lines += [
        f"    {' & '.join(heads)} \\\\",
        r"    \midrule",
        *(f"    {row} \\\\" for row in rows),
    ]
    return "\n".join([*lines, r"    \bottomrule", r"  \end{tabular}", r"\end{table}"])


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as itself: its ten specials can do nothing."""
    return "".join(SPECIALS.get(c, c) for c in sentence(text))


def stacked(head: str) -> str:
    """Return the head of a column on a line for each of its parts: tables fit on a page."""
    parts = [part for half in head.split(", ") for part in re.split(r" (?=\()", half)]
    lines = r" \\ ".join(map(escape_latex, parts))
    return lines if len(parts) == 1 else in_lines(lines)


def in_lines(lines: str) -> str:
    """Return LaTeX of several lines as one cell, at the right, the last line on that of others."""
    return rf"\begin{{tabular}}[b]{{@{{}}r@{{}}}}{lines}\end{{tabular}}"


def math(number: str) -> str:
    """Return a number of ours in math mode."""
    return "$" + number.replace("−", "-").replace("∞", r"\infty") + "$"


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as itself: pipes, backticks, tags, links and emphasis."""
    safe = terminal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`|*_\[\]~#!])", r"\\\1", safe)
