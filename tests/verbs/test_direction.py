"""The model with the smaller error wins, whether the error is a scorer, an array or a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, mean_absolute_error

import outperform as op
from outperform import DataError, MethodError

X = np.random.default_rng(1).normal(size=(60, 3))
Y = X @ [1.0, 2.0, 3.0] + np.random.default_rng(2).normal(size=60)
MODELS = {"ridge": Ridge(), "mean": DummyRegressor()}
LOW = {"a": [1.0, 1.1, 0.9, 1.2, 1.0], "b": [2.0, 2.2, 1.9, 2.1, 2.0]}


def compared(**options: Any) -> op.Comparison:
    return op.compare(MODELS, X, Y, design="3cv", random_state=0, **options)


def mae(model: Any, X: Any, y: Any) -> float:
    return float(np.abs(model.predict(X) - y).mean())


def closeness(model: Any, X: Any, y: Any) -> float:
    return -mae(model, X, y)


@pytest.mark.parametrize("scorer", [mae, mean_absolute_error, make_scorer(mean_absolute_error)])
def test_a_scorer_that_is_named_as_an_error_is_refused(scorer: Any) -> None:
    with pytest.raises(MethodError, match="has the name of an error"):
        compared(scoring=scorer)


def test_a_scorer_is_not_turned_by_an_option_of_files() -> None:
    with pytest.raises(DataError, match="'neg_closeness': lambda model"):
        compared(scoring=closeness, lower_is_better=True)


@pytest.mark.parametrize(
    "scorer",
    [
        {"neg_mae": closeness},
        closeness,
        make_scorer(mean_absolute_error, greater_is_better=False),
        "neg_mean_absolute_error",
    ],
)
def test_the_better_model_wins(scorer: Any) -> None:
    assert compared(scoring=scorer)["ridge", "mean"].estimate > 1


def test_the_direction_of_a_scorer_is_said() -> None:
    assert "Greater values of the scorer 'closeness' were taken" in str(compared(scoring=closeness))


def test_arrays_of_an_error_are_better_when_lower() -> None:
    found = op.compare(LOW, design="5cv", metric="rmse")
    assert found["a", "b"].estimate > 0.9
    assert "Lower is better, judging by the name of metric 'rmse'" in str(found)
    assert (
        op.compare(LOW, design="5cv", metric="rmse", lower_is_better=False)["a", "b"].estimate < 0
    )
    assert op.compare(LOW, design="5cv", metric="gain")["a", "b"].estimate < 0


@pytest.mark.parametrize(
    ("name", "sign", "wins"),
    [("-MSE", -1, "b"), ("neg MSE", -1, "b"), ("RMSE (km)", 1, "b"), ("score ↑", 1, "a")],
)
def test_files_say_the_direction_by_the_name(
    tmp_path: Path, name: str, sign: int, wins: str
) -> None:
    values = {"a": LOW["b"], "b": LOW["a"]}
    rows = [f"{who},{k},{sign * v}" for who, of in values.items() for k, v in enumerate(of)]
    (tmp_path / "s.csv").write_text("\n".join([f"model,fold,{name}", *rows]))
    found = op.compare(str(tmp_path / "s.csv"), design="5cv", score=name)
    assert (found["a", "b"].estimate > 0) == (wins == "a")


def test_negative_errors_are_refused_until_the_direction_is_said(tmp_path: Path) -> None:
    rows = [f"{who},{k},{-v}" for who, of in LOW.items() for k, v in enumerate(of)]
    (tmp_path / "s.csv").write_text("\n".join(["model,fold,mse", *rows]))
    with pytest.raises(DataError, match="may have been negated"):
        op.Scores.read(tmp_path / "s.csv")
    assert op.Scores.read(tmp_path / "s.csv", lower_is_better=False).greater_is_better


@pytest.mark.parametrize(("word", "meant"), [("metrics", "scoring"), ("cv", "design")])
def test_usual_names_of_parameters_lead_to_ours(word: str, meant: str) -> None:
    with pytest.raises(TypeError, match=f"did you mean '{meant}'"):
        op.compare(MODELS, X, Y, **{word: 5})


def test_usual_names_of_errors_lead_to_those_of_scikit_learn() -> None:
    with pytest.raises(MethodError, match="did you mean 'neg_root_mean_squared_error'"):
        compared(scoring="rmse")
