"""Designs: what they promise of every split, how they print and read, what they refuse."""

from __future__ import annotations

import copy
import doctest
import hashlib
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection as sk

import outperform as op
from outperform import (
    CalibratedKFold,
    DesignError,
    DisjointTrainSets,
    Forward,
    Holdout,
    KFold,
    LeaveOneOut,
    PairedHalves,
    Partitions,
    RepeatedKFold,
    Resampled,
    Seeds,
    SeedsPerSplit,
    parse,
)
from outperform.designs import Custom, Design, Given, Split, UnpairedSeeds, base
from outperform.designs.notation import EXAMPLES, HABITS

counts = st.integers(1, 500)
shares = st.fractions(Fraction(1, 500), Fraction(499, 500), max_denominator=500)
sizes = counts | shares
switches = {"stratified": st.booleans(), "grouped": st.booleans()}
stratified = {"stratified": st.booleans()}


@st.composite
def resampled(draw: st.DrawFn) -> Resampled:
    test = draw(sizes)
    train: object = draw(st.none() | counts)
    if draw(st.booleans()):
        room = 1 - test if isinstance(test, Fraction) else Fraction(499, 500)
        train = room * draw(st.fractions(Fraction(1, 100), 1, max_denominator=100))
    return Resampled(draw(counts), test, train, **{k: draw(v) for k, v in switches.items()})


simple_designs = st.one_of(
    st.builds(Holdout, sizes, **switches),
    st.builds(KFold, st.integers(2, 500), **switches),
    st.builds(RepeatedKFold, st.integers(2, 500), st.integers(2, 500), **switches),
    st.builds(RepeatedKFold, counts, st.just(2), **switches),
    resampled(),
    st.builds(DisjointTrainSets, counts, counts, st.none() | sizes, **stratified),
)
any_design = st.one_of(
    simple_designs,
    st.just(LeaveOneOut()),
    st.builds(PairedHalves, counts, counts, counts | shares.map(lambda f: f / 2), **stratified),
    st.builds(Partitions, counts, simple_designs),
    st.builds(Seeds, counts, st.none() | sizes, **switches),
    st.builds(SeedsPerSplit, st.integers(2, 500), st.builds(KFold, st.integers(2, 9), **switches)),
    st.builds(SeedsPerSplit, st.integers(2, 500), resampled()),
    st.builds(
        Forward,
        st.integers(2, 500),
        st.none() | sizes,
        st.integers(0, 99),
        st.none() | st.just("first") | counts,
    ),
    st.builds(UnpairedSeeds, st.integers(2, 500)),
    st.builds(CalibratedKFold, *[st.integers(2, 500)] * 3, **switches),
    st.builds(Given, st.builds(KFold, st.integers(2, 500)) | st.just(LeaveOneOut())),
    st.builds(Given, st.builds(Custom, st.integers(2, 500)) | st.builds(Holdout, counts)),
    st.builds(Given, st.builds(Resampled, counts, counts, counts)),
)

CLASSES = list("aaaaaaabbbbc")
GROUPS = list("uuuvvvwwxxyz")
SMALL = [
    *("3cv", "4x3cv", "5x2cv", "loo", "holdout@1/3", "holdout@5", "6xresampled@1/4"),
    *("6xresampled@1/4/train1/2", "3xresampled@2/train3", "2x3halves@1/6", "2disjoint@4"),
    *(
        "2disjoint@4/test3",
        "4*3cv",
        "2*2xresampled@1/3",
        "2*5x2cv",
        "2*holdout@1/3",
        "2*2disjoint@3",
    ),
    "3x2cv+2halves",
    *("3forward", "2forward/gap2", "3forward@2/sliding", "2forward@3/gap1/sliding3"),
    *("3seeds@1/3", "2seeds*3cv", "2seeds*2x3cv", "3seeds*2xresampled@1/4"),
]
SWITCHED = [
    *("3cv/stratified", "3cv/grouped", "3cv/stratified/grouped", "2x3cv/stratified/grouped"),
    *("holdout@1/3/stratified", "holdout@1/3/grouped", "holdout@1/3/stratified/grouped"),
    *("5xresampled@1/4/train1/2/stratified", "5xresampled@1/4/train1/2/grouped"),
    *("5xresampled@1/4/train1/2/stratified/grouped", "2x3halves@1/6/stratified"),
    *("2disjoint@4/stratified", "3*3cv/stratified/grouped", "2seeds@1/3/stratified/grouped"),
    *("2seeds*3cv/stratified", "2seeds*2x3cv/grouped"),
]


def splits(text: str, n: int = 12, **how: object) -> list[Split]:
    design = parse(text)
    y = CLASSES if design.stratified else None
    groups = GROUPS if design.grouped else None
    return list(design.split(n, y, groups, **how))


def plain(split: Split) -> tuple[object, ...]:
    return (*split[:3], split.train.tolist(), split.test.tolist())


# What holds of every split


@pytest.mark.parametrize("text", SMALL + SWITCHED)
def test_train_and_test_are_disjoint_and_never_empty(text: str) -> None:
    for split in splits(text):
        assert all(a < b for a, b in pairwise(split.test))
        for side in (split.train, split.test):
            assert side.dtype == np.int64
            assert len(side) == len({*side}) > 0
            assert {*side} <= set(range(12))
        assert not {*split.train} & {*split.test}


