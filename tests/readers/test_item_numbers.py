"""Numbers of single items from files: losses, numeric predictions and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import outperform as op
from outperform import DataError, Scores
from outperform.readers.score_table import ScoreTable

RNG = np.random.default_rng(0)
N = 60
Y = RNG.normal(10, 3, N)
NUMBERS = pd.DataFrame({"y_true": Y, "a": Y + RNG.normal(0, 1, N), "b": Y + RNG.normal(0, 2, N)})
LOSS = pd.DataFrame(
    {"doc_id": [f"d{i}" for i in range(N)], "a": RNG.random(N), "b": RNG.random(N) + 0.3}
)


def refusal(frame: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        Scores.from_frame(frame, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("metric", "loss"),
    [(None, np.square), ("mse", np.square), ("mae", np.abs), ("neg_mean_absolute_error", np.abs)],
)
def test_numeric_predictions_are_judged_by_their_errors(metric: str | None, loss: Any) -> None:
    scores = Scores.from_frame(NUMBERS, metric=metric)
    errors = {name: loss(NUMBERS[name] - NUMBERS["y_true"]) for name in "ab"}
    assert scores.values[:, 0] == pytest.approx([errors["a"].mean(), errors["b"].mean()])
    found = op.compare(scores)
    expected = op.methods.paired_t(errors["a"], errors["b"], lower_is_better=True, unit="items")
    assert found.method.name == "paired_t"
    assert found["a", "b"].pvalue == pytest.approx(expected.pvalue)
    assert found["a", "b"].estimate == pytest.approx(expected.estimate)
    assert found["a", "b"].verdict().outcome == "outperforms"
    assert not scores.greater_is_better
    means = [(one.name, one.mean) for one in found.performances()]
    assert means == [
        ("a", pytest.approx(errors["a"].mean())),
        ("b", pytest.approx(errors["b"].mean())),
    ]


def test_whole_numbers_are_labels_unless_an_error_is_asked_for() -> None:
    whole = NUMBERS.round().astype(int)
    assert Scores.from_frame(whole).metric == "accuracy"
    assert Scores.from_frame(whole, metric="mse").metric == "mean_squared_error"
    assert Scores.from_frame(whole.assign(a=NUMBERS["a"])).metric == "mean_squared_error"


def test_predicted_classes_are_never_held_as_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten million bytes per learner would become eighty million before they are compared."""
    y = np.resize(np.arange(10, dtype=np.int8), 200)
    frame = pd.DataFrame({"y_true": y, "a": y, "b": np.where(np.arange(200) % 7, y, 3)})
    monkeypatch.delattr(ScoreTable, "floats")
    for truth in (y, y % 2):
        read = Scores.from_frame(frame.assign(y_true=truth), layout="predictions")
        assert read.items is not None


def test_fractions_within_0_and_1_beside_three_classes_are_no_numbers() -> None:
    frame = pd.DataFrame({"y_true": [0, 1, 2, 1], "a": [0.1, 0.9, 0.5, 0.2], "b": [0.2] * 4})
    assert "expected a class label" in refusal(frame)


def test_a_metric_without_a_value_for_every_item_is_refused() -> None:
    frame = pd.DataFrame({"y_true": [0, 1, 1, 0], "a": [0.1, 0.9, 0.5, 0.2], "b": [0.2] * 4})
    assert "'f1' cannot be computed from the predicted probabilities" in refusal(frame, metric="f1")
    assert "mean_squared_error" in refusal(NUMBERS, metric="r2")


def test_an_area_needs_two_items_of_each_class_and_is_left_out_without() -> None:
    frame = pd.DataFrame({"y_true": [0, 1, 0, 0], "a": [0.1, 0.9, 0.5, 0.2], "b": [0.2] * 4})
    assert "at least 2 items of each class, got 1" in refusal(frame, metric="roc_auc")
    scores = Scores.from_frame(frame)
    assert scores.metrics == ("log_loss", "brier_score", "accuracy")
    assert "Judged by log_loss" in " ".join(note.text for note in scores.notes)
    with pytest.raises(op.errors.OutperformError, match="at least 2 items of each class"):
        op.methods.delong(scores, "a", "b")


