"""Labels and predictions: compared by value, refused when missing or of another kind."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import outperform as op
from outperform import DataError


@pytest.mark.parametrize("kind", [int, float, str, bytes, object, bool])
@pytest.mark.parametrize("form", ["arrays", "lists", "tuples", "series"])
def test_predictions_of_any_kind_and_form_are_compared_with_the_labels(kind: Any, form: str):
    y = np.array([0, 1, 1, 0, 1]).astype("S1" if kind is bytes else kind)
    a, b = y.copy(), y.copy()
    a[1], b[0], b[4] = y[0], y[1], y[0]
    made = {"arrays": np.asarray, "lists": list, "tuples": tuple, "series": pd.Series}[form]
    table = op.methods.mcnemar(y, made(a), made(b)).details["table"]
    assert table.tolist() == [[0, 1], [2, 2]]


def test_text_of_different_widths_is_compared_by_value():
    y = np.array(["cat", "horse"])
    table = op.methods.mcnemar(y, pd.Series(["cat", "hors"]), ["cats", "horse"]).details["table"]
    assert table.tolist() == [[0, 1], [1, 0]]


def test_labels_of_any_other_class_are_compared_by_their_own_equality():
    y = np.empty(2, dtype=object)
    y[:] = [(1, 2), frozenset({3})]
    assert op.methods.mcnemar(y, y.copy(), y.copy()).details["table"].tolist() == [[0, 0], [0, 2]]


@pytest.mark.parametrize(
    ("y_true", "prediction", "message"),
    [
        ([1.0, np.nan], [1, 1], "y[1] is missing"),
        ([1, 2], [1, None], "a[1] is missing"),
        (["a", "b"], ["a", float("nan")], "a[1] is missing"),
        (["a", "b"], pd.Series(["a", pd.NA], dtype="string"), "a[1] is missing"),
        (np.array(["2020-01-01", "NaT"], dtype="M8[D]"), ["a", "b"], "y[1] is missing"),
        ([1, 2], np.array([1.0, np.inf]), "a[1] is missing"),
        ([1, 2], np.ma.masked_equal([1, 2], 2), "a has masked labels"),
        ([1, 2], [1], "a has 1 items but y has 2"),
        ([1, 2], np.ones((2, 2)), "with one label per item, got shape (2, 2)"),
        ([], [], "y must contain at least one item"),
        ([1, [2, 3]], [1, 2], "y is ragged"),
        ([1, 2], ["1", "2"], "y has number labels but a has text labels"),
        (["1", "2"], [1, 2], "y has text labels but a has number labels"),
        ([b"1", b"2"], ["1", "2"], "y has bytes labels but a has text labels"),
    ],
)
def test_labels_that_are_missing_or_cannot_match_are_refused(y_true, prediction, message):
    with pytest.raises(DataError, match=re.escape(message)):
        op.methods.mcnemar(y_true, prediction, y_true)
