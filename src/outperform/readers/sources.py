"""Tables of other tools: each is known by its columns, and rewritten as a table of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import cross_validate, cv_results, judgements, mlflow_runs, tabarena, weka
from .rewriting import Rewritten
from .score_table import ScoreTable

SOURCES: tuple[Callable[[ScoreTable, Mapping[str, Any]], Rewritten | None], ...] = (
    cv_results.rewritten,
    cross_validate.rewritten,
    tabarena.rewritten,
    weka.rewritten,
    mlflow_runs.rewritten,
    judgements.rewritten,
)
"""From a table and the options of `from_frame` to a table of scores; None if it is another's."""


def of_tool(table: ScoreTable, asked: Mapping[str, Any]) -> Rewritten | None:
    """Return a table that a tool wrote as one of scores; None where no tool is recognised."""
    found = (source(table, asked) for source in SOURCES)
    return next((one for one in found if one is not None), None)
