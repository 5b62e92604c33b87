"""Rows that name two models and a score of each: model_a, model_b, score_a, score_b."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..notes import Note
from .column_names import names_items, normal, role_of, shown
from .judgements import WINNERS
from .rewriting import Rewritten, stacked
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

MODELS = ("model", "modelname", "modelid", "system", "llm", "learner", "method", "assistant")
SCORES = ("score", "rating", "correct", "iscorrect", "grade", "reward", "points", "value")
SIDES = (("a", "b"), ("1", "2"))


class Sides(NamedTuple):
    """The columns of both models and of both scores, and what the scores are called."""

    models: tuple[str, str]
    scores: tuple[str, str]
    score: str


def sides_of(names: Sequence[str], asked: Mapping[str, Any]) -> Sides | None:
    """Return which columns are the two sides of a row; None where rows have no sides."""
    plain = {normal(name): name for name in names}
    if asked.get("learner") or asked.get("score") or any(word in plain for word in WINNERS):
        return None
    for side in SIDES:
        models = [m for m in MODELS if all(m + end in plain for end in side)]
        scores = [s for s in SCORES if all(s + end in plain for end in side)]
        if models and scores:
            one, other = (plain[models[0] + end] for end in side)
            first, second = (plain[scores[0] + end] for end in side)
            return Sides((one, other), (first, second), scores[0])
    return None


def one_below_the_other(columns: Mapping[str, pl.Series], sides: Sides) -> dict[str, pl.Series]:
    """Return two rows for each: the first model and its score, then the second."""
    import polars as pl

    both = {*sides.models, *sides.scores, "model", sides.score}
    rest = {name: column for name, column in columns.items() if name not in both}
    n = len(columns[sides.models[0]])
    if not any(names_items(name) or role_of(name) in ("dataset", "fold") for name in rest):
        rest["item"] = pl.Series("item", np.arange(n))
    turns = np.repeat(np.arange(n), 2)
    made = {name: column.gather(turns) for name, column in rest.items()}
    alternate = turns + np.tile([0, n], n)
    made["model"] = stacked([columns[name] for name in sides.models]).gather(alternate)
    made[sides.score] = stacked([columns[name] for name in sides.scores]).gather(alternate)
    return made


def said(sides: Sides) -> str:
    """Say how rows of two models were read."""
    (one, other), (first, second) = map(_quoted, (sides.models, sides.scores))
    return (
        f"Each row was read as two scores: {first} is the score of the model in {one}, {second} of "
        f"that in {other}"
    )


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return rows of two models as rows of one."""
    sides = sides_of(list(table.columns), asked)
    if sides is None or asked.get("layout") is not None:
        return None
    place = table.place
    rows = ScoreTable(
        one_below_the_other(table.columns, sides),
        lambda row: place(row // 2),
        table.most_scores,
        table.said,
    )
    options = {"learner": "model", "score": sides.score}
    return Rewritten(rows, options, (Note("OP001", f"{said(sides)}."),))


def _quoted(names: tuple[str, str]) -> tuple[str, str]:
    return shown(names[0]), shown(names[1])