@pytest.mark.parametrize("text", SMALL + SWITCHED)
def test_the_number_of_splits_and_their_addresses_are_known_beforehand(text: str) -> None:
    design = parse(text)
    addresses = [split[:3] for split in splits(text)]
    assert len(addresses) == design.n_splits(12) == design.n_fits(12)
    assert addresses == sorted(set(addresses))
    bounds = design.shape or (1, 1, 12)
    assert tuple(max(axis) + 1 for axis in zip(*addresses, strict=True)) == bounds
    assert addresses == [tuple(row) for row in design.addresses(12).tolist()]


@pytest.mark.parametrize("text", [*SMALL, *(t for t in SWITCHED if "grouped" not in t)])
def test_the_sizes_of_splits_are_known_without_splitting(text: str) -> None:
    known = parse(text).sizes(12)
    made = splits(text)
    assert known.n_train.tolist() == [len(split.train) for split in made]
    assert known.n_test.tolist() == [len(split.test) for split in made]


@pytest.mark.parametrize("text", [t for t in SWITCHED if "grouped" in t])
def test_no_group_is_on_both_sides(text: str) -> None:
    for split in splits(text):
        assert not {GROUPS[i] for i in split.train} & {GROUPS[i] for i in split.test}


@pytest.mark.slow
@given(st.integers(2, 20), st.integers(0, 60), st.integers(0, 99))
def test_the_test_sets_of_a_cross_validation_cover_everything_once_per_repeat(
    k: int, extra: int, seed: int
) -> None:
    n = k + extra
    made = list(RepeatedKFold(3, k).split(n, random_state=seed))
    for repeat in range(3):
        tests = [split.test for split in made if split.repeat == repeat]
        assert sorted(np.concatenate(tests)) == list(range(n))
    assert {len(split.train) + len(split.test) for split in made} == {n}


@pytest.mark.parametrize("text", SMALL + SWITCHED)
def test_an_address_has_its_splits_whether_or_not_others_are_made(text: str) -> None:
    design = parse(text)
    y = CLASSES if design.stratified else None
    groups = GROUPS if design.grouped else None
    every = [plain(split) for split in splits(text, random_state=5)]
    blocks = sorted({(split.partition, split.repeat) for split in splits(text)})
    backwards = [
        [plain(s) for s in design.split(12, y, groups, random_state=5, at=at)]
        for at in reversed(blocks)
    ]
    assert [split for block in reversed(backwards) for split in block] == every


def test_a_repeat_that_is_not_there_cannot_be_asked_for() -> None:
    with pytest.raises(
        DesignError, match=r"3x5cv has 1 partition and 3 repeats; \(0, 3\) does not exist"
    ):
        parse("3x5cv").split(12, at=(0, 3))


def test_longer_designs_begin_like_shorter_ones() -> None:
    assert [*map(plain, splits("7x3cv"))][:12] == [*map(plain, splits("4x3cv"))]
    assert [*map(plain, splits("4x3cv"))][:3] == [*map(plain, splits("3cv"))]
    assert [*map(plain, splits("9*3cv"))][:3] == [*map(plain, splits("3cv"))]
    assert [*map(plain, splits("8xresampled@1/3"))][:1] == [*map(plain, splits("holdout@1/3"))]


@pytest.mark.parametrize("text", ["3cv", "holdout@1/3", "2x3halves@1/6", "2disjoint@4"])
def test_other_seeds_give_other_splits(text: str) -> None:
    ways = {repr([plain(s) for s in splits(text, random_state=seed)]) for seed in range(20)}
    assert len(ways) > 15  # of 495 ways to hold 4 of 12 items out, 20 draws may meet again


def test_renaming_or_retyping_labels_changes_no_split() -> None:
    codes = np.array(list(map("abc".index, CLASSES)))
    design = parse("3cv/stratified/grouped")
    first = [plain(s) for s in design.split(12, CLASSES, GROUPS)]
    for y in (codes, -codes, codes.astype(float), np.array(CLASSES, dtype=object)):
        assert [plain(s) for s in design.split(12, y, np.array(GROUPS, dtype=object))] == first


# What single designs promise


@pytest.mark.requirement("D-07")
def test_ten_fold_cross_validation_trains_on_nine_tenths_and_keeps_classes_even() -> None:
    y = np.repeat(["rare", "common"], [100, 900])
    for split in parse("10cv/stratified").split(1000, y):
        assert len(split.train) == 900
        assert np.count_nonzero(y[split.test] == "rare") == 10


@pytest.mark.requirement("D-22")
def test_thirty_resamples_train_on_two_thirds() -> None:
    made = list(parse("30xresampled@1/3").split(300))
    assert [(len(s.train), len(s.test)) for s in made] == [(200, 100)] * 30


@pytest.mark.requirement("D-24", "D-26")
def test_five_by_two_trains_on_one_half_and_then_on_the_other() -> None:
    assert parse("5x2cv").kind == "repeated-2fold"
    made = list(parse("5x2cv").split(300))
    for first, second in zip(made[::2], made[1::2], strict=True):
        assert (np.sort(first.train) == second.test).all()
        assert (first.test == np.sort(second.train)).all()
    assert RepeatedKFold(1, 2).kind == "repeated-2fold"


@pytest.mark.requirement("N-04")
def test_resamples_are_independent_and_every_item_is_tested_equally_often() -> None:
    tested = np.zeros(30)
    for split in Resampled(3000, Fraction(1, 3)).split(30):
        tested[split.test] += 1
    assert np.abs(tested - 1000).max() < 5 * np.sqrt(3000 * 2 / 9)


@pytest.mark.requirement("N-28")
def test_a_smaller_training_share_throws_the_rest_out() -> None:
    design = parse("15xresampled@1/10/train1/2")
    assert design.test_train_ratio == Fraction(1, 5)
    for split in design.split(300):
        assert (len(split.train), len(split.test)) == (150, 30)


