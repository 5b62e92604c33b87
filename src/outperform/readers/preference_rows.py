"""Judgements of pairs as items: for each row an item, two models, and which one won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, counted
from ..notes import Note
from ..scores.item_codes import Codes, coded
from ..scores.items import Items
from ..scores.log_header import LogHeader
from ..scores.preferences import Preferences
from .column_names import bare, item_columns, listed, shown
from .files import contents, table_in
from .judgements import FIRST, SECOND, TIES, WIN_RATE, WINNERS, letters
from .parsing import as_text
from .plain_rows import no_cluster
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

SIDES = ("A", "B")
"""What models are called where the file names none."""


def read(
    judged: Sequence[str],
    files: Sequence[str],
    limit: Mapping[str, int],
    options: Mapping[str, Any],
) -> Items:
    """Read one file of judgements."""
    if len(files) > 1:
        raise DataError(
            f"{judged[0]!r} contains judgements, which are read from one file at a time. Put all "
            "judgements into that file"
        )
    data = contents(judged[0], limits=limit)
    table = table_in(data, repr(judged[0]), limits=limit)
    header = LogHeader("judgements", file=judged[0], sha256=sha256(data).hexdigest())
    return _items(table, repr(judged[0]), header, options)


def of_table(table: pl.DataFrame, options: Mapping[str, Any]) -> Items:
    """Read judgements in memory."""
    name = "the frame"
    held = ScoreTable(table.to_dict(), lambda row: f"row {row}", len(table))
    return _items(held, name, LogHeader("judgements", file=name), options)


def _items(table: ScoreTable, name: str, header: LogHeader, options: Mapping[str, Any]) -> Items:
    by = {bare(column): column for column in table.columns}
    winner = next(by[word] for word in WINNERS if word in by)
    words = as_text(table.columns[winner], winner).to_list()
    if None in words:
        raise DataError(
            f"{name} has no winner at {table.place(words.index(None))}; each judgement must name "
            "the winner or 'tie'. Fill in the winner, or remove the row"
        )
    sides = [next((by[word] for word in side if word in by), None) for side in (FIRST, SECOND)]
    if None in sides:
        first, second, won = _unnamed(words, winner, name)
    else:
        first, second = (as_text(table.columns[str(side)], str(side)).to_list() for side in sides)
        won = [_won(*row, name) for row in zip(words, first, second, strict=True)]
    models = tuple(dict.fromkeys([*first, *second]))
    at = {model: number for number, model in enumerate(models)}
    item = options.get("item") or next(
        (c for c in item_columns(table.columns) if c not in (winner, *sides)), None
    )
    ids = (
        as_text(table.columns[item], item).to_list() if item else [str(i) for i in range(len(won))]
    )
    codes = coded(ids, len(ids), "item")
    preferences = Preferences(
        codes.codes,
        np.array([at[model] for model in first], dtype=np.int64),
        np.array([at[model] for model in second], dtype=np.int64),
        np.array(won, dtype=np.float64),
    )
    values = preferences.shares(len(models), len(codes.labels))
    ties = int((preferences.outcome == 0.5).sum())
    said = (
        f"Read {counted(len(won), 'judgement')} of {len(models)} models on "
        f"{counted(len(codes.labels), 'item')}; "
    )
    half = counted(ties, "tie counts", "ties count") + " half for each side."
    said += half if ties else "there are no ties."
    cluster = options.get("cluster")
    return Items(
        models,
        values[:, :, None],
        WIN_RATE,
        ids=codes.labels,
        clusters=None if cluster is None else _clusters(table, name, cluster, codes),
        cluster_name=cluster or "",
        population=options.get("population") or "new",
        preferences=preferences,
        headers=(header,),
        notes=(Note("OP001", said),),
    )


def _clusters(table: ScoreTable, name: str, cluster: str, items: Codes) -> Any:
    if cluster not in table.columns:
        raise no_cluster(name, cluster, list(table.columns))
    labels = as_text(table.columns[cluster], cluster).to_list()
    of_item: dict[int, str] = {}
    for number, label in zip(items.codes.tolist(), labels, strict=True):
        if label is None:
            raise no_cluster(name, cluster, list(table.columns))
        if of_item.setdefault(number, label) != label:
            raise DataError(
                f"{name} puts item {shown(items.labels[number])} into cluster "
                f"{shown(of_item[number])} and {shown(label)}; an item must belong to one cluster. "
                "Several judgements of an item count as one item already"
            )
    return coded([of_item[number] for number in range(len(of_item))], len(of_item), "clusters")


def _unnamed(
    words: Sequence[str], winner: str, name: str
) -> tuple[list[str], list[str], list[float]]:
    """Return the two sides that winners name, in a file without columns of models."""
    sides = sorted({word for word in words if letters(word) not in TIES})
    if len(sides) > 2 or not sides:
        raise DataError(
            f"{name} names {counted(len(sides), 'winner')} in {shown(winner)} ({listed(sides)}) "
            "and has no columns model_a and model_b; add these columns"
        )
    pair = SIDES if {*sides} <= {*SIDES} else tuple(sides)
    if len(pair) < 2:
        raise DataError(
            f"{name} names one winner only, {shown(sides[0])}. Add columns model_a and model_b, to "
            "name the other model"
        )
    won = [0.5 if letters(word) in TIES else float(word == pair[0]) for word in words]
    return [pair[0]] * len(words), [pair[1]] * len(words), won


def _won(word: str, first: str, second: str, name: str) -> float:
    if first == second:
        raise DataError(f"{name} compares {shown(first)} with itself; a judgement needs two models")
    if word in (first, second):
        return float(word == first)
    plain = letters(word)
    if plain in TIES:
        return 0.5
    if plain in (*FIRST, *SECOND):
        return float(plain in FIRST)
    raise DataError(
        f"{name} names the winner {shown(word)} of {shown(first)} and {shown(second)}. Write one "
        "of the two, model_a, model_b, or tie"
    )
