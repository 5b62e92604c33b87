"""Evaluations of OpenML: flows on tasks, one value each or one for each fold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from ..errors import DataError
from ..notes import Note
from .column_names import listed, shown
from .parsing import as_text
from .rewriting import Rewritten, one_metric
from .score_table import ScoreTable

NEEDED = {"flow_name", "data_name", "function", "value"}
FOLDS = 10
"""Of OpenML's usual procedures: 10-fold cross-validation, once or repeated."""


def records(value: Any) -> list[dict[str, Any]] | None:
    """Return evaluations of a JSON value as rows, their lists of folds as text; None of others."""
    if isinstance(value, Mapping) and isinstance(value.get("evaluations"), Mapping):
        value = value["evaluations"].get("evaluation")
    is_rows = isinstance(value, list) and value and all(isinstance(r, Mapping) for r in value)
    if not is_rows or not value[0].keys() >= NEEDED:
        return None
    return [
        {key: json.dumps(cell) if isinstance(cell, list) else cell for key, cell in row.items()}
        for row in value
    ]


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten:
    """Return flows as learners, the data of tasks as datasets, and one function as the score."""
    functions = _texts(table, "function")
    metric = one_metric(list(dict.fromkeys(functions)), asked.get("metric"), "OpenML's table")
    kept = [row for row, function in enumerate(functions) if function == metric]
    notes = [
        f"Read as evaluations of OpenML: flows are the learners, {shown(metric)} is the score."
    ]
    learners = _learners(table, kept, notes)
    datasets = _datasets(table, kept)
    first = dict[tuple[str, str], int]()
    for row, learner, dataset in zip(kept, learners, datasets, strict=True):
        first.setdefault((learner, dataset), row)
    if len(first) < len(kept):
        left = len(kept) - len(first)
        runs = "1 run repeats" if left == 1 else f"{left:,} runs repeat"
        notes.append(
            f"{runs} a flow with the same setup on the same task; the first of each was kept."
        )
    long = _long(table, first, notes)
    options: dict[str, Any] = {"layout": "long", "metric": metric, "score": None, "fold": None}
    return Rewritten(long, options, tuple(Note("OP001", text) for text in notes))


def _texts(table: ScoreTable, name: str) -> list[str]:
    return [str(cell) for cell in as_text(table.columns[name], name).to_list()]


def _learners(table: ScoreTable, rows: Iterable[int], notes: list[str]) -> list[str]:
    """Name flows; by their setups, too, where one flow ran with several on a task."""
    rows = list(rows)
    flows = _texts(table, "flow_name")
    names = [flows[row] for row in rows]
    if "setup_id" not in table.columns:
        return names
    setups, tasks = _texts(table, "setup_id"), _tasks(table)
    seen: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        seen.setdefault((flows[row], tasks[row]), set()).add(setups[row])
    several = {flow for (flow, _), found in seen.items() if len(found) > 1}
    by_flow: dict[str, set[str]] = {}
    for (flow, _), found in seen.items():
        by_flow.setdefault(flow, set()).update(found)
    other = [flow for flow, found in by_flow.items() if len(found) > 1 and flow not in several]
    if other:
        notes.append(f"The setup differs between tasks for {listed(other)}; each is one learner.")
    return [
        f"{flows[row]} (setup {setups[row]})" if flows[row] in several else flows[row]
        for row in rows
    ]


def _datasets(table: ScoreTable, rows: Iterable[int]) -> list[str]:
    """Name datasets; by their tasks, too, where one has several."""
    rows = list(rows)
    names, tasks = _texts(table, "data_name"), _tasks(table)
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(names[row], set()).add(tasks[row])
    return [
        f"{names[row]} (task {tasks[row]})" if len(found[names[row]]) > 1 else names[row]
        for row in rows
    ]


def _tasks(table: ScoreTable) -> list[str]:
    return _texts(table, "task_id" if "task_id" in table.columns else "data_name")


def _long(table: ScoreTable, first: Mapping[tuple[str, str], int], notes: list[str]) -> ScoreTable:
    """Return a row for each fold of each run, or for each run where folds are not there."""
    import polars as pl

    values = table.columns["value"].to_list()
    lists = table.columns["values"].to_list() if "values" in table.columns else []
    folds = {cell: _folds(lists[row] if lists else None, table, row) for cell, row in first.items()}
    by_fold = all(len(found) > 1 for found in folds.values())
    columns: dict[str, list[Any]] = {"learner": [], "dataset": [], "repeat": [], "fold": []}
    scores, places = list[Any](), list[int]()
    for (learner, dataset), row in first.items():
        found = folds[learner, dataset] if by_fold else [values[row]]
        wide = FOLDS if len(found) % FOLDS == 0 else len(found)
        for at, score in enumerate(found):
            columns["learner"].append(learner)
            columns["dataset"].append(dataset)
            columns["repeat"].append(at // wide)
            columns["fold"].append(at % wide)
            scores.append(score)
            places.append(row)
    most = max(len(found) for found in folds.values())
    without = sum(len(found) < 2 for found in folds.values())
    if most > 1 and without:
        lack = "run has" if without == 1 else "runs have"
        notes.append(f"{without:,} {lack} no scores of folds; one value per run was used.")
    if by_fold and most > FOLDS and most % FOLDS == 0:
        notes.append(f"{most} folds were read as repeats of {FOLDS}-fold cross-validation.")
    made = {name: pl.Series(name, cells) for name, cells in columns.items()}
    made["score"] = pl.Series("score", [None if s is None else str(s) for s in scores])
    where = np.array(places)
    return ScoreTable(made, lambda row: table.place(int(where[row])), table.most_scores)


def _folds(cell: Any, table: ScoreTable, row: int) -> list[float]:
    """Return the values of folds, which a file has as text."""
    try:
        if isinstance(cell, str) and cell.strip().startswith("["):
            with suppress(json.JSONDecodeError):
                cell = json.loads(cell)
        if cell is None or isinstance(cell, str | float | int):
            return []
        return [float(one) for one in np.ravel(np.array(list(cell), dtype=object)).tolist()]
    except (TypeError, ValueError, RecursionError):
        raise DataError(
            f"{table.place(row)}, column 'values' must contain one number for each fold, got "
            f"{str(cell)[:40]!r}. Remove the column to use 'value' alone"
        ) from None
