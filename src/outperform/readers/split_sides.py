"""Rows of training and test scores below each other: the test rows are the scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DataError
from ..notes import Note
from .column_names import listed, normal, shown
from .rewriting import Rewritten
from .score_table import ScoreTable

NAMES = {
    *("split", "phase", "set", "subset", "partition", "stage", "mode", "part", "side"),
    *("datasplit", "splitname", "evalset", "evalsplit", "dataset"),
}
"""What a column is called that says on which side of a split a score was measured."""
SIDES = {
    **dict.fromkeys(("train", "training"), 0),
    **dict.fromkeys(("val", "valid", "validation", "dev", "eval", "evaluation"), 1),
    **dict.fromkeys(("test", "testing", "holdout", "heldout"), 2),
}
"""By word: the last of these that a table has is what learners are judged by."""


def rewritten(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Keep the rows of test scores, or else validation scores, without the column that says so."""
    import polars as pl

    given = {column for column in asked.values() if isinstance(column, str)}
    for name, column in table.columns.items():
        if normal(name) not in NAMES or name in given or column.dtype != pl.String:
            continue
        words = column.str.strip_chars().str.to_lowercase().str.replace_all("[_-]", "")
        labels = words.unique(maintain_order=True).to_list()
        if not labels or not all(label in SIDES for label in labels):
            continue
        last = max(SIDES[label] for label in labels)
        if last == 0:
            raise DataError(
                f"column {shown(name)} says that all scores were measured on training data, which "
                "favours learners that overfit; scores on test data are required. Write one row "
                "per learner and split with its test score"
            )
        kept = [label for label in labels if SIDES[label] == last]
        rows = np.flatnonzero(words.is_in(kept).to_numpy())
        out = column.filter(~words.is_in(kept)).unique(maintain_order=True).to_list()
        said = f"Column {shown(name)} contains only {listed(kept)}, and was not read."
        if out:
            said = (
                f"{len(table) - rows.size} rows of {listed(out)} left out, {rows.size} of "
                f"{listed(kept)} kept (column {shown(name)})."
            )
        rest = {n: cells for n, cells in table.columns.items() if n != name}
        part = ScoreTable(rest, table.place, table.most_scores, table.said).keep(rows)
        return Rewritten(part, {}, (Note("OP001", said),))
    return None
