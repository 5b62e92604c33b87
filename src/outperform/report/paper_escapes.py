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
BOLD = 1.15
"""How much wider bold letters are."""
LETTERS = 15
"""Letters of a line in the head of a column."""
TEXT_WIDTH = 345.0
"""Points of a line of text in LaTeX's article."""
FONTS = (
    ("", 1.0, 6),
    (r"\small", 0.92, 6),
    (r"\footnotesize\setlength{\tabcolsep}{3pt}", 0.85, 3),
)
"""Commands before a table, how wide letters are then, and half a gap between columns in points."""
WIDTHS = {"$": 0.0, "ijlI.,:;'|![] ": 2.9, "cefrstz()": 4.1, "mwMW+-−<=±–": 8.0}
"""Points of letters in Computer Modern; capitals and other letters have one width each."""


def booktabs(
    columns: str, heads: Sequence[str], rows: Iterable[str], caption: str, label: str | None
) -> str:
    """Return a table environment of rows that are LaTeX already, under a caption that is not.

    Letters are as large as the text of an article on A4 or letter paper is wide enough for.
    """
    rows = list(rows)
    lines = [r"\begin{table}", r"  \centering", f"  \\caption{{{escape_latex(caption)}}}"]
    if label is not None:  # letters, digits and ":._-" can be read by TeX
        lines.append(f"  \\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', terminal(label))}}}")
    lines += [f"  {smaller}"] if (smaller := font_size(columns, heads, rows)) else []
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
    lines = [escape_latex(line) for part in parts for line in _wrapped(part)]
    return lines[0] if len(lines) == 1 else in_lines(r" \\ ".join(lines))


def _wrapped(part: str) -> list[str]:
    """Return lines about as wide as an interval, cut behind spaces and dashes."""
    lines = [""]
    for word in re.split(r"(?<=[ –])", part):
        if lines[-1] and len(lines[-1] + word) > LETTERS:
            lines.append("")
        lines[-1] += word
    return [line.strip() for line in lines]


def in_lines(lines: str, *, side: str = "r") -> str:
    """Return LaTeX of several lines as one cell, at a side, the last line on that of others."""
    return rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{lines}\end{{tabular}}"


def font_size(columns: str, heads: Sequence[str], rows: Sequence[str]) -> str:
    """Return the commands that make a table fit into the text of an article, "" if it does."""
    cells = [re.split(r"(?<!\\)&", row) for row in (" & ".join(heads), *rows)]
    letters = sum(max(map(cell_width, column)) for column in zip(*cells, strict=False))
    gaps = 2 * len(cells[0]) - columns.count("@")
    for commands, size, gap in FONTS:
        if size * letters + gap * gaps <= TEXT_WIDTH:
            return commands
    return FONTS[-1][0]


def cell_width(latex: str) -> float:
    """Return about how many points a cell is wide in Computer Modern of 10 points."""
    inside = re.sub(r"\\begin\{tabular\}\[b\]\{@\{\}.@\{\}\}|\\end\{tabular\}", "", latex.strip())
    plain = re.sub(r"\\[a-zA-Z]+ ?", "", inside.replace("--", "–"))
    lines = [re.sub(r"[\\{}^_]", "", line).strip() for line in re.split(r"\\\\\s", plain)]
    bold = BOLD if r"\textbf" in latex else 1.0
    return bold * max(sum(_points(letter) for letter in line) for line in lines)


def _points(letter: str) -> float:
    found = (width for letters, width in WIDTHS.items() if letter in letters)
    return next(found, 7.2 if letter.isupper() else 5.2)


def math(number: str) -> str:
    """Return a number of ours in math mode."""
    return "$" + number.replace("−", "-").replace("∞", r"\infty") + "$"


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as itself: pipes, backticks, tags, links and emphasis."""
    safe = terminal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`|*_\[\]~#!])", r"\\\1", safe)
