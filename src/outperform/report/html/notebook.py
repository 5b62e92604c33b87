"""Results, verdicts and comparisons as HTML for notebooks: small, escaped, light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import counted
from ...scores.performance import Performance
from .. import learner_scores, scope, sentences
from ..formatting import markup, terminal
from ..group_sentences import group_sentence
from ..text import LEVEL, heading
from . import pair_section

if TYPE_CHECKING:
    from ...results.comparison import Comparison
    from ...results.result import Result
    from ...results.verdict import Verdict


ROWS = 45
"""Pairs, and groups, shown; a larger comparison says how many it left out."""
# Notebooks set the colours of text and paper: these follow, whatever they are.
LEFT = 'style="text-align:left;padding:.2em 1em .2em 0"'
FAINT = 'style="text-align:left;font-weight:normal;opacity:.75;padding:.2em 1em .2em 0"'
STRONG = 'style="text-align:left;font-weight:600;padding:.2em 1em .2em 0"'


def result(shown: Result) -> str:
    """Return a small table: scores, effect, interval, test, verdict, notes; every name escaped."""
    rows = [
        ("effect", sentences.effect(shown)),
        ("interval", sentences.interval_line(shown, LEVEL)),
        ("test", sentences.test_line(shown, None)),
        ("verdict", str(shown.verdict(round(1 - LEVEL, 12)))),
        *(("note", str(note)) for note in shown.notes),
    ]
    body = "".join(_row(n, words, STRONG if n == "verdict" else LEFT) for n, words in rows)
    scores = _scores(shown.performances)
    return f"<table>{_caption(heading(shown))}<tbody>{scores}{body}</tbody></table>"


def verdict(shown: Verdict) -> str:
    """Return who was compared, the verdict, its evidence, and the α and rope it was made with."""
    about, *names = shown.about
    pair = about[tuple(names)] if names else about
    rows = [("verdict", shown.sentence), ("evidence", shown.grade), ("α", f"{shown.alpha:g}")]
    rows += [] if shown.rope is None else [("rope", f"±{shown.rope:g}")]
    body = "".join(_row(n, words, STRONG if n == "verdict" else LEFT) for n, words in rows)
    return f"<table>{_caption(heading(pair))}<tbody>{body}</tbody></table>"


def comparison(shown: Comparison) -> str:
    """Return scores, then the pairs as a table, then the groups and the notes."""
    rows = shown.rows(level=LEVEL, alpha=1 - LEVEL)
    digits = pair_section.digits_of(rows)
    difference = ", ".join(filter(None, ("difference", shown.method.centre)))
    interval = sentences.interval_heading(shown, LEVEL)
    alone = shown.family_size == 1
    p = "p" if alone else "adjusted p"
    many = "" if alone else f"{counted(shown.n_pairs, 'pair')}: "
    adjusted = "" if alone else f", p-values {scope.adjustment(shown)}"
    head = "".join(
        f'<th scope="col" {LEFT}>{name}</th>'
        for name in ("pair", difference, interval, p, "verdict")
    )
    body = "".join(_pair(row, digits) for row in rows[:ROWS])
    if len(rows) > ROWS:
        body += f'<tr><td colspan="5" {FAINT}>… and {len(rows) - ROWS} more pairs</td></tr>'
    words = [
        f"{many}{shown.method.title}{adjusted}; evidence: {shown.grade}",
        group_sentence(shown, round(1 - LEVEL, 12)),
        *(str(note) for note in shown.notes_at(1 - LEVEL)),
    ]
    said = "".join(f"<div {FAINT}>{markup(line)}</div>" for line in words[1:])
    return (
        f"<table>{_caption(heading(shown))}<tbody>{_scores(shown.performances())}</tbody></table>"
        f"<table>{_caption(words[0])}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"{said}"
    )


def _scores(found: Sequence[Performance]) -> str:
    """Return how each learner scored, best first, a cell for each part so that they align."""
    decimals, label = learner_scores.digits(found), learner_scores.label(found)
    rows = []
    for at, one in enumerate(found[:ROWS]):
        over = f"({counted(one.n, one.unit)})"
        parts = (terminal(one.name), learner_scores.mean_sd(one, decimals), over)
        cells = "".join(f"<td {LEFT}>{markup(part)}</td>" for part in parts)
        rows.append(f'<tr><th scope="row" {FAINT}>{label if at == 0 else ""}</th>{cells}</tr>')
    if len(found) > ROWS:
        rows.append(_row("", f"… and {counted(len(found) - ROWS, 'more learner')}", LEFT))
    return "".join(rows)


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
    return (
        f'<tr><th scope="row" {FAINT}>{name}</th><td colspan="3" {style}>{markup(words)}</td></tr>'
    )


def _caption(words: str) -> str:
    return f'<caption style="text-align:left;font-weight:600">{markup(words)}</caption>'
