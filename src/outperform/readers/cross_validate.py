"""What scikit-learn's `cross_validate` returned, for each learner: as a table, or as dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..notes import Note
from .column_names import is_unnamed, lower_is_better, role_of
from .json_files import frame_of, records_of
from .parsing import holds_words
from .rewriting import Rewritten, assumed_folds, one_metric
from .score_table import ScoreTable
from .split_grid import numbered

TIMES = {"fit_time", "score_time"}
TEST = "test_"
GIVEN = "the dicts passed"


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return the rows of cross_validate as splits in the order in which they come."""
    import polars as pl

    metrics = [name.removeprefix(TEST) for name in table.columns if name.startswith(TEST)]
    if not metrics:
        return None
    metric = one_metric(metrics, asked.get("metric"), "the result of cross_validate")
    others = [n for n in table.columns if n not in TIMES and not n.startswith((TEST, "train_"))]
    who = asked.get("learner") if isinstance(asked.get("learner"), str) else None
    who = who or next((n for n in others if role_of(n) == "learner"), None)
    who = who or next((n for n in others if holds_words(table.columns[n])), None)
    codes = np.zeros(len(table), dtype=np.int64)
    columns = {"score": table.columns[TEST + metric]}
    if who is not None:
        codes = table.codes(who, sort=False)[1]
        columns["learner"] = table.columns[who]
    roles = {role: n for n in others if (role := role_of(n)) and role != "learner" and n != who}
    columns |= {role: table.columns[n] for role, n in roles.items()}
    if "fold" not in columns and "repeat" not in columns:
        columns["split"] = pl.Series(numbered(codes))
    elif "fold" in columns:
        columns["split"] = columns.pop("fold")
    options: dict[str, Any] = {"layout": "long", "metric": metric, "learner": None}
    long = ScoreTable(columns, table.place, table.most_scores)
    if asked.get("lower_is_better") is None:
        values = long.floats("score")[0]
        if not lower_is_better(metric) or not (values > 0).any():
            options["lower_is_better"] = False  # a scorer's: losses are turned
    n = int(np.bincount(codes).max())
    design, said = _design(columns, n, asked)
    read = Note("OP001", f"Read as results of cross_validate, using {TEST}{metric}.")
    unread = [n for n in others if n != who and n not in roles.values() and not is_unnamed(n)]
    if unread:
        said.append(Note("OP001", f"Not read: {', '.join(map(repr, unread))}."))
    return Rewritten(long, options | design, (read, *said))


def _design(
    columns: Mapping[str, Any], n: int, asked: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Note]]:
    """Return k-fold cross-validation where the sizes are unknown, or agree with it."""
    if {"dataset", "repeat"} & columns.keys():
        return {}, []
    if not {"n_train", "n_test"} <= columns.keys():
        sized = {"n_train", "n_test"} & columns.keys()
        return ({}, []) if sized else assumed_folds(n, asked, "cross_validate")
    if asked.get("design") is not None:
        return {}, []
    train, test = (columns[size][:n].to_numpy() for size in ("n_train", "n_test"))
    items = train + test
    if not (items == items[0]).all():
        return {}, []
    repeats, rest = divmod(int(test.sum()), int(items[0]))
    if not rest and repeats and n % repeats == 0:
        design = f"{n}cv" if repeats == 1 else f"{repeats}x{n // repeats}cv"
    elif (test == test[0]).all():
        design = f"{n}xresampled@{test[0]}/train{train[0]}"
    else:
        return {}, []
    said = f"Design assumed to be {design}, which the sizes of the splits agree with."
    return {"design": design}, [Note("OP001", said)]


def from_dicts(given: Mapping[str, Any], most_scores: int | None = None) -> ScoreTable:
    """Return a dict of cross_validate, a dict of them by learner, or cv_results_, as a table."""
    frame = frame_of(records_of(given, GIVEN), GIVEN)
    return ScoreTable(
        {column.name: column for column in frame.get_columns()},
        lambda row: f"row {row} (counted from 0)",
        most_scores,
    )