@pytest.mark.slow
@pytest.mark.requirement("N-18", "N-28")
def test_splits_of_a_smaller_training_share_correlate_less_than_the_correction_assumes() -> None:
    # Losses that no training changes: all that splits share is what they are tested on.
    rng, design = np.random.default_rng(0), parse("2xresampled@1/6/train1/2")
    means = []
    for seed in range(4000):
        losses = rng.standard_normal(60)
        means.append([losses[split.test].mean() for split in design.split(60, random_state=seed)])
    [[_, r], _] = np.corrcoef(np.array(means).T)
    ratio = design.test_train_ratio
    assert ratio is not None
    assert ratio / (1 + ratio) == Fraction(10, 40)  # as if all splits left out the same items
    assert abs(r - 10 / 60) < 4 / np.sqrt(4000)


def test_halves_of_an_odd_number_do_not_both_round_up() -> None:
    assert [x.tolist() for x in Resampled(1, Fraction(1, 2), Fraction(1, 2)).sizes(5)] == [[2], [3]]


@pytest.mark.requirement("N-19")
@pytest.mark.parametrize("n", [300, 301])
@pytest.mark.parametrize("text", ["10x15halves@1/10", "10x15halves@1/10/stratified"])
def test_paired_halves_are_disjoint_and_train_on_half_less_the_test_size(text: str, n: int) -> None:
    y = np.arange(n) % 3
    made = list(parse(text).split(n, y))
    assert len(made) == 15 + 2 * 10 * 15
    seen: dict[tuple[int, int], set[int]] = {}
    for split in made:
        assert len(split.test) == 30
        if split.partition == 0:
            assert len(split.train) == n - 30
        else:
            assert len(split.train) == 150 - 30
            items = {*split.train.tolist(), *split.test.tolist()}
            assert seen.setdefault((split.partition, split.fold), items) == items
    for m in range(1, 11):
        assert not seen[m, 0] & seen[m, 1]
        assert len(seen[m, 0] | seen[m, 1]) == 300
    assert len({frozenset(half) for half in seen.values()}) == 20


@pytest.mark.requirement("N-19")
def test_the_resamples_within_the_two_halves_are_not_the_same_draw() -> None:
    first, second = (s for s in parse("1x1halves@1/10").split(300) if s.partition == 1)
    places = [
        np.searchsorted(np.sort(np.concatenate([s.train, s.test])), s.test) for s in (first, second)
    ]
    assert places[0].tolist() != places[1].tolist()


@pytest.mark.requirement("D-06")
@pytest.mark.parametrize(
    "text", ["8disjoint@200", "8disjoint@200/test300", "8disjoint@200/stratified"]
)
def test_disjoint_training_sets_share_one_test_set(text: str) -> None:
    y = np.arange(2000) % 4
    made = list(parse(text).split(2000, y))
    assert [len(s.train) for s in made] == [200] * 8
    assert len({s.test.tobytes() for s in made}) == 1
    assert len(made[0].test) == (300 if "test300" in text else 400)
    everything = np.concatenate([made[0].test, *(s.train for s in made)])
    assert len(np.unique(everything)) == len(everything)
    if "stratified" in text:
        assert all(np.bincount(y[s.train]).tolist() == [50] * 4 for s in made)


@pytest.mark.requirement("B-07")
@pytest.mark.parametrize("text", ["55*10cv", "55*5x2cv", "55*10cv/stratified"])
def test_partitions_repeat_a_design_on_fresh_partitions(text: str) -> None:
    design = parse(text)
    assert design.n_splits() == 550
    made = list(design.split(120, np.arange(120) % 2))
    assert len({made[10 * p].test.tobytes() for p in range(55)}) == 55
    for p in range(55):
        per_item = np.bincount(np.concatenate([s.test for s in made if s.partition == p]))
        assert (per_item == (5 if "5x2" in text else 1)).all()


def test_leave_one_out_tests_the_items_in_order() -> None:
    assert [plain(s) for s in LeaveOneOut().split(3)] == [
        (0, 0, 0, [1, 2], [0]),
        (0, 0, 1, [0, 2], [1]),
        (0, 0, 2, [0, 1], [2]),
    ]


@pytest.mark.requirement("D-58")
@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("holdout@1/3", 1),
        ("30xresampled@1/3", 30),
        ("10cv", 10),
        ("5x2cv", 10),
        ("10x10cv", 100),
        ("15xresampled@1/10", 15),
        ("10x15halves@1/10", 315),
        ("8disjoint@200", 8),
        ("55*10cv", 550),
        ("20seeds@1/3", 20),
    ],
)
def test_the_training_runs_of_a_model_are_counted(text: str, fits: int) -> None:
    assert parse(text).n_fits() == fits


def test_leave_one_out_counts_its_runs_by_the_items() -> None:
    assert LeaveOneOut().n_fits(150) == LeaveOneOut().n_splits(150) == 150
    with pytest.raises(
        DesignError, match=r"number of items for loo, must be an integer .* got None"
    ):
        LeaveOneOut().n_splits()


