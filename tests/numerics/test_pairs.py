"""Counts of all pairs from the joint matrix, against loops over pairs and items."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from outperform import DataError
from outperform.numerics.pair_counts import counts_of_all, joint_correct, upper
from outperform.procedures.cochran_q import q_statistic
from outperform.procedures.pooled_intervals import pooled_variance
from outperform.views import Contingency

TEN_ITEMS = np.array(
    [
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 0],
        [1, 0, 0],
        [1, 1, 1],
        [1, 1, 0],
        [0, 0, 0],
        [1, 1, 1],
        [1, 0, 1],
        [1, 1, 0],
    ]
)

tables = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, max_side=150))


def both_right(correct: np.ndarray) -> list[list[int]]:
    models = [int("".join(map(str, column)), base=2) for column in correct.T.astype(int).tolist()]
    return [[(a & b).bit_count() for b in models] for a in models]


def random_table(n_items: int, k: int) -> np.ndarray:
    return np.random.default_rng(n_items + k).random((n_items, k)) < 0.7


@pytest.mark.slow
@given(tables)
def test_joint_counts_equal_a_loop_over_pairs_and_items(correct: np.ndarray) -> None:
    joint = joint_correct(correct)
    assert joint.dtype == np.int64
    assert joint.tolist() == both_right(correct)


@pytest.mark.parametrize("n_items", [1, 63, 64, 65, 511, 512, 513, 63_999, 64_000, 64_001, 150_001])
def test_joint_counts_hold_at_the_edges_of_words_and_blocks(n_items: int) -> None:
    correct = random_table(n_items, 3)
    assert (joint_correct(correct) == correct.T.astype(int) @ correct.astype(int)).all()


@pytest.mark.parametrize("k", [1, 2, 63, 64, 65, 300])
def test_joint_counts_hold_for_any_number_of_models(k: int) -> None:
    correct = random_table(700, k)
    assert (joint_correct(correct) == correct.T.astype(int) @ correct.astype(int)).all()


def test_joint_counts_do_not_wrap_when_every_item_is_right() -> None:
    assert (joint_correct(np.ones((140_000, 3), dtype=np.int8)) == 140_000).all()


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint64", ">i4", "float16", "float64"]
)
def test_joint_counts_do_not_depend_on_the_dtype_or_the_order_in_memory(dtype: str) -> None:
    correct = random_table(1000, 9)
    expected = both_right(correct)
    typed = correct.astype(dtype)
    wide = np.zeros((2000, 18), dtype=dtype)
    wide[::2, 1::2] = typed
    assert joint_correct(typed).tolist() == expected
    assert joint_correct(np.asfortranarray(typed)).tolist() == expected
    assert joint_correct(wide[::2, 1::2]).tolist() == expected
    assert joint_correct(typed[::-1]).tolist() == expected


@pytest.mark.slow
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(correct: np.ndarray, random: Any) -> None:
    items = list(range(len(correct)))
    random.shuffle(items)
    assert (joint_correct(correct[items]) == joint_correct(correct)).all()


@given(tables)
def test_counting_every_item_twice_doubles_the_counts(correct: np.ndarray) -> None:
    assert (joint_correct(np.repeat(correct, 2, axis=0)) == 2 * joint_correct(correct)).all()


def peak_memory(correct: np.ndarray) -> int:
    tracemalloc.start()
    joint_correct(correct)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("n_items", "k"), [(100_000, 100), (60_000, 250)])
def test_extra_memory_is_at_most_a_quarter_of_the_input(n_items: int, k: int, order: Any) -> None:
    correct = np.asarray(random_table(n_items, k), dtype=np.uint8, order=order)
    assert peak_memory(correct) <= correct.nbytes / 4


def test_wide_input_needs_no_more_memory_than_narrow_and_small_input_two_megabytes() -> None:
    assert peak_memory(random_table(100_000, 100).astype(np.float64)) <= 100_000 * 100 / 4
    assert peak_memory(random_table(10_000, 10)) <= 2e6
    assert peak_memory(random_table(900, 900)) <= 8 * 900 * 900 + 2e6


@pytest.mark.parametrize(
    ("correct", "message"),
    [
        ([[1, 0], [2, 0]], "correct[1, 0] must be 0 or 1, got 2"),
        (np.array([[0, -1]], dtype=np.int8), "correct[0, 1] must be 0 or 1, got -1"),
        ([[1.0, np.nan]], "correct[0, 1] must be 0 or 1, got nan"),
        ([[1.0, 0.5]], "correct[0, 1] must be 0 or 1, got 0.5"),
        ([[1, None]], "got dtype object"),
        ([["1", "0"]], "use all_pairs(y_true, predictions)"),
        ([[1, 0], [1]], "rows of equal length"),
        ([1, 0], "got shape (2,); for one model use correct[:, None]"),
        (np.zeros((0, 2)), "at least one item and one model, got shape (0, 2)"),
        (np.zeros((2, 0)), "at least one item and one model, got shape (2, 0)"),
        (np.ma.masked_equal([[1, 0]], 0), "masked entries"),
    ],
)
def test_a_table_that_is_not_zeros_and_ones_is_refused(correct: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        joint_correct(correct)


@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
@pytest.mark.parametrize("row", [0, 80_000, 139_999])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_position_of_a_bad_entry_is_named_in_any_block(
    row: int, dtype: Any, order: Any
) -> None:
    correct = np.zeros((140_000, 2), dtype=dtype, order=order)
    correct[row, 1] = 3
    with pytest.raises(DataError, match=rf"correct\[{row}, 1\] must be 0 or 1, got 3"):
        joint_correct(correct)


@pytest.mark.slow
@pytest.mark.requirement("D-16")
@given(hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, max_side=30)))
def test_the_table_of_every_pair_equals_a_loop(correct: np.ndarray) -> None:
    found = Contingency.of_pairs(counts_of_all(joint_correct(correct)), len(correct))
    for row, (i, j) in enumerate(zip(*upper(correct.shape[1]), strict=True)):
        one = Contingency.count(correct[:, i], correct[:, j])
        assert tuple(cell[row] for cell in found.cells) == one.cells


def cochran(joint: np.ndarray) -> float:
    """Return Q from the joint matrix, as all_pairs does."""
    counted = counts_of_all(np.asarray(joint))
    right = counted.right.tolist()
    squares = sum(count * count for count in right)
    return float(q_statistic(len(right), squares, sum(right), counted.sum_squares))


def test_upper_lists_the_pairs_row_by_row() -> None:
    i, j = upper(4)
    pairs_in_order = list(zip(i.tolist(), j.tolist(), strict=True))
    assert pairs_in_order == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert [part.size for part in upper(1)] == [0, 0]
    with pytest.raises(DataError, match="k must be at least 1, got 0"):
        upper(0)


def cochran_by_loop(correct: np.ndarray) -> float:
    """Cochran (1950) as printed, from the column totals and the row totals."""
    k = correct.shape[1]
    columns, rows = correct.sum(axis=0).tolist(), correct.sum(axis=1).tolist()
    mean = sum(columns) / k
    below = sum(row * (k - row) for row in rows)
    return k * (k - 1) * sum((c - mean) ** 2 for c in columns) / below if below else 0.0


@pytest.mark.requirement("F-19")
def test_ten_items_give_the_known_cochran_and_pooled_variance() -> None:
    joint = joint_correct(TEN_ITEMS)
    assert cochran(joint) == pytest.approx(13 / 3, rel=1e-15)
    assert pooled_variance(counts_of_all(joint), 10) == pytest.approx(0.04, rel=1e-15)


def test_cochran_agrees_with_statsmodels_and_mlxtend() -> None:
    from mlxtend.evaluate import cochrans_q
    from statsmodels.stats.contingency_tables import cochrans_q as statsmodels_q

    correct = random_table(500, 6)
    q = cochran(joint_correct(correct))
    assert q == pytest.approx(statsmodels_q(correct.astype(int)).statistic, rel=1e-12)
    ones = np.ones(500, dtype=int)
    assert q == pytest.approx(cochrans_q(ones, *correct.T.astype(int))[0], rel=1e-12)


@pytest.mark.slow
@given(tables)
def test_cochran_from_the_joint_matrix_equals_the_printed_formula(correct: np.ndarray) -> None:
    q = cochran(joint_correct(correct))
    assert q == pytest.approx(cochran_by_loop(correct), rel=1e-12, abs=1e-12)


@pytest.mark.requirement("D-16")
@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 60), st.just(2))))
def test_for_two_models_cochran_is_mcnemar_without_correction(correct: np.ndarray) -> None:
    joint = joint_correct(correct)
    first, second = correct.T
    n10, n01 = int(np.sum(first & ~second)), int(np.sum(~first & second))
    mcnemar = (n10 - n01) ** 2 / (n10 + n01) if n10 + n01 else 0.0
    assert cochran(joint) == pytest.approx(mcnemar, rel=1e-14)


@pytest.mark.requirement("F-19")
@given(hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=40)))
def test_pooled_variance_is_twice_the_variance_within_items_over_n(
    correct: np.ndarray,
) -> None:
    n = len(correct)
    within = sum(np.var(row, ddof=1) for row in correct.astype(float))
    expected = 2 * within / n**2
    assert pooled_variance(counts_of_all(joint_correct(correct)), n) == pytest.approx(
        expected, rel=1e-12
    )


def test_where_models_never_differ_cochran_and_the_variance_are_zero() -> None:
    joint = joint_correct(np.repeat(TEN_ITEMS[:, :1], 3, axis=1))
    assert cochran(joint) == 0.0
    assert pooled_variance(counts_of_all(joint), 10) == 0.0
    assert cochran([[7]]) == 0.0


@pytest.mark.requirement("F-19")
def test_counts_of_a_trillion_items_lose_no_digit() -> None:
    times = 10**12
    joint = joint_correct(TEN_ITEMS) * times
    assert cochran(joint) == pytest.approx(13 / 3 * times, rel=1e-15)
    assert pooled_variance(counts_of_all(joint), 10 * times) == pytest.approx(
        0.04 / times, rel=1e-15
    )
