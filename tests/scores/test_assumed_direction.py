"""Which way scores are better is said wherever it was assumed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import outperform as op

RIDGE = np.random.default_rng(0).normal(2.0, 0.1, 5)
ARRAYS = {"ridge": RIDGE, "rf": RIDGE + 0.5}
DOORS: dict[str, Callable[..., Any]] = {
    "compare": lambda **about: op.compare(ARRAYS, design=5, **about),
    "lists": lambda **about: op.compare({n: [*v] for n, v in ARRAYS.items()}, design=5, **about),
    "method": lambda **about: op.corrected_t(
        op.Scores.from_arrays(ARRAYS, design="5cv", **about), "ridge", "rf"
    ),
    "items": lambda **about: op.compare(op.Items.from_arrays(ARRAYS, **about)),
    "frame": lambda **about: op.compare(
        pd.DataFrame(ARRAYS).rename_axis("fold").reset_index(), design=5, layout="wide", **about
    ),
}


def judged(result: Any) -> tuple[bool, bool]:
    """Return whether an inference on the metric was noted, and whether greater is better."""
    notes = [note["text"] for note in result.to_dict()["notes"] if note["code"] == "OP001"]
    return any("metric '" in text for text in notes), bool(result.greater_is_better)


@pytest.mark.parametrize("door", DOORS)
def test_an_assumed_direction_is_noted(door: str) -> None:
    result = DOORS[door]()
    assert judged(result) == (True, True)
    assert "OP001" in str(result)
    assert judged(DOORS[door](metric="banana"))[0] or door == "frame"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("lower", [True, False])
def test_a_direction_that_was_passed_is_not_noted(door: str, lower: bool) -> None:
    assert judged(DOORS[door](lower_is_better=lower)) == (False, not lower)


@pytest.mark.parametrize("door", [door for door in DOORS if door != "frame"])
@pytest.mark.parametrize(
    ("metric", "greater"), [("rmse", False), ("mae", False), ("auc", True), ("accuracy", True)]
)
def test_the_name_of_a_metric_says_the_direction(door: str, metric: str, greater: bool) -> None:
    result = DOORS[door](metric=metric)
    assert result.greater_is_better is greater
    assert metric in str(result)
    assert judged(result)[0] is not greater, "lower is better is said, too"


def test_a_negated_error_is_refused() -> None:
    negated = {name: -scores for name, scores in ARRAYS.items()}
    with pytest.raises(op.errors.DataError):
        op.compare(negated, design=5, metric="rmse")
    assert op.compare(negated, design=5, metric="rmse", lower_is_better=False).greater_is_better