@pytest.mark.slow
@given(st.builds(Holdout, shares) | st.builds(KFold, st.integers(2, 99)) | resampled())
def test_the_ratio_of_test_to_train_is_the_limit_of_the_sizes(design: Design) -> None:
    if design.test_train_ratio is not None:
        n_train, n_test = (side.sum() for side in design.sizes(10**9))
        assert n_test / n_train == pytest.approx(float(design.test_train_ratio), rel=1e-4)


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("10cv", Fraction(1, 9)),
        ("5x2cv", Fraction(1)),
        ("holdout@1/3", Fraction(1, 2)),
        ("9xresampled@1/10", Fraction(1, 9)),
        ("9xresampled@50/train100", Fraction(1, 2)),
        ("9xresampled@50/train1/2", None),
        ("9xresampled@50", None),
        ("holdout@50", None),
        ("loo", None),
        ("10x15halves@1/10", None),
        ("8disjoint@200", None),
        ("8disjoint@200/test50", Fraction(1, 4)),
        ("20seeds@1/3", Fraction(1, 2)),
        ("20seeds", None),
        ("55*10cv", Fraction(1, 9)),
    ],
)
def test_the_ratio_is_exact_or_unknown(text: str, ratio: Fraction | None) -> None:
    assert parse(text).test_train_ratio == ratio


@given(st.integers(2, 20), st.integers(0, 50))
def test_the_sums_of_fold_sizes_have_the_ratio_exactly(k: int, extra: int) -> None:
    n_train, n_test = KFold(k).sizes(k + extra)
    assert Fraction(int(n_test.sum()), int(n_train.sum())) == KFold(k).test_train_ratio


KINDS = {
    "holdout@1/3": ("holdout", (1, 1, 1)),
    "10cv": ("kfold", (1, 1, 10)),
    "4x3cv": ("repeated-kfold", (1, 4, 3)),
    "5x2cv": ("repeated-2fold", (1, 5, 2)),
    "30xresampled@1/3": ("resampled", (1, 30, 1)),
    "loo": ("leave-one-out", None),
    "10x15halves@1/10": ("halves", (11, 15, 2)),
    "5x4cv+20halves": ("calibrated-kfold", (21, 5, 4)),
    "8disjoint@200": ("disjoint", (1, 8, 1)),
    "55*4x3cv": ("partitions", (55, 4, 3)),
    "20seeds@1/3": ("seeds", (1, 20, 1)),
    "5seeds": ("seeds", (1, 5, 1)),
    "4seeds*2x3cv": ("splits-and-seeds", (4, 2, 3)),
    "5forward/gap3": ("forward", (1, 1, 5)),
    "7seeds/unpaired": ("unpaired-seeds", (1, 7, 1)),
}


@pytest.mark.parametrize("text", KINDS)
def test_a_design_knows_its_kind_and_its_shape(text: str) -> None:
    assert (parse(text).kind, parse(text).shape) == KINDS[text]


# Golden: these splits may never change, on any platform

ORDER_12 = [1, 3, 9, 6, 5, 8, 10, 11]
GOLDEN_12 = {
    "3cv": [[0, 2, 4, 7], [5, 8, 9, 11], [1, 3, 6, 10]],
    "2x2cv": [[0, 5, 6, 7, 8, 10], [1, 2, 3, 4, 9, 11], [0, 4, 5, 9, 10, 11], [1, 2, 3, 6, 7, 8]],
    "holdout@1/3": [[2, 7, 10, 11]],
    "2xresampled@1/4/train1/2": [[7, 10, 11], [1, 9, 11]],
    "1x1halves@1/4": [[7, 10, 11], [3, 9, 10], [1, 4, 5]],
    "2disjoint@4": [[2, 7, 10, 11], [2, 7, 10, 11]],
    "2seeds@1/3": [[2, 7, 10, 11], [2, 7, 10, 11]],
    "2seeds*3cv": [[0, 2, 4, 7], [5, 8, 9, 11], [1, 3, 6, 10]] * 2,
    "3forward": [[3, 4, 5], [6, 7, 8], [9, 10, 11]],
    "2*2cv": [[0, 5, 6, 7, 8, 10], [1, 2, 3, 4, 9, 11], [1, 4, 5, 6, 10, 11], [0, 2, 3, 7, 8, 9]],
    "3cv/stratified": [[5, 6, 7, 8], [1, 4, 10, 11], [0, 2, 3, 9]],
    "3cv/grouped": [[3, 4, 5, 11], [0, 1, 2, 10], [6, 7, 8, 9]],
    "3cv/stratified/grouped": [[0, 1, 2, 10, 11], [8, 9], [3, 4, 5, 6, 7]],
    "holdout@1/3/stratified": [[2, 5, 7, 10]],
    "holdout@1/3/grouped": [[6, 7, 10, 11]],
    "holdout@1/3/stratified/grouped": [[3, 4, 5, 6, 7]],
}
GOLDEN_TRAIN_12 = {
    "2xresampled@1/4/train1/2": [[0, 1, 2, 5, 6, 9], [0, 3, 5, 7, 8, 10]],
    "1x1halves@1/4": [[0, 1, 2, 3, 4, 5, 6, 8, 9], [0, 2, 7], [6, 8, 11]],
    "2disjoint@4": [[0, 1, 5, 9], [3, 4, 6, 8]],
}
GOLDEN_2000 = {
    "10x10cv": "a085c05fe5b0b87f4f83e566d5cddb42",
    "10x10cv/stratified": "5c8c336147c6ab5684bfe643afdb26ee",
    "10x10cv/grouped": "695628996684cee812de2087ff34ae27",
    "10x10cv/stratified/grouped": "8931cd45fa051cf06d57d133e4a78108",
    "30xresampled@1/10/train1/2": "1c912cbc0df194d1b05f4c60bf85e011",
    "30xresampled@1/3/stratified": "8296c595b234f48cc40a420884fa131b",
    "30xresampled@1/3/grouped": "da75ceaa4416a88579d2d07c3fe73a62",
    "30xresampled@1/3/train1/2/stratified/grouped": "061edc7202bdb63e4010a8cca207ea53",
    "10x15halves@1/10": "47f7e34c0265fd6e088a4906a98d051e",
    "10x15halves@1/10/stratified": "134fc3ec85546104c438f0ff52016f41",
    "8disjoint@200/stratified": "0c56bb12d42d4ef09ace26da7cf52a01",
    "55*5x2cv": "ce36a21702e3a8b83d19b3a5772aed86",
    "holdout@250": "a2b4f33aba9939a9017d1778819f18b8",
}


