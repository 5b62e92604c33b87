"""Index arithmetic: shuffles that never change, fair folds and draws, groups kept whole."""

from __future__ import annotations

import doctest
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection

from outperform import DesignError, parse
from outperform.designs import held_out, splitting
from outperform.designs.splitting import (
    SPLIT,
    Units,
    address_seed,
    deal,
    draw,
    item_count,
    permutation,
)

labels = st.lists(st.integers(0, 4), min_size=4, max_size=60)
seeds = st.integers(0, 2**64)


def units(
    n: int, classes: list[int] | None = None, groups: list[int] | None = None, seed: int = 0
) -> Units:
    return Units(
        n,
        seed,
        None if classes is None else splitting.encode(classes, n, "y"),
        None if groups is None else splitting.encode(groups, n, "groups"),
    )


def folds(items: Units, k: int) -> np.ndarray:
    return deal(items, items.shuffled(SPLIT, 0, 0), k)


def test_a_shuffle_is_the_same_for_ever() -> None:
    assert permutation(12, 0, 0, 0, 0).tolist() == [7, 11, 10, 2, 5, 1, 0, 9, 6, 4, 8, 3]
    assert permutation(12, 2024, 0, 3, 7).tolist() == [6, 8, 9, 4, 10, 7, 11, 2, 0, 3, 1, 5]
    assert permutation(12, 0, 0, 0, 0).dtype == np.int64


def test_a_shuffle_prefers_no_place() -> None:
    places = np.array([permutation(6, seed, 0, 0, 0) for seed in range(6000)])
    seen = np.array([np.bincount(column, minlength=6) for column in places.T])
    assert np.abs(seen - 1000).max() < 5 * math.sqrt(6000 * (1 / 6) * (5 / 6))


@pytest.mark.parametrize(
    ("address", "seed"),
    [
        ((0, 0, 0, 0), 486674914),
        ((0, 0, 0, 1), 678491887),
        ((0, 0, 1, 0), 4107616748),
        ((0, 1, 0, 0), 645915473),
        ((1, 0, 0, 0), 3188563868),
        ((2**40, 54, 9, 9), 2844763711),
    ],
)
def test_the_seed_of_an_address_is_the_same_for_ever(
    address: tuple[int, int, int, int], seed: int
) -> None:
    assert address_seed(*address) == seed


def test_addresses_have_different_seeds_of_32_bits() -> None:
    seen = {address_seed(0, p, r, f) for p in range(10) for r in range(10) for f in range(10)}
    assert len(seen) == 1000
    assert 0 <= min(seen) < max(seen) < 2**32


def test_no_global_random_state_is_used_or_changed() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = permutation(50, 3, 0, 0, 0)
    np.random.seed(1)  # noqa: NPY002
    assert (permutation(50, 3, 0, 0, 0) == first).all()
    np.random.set_state(("MT19937", before, 624))  # noqa: NPY002
    permutation(50, 3, 0, 0, 0)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize(
    ("size", "n", "count"),
    [
        (Fraction(1, 3), 10, 3),
        (Fraction(1, 2), 5, 3),
        (Fraction(1, 10), 25, 3),
        (Fraction(1, 10), 24, 2),
        (Fraction(1, 1000), 10, 1),
        (Fraction(999, 1000), 10, 9),
        (7, 10, 7),
    ],
)
def test_a_fraction_of_items_rounds_half_up_and_leaves_both_sides_filled(
    size: int | Fraction, n: int, count: int
) -> None:
    assert item_count(size, n) == count


@pytest.mark.slow
@given(st.fractions(0, 1, max_denominator=1000), st.integers(2, 10**12))
def test_counts_of_a_fraction_are_exact_for_any_n(size: Fraction, n: int) -> None:
    count = item_count(size, n)
    assert 1 <= count <= n - 1
    assert count in (1, n - 1) or -Fraction(1, 2) < count - size * n <= Fraction(1, 2)


@given(st.integers(2, 1000), *[st.fractions(Fraction(1, 99), Fraction(98, 99))] * 2)
def test_shares_that_do_not_exceed_the_whole_never_round_beyond_it(
    n: int, test: Fraction, part: Fraction
) -> None:
    n_train, n_test = splitting.side_sizes(n, test, (1 - test) * part)
    assert n_train >= 1
    assert n_train + n_test <= n


def test_a_count_that_leaves_nothing_over_is_refused_with_numbers() -> None:
    with pytest.raises(DesignError, match=r"a test set of 10 items leaves none of the 10"):
        item_count(10, 10)


@given(st.integers(2, 30), st.integers(0, 100))
def test_folds_have_the_sizes_scikit_learn_gives_them(k: int, extra: int) -> None:
    n = k + extra
    ours = [n_test for _, n_test in splitting.fold_sizes(n, k)]
    assert ours == [len(test) for _, test in model_selection.KFold(k).split(np.zeros(n))]
    assert np.bincount(folds(units(n), k)).tolist() == ours


