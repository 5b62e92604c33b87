"""Results of the Weka Experimenter: schemes on runs and folds, with sizes and many measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..notes import Note
from .column_names import lower_is_better, shown
from .parsing import as_numbers, as_text, is_missing
from .rewriting import Rewritten, one_metric
from .score_table import ScoreTable

NEEDED = {"Key_Dataset", "Key_Scheme"}
USUAL = "Percent_correct"
"""What the Experimenter itself compares unless another field is chosen."""
ROLES = {
    "dataset": "Key_Dataset",
    "repeat": "Key_Run",
    "fold": "Key_Fold",
    "n_train": "Number_of_training_instances",
    "n_test": "Number_of_testing_instances",
}
NOT_SCORES = ("Key_", "Number_", "Num_", "Elapsed_", "UserCPU_", "Serialized_", "measure", "Date_")
LOWER = ("unclassified", "false_positive_rate", "false_negative_rate")
"""Measures of which less is better, beside those whose names tell it anyway."""


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten:
    """Return schemes with their options as learners, and one measure as the score."""
    measures = [
        name
        for name, cells in table.columns.items()
        if not name.startswith(NOT_SCORES) and _has_numbers(cells)
    ]
    notes = []
    metric = asked.get("score") or asked.get("metric")
    if metric is None and USUAL in measures:
        metric = USUAL
        notes.append(
            f"Metric {USUAL} was used, the default of the Weka Experimenter; it is in percent, not "
            f"a fraction. {len(measures) - 1} other metrics are available."
        )
    metric = one_metric(measures, metric, "the Weka Experimenter's table")
    roles = {role: name for role, name in ROLES.items() if name in table.columns}
    columns = {role: table.columns[name] for role, name in roles.items()}
    columns |= {"learner": _schemes(table), "score": table.columns[metric]}
    options: dict[str, Any] = {"layout": "long", "metric": metric, "score": None}
    unsaid = asked.get("lower_is_better") is None and lower_is_better(metric) is None
    if unsaid and any(word in metric.lower() for word in LOWER):
        options["lower_is_better"] = True
        notes.append(f"Lower is better, judging by the name of metric {shown(metric)}.")
    long = ScoreTable(columns, table.place, table.most_scores)
    options |= _random_splits(long, asked, notes)
    read = f"Read as results of the Weka Experimenter: {shown(metric)} is the score."
    return Rewritten(long, options, tuple(Note("OP001", text) for text in (read, *notes)))


def _has_numbers(cells: Any) -> bool:
    known = cells.filter(~is_missing(cells))
    return len(known) > 0 and as_numbers(known) is not None


def _schemes(table: ScoreTable) -> Any:
    """Name schemes by class and options, without the packages unless these tell them apart."""
    import polars as pl

    schemes = as_text(table.columns["Key_Scheme"], "Key_Scheme").to_list()
    options = [""] * len(schemes)
    if "Key_Scheme_options" in table.columns:
        options = as_text(table.columns["Key_Scheme_options"], "Key_Scheme_options").to_list()
    full = dict.fromkeys(zip(schemes, options, strict=True))
    short = {one: _named(str(one[0]).rpartition(".")[2], one[1]) for one in full}
    if len(set(short.values())) < len(full):
        short = {one: _named(str(one[0]), one[1]) for one in full}
    return pl.Series([short[one] for one in zip(schemes, options, strict=True)])


def _named(scheme: str, options: str | None) -> str:
    text = (options or "").strip()
    if len(text) > 1 and text[0] == text[-1] == "'":  # as pandas reads Weka's quotes
        text = text[1:-1].strip()
    return scheme if text in ("", "?") else f"{scheme} {text}"


def _random_splits(table: ScoreTable, asked: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return random splits as the design where runs have no folds and sizes are all the same."""
    sized = {"repeat", "n_train", "n_test"} <= table.columns.keys()
    if "fold" in table.columns or not sized or asked.get("design") is not None:
        return {}
    if "dataset" in table.columns and table.columns["dataset"].n_unique() > 1:
        return {}
    train, test = (np.unique(table.floats(role)[0]) for role in ("n_train", "n_test"))
    runs = table.columns["repeat"].n_unique()
    if runs < 2 or train.size != 1 or test.size != 1 or not np.isfinite([*train, *test]).all():
        return {}
    design = f"{runs}xresampled@{test[0]:.0f}/train{train[0]:.0f}"
    notes.append(f"Design read as {design}: runs without folds are assumed to be random splits.")
    return {"design": design}