@pytest.mark.parametrize("text", GOLDEN_12)
def test_small_splits_never_change(text: str) -> None:
    made = splits(text)
    assert [split.test.tolist() for split in made] == GOLDEN_12[text]
    if text in GOLDEN_TRAIN_12:
        assert [sorted(split.train.tolist()) for split in made] == GOLDEN_TRAIN_12[text]


def test_training_items_come_in_an_order_of_their_repeat() -> None:
    first, *_, other = splits("2x3cv")
    assert first.train.tolist() == ORDER_12
    again = [split for split in splits("4x3cv") if split[:2] == first[:2]]
    assert again[0].train.tolist() == ORDER_12  # whatever the size of the design
    ranks = {item: rank for rank, item in enumerate(again[1].train.tolist())}
    common = [item for item in ORDER_12 if item in ranks]
    assert [ranks[item] for item in common] == sorted(ranks[item] for item in common)
    assert [item for item in other.train.tolist() if item in common] != common


@pytest.mark.parametrize("text", GOLDEN_2000)
def test_large_splits_never_change(text: str) -> None:
    design, items, digest = parse(text), np.arange(2000), hashlib.sha256()
    y = items % 7 % 3 if design.stratified else None
    groups = items * items % 101 if design.grouped else None
    for split in design.split(2000, y, groups, random_state=7):
        digest.update(np.array(split[:3], dtype="<i8").tobytes())
        digest.update(np.sort(split.train).astype("<i8").tobytes() + b"|")
        digest.update(split.test.astype("<i8").tobytes())
    assert digest.hexdigest()[:32] == GOLDEN_2000[text]


# Writing and reading


@given(any_design)
def test_a_design_prints_as_a_string_that_reads_back_as_itself(design: Design) -> None:
    assert parse(str(design)) == design
    assert parse(design) is design
    assert pickle.loads(pickle.dumps(design)) == design == copy.deepcopy(design)
    assert hash(design) == hash(parse(str(design)))


@pytest.mark.parametrize(
    ("text", "design"),
    [
        ("10cv", KFold(10)),
        ("1x10cv", KFold(10)),
        ("3*1x10cv", Partitions(3, KFold(10))),
        ("1x2cv", RepeatedKFold(1, 2)),
        ("2cv", KFold(2)),
        (" 10 X 10 CV ", RepeatedKFold(10, 10)),
        ("10×10cv", RepeatedKFold(10, 10)),
        ("10cv/Grouped/Stratified", KFold(10, stratified=True, grouped=True)),
        ("holdout", Holdout()),
        ("holdout@.25", Holdout(Fraction(1, 4))),
        ("holdout@0.1", Holdout(Fraction(1, 10))),
        ("holdout@10%", Holdout(Fraction(1, 10))),
        ("holdout@12.5%", Holdout(Fraction(1, 8))),
        ("holdout@2/6", Holdout(Fraction(1, 3))),
        ("holdout@50", Holdout(50)),
        ("30xresampled@1/10/train1/2", Resampled(30, Fraction(1, 10), Fraction(1, 2))),
        ("30xresampled@50/train100", Resampled(30, 50, 100)),
        ("30xresampled@1/10/train9/10", Resampled(30, Fraction(1, 10))),
        ("10x15halves@1/10", PairedHalves(10, 15, Fraction(1, 10))),
        ("10x5cv+40halves", CalibratedKFold(10, 5, 40)),
        ("5 x 5 cv + 20 halves / grouped", CalibratedKFold(5, 5, 20, grouped=True)),
        ("8disjoint@200", DisjointTrainSets(8, 200)),
        ("8disjoint@200/test1/5", DisjointTrainSets(8, 200, Fraction(1, 5))),
        ("55*10cv/stratified", Partitions(55, KFold(10, stratified=True))),
        (10, KFold(10)),
        (np.int64(5), KFold(5)),
    ],
)
def test_forgiving_spellings_are_read(text: object, design: Design) -> None:
    assert parse(text) == design


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_forms_offered_in_messages_are_canonical(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("size", "fraction"),
    [
        (1 / 3, Fraction(1, 3)),
        (0.1, Fraction(1, 10)),
        (0.123456, Fraction(123456, 10**6)),
        ("1/3", Fraction(1, 3)),
        (np.float64(0.2), Fraction(1, 5)),
        (np.int32(7), 7),
    ],
)
def test_sizes_are_kept_exactly_as_meant(size: object, fraction: Fraction | int) -> None:
    assert Holdout(size).test == fraction
    assert type(Holdout(size).test) is type(fraction)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("10cv", "10-fold cross-validation"),
        (
            "10x10cv/stratified",
            "10-fold cross-validation repeated 10 times with stratification",
        ),
        (
            "5cv/stratified/grouped",
            "5-fold cross-validation with stratification and groups kept together",
        ),
        ("1x2cv", "2-fold cross-validation repeated 1 time"),
        ("holdout@1/3", "one random split with 1/3 of the items for testing"),
        ("holdout@1", "one random split with 1 item for testing"),
        ("1xresampled@21", "1 random split with 21 items for testing"),
        (
            "30xresampled@1/10/train1/2",
            "30 random splits with 1/10 of the items for testing and 1/2 of the items for training",
        ),
        ("loo", "leave-one-out cross-validation"),
        (
            "10x15halves@1/10",
            "15 random splits with 1/10 of the items for testing, "
            "and as many test items in both halves of 10 random halvings",
        ),
        (
            "20seeds@1/3",
            "20 seeds of each learner on one random split with 1/3 of the items for testing",
        ),
        ("5seeds", "5 seeds of each learner on one random split"),
        ("5seeds*10cv", "5 seeds of each learner on every split of 10-fold cross-validation"),
        ("5forward", "5 test blocks in the order of the rows, trained on all rows before"),
        (
            "5forward@20/gap3/sliding",
            "5 test blocks of 20 rows in the order of the rows, trained on a sliding window of the "
            "rows before, leaving a gap of 3 rows",
        ),
        ("5seeds/unpaired", "up to 5 seeds of each learner, its own, on one split"),
        ("8disjoint@200", "8 disjoint training sets of 200 items and one test set"),
        (
            "1disjoint@200/test50",
            "1 disjoint training set of 200 items and one test set of 50 items",
        ),
        (
            "55*10cv/grouped",
            "55 random partitions of 10-fold cross-validation with groups kept together",
        ),
    ],
)
def test_a_design_describes_itself_in_one_sentence(text: str, sentence: str) -> None:
    assert parse(text).describe() == sentence


