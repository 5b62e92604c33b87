"""Tables of other tools: each is known by its columns, and rewritten as a table of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from . import (
    cross_validate,
    cv_results,
    judgements,
    long_predictions,
    mlflow_runs,
    openml_evaluations,
    paired_scores,
    split_sides,
    tabarena,
    transposed,
    weka,
)
from .rewriting import Rewritten
from .score_table import ScoreTable

Source: TypeAlias = Callable[[ScoreTable, Mapping[str, Any]], Rewritten | None]
"""From a table and the options of `from_frame` to a table of scores; None if it is another's."""
SOURCES: tuple[tuple[Source, set[str]], ...] = (
    (cv_results.rewritten, set()),
    (cross_validate.rewritten, cross_validate.TIMES),
    (tabarena.rewritten, tabarena.NEEDED),
    (weka.rewritten, weka.NEEDED),
    (openml_evaluations.rewritten, openml_evaluations.NEEDED),
    (mlflow_runs.rewritten, mlflow_runs.NEEDED),
    (judgements.rewritten, set()),
    (paired_scores.rewritten, set()),
    (split_sides.rewritten, set()),
    (transposed.rewritten, set()),
    (long_predictions.rewritten, set()),
)
"""Each source with the columns that all its tables have."""


def of_tool(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return a table that a tool wrote as one of scores; None where no tool is recognised."""
    known = table.columns.keys()
    found = (source(table, asked) for source, needed in SOURCES if known >= needed)
    return next((one for one in found if one is not None), None)