def test_whatever_ranks_items_has_an_area_and_nothing_else() -> None:
    y = np.repeat([0, 1], 20)
    margins = pd.DataFrame({"y_true": y, "svm": RNG.normal(size=40) + y, "lda": 3.0 * y})
    scores = Scores.from_frame(margins, metric="auc")
    assert scores.metrics == ("roc_auc",)
    assert scores.values[1, 0] == 1
    assert scores.values[0, 0] == roc_auc_score(y, margins["svm"])
    only = scores.of(["lda", "svm"])
    assert op.methods.delong(only).estimate == pytest.approx(1 - scores.values[0, 0])


def test_missing_truth_or_prediction_is_named() -> None:
    frame = pd.DataFrame({"y_true": [0.0, 1, np.nan, 0], "a": [0.1, 0.9, 0.5, 0.2], "b": [0.2] * 4})
    assert "row 2" in refusal(frame, metric="brier")
    gap = NUMBERS.copy()
    gap.loc[7, "b"] = np.nan
    assert "row 7" in refusal(gap)


def test_certain_probabilities_have_the_loss_that_scikit_learn_gives_them() -> None:
    frame = pd.DataFrame({"y_true": [0, 1, 1, 0], "a": [0.0, 1, 0, 0.5], "b": [0.2] * 4})
    scores = Scores.from_frame(frame, metric="log_loss")
    assert scores.values[0, 0] == pytest.approx((-np.log(np.finfo(float).eps) + np.log(2)) / 4)
    assert "3 probabilities of 0 or 1" in " ".join(note.text for note in scores.notes)


def test_losses_of_items_are_compared_item_by_item_wide_and_long() -> None:
    expected = op.methods.paired_t(LOSS["a"], LOSS["b"], lower_is_better=True, unit="items")
    long = LOSS.melt("doc_id", var_name="model", value_name="loss")
    wide = LOSS.rename(columns={"a": "a_loss", "b": "b_loss"})
    for frame, names, layout in ((long, ("a", "b"), None), (wide, ("a_loss", "b_loss"), "items")):
        scores = Scores.from_frame(frame, layout=layout)
        assert (scores.names, str(scores.design)) == (names, f"holdout@{N}")
        assert not scores.greater_is_better
        assert "Lower is better, judging by" in " ".join(note.text for note in scores.notes)
        found = op.compare(scores)[names]
        assert found.pvalue == pytest.approx(expected.pvalue)
        assert found.estimate == pytest.approx(expected.estimate)


def test_scores_of_items_are_better_where_greater_and_a_layout_says_that_rows_are_items() -> None:
    scores = Scores.from_frame(LOSS)
    assert scores.greater_is_better
    assert op.compare(scores)["a", "b"].verdict().outcome == "outperformed"
    bare = Scores.from_frame(LOSS[["a", "b"]], layout="items", lower_is_better=True)
    assert op.compare(bare)["a", "b"].verdict().outcome == "outperforms"


def test_items_that_lack_a_number_are_left_out_for_all_when_asked() -> None:
    long = LOSS.melt("doc_id", var_name="model", value_name="loss")
    long.loc[3, "loss"] = np.nan
    assert "drop_incomplete=True" in refusal(long)
    scores = Scores.from_frame(long, drop_incomplete=True)
    assert str(scores.design) == f"holdout@{N - 1}"


@pytest.mark.parametrize("method", ["simultaneous", "paired_t"])
def test_methods_on_items_take_what_was_read(method: str) -> None:
    frame = NUMBERS.assign(c=NUMBERS["b"] + 1)
    found = op.compare(Scores.from_frame(frame), method=method)
    assert found.n_pairs == 3
    assert found["a", "c"].verdict().outcome == "outperforms"


def test_pooled_intervals_read_which_probabilities_were_right() -> None:
    y = RNG.integers(0, 2, N)
    good = np.clip(y * 0.8 + RNG.random(N) * 0.3, 0, 1)
    frame = pd.DataFrame({"y_true": y, "a": good, "b": RNG.random(N), "c": RNG.random(N)})
    found = op.compare(Scores.from_frame(frame, metric="accuracy"), method="pooled_intervals")
    right = {name: (frame[name] >= 0.5) == y for name in "abc"}
    expected = right["a"].mean() - right["b"].mean()
    assert found["a", "b"].estimate == pytest.approx(expected)
