"""What new users try first: answers are right, or refused with a way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import outperform as op

LEARNERS = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}


def wide(tmp_path: Path, header: str, *columns: Any) -> Path:
    rows = [header, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("header", ["fold,lr_rmse,rf_rmse", "fold,error_lr,error_rf"])
def test_errors_named_in_every_column_are_better_when_lower(tmp_path: Path, header: str) -> None:
    rng = np.random.default_rng(0)
    low, high = (mean + rng.normal(0, 0.01, 10).round(4) for mean in (2.5, 3.0))
    scores = op.Scores.read(wide(tmp_path, header, range(10), high, low))
    assert not scores.greater_is_better
    assert op.compare(scores).rows()[0]["verdict"] == "outperformed"


def test_training_and_test_scores_are_no_repeats(tmp_path: Path) -> None:
    lines = ["model,split,fold,acc"]
    for model in ("lr", "rf"):
        for side in ("train", "test"):
            lines += [f"{model},{side},{fold},0.9{fold}" for fold in range(5)]
    path = tmp_path / "sides.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(op.DataError, match="the sides of a split"):
        op.Scores.read(path, fold="fold", repeat="split")


def test_rows_that_were_dropped_from_one_side_are_not_paired() -> None:
    frame = load_iris(as_frame=True)
    X, y = frame.data.iloc[10:], frame.target.head(140)
    with pytest.raises(op.DataError, match=r"y\.to_numpy\(\)"):
        op.run(LEARNERS, X, y, design="5cv", random_state=0)
    named = X.set_axis([f"row {i}" for i in range(len(X))])
    scores = op.run(LEARNERS, named, frame.target.iloc[10:].reset_index(drop=True),
                    design="5cv", random_state=0)  # fmt: skip
    assert scores.values.mean() > 0.9


def test_a_column_without_a_name_that_numbers_the_rows_is_no_feature(tmp_path: Path) -> None:
    from outperform.cli._experiments import from_table

    frame = load_iris(as_frame=True).frame
    frame.to_csv(tmp_path / "iris.csv")
    asked = from_table(str(tmp_path / "iris.csv"), "target", ["tree"])
    assert asked.X.shape == (150, 4)
    assert any("only numbers the rows" in said for said in asked.inferred)
    pd.DataFrame({"a": [1, 5, 2] * 10, "y": [0, 1, 1] * 10}).to_csv(
        tmp_path / "plain.csv", index=False
    )
    assert from_table(str(tmp_path / "plain.csv"), "y", ["tree"]).X.shape == (30, 1)
