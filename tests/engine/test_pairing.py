"""Items, targets and groups go together by position, and by nothing else."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import outperform as op

GENERATOR = np.random.default_rng(4)
N = 60
Y = np.arange(N) % 2
FRAME = pd.DataFrame(GENERATOR.normal(size=(N, 3)) + 1.5 * Y[:, None], columns=["a", "b", "c"])
SHUFFLED = FRAME.sample(frac=1, random_state=0)
BAYES = {"bayes": GaussianNB()}


def run(x: Any = FRAME, y: Any = Y, **options: Any) -> op.Scores:
    return op.run(BAYES, x, y, **{"design": "3cv", "random_state": 1, **options})


def fresh(values: Any = Y) -> pd.Series:
    """Return the targets of SHUFFLED as a series made of bare values: its index is 0…n−1."""
    return pd.Series(np.asarray(values)[SHUFFLED.index])


def test_shuffled_items_beside_a_fresh_series_are_never_paired_anew() -> None:
    with pytest.raises(op.DataError) as caught:
        run(SHUFFLED, fresh())
    said = str(caught.value)
    assert f"at position 0 X has {SHUFFLED.index[0]} and y has 0" in said
    assert "y.to_numpy()" in said
    assert "y.loc[X.index]" in said


def test_both_ways_out_of_another_order_work() -> None:
    by_hand = run(SHUFFLED.to_numpy(), Y[SHUFFLED.index])
    assert run(SHUFFLED, fresh().to_numpy()).digest() == by_hand.digest()
    original = pd.Series(Y)
    with pytest.raises(op.DataError, match=re.escape("y.loc[X.index]")):
        run(SHUFFLED, original)
    assert run(SHUFFLED, original.loc[SHUFFLED.index]).digest() == by_hand.digest()
    assert by_hand.values.mean() > 0.8


@pytest.mark.parametrize("kind", [pd.Series, pd.DataFrame])
def test_a_series_and_a_frame_of_one_column_are_held_to_the_same(kind: Any) -> None:
    with pytest.raises(op.DataError, match="in a different order"):
        run(SHUFFLED, kind(Y))
    assert run(FRAME, kind(Y)).digest() == run().digest()


def test_groups_are_held_to_the_same() -> None:
    groups = pd.Series(np.arange(N) // 4)
    with pytest.raises(op.DataError, match=re.escape("groups.loc[X.index]")):
        run(SHUFFLED, Y[SHUFFLED.index], groups=groups, design="3cv/grouped")
    with pytest.raises(op.DataError, match=re.escape("groups.loc[y.index]")):
        run(
            SHUFFLED.to_numpy(),
            pd.Series(Y).loc[SHUFFLED.index],
            groups=groups,
            design="3cv/grouped",
        )
    one = run(groups=groups, design="3cv/grouped")
    assert one.digest() == run(groups=groups.to_numpy(), design="3cv/grouped").digest()
    assert one.digest() == run(groups=groups.to_frame(), design="3cv/grouped").digest()


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (SHUFFLED, Y[SHUFFLED.index]),
        (SHUFFLED, Y[SHUFFLED.index].tolist()),
        (SHUFFLED, pl.Series(Y[SHUFFLED.index])),
        (SHUFFLED.to_numpy(), fresh()),
        (pl.from_pandas(SHUFFLED), fresh()),
        (pl.from_pandas(SHUFFLED), pl.DataFrame({"y": Y[SHUFFLED.index]})),
        (SHUFFLED, pd.Series(Y).loc[SHUFFLED.index]),
        (SHUFFLED.set_axis(np.arange(N) // 2), pd.Series(Y[SHUFFLED.index], np.arange(N) // 2)),
        (SHUFFLED.reset_index(drop=True), fresh()),
    ],
    ids=[
        "array",
        "list",
        "polars",
        "only y",
        "frame of polars",
        "both polars",
        "equal labels",
        "equal labels, repeated",
        "fresh both",
    ],
)
def test_where_labels_do_not_disagree_the_position_counts(x: Any, y: Any) -> None:
    model = {"bayes": make_pipeline(StandardScaler(), GaussianNB())}
    options: Any = {"design": "3cv", "random_state": 1}
    scores = op.run(model, x, y, **options)
    by_hand = op.run(model, SHUFFLED.to_numpy(), Y[SHUFFLED.index], **options)
    assert scores.digest() == by_hand.digest()
    assert scores.notes == by_hand.notes


@pytest.mark.parametrize("own", [[f"item {i}" for i in range(N)], range(N, 2 * N)])
def test_an_index_that_only_counts_says_nothing_beside_labels_of_its_own(own: Any) -> None:
    for x, y in ((FRAME.set_axis(own), pd.Series(Y)), (FRAME, pd.Series(Y, list(own)))):
        scores = run(x, y)
        assert scores.digest() == run().digest()
        (note,) = scores.notes
        assert note.code == "OP001"
        assert "X and y are paired by position" in note.text


def test_labels_of_their_own_that_differ_are_refused_without_advice_that_fails() -> None:
    x = FRAME.set_axis([f"item {i}" for i in range(N)])
    y = pd.Series(Y, [f"item {i}" for i in range(1, N + 1)])
    with pytest.raises(op.DataError) as caught:
        run(x, y)
    assert "different row labels: at position 0 X has 'item 0' and y has 'item 1'" in str(
        caught.value
    )
    assert "y.to_numpy()" in str(caught.value)
    assert ".loc" not in str(caught.value), "y has no label of the first item"
    assert run(x, y.to_numpy()).digest() == run().digest()


def test_rows_drawn_with_replacement_are_not_paired_with_targets_that_were_not() -> None:
    drawn = FRAME.sample(N, replace=True, random_state=0)
    targets = pd.Series(Y)
    with pytest.raises(op.DataError, match=re.escape("y.loc[X.index]")):
        run(drawn, targets)
    assert run(drawn, targets.loc[drawn.index]).digest() == run(drawn, Y[drawn.index]).digest()
    with pytest.raises(op.DataError) as caught:  # labels of y twice: no .loc leads to one each
        run(FRAME, targets.loc[drawn.index])
    assert ".loc" not in str(caught.value)


@pytest.mark.parametrize(
    "labels",
    [
        pd.MultiIndex.from_product([["x", "y"], range(N // 2)]),
        pd.date_range("2020-01-01", periods=N),
        pd.Index([pd.NA, *range(N - 1)], dtype="Int64"),
        pd.Index([np.nan, *range(N - 1)]),
        pd.CategoricalIndex([f"c{i}" for i in range(N)]),
    ],
    ids=["several levels", "dates", "missing", "nan", "categories"],
)
def test_labels_of_any_kind_are_compared(labels: Any) -> None:
    x, y = FRAME.set_axis(labels), pd.Series(Y, labels)
    assert run(x, y).digest() == run().digest()
    with pytest.raises(op.DataError, match=r"different order: at position \d+ X has .* y has"):
        run(x, y.iloc[::-1])
    assert run(x, y.iloc[::-1].loc[x.index]).digest() == run().digest()
    assert run(x, pd.Series(Y).to_numpy()).digest() == run().digest()


def test_the_number_of_items_is_looked_at_before_their_labels() -> None:
    with pytest.raises(op.DataError, match="X has 60 items but y has 59"):
        run(SHUFFLED, pd.Series(Y[:-1]))


# Predictions and scores: genuine labels align them, an index that only counts does not.


def test_predictions_in_a_fresh_series_are_not_moved_to_the_labels_of_shuffled_targets() -> None:
    truth = pd.Series(Y).sample(frac=1, random_state=0)
    first, second = pd.Series(truth.to_numpy()), pd.Series(1 - truth.to_numpy())
    with pytest.raises(op.DataError) as caught:
        op.methods.mcnemar(truth, first, second)
    said = str(caught.value)
    assert "a.to_numpy()" in said
    assert "a.loc[y.index]" in said
    found = op.methods.mcnemar(truth, first.to_numpy(), second.to_numpy())
    assert found.details["table"].tolist() == [[0, 0], [N, 0]]
    by_label = op.methods.mcnemar(truth, first.loc[truth.index], second.loc[truth.index])
    assert by_label.details["table"].sum() == N


def test_tables_whose_columns_only_count_are_not_moved_either() -> None:
    first, second = (pd.DataFrame(GENERATOR.random((4, 9))) for _ in range(2))
    with pytest.raises(op.DataError, match=re.escape("losses_b[losses_a.columns]")):
        op.methods.quasi_f(first, second.iloc[:, ::-1])
    by_label = op.methods.quasi_f(first, second.iloc[:, ::-1][first.columns])
    assert by_label.pvalue == op.methods.quasi_f(first, second).pvalue