def test_a_fingerprint_is_that_of_the_canonical_string() -> None:
    assert parse("10 x 10 CV").fingerprint == hashlib.sha256(b"10x10cv").hexdigest()[:16]
    assert parse("10x10cv").fingerprint != parse("10x10cv/stratified").fingerprint


def test_the_examples_run() -> None:
    found = doctest.testmod(base)
    assert found.attempted > 1
    assert found.failed == 0


# Splitters of scikit-learn


@pytest.mark.parametrize(
    ("splitter", "text"),
    [
        (sk.KFold(7), "7cv"),
        (sk.KFold(7, shuffle=True, random_state=3), "7cv"),
        (sk.StratifiedKFold(7), "7cv/stratified"),
        (sk.GroupKFold(7), "7cv/grouped"),
        (sk.StratifiedGroupKFold(7), "7cv/stratified/grouped"),
        (sk.RepeatedKFold(n_splits=7, n_repeats=3), "3x7cv"),
        (sk.RepeatedKFold(n_splits=7, n_repeats=1), "7cv"),
        (sk.RepeatedStratifiedKFold(n_splits=2, n_repeats=5), "5x2cv/stratified"),
        (sk.ShuffleSplit(30, test_size=1 / 3), "30xresampled@1/3"),
        (sk.ShuffleSplit(30), "30xresampled@1/10"),
        (sk.ShuffleSplit(30, test_size=0.1, train_size=0.5), "30xresampled@1/10/train1/2"),
        (sk.ShuffleSplit(30, train_size=0.75), "30xresampled@1/4"),
        (sk.ShuffleSplit(30, test_size=50, train_size=100), "30xresampled@50/train100"),
        (sk.StratifiedShuffleSplit(9, test_size=0.2), "9xresampled@1/5/stratified"),
        (sk.GroupShuffleSplit(9), "9xresampled@1/5/grouped"),
        (sk.LeaveOneOut(), "loo"),
    ],
)
def test_a_scikit_learn_splitter_is_recognised_with_its_numbers(
    splitter: object, text: str
) -> None:
    assert str(parse(splitter)) == text


@pytest.mark.parametrize(
    ("splitter", "words"),
    [
        (sk.PredefinedSplit([0, 1]), ("PredefinedSplit", "number of folds", "'5cv'")),
        (sk.LeaveOneGroupOut(), ("LeaveOneGroupOut", "number of folds", "'5cv'")),
        (sk.LeavePOut(2), ("LeavePOut", "corrected_t(a, b, n_train=100, n_test=2)")),
        (sk.LeavePGroupsOut(2), ("LeavePGroupsOut", "corrected_t(a, b, n_train=100, n_test=2)")),
        (sk.check_cv([([0], [1])]), ("CVIterableWrapper", "'10x10cv'")),
        (sk.GroupShuffleSplit(9, test_size=3), ("counts groups", "test_size=0.2")),
        (sk.ShuffleSplit(9, train_size=3), ("train_size=3 alone", "test_size=0.1")),
        ([([0], [1])], ("got list", "'10x10cv'")),
        (None, ("got NoneType",)),
        (True, ("got bool",)),
        (10.0, ("got float",)),
    ],
)
def test_what_is_no_design_is_refused_with_what_to_use(
    splitter: object, words: tuple[str, ...]
) -> None:
    with pytest.raises(DesignError) as refusal:
        parse(splitter)
    assert [word for word in words if word not in str(refusal.value)] == []


def test_a_class_that_only_has_a_familiar_name_is_not_recognised() -> None:
    class KFold:
        n_splits = 5

    with pytest.raises(DesignError, match="got KFold"):
        parse(KFold())


