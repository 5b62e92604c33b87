"""Pairwise judgements: for each item which of two models won, or that neither did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DataError, counted
from ..notes import Note
from .column_names import bare, item_columns, listed, shown
from .parsing import as_text, holds_numbers
from .rewriting import Rewritten
from .score_table import ScoreTable

WINNERS = ("winner", "preference", "preferred", "better", "judgement", "judgment")
TIES = ("tie", "ties", "tied", "both", "neither", "draw", "equal", "same", "bothbad", "tiebothbad")
FIRST, SECOND = ("modela", "a"), ("modelb", "b")
"""What stands for the two sides where each row names its models."""
WIN_RATE = "win rate"


def are_judgements(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is a judgement: it names a winner, or two models and a winner."""
    by = {bare(name): value for name, value in row.items()}
    winner = next((by[word] for word in WINNERS if word in by), 0)
    sides = all(any(word in by for word in side) for side in (FIRST, SECOND))
    if isinstance(winner, str) and winner in row and not _is_word(row[winner]):
        return False  # scores, and which of them is best
    return any(word in by for word in WINNERS) and (sides or _is_word(winner))


def _is_word(value: Any) -> bool:
    """Tell whether a cell is text and not a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return isinstance(value, str)
    return False


def is_judged_frame(frame: Any) -> bool:
    """Tell whether a data frame holds judgements, by its columns."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or not len(table):
        return False
    return are_judgements(dict(zip(map(str, table.columns), table.row(0), strict=True)))


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return judgements as two columns of 1 (won) and 0 (did not win)."""
    column = next((name for name in table.columns if bare(name) in WINNERS), None)
    if column is None or asked.get("learner") is not None or asked.get("layout") is not None:
        return None
    words = as_text(table.columns[column], column).to_list()
    if any(holds_numbers(table.columns[word]) for word in {*words} & {*table.columns}):
        return None  # scores, and which of them is best
    if any(word is None for word in words):
        where = table.place(words.index(None))
        raise DataError(
            f"column {shown(column)} has no winner in {where}; each row must name the winner or "
            "'tie'. Fill in the winner, or remove the row"
        )
    _refuse_again(table)
    named = _named(table)
    won = [_won(word, named, row) for row, word in enumerate(words)]
    sides = sorted({side for side in won if side is not None}) if named is None else named[0]
    if len(sides) != 2:
        if not sides or not {*map(letters, words)} & {*TIES}:
            return None  # a column of labels that happens to be so named
        raise DataError(
            f"column {shown(column)} names {len(sides)} sides ({listed(list(sides))}); two are "
            "compared at a time. Keep the rows for two models, with 'tie' where neither won"
        )
    import polars as pl

    wins = {
        name: pl.Series(name, [int(side == name) for side in won], dtype=pl.Int64) for name in sides
    }
    ties = sum(side is None for side in won)
    said = (
        f"Read as judgements of {counted(len(won), 'item')}: column {shown(column)} names the "
        f"better one of {listed(list(sides))}."
    )
    notes = [Note("OP001", said)]
    if ties:
        notes.append(
            Note(
                "OP001",
                f"{counted(ties, 'tie')} in {counted(len(won), 'judgement')}: a tie is a win for "
                "neither side, and the test ignores it.",
            )
        )
    options = {"layout": "correct", "learner": list(sides), "metric": None}
    return Rewritten(
        ScoreTable(wins, table.place, table.most_scores), options, tuple(notes), WIN_RATE
    )


def _refuse_again(table: ScoreTable) -> None:
    """Refuse several judgements of an item, which are not several items."""
    name = next(iter(item_columns(table.columns)), None)
    if name is None:
        return
    column = table.columns[name]
    if column.n_unique() < len(column):
        item = column.filter(column.is_duplicated())[0]
        raise DataError(
            f"column {shown(name)} has several judgements of item {shown(item)}, which must count "
            "as one item. Use op.Items.from_frame in Python, or save the table as CSV"
        )


def letters(word: str) -> str:
    return "".join(letter for letter in bare(word) if letter.isalpha())


def _named(table: ScoreTable) -> tuple[tuple[str, str], np.ndarray[Any, Any]] | None:
    """Return the models of columns model_a and model_b, and which rows have them exchanged."""
    by = {bare(name): name for name in table.columns}
    columns = [next((by[one] for one in side if one in by), None) for side in (FIRST, SECOND)]
    if None in columns:
        return None
    first, second = (
        np.array(as_text(table.columns[str(name)], str(name)).to_list()) for name in columns
    )
    models = sorted({*first.tolist(), *second.tolist()})
    if len(models) != 2 or (first == second).any():
        raise DataError(
            f"columns {listed([str(name) for name in columns])} name {len(models)} models "
            f"({listed(models)}); two are compared at a time. Keep the rows for two models"
        )
    return (models[0], models[1]), first != models[0]


def _won(
    word: str, named: tuple[tuple[str, str], np.ndarray[Any, Any]] | None, row: int
) -> str | None:
    """Return the side that won a row; None for a tie."""
    plain = letters(word)
    if plain in TIES:
        return None
    if named is None or word in named[0]:
        return word
    if plain not in (*FIRST, *SECOND):
        raise DataError(
            f"row {row} names the winner {shown(word)}, which is not one of its two models. Write "
            f"{named[0][0]!r}, {named[0][1]!r} or 'tie'"
        )
    turned = bool(named[1][row]) != (plain in SECOND)
    return named[0][1 if turned else 0]
