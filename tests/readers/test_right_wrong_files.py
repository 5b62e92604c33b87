"""Files with a row for each item: predictions, or right and wrong, of any type."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import outperform as op
from outperform import DataError, Scores
from outperform.scores.split_scores import SplitLosses
from outperform.views import Contingency, ItemLosses


def _parquet(tmp_path: Path, columns: dict[str, Any]) -> Path:
    pl.DataFrame(columns).write_parquet(tmp_path / "items.parquet")
    return tmp_path / "items.parquet"


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int16, pl.Int64, pl.Float32, pl.String])
def test_predictions_of_any_type_are_read(tmp_path: Path, dtype: Any) -> None:
    y = pl.Series([0, 1, 1, 0, 2]).cast(pl.Int64).cast(dtype)
    a = pl.Series([0, 1, 0, 0, 2]).cast(pl.Int64).cast(dtype)
    scores = Scores.read(_parquet(tmp_path, {"y_true": y, "a": a, "b": y}))
    assert scores.values[:, 0].tolist() == [0.8, 1.0]
    assert scores.wrong().tolist() == [[0, 0], [0, 0], [1, 0], [0, 0], [0, 0]]


def test_columns_of_true_and_false_are_right_and_wrong(tmp_path: Path) -> None:
    scores = Scores.read(_parquet(tmp_path, {"a": [True, False, True], "b": [True, True, False]}))
    assert str(scores.notes[0]).endswith(
        "Read as correct (1) and wrong (0) answers on one test set by 'a', 'b'."
    )
    assert scores.wrong().tolist() == [[0, 0], [1, 0], [0, 1]]
    assert Contingency.of(scores, "a", "b").n10 == 1


def test_zeros_and_ones_are_right_and_wrong(tmp_path: Path) -> None:
    path = _parquet(tmp_path, {"a": [1, 0, 1], "b": [1, 1, 0], "id": [4, 5, 6]})
    for options in ({}, {"layout": "correct"}):
        scores = Scores.read(path, **options)
        assert (scores.names, scores.design and scores.design.kind) == (("a", "b"), "holdout")
    assert ItemLosses.of(scores).values.tolist() == [[0, 0], [-1, 0], [0, -1]]
    with pytest.raises(
        DataError, match=r"row 1 .*column 'b': expected 1 \(correct\) or 0 \(wrong\), got '7'"
    ):
        Scores.from_frame(pl.DataFrame({"a": [1, 0], "b": [1, 7]}), layout="correct")


def test_labels_too_large_for_a_float_are_told_apart() -> None:
    y = pl.Series([2**63, 2**53 + 1], dtype=pl.UInt64)
    a = pl.Series([2**62, 2**53 + 1], dtype=pl.Int64)
    scores = Scores.from_frame(pl.DataFrame({"y_true": y, "a": a}))
    assert scores.wrong()[:, 0].tolist() == [1, 0]


def test_bytes_and_floats_of_losses_have_the_same_digest() -> None:
    scores = Scores.from_predictions([0, 1, 1], {"a": [0, 1, 0]})
    assert scores.items is not None
    wide = SplitLosses(
        "zero-one", scores.items.values.astype(float), scores.items.split, scores.items.item
    )
    assert replace(scores, items=wide).digest() == scores.digest()


def test_true_and_false_as_words_are_right_and_wrong(tmp_path):
    path = tmp_path / "right.csv"
    path.write_text("a,b\n" + "True,False\nFALSE, true\nTrue,True\n" * 3)
    scores = Scores.read(path, layout="correct")
    assert scores.values[:, 0].tolist() == pytest.approx([2 / 3, 2 / 3])
    for spoilt in ("True,maybe", "1,pass"):
        path.write_text(f"a,b\nTrue,{spoilt[-4:]}\nFalse,True\n{spoilt}\n")
        with pytest.raises(DataError, match="1 \\(correct\\) or 0"):
            Scores.read(path, layout="correct")


def test_predicted_labels_that_no_item_has_are_named(tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text("y_true,a,b\nyes,yes,Yes\nno,no,no\nyes,no,maybe\nno,no,Yes\n")
    scores = op.Scores.read(path)
    (note,) = [note for note in scores.notes if note.code == "OP005"]
    assert note.severity == "caution"
    assert "never occur in 'y_true': 'Yes' (by 'b'), 'maybe' (by 'b')" in note.text
    assert "OP005" in str(op.compare(scores))
    path.write_text("y_true,a,b\n1,1,3\n0,0,0\n1,0,1\n0,7,3\n")
    (note,) = [note for note in op.Scores.read(path).notes if note.code == "OP005"]
    assert "'7' (by 'a'), '3' (by 'b')" in note.text
    path.write_text("y_true,a,b\n1,1,1\n0,0,0\n1,0,1\n0,1,0\n")
    assert "OP005" not in {note.code for note in op.Scores.read(path).notes}


ERRORS = {
    "item": [f"q{i}" for i in range(12)],
    "old": [1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0],
    "new": [0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0],
}


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_errors_of_0_and_1_are_tested_as_right_and_wrong(tmp_path: Path, layout: str) -> None:
    wide = pl.DataFrame(ERRORS)
    long = wide.unpivot(index="item", variable_name="model", value_name="error")
    path = tmp_path / "errors.csv"
    (wide if layout == "wide" else long).write_csv(path)
    found = op.compare(path, **({"metric": "error"} if layout == "wide" else {}))
    right = {name: 1 - pl.Series(ERRORS[name]) for name in ("old", "new")}
    same = op.compare(op.Items.from_arrays(right))
    pairs = [one["old", "new"] for one in (found, same)]
    told = [(p.method, p.estimate, p.pvalue, p.interval(0.9)) for p in pairs]
    assert told[0] == told[1]
    assert (found.method.name, found["old", "new"].estimate < 0) == ("mcnemar_mid_p", True)
    assert [(one.name, one.mean) for one in found.performances()] == [
        ("new", 0.25),
        ("old", 8 / 12),
    ]
    assert found.scores is not None
    assert found.scores.greater_is_better is False