def test_neither_reading_nor_splitting_imports_scikit_learn_or_scipy() -> None:
    program = (
        "import sys; from outperform.designs import parse; list(parse('10cv').split(20)); "
        "print(*{'sklearn', 'scipy', 'pandas', 'joblib'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


# What is refused


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("10-fold", "10cv"),
        ("10 fold cv", "10cv"),
        ("cv10", "10cv"),
        ("cv=5", "5cv"),
        ("kfold", "10cv"),
        ("1-fold", "10cv"),
        ("stratified 5-fold", "5cv/stratified"),
        ("10cv/strat", "10cv/stratified"),
        ("group kfold", "10cv/grouped"),
        ("10x10", "10x10cv"),
        ("5 x 2 fold", "5x2cv"),
        ("repeated kfold", "10x10cv"),
        ("leave-one-out", "loo"),
        ("loo/strat", "loo"),
        ("train/test split", "holdout@1/3"),
        ("30 resamples", "30xresampled@1/3"),
        ("30xresampled", "30xresampled@1/3"),
        ("shuffle", "30xresampled@1/3"),
        ("10x15 halvings", "10x15halves@1/10"),
        ("5x5cv with 20 halves", "5x5cv+20halves"),
        ("delve", "8disjoint@200"),
        ("lo0", "loo"),
    ],
)
def test_an_unreadable_string_is_answered_with_what_was_meant(text: str, meant: str) -> None:
    with pytest.raises(DesignError) as refusal:
        parse(text)
    said = str(refusal.value)
    assert said.startswith(f"{text!r} is not a design; valid forms are 10cv, 10x10cv")
    assert f"did you mean {meant!r}" in said
    assert str(parse(meant)) == meant


def test_a_string_like_nothing_gets_an_example() -> None:
    with pytest.raises(DesignError, match=r"'banana' is not a design.*use for example '10x10cv'$"):
        parse("banana")


@pytest.mark.slow
@given(st.text(max_size=20) | st.from_regex(r"[0-9x*@/.%cvlo]{1,12}", fullmatch=True))
def test_any_other_text_is_refused_as_no_design(text: str) -> None:
    try:
        design = parse(text)
    except DesignError:
        return
    assert parse(str(design)) == design


def test_thousands_of_digits_are_no_design() -> None:
    with pytest.raises(DesignError, match="is not a design"):
        parse("9" * 5000 + "cv")


def test_every_habit_leads_to_a_design() -> None:
    for form in HABITS.values():
        parse(form.format(3, 3))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: parse("0cv"), "folds must be an integer of at least 2, got 0"),
        (lambda: parse("1cv"), "folds must be an integer of at least 2, got 1"),
        (lambda: parse("0x10cv"), "repeats must be an integer of at least 1, got 0"),
        (lambda: parse("0*10cv"), "count must be an integer of at least 1, got 0"),
        (lambda: parse("holdout@0"), "test must be a fraction between 0 and 1 .* got 0"),
        (lambda: parse("holdout@1.0"), "test must be a fraction between 0 and 1"),
        (lambda: parse("holdout@100%"), "test must be a fraction between 0 and 1"),
        (lambda: parse("holdout@3/2"), "test must be a fraction between 0 and 1"),
        (lambda: parse("holdout@1/0"), "test must be a fraction between 0 and 1"),
        (lambda: parse("9xresampled@1/2/train2/3"), "test 1/2 and train 2/3 add up to more"),
        (lambda: parse("9xresampled@1/2/train0"), "train must be a fraction"),
        (lambda: parse("2x2halves@1/2"), "test must be less than half of the items, got 1/2"),
        (lambda: parse("2disjoint@0"), "size must be an integer of at least 1"),
        (lambda: Holdout(float("nan")), "got nan"),
        (lambda: Holdout(float("inf")), "got inf"),
        (lambda: Holdout(True), "got True"),
        (lambda: Holdout(None), "got None"),
        (lambda: Holdout(-3), "got -3"),
        (lambda: KFold(2.5), "folds must be an integer of at least 2, got 2.5"),
        (lambda: KFold(True), "folds must be an integer of at least 2, got True"),
        (lambda: KFold(5, stratified="no"), "stratified must be True or False, got 'no'"),
        (
            lambda: RepeatedKFold(1, 10),
            r"repeats must be at least 2, got 1; one repeat is KFold\(10",
        ),
        (
            lambda: parse("loo/stratified"),
            "LeaveOneOut cannot be stratified; use '5cv/stratified'",
        ),
        (
            lambda: parse("loo/grouped"),
            "LeaveOneOut cannot be grouped; use '5cv/grouped', with at most as many folds as",
        ),
        (lambda: parse("2x2halves@1/5/grouped"), "PairedHalves cannot be grouped"),
        (lambda: parse("2disjoint@5/grouped"), "DisjointTrainSets cannot be grouped"),
        (lambda: parse("5*2x2halves@1/5"), "2x2halves@1/5 has no independent partitions"),
        (lambda: parse("5*loo"), "loo has no independent partitions"),
        (lambda: parse("5*5*10cv"), r"5\*10cv has no independent partitions"),
    ],
)
def test_a_design_that_cannot_be_is_refused(make: Callable[[], object], complaint: str) -> None:
    with pytest.raises(DesignError, match=complaint):
        make()


