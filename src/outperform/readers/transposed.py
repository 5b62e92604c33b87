"""Tables with a row for each learner and a column for each split, turned into rows of scores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..notes import Note
from .column_names import are_numbered, is_unnamed, listed, names_summary, role_of
from .parsing import holds_numbers, holds_words
from .rewriting import Rewritten, stacked
from .score_table import ScoreTable

AXES = {"fold": "fold", "f": "fold", "cv": "fold", "seed": "seed", "run": "repeat"}
AXES |= {"rep": "repeat", "repeat": "repeat"}
"""By the word before the number of a column: what it numbers; splits of any kind otherwise."""


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return a row for each learner and split, if columns are named after splits."""
    import polars as pl

    who = _learners(table, asked)
    if who is None or asked.get("layout") is not None:
        return None
    splits = [n for n in table.columns if n != who and are_numbered([n, n])]
    others = [n for n in table.columns if n != who and n not in splits]
    named = {word for n in splits for word in re.findall("[a-z]+", n.casefold())}
    sure = role_of(who) == "learner" or bool(named & {"fold", "split", "seed", "run", "cv"})
    if len(splits) < 2 or not sure or any(role_of(n) for n in others):
        return None
    if any(holds_numbers(table.columns[n]) and not _beside(n) for n in others):
        return None  # a further column of numbers may be a score: asked about elsewhere
    axis = next((AXES[word] for word in sorted(named) if word in AXES), "split")
    numbers = [int(re.findall(r"\d+", n)[0]) for n in splits]
    if len({*numbers}) < len(numbers):
        return None
    n = len(table)
    columns = {
        "learner": pl.concat([table.columns[who]] * len(splits)),
        axis: pl.Series([number for number in numbers for _ in range(n)]),
        "score": stacked([table.columns[name] for name in splits]),
    }
    long = ScoreTable(columns, lambda row: table.place(row % n), table.most_scores, table.said)
    said = f"Read as a transposed table: rows are learners, columns {listed(splits)} are splits."
    notes = [said, *([f"Not read: {listed(others)}."] if others else [])]
    asked_for = dict.fromkeys(("score", "fold", "repeat", "seed"))
    return Rewritten(
        long, {**asked_for, "learner": "learner"}, tuple(Note("OP001", s) for s in notes)
    )


def _beside(name: str) -> bool:
    return names_summary(name) or is_unnamed(name)


def _learners(table: ScoreTable, asked: Mapping[str, Any]) -> str | None:
    """Return the column that names the rows: all of them differ."""
    given = asked.get("learner")
    if given is not None and not isinstance(given, str):
        return None
    words = [n for n, cells in table.columns.items() if holds_words(cells)]
    named = [n for n in words if n == given] or [n for n in words if role_of(n) == "learner"]
    if given is not None and not named:
        return None
    found = named or [n for n in words if role_of(n) is None]
    if len(found) != 1 or len(table) < 2:
        return None
    cells = table.columns[found[0]]
    return found[0] if cells.n_unique() == len(cells) and not cells.null_count() else None
