"""Scores, studies, advice, curves, estimates and methods as HTML for notebooks: small, escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...errors import counted
from ...scores.item_summary import scores_of
from ...scores.performance import performances
from .. import advice_text, estimate_text, learner_scores, race_text
from ..formatting import markup, terminal
from .notebook import FAINT, LEFT, ROWS

if TYPE_CHECKING:
    from ...lab.study_results import RateTable, Study
    from ...registry import MethodTable
    from ...scores.benchmark import Benchmark
    from ...scores.items import Items
    from ...scores.split_scores import Scores
    from ...verbs.advise import Advice
    from ...verbs.estimate import Estimate
    from ...verbs.learning_curve import LearningCurve
    from ...verbs.race import Race


MANY = 200
"""Methods, rates and points of curves shown: they are looked up, not read from the first on."""


def scores(shown: Scores) -> str:
    """Return the mean of every learner, best first, and the notes."""
    found = performances(shown)
    decimals = learner_scores.digits(found)
    rows = [
        (terminal(one.name), learner_scores.mean_sd(one, decimals), counted(one.n, one.unit))
        for one in found
    ]
    design = "" if shown.design is None else f", {shown.design.describe()}"
    head = f"{counted(len(found), 'learner')}: {terminal(shown.metric)}{design}"
    columns = ("learner", learner_scores.label(found), "over")
    return table(head, columns, rows, "more learner") + below(map(str, shown.notes))


def items(shown: Items) -> str:
    """Return the mean of every model over the items, best first, and the notes."""
    found = performances(scores_of(shown), of_items=True)
    decimals = learner_scores.digits(found)
    rows = [
        (terminal(one.name), learner_scores.mean_sd(one, decimals), counted(one.n, one.unit))
        for one in found
    ]
    head = f"{counted(len(found), 'model')}: {terminal(shown.metric)}"
    columns = ("model", learner_scores.label(found), "over")
    return table(head, columns, rows, "more model") + below(map(str, shown.notes))


def benchmark(shown: Benchmark) -> str:
    """Return the mean and the mean rank of every learner, best first, and the notes."""
    found = performances(shown.scores)
    decimals, ranks = learner_scores.digits(found), shown.mean_ranks()
    rows = [
        (
            terminal(one.name),
            learner_scores.mean_sd(one, decimals),
            f"{ranks[one.name]:.2f}",
            counted(one.n, "dataset"),
        )
        for one in found
    ]
    gaps = len(shown.missing)
    lacks = f", {counted(gaps, 'missing score')}" if gaps else ""
    what = f"{counted(len(found), 'learner')} on {counted(len(shown.datasets), 'dataset')}"
    head = f"{what}: {terminal(shown.metric)}{lacks}"
    columns = ("learner", learner_scores.label(found), "mean rank", "over")
    return table(head, columns, rows, "more learner") + below(map(str, shown.notes))


def study(shown: Study) -> str:
    """Return what was simulated, then how often each method rejected."""
    return f"<div {LEFT}>{markup(repr(shown).strip('<>'))}</div>{rates(shown.rates())}"


def rates(shown: RateTable) -> str:
    """Return a row for each method and effect."""
    rows = [(terminal(row.method), f"{row.effect:.4g}", str(row)) for row in shown]
    head = repr(shown).partition("\n")[0]
    return table(head, ("method", "effect", "rate"), rows, "more row", MANY)


def methods(shown: MethodTable) -> str:
    """Return a row for each method: its name, its standing, its title."""
    rows = [(row.name, row.standing, row.title) for row in shown]
    head = counted(len(rows), "method")
    return table(head, ("name", "standing", "method"), rows, "more method", MANY)


def advice(given: Advice) -> str:
    """Return what to do, what it costs, why, and what to paste."""
    head, rows = advice_text.parts(given)
    pasted = [("python", given.python), ("command", given.command)]
    code = "".join(
        f'<tr><th scope="row" {FAINT}>{name}</th><td {LEFT}><code>{markup(text)}</code></td></tr>'
        for name, text in pasted
    )
    return _lines(head, rows, code)


def estimate(shown: Estimate) -> str:
    """Return estimate, standard error, what it applies to, and the notes."""
    return _lines(*estimate_text.parts(shown))


def race(shown: Race) -> str:
    """Return the means, the effect, its interval and how the race ended."""
    return _lines(*race_text.parts(shown))


def curve(shown: LearningCurve) -> str:
    """Return a row for each learner, and each pair, at each training size; then the notes."""
    rows = [
        (who, str(point.n_train), size)
        for who, points in estimate_text.curve_points(shown)
        for point, size in points
    ]
    columns = ("learner", "trained on", "mean ± standard error")
    rows_of = table(estimate_text.curve_head(shown), columns, rows, "more row", MANY)
    return rows_of + below(map(str, shown.notes))


def paragraphs(text: str) -> str:
    """Return a text whose lines wrap at the width of the notebook."""
    return "".join(f"<div {LEFT}>{markup(line)}</div>" for line in text.split("\n") if line)


def _lines(head: str, rows: Sequence[tuple[str, str]], more: str = "") -> str:
    body = "".join(
        f'<tr><th scope="row" {FAINT}>{markup(name)}</th><td {LEFT}>{markup(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table>{_caption(head)}<tbody>{body}{more}</tbody></table>"


def table(
    head: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: str,
    most: int = ROWS,
) -> str:
    """Return rows under their columns; beyond `most`, how many were left out."""
    heads = "".join(f'<th scope="col" {LEFT}>{markup(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row" {LEFT}>{markup(first)}</th>'
        f"{''.join(f'<td {LEFT}>{markup(cell)}</td>' for cell in others)}</tr>"
        for first, *others in rows[:most]
    )
    if len(rows) > most:
        words = f"… and {counted(len(rows) - most, left)}"
        body += f'<tr><td colspan="{len(columns)}" {FAINT}>{words}</td></tr>'
    return f"<table>{_caption(head)}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def below(lines: Iterable[str]) -> str:
    return "".join(f"<div {FAINT}>{markup(line)}</div>" for line in lines)


def _caption(words: str) -> str:
    return f'<caption style="text-align:left;font-weight:600">{markup(words)}</caption>'