@pytest.mark.parametrize(
    ("text", "how", "complaint"),
    [
        ("10cv", {"n": 7}, "7 items are not enough for 10 folds; use at most '7cv', or 'loo'"),
        ("loo", {"n": 1}, "n must be an integer of at least 2, got 1"),
        ("holdout@1/3", {"n": 1}, "n must be an integer of at least 2, got 1"),
        ("10cv", {"n": 20.0}, "n must be an integer of at least 2, got 20.0"),
        ("holdout@12", {}, "a test set of 12 items leaves none of the 12"),
        ("9xresampled@5/train8", {}, "8 training and 5 test items exceed the 12"),
        ("9xresampled@9/train1/2", {}, "6 training and 9 test items exceed the 12"),
        ("2x2halves@6", {}, r"half of 12 items \(6\) is too small for 6 test items"),
        ("2x2halves@1/10", {"n": 3}, r"half of 3 items \(1\) is too small for 1 test item"),
        (
            "3disjoint@4",
            {},
            "3 disjoint training sets of 4 items and 1 test item need 13 items, got",
        ),
        ("3disjoint@3/test1/2", {}, "3 items and 6 test items need 15 items, got 12"),
        ("3cv/stratified", {}, "3cv/stratified needs the class of each item; pass y"),
        ("3cv/grouped", {}, "3cv/grouped needs the group of each item; pass groups"),
        (
            "3cv",
            {"groups": GROUPS},
            "3cv would split groups between training and test sets; use '3cv/grouped', or",
        ),
        ("7cv/grouped", {"groups": GROUPS}, "6 groups are not enough for 7 folds"),
        ("holdout/grouped", {"groups": ["a"] * 12}, "at least 2 groups, got 1"),
        ("3cv/stratified", {"y": np.linspace(0, 1, 12)}, "stratification needs classes"),
        ("3cv/stratified", {"y": CLASSES[:5]}, "y must contain one label for each of 12 items"),
        ("3cv", {"random_state": None}, "random_state must be an integer, got None; draw one"),
        ("3cv", {"random_state": -1}, "random_state must be an integer of at least 0, got -1"),
        ("3cv", {"random_state": True}, "random_state must be an integer of at least 0, got True"),
        ("3cv", {"random_state": 1.0}, "random_state must be an integer of at least 0, got 1.0"),
    ],
)
def test_data_that_cannot_be_split_are_refused_before_the_first_split(
    text: str, how: dict[str, object], complaint: str
) -> None:
    with pytest.raises(DesignError, match=complaint):
        parse(text).split(**{"n": 12, **how})


@pytest.mark.parametrize("n_groups", [2, 3, 6, 12])
@pytest.mark.parametrize(
    "text",
    [
        *("3cv", "10cv", "10x10cv", "5x2cv", "3cv/stratified", "2x3cv/stratified", "loo"),
        *("holdout@1/3", "4xresampled@1/4", "4xresampled@1/4/train1/2", "2x2halves@1/6"),
        *("2disjoint@3", "3*2cv", "3*2disjoint@3", "3*10x10cv"),
    ],
)
def test_the_design_named_instead_keeps_the_groups_there_are(text: str, n_groups: int) -> None:
    data = {"y": CLASSES, "groups": [item % n_groups for item in range(12)]}
    with pytest.raises(
        DesignError, match="would split groups between training and test sets"
    ) as refusal:
        parse(text).split(12, **data)
    (named,) = re.findall(r"use '(.*?)', or pass no groups", str(refusal.value))
    for split in parse(named).split(12, **data):
        assert not {item % n_groups for item in split.train} & {i % n_groups for i in split.test}
    assert all(parse(text.replace("10", "3")).split(12, y=CLASSES))  # no groups


@pytest.mark.parametrize("text", ["3cv", "3cv/grouped", "holdout/grouped", "2x2halves@1/6"])
def test_one_group_cannot_be_split_and_what_is_said_works(text: str) -> None:
    with pytest.raises(DesignError, match="pass no groups"):
        parse(text).split(12, groups=["a"] * 12)
    assert all(parse(text.removesuffix("/grouped")).split(12))


@pytest.mark.parametrize("text", ["loo", "2x2halves@1/6", "2disjoint@3"])
def test_what_cannot_be_grouped_names_what_can(text: str) -> None:
    with pytest.raises(DesignError, match="cannot be grouped") as refusal:
        parse(f"{text}/grouped")
    (named,) = re.findall(r"use '(.*?)', with at most", str(refusal.value))
    assert all(parse(named).split(12, groups=GROUPS))


def test_too_many_folds_for_the_groups_name_as_many_as_there_are() -> None:
    with pytest.raises(DesignError, match="6 groups are not enough for 7 folds") as refusal:
        parse("2x7cv/grouped").split(12, groups=GROUPS)
    (named,) = re.findall(r"use at most '(.*?)'", str(refusal.value))
    assert all(parse(named).split(12, groups=GROUPS))


def test_what_is_said_of_splitters_that_describe_no_design_works() -> None:
    a, b = [0.8, 0.7, 0.9, 0.8, 0.6], [0.7, 0.7, 0.8, 0.6, 0.6]
    for splitter in (sk.LeaveOneGroupOut(), sk.PredefinedSplit([0, 1])):
        with pytest.raises(DesignError, match="such as '5cv' for 5 folds"):
            op.methods.corrected_t(a, b, design=splitter)
    assert op.methods.corrected_t(a, b, design="5cv").df == 4
    with pytest.raises(DesignError, match="pass the sizes of its splits instead"):
        op.methods.corrected_t(a, b, design=sk.LeavePOut(2))
    assert op.methods.corrected_t(a, b, n_train=100, n_test=2).df == 4


def test_numpy_integers_serve_as_numbers_of_items_and_seeds() -> None:
    numpys = parse("3cv").split(np.int64(12), random_state=np.uint8(5))
    assert [plain(s) for s in numpys] == [plain(s) for s in splits("3cv", random_state=5)]


def test_a_class_with_fewer_members_than_folds_is_split_all_the_same() -> None:
    with_c = [split for split in splits("3cv/stratified") if 11 in split.test]
    assert len(with_c) == 1
