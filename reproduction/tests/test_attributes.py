"""Attributes: whatever holds a table, learners read the same matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from outperform import DataError
from reproduction.learners.attributes import encode, read_classes, read_training

NAN = float("nan")


class Learner(BaseEstimator):  # type: ignore[misc]
    """What attributes need of an estimator."""


def encoded(X: Any, nominal: Any = None) -> list[list[float]]:
    return [[round(v, 9) for v in row] for row in read_training(Learner(), X, nominal)[1].tolist()]


COLOURS = ["red", "blue", None, "blue"]
SIZES = [1.5, None, 3.0, 2.0]
WANTED = [[1.5, 2.0], [NAN, 0.0], [3.0, NAN], [2.0, 0.0]]


def frames() -> dict[str, Any]:
    order = ["blue", "green", "red"]
    category = pd.Categorical(COLOURS, categories=order)
    return {
        "polars": pl.DataFrame({"size": SIZES, "colour": pl.Series(COLOURS, dtype=pl.Enum(order))}),
        "pandas": pd.DataFrame({"size": SIZES, "colour": category}),
        "pandas, ordered": pd.DataFrame({"size": SIZES, "colour": category.as_ordered()}),
        "pandas, nullable": pd.DataFrame(
            {"size": pd.array(SIZES, dtype="Float64"), "colour": category}
        ),
    }


@pytest.mark.parametrize("kind", list(frames()))
def test_frames_of_any_kind_give_the_same_matrix_and_domains(kind: str) -> None:
    attributes, matrix = read_training(Learner(), frames()[kind])
    np.testing.assert_array_equal(matrix, WANTED)
    assert attributes.nominal.tolist() == [False, True]
    assert attributes.n_values.tolist() == [0, 3]  # green is declared, though it never occurs
    assert attributes.declared.tolist() == [False, True]
    assert attributes.domains == ((), ("blue", "green", "red"))


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"colour": COLOURS}),
        pl.DataFrame({"colour": pl.Series(COLOURS, dtype=pl.Categorical)}),
        pd.DataFrame({"colour": pd.Series(COLOURS, dtype=object)}),
        pd.DataFrame({"colour": pd.Series(COLOURS, dtype="str")}),
        pa.table({"colour": COLOURS}),
    ],
    ids=["polars text", "polars categorical", "pandas objects", "pandas text", "pyarrow"],
)
def test_text_is_nominal_with_the_values_seen(frame: Any) -> None:
    attributes, matrix = read_training(Learner(), frame)
    assert attributes.domains == (("blue", "red"),)
    assert not attributes.declared.any()
    np.testing.assert_array_equal(matrix[:, 0], [1, 0, NAN, 0])


def test_the_categories_of_other_columns_do_not_leak_into_a_categorical() -> None:
    pl.Series(["unrelated", "values"], dtype=pl.Categorical)
    frame = pl.DataFrame({"colour": pl.Series(["red", "blue"], dtype=pl.Categorical)})
    assert read_training(Learner(), frame)[0].domains == (("blue", "red"),)


def test_booleans_are_nominal_with_both_values_declared() -> None:
    attributes, matrix = read_training(Learner(), pl.DataFrame({"a": [True, True, None]}))
    assert attributes.domains == ((False, True),)
    assert attributes.declared.tolist() == [True]
    np.testing.assert_array_equal(matrix[:, 0], [1, 1, NAN])


@pytest.mark.parametrize("nominal", [[1], [-1], [False, True], np.array([1])])
def test_columns_of_arrays_are_nominal_when_they_are_named(nominal: Any) -> None:
    X = np.array([[0.5, 7], [1.5, 3], [NAN, NAN]])
    attributes, matrix = read_training(Learner(), X, nominal)
    assert attributes.domains == ((), (3.0, 7.0))
    np.testing.assert_array_equal(matrix, [[0.5, 1], [1.5, 0], [NAN, NAN]])


def test_arrays_may_mix_text_and_numbers() -> None:
    X = np.array([["a", 1], ["b", 2.5], [None, None]], dtype=object)
    np.testing.assert_array_equal(encoded(X, [0]), [[0, 1], [1, 2.5], [NAN, NAN]])


def test_names_choose_columns_of_frames_besides_those_whose_type_says_so() -> None:
    frame = pl.DataFrame({"code": [4, 2], "x": [0.5, 1.0], "word": ["b", "a"]})
    attributes, matrix = read_training(Learner(), frame, ["code"])
    assert attributes.domains == ((2, 4), (), ("a", "b"))
    np.testing.assert_array_equal(matrix, [[1, 0.5, 1], [0, 1.0, 0]])
    assert read_training(Learner(), frame, "all")[0].nominal.all()


def test_values_never_trained_on_count_as_missing() -> None:
    model = Learner()
    attributes, _ = read_training(model, pl.DataFrame({"word": ["b", "a"]}))
    new = encode(model, attributes, pl.DataFrame({"word": ["a", "z", None]}))
    np.testing.assert_array_equal(new[:, 0], [0, NAN, NAN])


def test_a_frame_of_other_columns_is_refused_when_predicting() -> None:
    model = Learner()
    attributes, _ = read_training(model, pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(ValueError, match="feature names should match"):
        encode(model, attributes, pd.DataFrame({"b": [1.0], "a": [2.0]}))
    other = Learner()
    attributes, _ = read_training(other, np.ones((2, 2)))
    with pytest.raises(ValueError, match="X has 3 features"):
        encode(other, attributes, np.ones((2, 3)))


@pytest.mark.parametrize(
    ("X", "nominal", "message"),
    [
        (np.array([[np.inf]]), None, "infinity"),
        (pl.DataFrame({"x": [np.inf]}), None, "infinity in column 'x'"),
        (np.array([["a"]], dtype=object), [False], r"declare it: nominal=\[0\]"),
        (np.ones((2, 2)), [2], "X has columns 0 to 1"),
        (np.ones((2, 2)), [True], "a mask of 1 columns, but X has 2"),
        (np.ones((2, 2)), ["a"], "X has none"),
        (np.ones((2, 2)), "a", r"nominal=\['a'\]"),
        (np.ones((2, 2)), [[0]], "one-dimensional"),
        (pl.DataFrame({"colour": ["a"]}), ["color"], "did you mean 'colour'"),
        (pl.DataFrame({"x": [1.0]}).lazy(), None, r"X\.collect\(\)"),
        (pl.DataFrame({"x": []}, schema={"x": pl.Float64}), None, "a minimum of 1 is required"),
        (pl.DataFrame({"t": [1]}).with_columns(pl.col("t").cast(pl.Date)), None, "type Date"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(X: Any, nominal: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_training(Learner(), X, nominal)


def test_classes_are_those_that_occur() -> None:
    y = pl.Series(["b", "a", "b"], dtype=pl.Enum(["c", "b", "a"]))
    classes, codes = read_classes(Learner(), y, 3)
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([0, 1], "X has 3 items but y has 2"),
        (["a", None, "b"], "missing labels"),
        ([0.5, 1.5, 2.5], "continuous"),
    ],
)
def test_labels_that_are_none_are_refused(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_classes(Learner(), y, 3)


def test_errors_are_the_packages_own() -> None:
    with pytest.raises(DataError):
        read_classes(Learner(), None, 3)
