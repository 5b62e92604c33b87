"""Items as bits: the same answers as bytes and floats, in an eighth of the memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import outperform as op
from outperform import DataError, Scores
from outperform.numerics import pair_counts
from outperform.readers.score_table import PIECE
from outperform.scores.item_losses import BitItems, ItemsToRead, SplitLosses
from outperform.views import Contingency

MODELS = 4
KINDS = [pl.Boolean, pl.Int8, pl.UInt8, pl.Int16, pl.Int64, pl.UInt64, pl.Float32, pl.Float64]


def _right(n: int) -> np.ndarray:
    return np.random.default_rng(n).random((MODELS, n)) < 0.7


def _frame(right: np.ndarray, dtype: Any = pl.Boolean) -> pl.DataFrame:
    return pl.DataFrame({f"m{i}": pl.Series(row).cast(dtype) for i, row in enumerate(right)})


def _bytes(right: np.ndarray) -> Scores:
    return Scores.from_correct([f"m{i}" for i in range(MODELS)], right.copy())


@pytest.mark.parametrize("n", [1, 7, 8, 63, 64, 65, 1000, PIECE - 1, PIECE, PIECE + 1])
def test_bits_of_a_frame_are_those_of_its_cells(n: int) -> None:
    right = _right(n)
    scores = Scores.from_frame(_frame(right))
    assert isinstance(scores.items, BitItems)
    assert scores.items.shape == (MODELS, n)
    assert (scores.items.values == ~right).all()
    assert scores.digest() == _bytes(right).digest()
    joint = pair_counts.joint_of(pair_counts.blocks_of(scores.items.right))
    assert (joint == pair_counts.joint_correct(right.T)).all()


@pytest.mark.requirement("D-16")
@pytest.mark.parametrize("dtype", KINDS)
def test_all_pairs_of_bits_are_those_of_bytes(tmp_path: Path, dtype: Any) -> None:
    right = _right(PIECE + 77)
    _frame(right, dtype).write_parquet(tmp_path / "items.parquet", row_group_size=1000)
    scores = Scores.read(tmp_path / "items.parquet", layout="correct")
    ours, theirs = op.methods.all_pairs(scores), op.methods.all_pairs(right.T, names=scores.names)
    assert (ours.log_pvalues() == theirs.log_pvalues()).all()
    assert np.array_equal(ours.intervals(), theirs.intervals())
    assert ours.details["cochran_q"] == theirs.details["cochran_q"]
    chosen = op.methods.all_pairs(scores, names=("m2", "m0"))
    assert chosen["m2", "m0"].pvalue == theirs["m0", "m2"].pvalue
    assert chosen["m2", "m0"].estimate == -theirs["m0", "m2"].estimate


def test_the_table_of_two_models_is_counted_from_bits() -> None:
    right = _right(1001)
    bits, dense = Scores.from_frame(_frame(right)), _bytes(right)
    for pair in (("m0", "m1"), ("m3", "m2")):
        ours, theirs = Contingency.of(bits, *pair), Contingency.of(dense, *pair)
        for cell in ("n00", "n01", "n10", "n11"):
            assert getattr(ours, cell) == getattr(theirs, cell)
            assert type(getattr(ours, cell)) is type(getattr(theirs, cell))
        assert op.methods.mcnemar(bits, *pair).pvalue == op.methods.mcnemar(dense, *pair).pvalue
    assert isinstance(bits.items, BitItems)
    assert "values" not in vars(bits.items)


def test_predictions_are_compared_piece_by_piece() -> None:
    rng = np.random.default_rng(3)
    y, a, b = rng.integers(0, 3, (3, 2 * PIECE + 5))
    for kind in (pl.Int8, pl.String):
        frame = pl.DataFrame({"y_true": y, "a": a, "b": b}).cast(kind)
        scores = Scores.from_frame(frame)
        assert (scores.wrong() == np.stack([a != y, b != y], axis=1)).all()


@pytest.mark.parametrize("dtype", KINDS[1:])
@pytest.mark.parametrize("row", [0, PIECE - 1, PIECE, PIECE + 9])
def test_the_cell_that_is_neither_right_nor_wrong_is_named(dtype: Any, row: int) -> None:
    frame = _frame(_right(PIECE + 10), pl.Int64)
    for came, said in ((2, "'2"), (None, "an empty cell")):
        cells = frame["m2"].to_list()
        cells[row] = came
        spoilt = frame.with_columns(pl.Series("m2", cells)).cast(dtype)
        with pytest.raises(DataError, match=f"^row {row} .*, column 'm2'.* got {said}"):
            Scores.from_frame(spoilt, layout="correct")


@pytest.mark.parametrize("came", [-1, -128, 127])
def test_bytes_that_are_no_bit_are_refused(came: int) -> None:
    frame = pl.DataFrame({"a": pl.Series([1, 0, came], dtype=pl.Int8)})
    with pytest.raises(DataError, match=f"row 2 .*expected 1 .*got '{came}'"):
        Scores.from_frame(frame, layout="correct")


@pytest.mark.parametrize("came", [0.5, float("nan"), float("inf"), 1 + 1e-12])
def test_floats_that_are_no_bit_are_refused(came: float) -> None:
    frame = pl.DataFrame({"a": [1.0, came, 0.0]})
    with pytest.raises(DataError, match=r"row 1 .*expected 1 \(correct\) or 0 \(wrong\)"):
        Scores.from_frame(frame, layout="correct")


def test_missing_truths_are_refused() -> None:
    frame = pl.DataFrame({"a": [True, None, False], "b": [True, True, False]})
    with pytest.raises(DataError, match=r"row 1 .* column 'a'.* got an empty cell"):
        Scores.from_frame(frame)


def test_items_held_in_any_way_give_the_same_parts() -> None:
    right = _right(100)
    dense = _bytes(right).items
    packed = Scores.from_frame(_frame(right)).items
    assert isinstance(dense, SplitLosses)
    assert packed is not None
    for items in (dense, packed, ItemsToRead("zero-one", lambda: dense)):
        assert items.shape == (MODELS, 100)
        assert (items.of([3, 1]).values == ~right[[3, 1]]).all()
        first = items.first(30)
        assert (first.values == ~right[:, :30]).all()
        assert first.item.tolist() == list(range(30))
        assert not first.split.any()


def test_the_first_items_are_found_in_any_order() -> None:
    item = np.random.default_rng(0).permutation(50)
    items = SplitLosses("squared", item[None].astype(float), np.zeros(50, dtype=np.int64), item)
    assert sorted(items.first(20).values[0]) == list(range(20))


def test_comparing_all_pairs_never_unpacks_the_bits() -> None:
    frame = _frame(_right(200_000))
    scores = Scores.from_frame(frame)
    assert str(op.compare(scores))
    assert isinstance(scores.items, BitItems)
    assert "values" not in vars(scores.items)
    assert "item" not in vars(scores.items)