@pytest.mark.requirement("R-14", "D-07")
@given(labels, st.integers(2, 12), seeds)
def test_stratified_folds_differ_by_one_item_at_most_in_size_and_in_every_class(
    classes: list[int], k: int, seed: int
) -> None:
    fold_of = folds(units(len(classes), classes, seed=seed), k)
    for members in [np.ones(len(classes), bool), *(np.array(classes) == c for c in set(classes))]:
        sizes = np.bincount(fold_of[members], minlength=k)
        assert sizes.max() - sizes.min() <= 1


def test_stratified_folds_are_as_even_as_those_of_scikit_learn() -> None:
    classes = [0] * 23 + [1] * 11 + [2] * 50
    fold_of = folds(units(84, classes), 10)
    theirs = model_selection.StratifiedKFold(10).split(np.zeros(84), classes)
    their_tests = [test for _, test in theirs]
    for c in range(3):
        ours = sorted(
            np.count_nonzero((fold_of == f) & (np.array(classes) == c)) for f in range(10)
        )
        assert ours == sorted(np.count_nonzero(np.array(classes)[t] == c) for t in their_tests)


def test_classes_of_one_item_are_still_dealt_at_random() -> None:
    everyone_a_class = units(30, list(range(30)))
    shuffles = [everyone_a_class.shuffled(SPLIT, 0, repeat) for repeat in range(20)]
    assert len({tuple(deal(everyone_a_class, order, 3)) for order in shuffles}) == 20


@given(labels, st.integers(2, 4), seeds, st.booleans())
def test_a_group_is_in_one_fold_and_no_fold_is_empty(
    groups: list[int], k: int, seed: int, stratified: bool
) -> None:
    classes = [g % 2 for g in groups] if stratified else None
    k = min(k, len(set(groups)))
    fold_of = folds(units(len(groups), classes, groups, seed), k)
    assert len({(g, f) for g, f in zip(groups, fold_of, strict=True)}) == len(set(groups))
    assert set(fold_of) == set(range(k))


@given(labels.filter(lambda groups: len(set(groups)) > 2))
def test_grouped_folds_are_as_even_as_those_of_scikit_learn(groups: list[int]) -> None:
    theirs = model_selection.GroupKFold(3).split(np.zeros(len(groups)), groups=groups)
    ours = np.bincount(folds(units(len(groups), groups=groups), 3))
    assert sorted(ours) == sorted(len(test) for _, test in theirs)


