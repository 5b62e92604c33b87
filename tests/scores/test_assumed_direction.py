"""Which way scores are better is said wherever it was assumed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest

import outperform as op
from outperform.extend import Case
from outperform.registry import METHODS, Method, load_all

RIDGE = np.random.default_rng(0).normal(2.0, 0.1, 5)
ARRAYS = {"ridge": RIDGE, "rf": RIDGE + 0.5}
DOORS: dict[str, Callable[..., Any]] = {
    "compare": lambda **about: op.compare(ARRAYS, design=5, **about),
    "lists": lambda **about: op.compare({n: [*v] for n, v in ARRAYS.items()}, design=5, **about),
    "method": lambda **about: op.methods.corrected_t(
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


@cache
def calls() -> dict[str, tuple[Method, Case]]:
    """Return a call of every method on arrays of scores, without their direction."""
    load_all()
    oriented = [m for m in METHODS.values() if "lower_is_better" in signature(m).parameters]
    cases = [(m, m.view.cases.draw(m.layout, np.random.default_rng(0))[0]) for m in oriented]
    return {m.name: (m, case) for m, case in cases}


def call(name: str, **about: Any) -> Any:
    method, case = calls()[name]
    kept = {word: value for word, value in case.keywords.items() if word != "lower_is_better"}
    unit = {"unit": method.unit} if method.unit else {}
    return method(**case.arrays, **kept, **unit, **about)


@pytest.mark.parametrize("name", calls())
def test_every_method_on_bare_arrays_notes_what_it_assumed(name: str) -> None:
    fixed = name == "cochran_q"  # 1 is right
    assert signature(getattr(op, name)).parameters["lower_is_better"].default is None
    silent = call(name)
    assert judged(silent) == (not fixed, True)
    assert judged(call(name, lower_is_better=None)) == (not fixed, True)
    for lower in (False, True):
        assert judged(call(name, lower_is_better=lower)) == (False, not lower)
    assert silent.pvalue == call(name, lower_is_better=False).pvalue
    assert "\n" not in repr(silent)


def test_what_has_one_direction_is_not_noted() -> None:
    y, a, b = [1, 0, 1, 1, 0, 0], [0.9, 0.2, 0.8, 0.4, 0.5, 0.1], [0.6, 0.7, 0.3, 0.8, 0.2, 0.4]
    wins = op.methods.win_rate([1, 0.5, 1, 0], [0, 0.5, 0, 1])
    for result in (op.methods.delong(y, a, b), op.methods.mcnemar(y, [1, 0, 1, 0, 0, 0], y), wins):
        assert judged(result) == (False, True)


@pytest.mark.parametrize("name", ["nemenyi", "max_t", "simultaneous"])
def test_a_family_on_bare_arrays_notes_what_it_assumed(name: str) -> None:
    family = getattr(op, name)
    assert judged(family(ARRAYS)) == (True, True)
    assert judged(family(ARRAYS, lower_is_better=True)) == (False, False)


def test_the_name_of_a_function_says_the_direction() -> None:
    def rmse(rows: Any) -> float:
        return float(np.sqrt(rows.mean()))

    result = op.methods.paired_bootstrap([1.0, 4.0, 9.0, 4.0], [4.0, 9.0, 16.0, 1.0], metric=rmse)
    assert result.greater_is_better is False
    assert result.estimate > 0
