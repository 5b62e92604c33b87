"""Results and comparisons as HTML fragments for notebooks: small, escaped, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import sentences
from ..formatting import markup, terminal
from ..group_sentences import group_sentence
from ..text import LEVEL
from . import pair_section

if TYPE_CHECKING:
    from ...results.comparison import Comparison
    from ...results.result import Result


ROWS = 45
"""Pairs, and groups, shown; a larger comparison says how many it left out."""
# Notebooks set the colours of text and paper: these follow, whatever they are.
LEFT = 'style="text-align:left;padding:.2em 1em .2em 0"'
FAINT = 'style="text-align:left;font-weight:normal;opacity:.75;padding:.2em 1em .2em 0"'
STRONG = 'style="text-align:left;font-weight:600;padding:.2em 1em .2em 0"'


def result(shown: Result) -> str:
    """Return a small table: verdict first, then what it rests on; every name escaped."""
    rows = [
        ("effect", sentences.effect(shown)),
        ("interval", sentences.interval_line(shown, LEVEL)),
        ("test", sentences.test_line(shown)),
        *(("note", str(note)) for note in shown.notes),
    ]
    body = _row("verdict", shown.verdict(1 - LEVEL).sentence, STRONG)
    body += "".join(_row(name, words, LEFT) for name, words in rows)
    return f"<table>{_caption(sentences.heading(shown))}<tbody>{body}</tbody></table>"


def comparison(shown: Comparison) -> str:
    """Return the pairs as a table, then who is not told apart, then the notes."""
    rows = shown.rows(level=LEVEL, alpha=1 - LEVEL)
    digits = pair_section.digits_of(rows)
    difference = ", ".join(filter(None, ("difference", shown.method.centre)))
    interval = sentences.interval_heading(shown, LEVEL)
    head = "".join(
        f'<th scope="col" {LEFT}>{name}</th>'
        for name in ("pair", difference, interval, "adjusted p", "verdict")
    )
    body = "".join(_pair(row, digits) for row in rows[:ROWS])
    if len(rows) > ROWS:
        body += f'<tr><td colspan="5" {FAINT}>… and {len(rows) - ROWS} more pairs</td></tr>'
    words = [
        f"{len(shown.names)} learners, {shown.n_pairs} pairs: {shown.method.title}",
        group_sentence(shown, round(1 - LEVEL, 12)),
        *(str(note) for note in shown.notes_at(1 - LEVEL)),
    ]
    said = "".join(f"<div {FAINT}>{markup(line)}</div>" for line in words[1:])
    return (
        f"<table>{_caption(words[0])}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"{said}"
    )


def _pair(row: dict[str, Any], digits: int) -> str:
    found = pair_section.cells(row, -1.0, 1.0, digits)
    look = LEFT if row["verdict"] == "no decision" else STRONG
    first, second = (markup(terminal(name)) for name in row["names"])
    cells = "".join(
        f"<td {style}>{markup(found[key])}</td>"
        for key, style in (("estimate", LEFT), ("interval", LEFT), ("p", LEFT), ("verdict", look))
    )
    return f'<tr><th scope="row" {LEFT}>{first} − {second}</th>{cells}</tr>'


def _row(name: str, words: str, style: str) -> str:
    return f'<tr><th scope="row" {FAINT}>{name}</th><td {style}>{markup(words)}</td></tr>'


def _caption(words: str) -> str:
    return f'<caption style="text-align:left;font-weight:600">{markup(words)}</caption>'
