"""Results as HTML fragments for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import prose
from .clean import markup
from .text import LEVEL
from .text import comparison as comparison_text

if TYPE_CHECKING:
    from ..families import Comparison
    from ..result import Result

__all__ = ["comparison", "result"]


def result(shown: Result) -> str:
    """Return a small table in the order of the text block; every name escaped."""
    rows = [
        ("effect", prose.effect(shown)),
        ("interval", prose.interval_line(shown, LEVEL)),
        ("test", prose.test_line(shown)),
        ("verdict", shown.verdict(1 - LEVEL).sentence),
        *(("note", str(note)) for note in shown.notes),
    ]
    body = "".join(
        f'<tr><th scope="row" style="text-align:left">{markup(name)}</th>'
        f'<td style="text-align:left">{markup(words)}</td></tr>'
        for name, words in rows
    )
    caption = markup(prose.heading(shown))
    return f"<table><caption>{caption}</caption><tbody>{body}</tbody></table>"


def comparison(shown: Comparison) -> str:
    """Return the text block, escaped, in a fixed-width box."""
    return f"<pre>{markup_lines(comparison_text(shown))}</pre>"


def markup_lines(text: str) -> str:
    return "\n".join(markup(line) for line in text.splitlines())