def test_groups_of_equal_size_are_dealt_in_shuffled_order() -> None:
    items = units(40, groups=[i // 4 for i in range(40)])
    ways = {tuple(deal(items, items.shuffled(SPLIT, 0, repeat), 5)) for repeat in range(20)}
    assert len(ways) == 20


def test_stratified_groups_keep_classes_more_even_than_groups_alone() -> None:
    groups = [i // 5 for i in range(200)]
    classes = [int(g % 4 == 0) for g in groups]

    def spread(items: Units) -> int:
        positives = np.bincount(folds(items, 5), weights=classes, minlength=5)
        return int(positives.max() - positives.min())

    assert max(spread(units(200, classes, groups, seed)) for seed in range(20)) == 0
    assert max(spread(units(200, None, groups, seed)) for seed in range(20)) >= 10


def test_too_few_groups_for_the_folds_is_refused_with_both_numbers() -> None:
    with pytest.raises(
        DesignError, match="3 groups are not enough for 5 folds; use at most '3cv/grouped'"
    ):
        folds(units(9, groups=[0, 1, 2] * 3), 5)


@pytest.mark.requirement("R-14")
@given(labels, st.data(), seeds)
def test_a_stratified_draw_gives_each_class_its_share_up_to_rounding(
    classes: list[int], data: st.DataObject, seed: int
) -> None:
    n = len(classes)
    size = data.draw(st.integers(1, n - 1))
    items = units(n, classes, seed=seed)
    taken, rest = draw(items, items.shuffled(SPLIT, 0, 0), size)
    assert len(taken) == size
    assert sorted([*taken, *rest]) == list(range(n))
    drawn = Counter(classes[i] for i in taken)
    for c, total in Counter(classes).items():
        assert abs(drawn[c] - Fraction(size * total, n)) < 1


def test_an_equal_remainder_goes_to_either_class() -> None:
    items = units(30, [0] * 15 + [1] * 15)
    draws = [draw(items, items.shuffled(SPLIT, 0, r), 5)[0] for r in range(200)]
    first = Counter(int(np.count_nonzero(taken < 15)) for taken in draws)
    assert set(first) == {2, 3}
    assert min(first.values()) > 60


@given(labels.filter(lambda groups: len(set(groups)) > 1), st.data(), seeds, st.booleans())
def test_a_grouped_draw_keeps_groups_whole_and_both_sides_filled(
    groups: list[int], data: st.DataObject, seed: int, stratified: bool
) -> None:
    n = len(groups)
    size = data.draw(st.integers(1, n - 1))
    items = units(n, [i % 2 for i in range(n)] if stratified else None, groups, seed)
    taken, rest = draw(items, items.shuffled(SPLIT, 0, 0), size, leave=1)
    inside, outside = items.items(taken), items.items(rest)
    assert len(inside)
    assert len(outside)
    assert not {groups[i] for i in inside} & {groups[i] for i in outside}
    assert sorted([*inside, *outside]) == list(range(n))


@given(st.lists(st.integers(1, 9), min_size=20, max_size=40), seeds)
def test_many_small_groups_reach_the_target_within_half_a_group(
    sizes: list[int], seed: int
) -> None:
    n = sum(sizes)
    items = units(n, groups=np.repeat(np.arange(len(sizes)), sizes).tolist(), seed=seed)
    taken, _ = draw(items, items.shuffled(SPLIT, 0, 0), n // 3, leave=1)
    assert abs(len(items.items(taken)) - n // 3) <= 4.5


def test_a_group_far_too_large_is_passed_over() -> None:
    items = units(100, groups=[0] * 90 + [1] * 5 + [2] * 5)
    for repeat in range(10):
        taken, _ = draw(items, items.shuffled(SPLIT, 0, repeat), 10, leave=1)
        assert items.items(taken).tolist() == list(range(90, 100))


def test_one_group_cannot_be_split() -> None:
    items = units(9, groups=[4] * 9)
    with pytest.raises(DesignError, match="at least 2 groups, got 1"):
        draw(items, items.shuffled(SPLIT, 0, 0), 3, leave=1)


@pytest.mark.parametrize(
    "values",
    [
        list("bbab"),
        np.array(["b", "b", "a", "b"], dtype=object),
        [5, 5, 2, 5],
        [True, True, False, True],
        [-1.5, -1.5, 2.0, -1.5],
        np.array(["x", "x", 3, "x"], dtype=object),
    ],
)
def test_labels_are_numbered_by_appearance_whatever_they_are(values: object) -> None:
    assert splitting.encode(values, 4, "y").tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ([1.0, math.nan, 2.0], "y has 1 missing labels"),
        (["a", None, None], "y has 2 missing labels"),
        (["a", "b"], r"one label for each of 3 items, got shape \(2,\)"),
        ([[1], [2], [3]], r"one label for each of 3 items, got shape \(3, 1\)"),
        (np.array([[], {}, ()], dtype=object), "numbers or strings"),
    ],
)
def test_labels_that_cannot_be_used_are_refused_by_name(values: object, complaint: str) -> None:
    with pytest.raises(DesignError, match=complaint):
        splitting.encode(values, 3, "y")


def test_a_missing_value_of_pandas_is_refused() -> None:
    labels = pandas.Series(["a", pandas.NA, "b"], dtype=object)
    with pytest.raises(
        DesignError, match="groups must contain numbers or strings, without missing"
    ):
        splitting.encode(labels, 3, "groups")


def test_measurements_have_no_classes() -> None:
    with pytest.raises(DesignError, match=r"needs classes, but y has 20 distinct numbers in 20"):
        splitting.class_codes(np.linspace(0, 1, 20), 20)
    assert splitting.class_codes(np.repeat([0.5, 1.5], 10), 20).max() == 1
    assert splitting.class_codes(np.arange(20.0), 20).max() == 19


@pytest.mark.parametrize(
    ("text", "n_left_out"),
    [
        ("5cv", 5),
        ("3x4cv/stratified", 12),
        ("2x3cv/grouped", 6),
        ("4xresampled@1/3", 4),
        ("3xresampled@1/4/train1/2", 0),
        ("2xresampled@1/3/grouped", 2),
        ("2x3halves@1/10", 3),
        ("loo", 24),
        ("3*5x2cv", 30),
    ],
)
def test_training_sets_that_are_left_out_are_all_the_others(text: str, n_left_out: int) -> None:
    design, n = parse(text), 24
    y = np.arange(n) % 2 if design.stratified else None
    groups = np.arange(n) // 2 if design.grouped else None
    for at in (None, (0, 0)):
        whole = list(design.split(n, y, groups, random_state=5, at=at))
        spare = [
            (*block, fold, *sides)
            for block, folds in held_out(design, n, y, groups, 5, at)
            for fold, sides in enumerate(folds)
        ]
        for split, (*address, train, test) in zip(whole, spare, strict=True):
            assert split[:3] == tuple(address)
            np.testing.assert_array_equal(split.test, test)
            found = splitting.others(n, test) if train is None else train
            np.testing.assert_array_equal(np.sort(split.train), found)
            assert found.dtype == split.train.dtype == np.int64
        left_out = sum(train is None for *_, train, _ in spare)
        assert left_out == (n_left_out if at is None else len(spare) * (n_left_out > 0))


def test_the_examples_run() -> None:
    found = doctest.testmod(splitting)
    assert found.failed == 0 < found.attempted
