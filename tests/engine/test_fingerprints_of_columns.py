"""Names of columns that are no text, of several levels or not unique, with and without a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import outperform as op

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.arange(40) % 2


def measured(columns: Any, store: Path | None) -> list[list[float]]:
    frame = pd.DataFrame(X, columns=columns)
    found = op.run(GaussianNB(), frame, Y, design="2cv", random_state=0, store=store)
    return found.values.tolist()


@pytest.mark.parametrize(
    "columns", [[0, 1], [1, 0], [0.5, 2], pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])]
)
def test_any_names_that_are_unique_work_with_a_store(columns: Any, tmp_path: Path) -> None:
    wanted = measured(["a", "b"], None)
    assert measured(columns, None) == wanted
    assert measured(columns, tmp_path / "s.db") == wanted
    assert measured(columns, tmp_path / "s.db") == wanted


def test_a_number_as_a_name_is_not_its_text(tmp_path: Path) -> None:
    measured([0, 1], tmp_path / "s.db")
    with pytest.raises(op.DataError):
        measured(["0", "1"], tmp_path / "s.db")


@pytest.mark.parametrize(
    "columns", [["a", "a"], [1, 1], pd.MultiIndex.from_tuples([("a", "x"), ("a", "x")])]
)
def test_names_that_are_not_unique_are_refused_in_the_same_line(
    columns: Any, tmp_path: Path
) -> None:
    lines = []
    for store in (None, tmp_path / "s.db"):
        with pytest.raises(op.DataError) as caught:
            measured(columns, store)
        lines.append(str(caught.value))
    assert lines[0] == lines[1]
    assert "\n" not in lines[0]
