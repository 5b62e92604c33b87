"""Labelled texts, wrapped at the width of the terminal: how every block of text is laid out."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from textwrap import wrap

WIDTH = 100
"""Columns where no terminal tells its own."""
LABEL = 10
NARROWEST = 40
GLUED = (" = ", " ≈ ", " %", " < ", " ≥ ")
"""Where a line is not broken: a number stays with its sign and its unit."""
NO_BREAK = "\N{NO-BREAK SPACE}"

Rows = Sequence[tuple[str, str]]
"""Labels and texts; a text that goes on below another has no label, and "" is left out."""


def columns() -> int:
    """Return how wide the terminal is; 100 where there is none."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def laid_out(head: str, rows: Rows, width: int | None = None, label: int = LABEL) -> str:
    """Return a head and labelled texts, each wrapped at the width of the terminal."""
    lines = wrapped(head, room(width, label) + label + 3)
    for name, words in rows:
        for at, part in enumerate(wrapped(words, room(width, label)) if words else ()):
            lines.append(f"  {name if at == 0 else '':<{label}} {part}")
    return "\n".join(lines)


def room(width: int | None, label: int = LABEL) -> int:
    """Return how many columns are left for a text beside its label; the last stays free."""
    return max(columns() if width is None else width, NARROWEST) - label - 4


def paragraphs(texts: Iterable[str], width: int | None = None) -> list[str]:
    """Return texts without labels as lines, each wrapped at the width of the terminal."""
    wide = max(columns() if width is None else width, NARROWEST) - 1
    return [line for text in texts for line in wrapped(text, wide)]


def wrapped(words: str, width: int) -> list[str]:
    """Break a text between words; a number stays with its sign, and further lines are indented."""
    indent = " " * (len(words) - len(words.lstrip(" ")))
    for joint in GLUED:
        words = words.replace(joint, joint.replace(" ", NO_BREAK))
    found = wrap(
        words,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(NO_BREAK, " ") for line in found]
