"""Folds as Weka cuts them: the generator of Java, the shuffle, the stratification."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from outperform import Scores
from reproduction.bouckaert_frank.weka_folds import (
    JavaRandom,
    shuffled,
    stratified,
    weka_folds,
)
from reproduction.bouckaert_frank.weka_tables import explained, reachable
from weka_oracle import shipped_tables, weka_cuts

BOUNDS = (10, 100, 64, 1 << 30, (1 << 30) + 1, 2147483647, 898, 3)


@pytest.mark.parametrize(
    ("seed", "printed"),
    [
        (1, (5, 88, 26, 437485156, 446064254, 77814904, 856, 1)),
        (42, (0, 63, 43, 51474442, 662969970, 2023087525, 419, 2)),
        (7, (6, 64, 47, 10339022, 747989380, 1053566254, 876, 2)),
        (50, (7, 88, 39, 882260756, 1051489561, 1078804636, 740, 0)),
    ],
)
def test_integers_are_those_of_java(seed: int, printed: tuple[int, ...]) -> None:
    # OpenJDK 17: new Random(seed).nextInt(bound) with these bounds in turn.
    random = JavaRandom(seed)
    assert tuple(random.below(bound) for bound in BOUNDS) == printed


def test_a_shuffle_swaps_from_the_end() -> None:
    # The loop of Instances.randomize, run by OpenJDK 17.
    assert shuffled(range(9), JavaRandom(1)) == [5, 8, 2, 7, 4, 3, 1, 0, 6]
    assert shuffled(range(9), JavaRandom(42)) == [4, 1, 5, 3, 7, 2, 6, 0, 8]


def test_stratification_sorts_by_swaps_then_deals() -> None:
    # Weka's loop by hand: a b c a b c; swap(1, 3) gives a a c b b c, swap(3, 5) a a c c b b.
    assert stratified(range(6), "abcabc", 1) == [0, 3, 2, 5, 4, 1]
    assert stratified(range(6), "abcabc", 2) == [0, 2, 4, 3, 5, 1]


@pytest.mark.needs("weka")
@pytest.mark.requirement("R-29")
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_weka_cuts_the_same_folds(name: str) -> None:
    table = shipped_tables()[name]
    asked = list(product((2, 10), (1, 2, 50), (False, True)))
    for (folds, seed, again), theirs in zip(asked, weka_cuts(table, asked), strict=True):
        ours = weka_folds(table.y.tolist(), folds, seed, again=again)
        for one, other in zip(ours, theirs, strict=True):
            assert [part.tolist() for part in one] == [part.tolist() for part in other]


@pytest.mark.requirement("R-29")
def test_folds_hold_every_row_once_and_the_shares_of_the_classes() -> None:
    y = ["a"] * 21 + ["b"] * 12 + ["c"] * 8
    folds = list(weka_folds(y, 2, 3))
    assert [test.size for _, test in folds] == [21, 20]
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(41))
    for train, test in folds:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(41))
        assert train.tolist() != sorted(train.tolist())
        for kind in "abc":
            share = sum(y[row] == kind for row in test.tolist())
            assert abs(share - y.count(kind) / 2) <= 1
    again = list(weka_folds(y, 2, 3, again=True))
    for (train, test), (other, same) in zip(folds, again, strict=True):
        assert test.tolist() == same.tolist()
        assert sorted(train.tolist()) == sorted(other.tolist())
    assert again[0][0].tolist() != folds[0][0].tolist()


def test_one_prediction_can_change_a_count_only_near_the_threshold() -> None:
    noise = np.random.default_rng(0).normal(0, 0.01, (2, 20))
    far = Scores.from_arrays({"a": 0.9 + noise[0], "b": 0.5 + noise[1]}, design="2*5x2cv")
    assert reachable(far, ("a", "b"), [1000, 1000]) == (0, 0)
    near = Scores.from_arrays({"a": 0.5 + noise[0], "b": 0.5 + noise[1]}, design="2*5x2cv")
    fewest, most = reachable(near, ("a", "b"), [5, 5])
    assert fewest < most == 2


def test_a_reason_says_which_explanation_reaches_print() -> None:
    assert "shuffled once more" in explained(9, 9, (8, 8))
    assert "one prediction" in explained(9, 8, (7, 9))
    assert "no reason found" in explained(9, 8, (7, 8))
