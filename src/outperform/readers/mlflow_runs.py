"""Runs of MLflow, as `mlflow.search_runs` returns them: params, metrics and nested runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DataError, argument, counted
from ..notes import Note
from .aggregates import of_status
from .column_names import ADDRESS, is_aside, listed, role_of, shown
from .parsing import as_text, is_missing
from .rewriting import Rewritten, one_metric
from .score_table import ScoreTable
from .split_grid import numbered

NEEDED = {"run_id", "experiment_id", "status"}
METRIC, PARAM, PARENT = "metrics.", "params.", "tags.mlflow.parentRunId"
SYSTEM = "metrics.system/"
DONE = "FINISHED"


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return finished runs as rows: a metric is the score, params say what was run."""
    metrics = [name for name in table.columns if _is_metric(name)]
    if not metrics:
        return None
    notes: list[str] = []
    table = _nested(table, notes)
    status = as_text(table.columns["status"], "status").fill_null("").to_list()
    unfinished = np.array([word != DONE for word in status])
    if unfinished.any():
        table, sentence = of_status(table, "status", unfinished, asked)
        notes.append(sentence)
    score = asked.get("score")
    names = [name.removeprefix(METRIC) for name in metrics]
    if score is None:
        metric = one_metric(names, asked.get("metric"), "the MLflow table")
        score = METRIC + metric
    columns = {n: c for n, c in table.columns.items() if n.startswith(PARAM) or n == "fold"}
    columns |= {n: table.columns[n] for n in _asked(asked) if n in table.columns}
    columns[score] = table.columns[score] if score in table.columns else table.columns[METRIC]
    learner = asked.get("learner")
    if learner is None and not any(role_of(name) == "learner" for name in columns):
        could = [n for n in columns if n.startswith(PARAM) and role_of(n) is None]
        found = f" (found: {listed(could)})" if could else ""
        raise DataError(
            f"no param of the runs has a name for learners, such as params.model{found}. Pass the "
            f"one that names them: {argument(learner=could[0] if len(could) == 1 else ...)}"
        )
    options: dict[str, Any] = {"layout": "long", "score": score}
    options["metric"] = asked.get("metric") or score.removeprefix(METRIC)
    read = f"Read as runs of MLflow: {shown(score)} is the score (its last value in each run)."
    texts = (read, *notes)
    rest = ScoreTable(columns, table.place, table.most_scores)
    return Rewritten(rest, options, tuple(Note("OP001", text) for text in texts))


def _is_metric(name: str) -> bool:
    own = name.removeprefix(METRIC)
    return name.startswith(METRIC) and not name.startswith(SYSTEM) and not is_aside(own)


def _asked(asked: Mapping[str, Any]) -> list[str]:
    roles = ("learner", "dataset", "partition", "repeat", "fold", "n_train", "n_test", "seed")
    return [value for role in roles if isinstance(value := asked.get(role), str)]


def _nested(table: ScoreTable, notes: list[str]) -> ScoreTable:
    """Read the children of parent runs as splits: they have the params of their parents too."""
    import polars as pl

    if PARENT not in table.columns:
        return table
    parent = table.columns[PARENT].cast(pl.String)
    child = ~is_missing(parent).to_numpy()
    if not child.any():
        return table
    ids = as_text(table.columns["run_id"], "run_id").to_list()
    row_of = {name: row for row, name in enumerate(ids)}
    above = np.array([row_of.get(p or "", -1) for p in parent.to_list()])
    columns = dict(table.columns)
    known = (child & (above >= 0)).tolist()
    for name in [n for n in columns if n.startswith(PARAM)]:
        cells, lacks = columns[name], is_missing(columns[name]).to_list()
        if any(lacks):
            rows = [
                above[at] if lack and is_child else at
                for at, (lack, is_child) in enumerate(zip(lacks, known, strict=True))
            ]
            columns[name] = cells.gather(rows)
    parents = {p for p in parent.to_list() if p}
    kept = np.array([name not in parents for name in ids]) & child
    part = ScoreTable(columns, table.place, table.most_scores).keep(np.flatnonzero(kept))
    many = counted(int(kept.sum()), "nested run was", "nested runs were")
    notes.append(f"{many} read; parent runs were left out.")
    if any(role_of(n) in (*ADDRESS, "seed") for n in part.columns if n.startswith(PARAM)):
        return part
    _, groups = part.codes(PARENT, sort=False)
    if len(set(np.bincount(groups).tolist())) > 1 or "start_time" not in part.columns:
        return part
    started = part.columns["start_time"].arg_sort().to_numpy()
    number = np.empty(len(part), dtype=np.int64)
    number[started] = numbered(groups[started])
    notes.append(
        "No param numbers the splits: the child runs of each run were ordered by start time."
    )
    return ScoreTable({**part.columns, "fold": pl.Series(number)}, part.place, part.most_scores)
