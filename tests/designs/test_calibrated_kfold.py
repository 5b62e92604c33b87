"""The calibrated design: cross-validation of all data and of both halves of random halvings."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import outperform as op
from outperform import CalibratedKFold, DesignError, parse
from outperform.designs import Split

VARIANTS = ["", "/stratified", "/grouped", "/stratified/grouped"]
Y = np.arange(201) % 3 == 0
GROUPS = np.arange(201) // 4


def made(text: str, n: int = 201, seed: int = 3) -> dict[tuple[int, int, int], Split]:
    design = parse(text)
    y, groups = Y[:n] if design.stratified else None, GROUPS[:n] if design.grouped else None
    return {split[:3]: split for split in design.split(n, y, groups, random_state=seed)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_small_design_is_contained_in_the_large_one_bit_by_bit(variant: str) -> None:
    small, large = made(f"5x5cv+20halves{variant}"), made(f"10x5cv+40halves{variant}")
    assert len(small) == 225
    assert len(large) == 450
    for address, split in small.items():
        assert (split.train == large[address].train).all()
        assert (split.test == large[address].test).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_halves_are_disjoint_and_each_is_cross_validated_once(variant: str) -> None:
    splits = made(f"3x4cv+6halves{variant}")
    for m in range(1, 7):
        halves = []
        for side in (0, 1):
            folds = [splits[m, side, fold] for fold in range(4)]
            items = np.sort(np.concatenate([fold.test for fold in folds]))
            for fold in folds:
                both = np.sort(np.concatenate([fold.train, fold.test]))
                assert (both == items).all()
            halves.append(items)
        assert np.unique(np.concatenate(halves)).size == halves[0].size + halves[1].size
        if "grouped" in variant:  # 51 groups: 25 in each half, one left out, none torn
            groups = [set(GROUPS[half].tolist()) for half in halves]
            assert [len(each) for each in groups] == [25, 25]
            assert not groups[0] & groups[1]
        else:  # an odd number of items: one is left out
            assert [half.size for half in halves] == [100, 100]


def test_halves_are_simple_random_samples_though_folds_are_stratified() -> None:
    splits = made("2x5cv+300halves/stratified", n=200)
    y = Y[:200]
    in_half, in_fold = [], []
    for m in range(1, 301):
        tests = [splits[m, 0, fold].test for fold in range(5)]
        in_half.append(int(y[np.concatenate(tests)].sum()))
        in_fold.append(np.ptp([int(y[test].sum()) for test in tests]))
    share = y.mean()
    expected = 100 * share * (1 - share) * 100 / 199  # hypergeometric
    assert 0.75 * expected < np.var(in_half) < 1.3 * expected
    assert max(in_fold) <= 1


def test_the_whole_is_cross_validated_as_repeated_k_fold_is() -> None:
    calibrated, repeated = made("4x5cv+2halves"), made("4x5cv")
    assert all((calibrated[at].test == split.test).all() for at, split in repeated.items())


def test_halvings_and_the_folds_of_both_sides_are_draws_of_their_own() -> None:
    splits = made("2x5cv+30halves", n=200)
    halves = [
        frozenset(np.concatenate([splits[m, 0, f].test for f in range(5)]).tolist())
        for m in range(1, 31)
    ]
    assert len(set(halves)) == 30
    places = [
        np.searchsorted(
            np.sort([*splits[1, s, 0].train, *splits[1, s, 0].test]), splits[1, s, 0].test
        )
        for s in (0, 1)
    ]
    assert places[0].tolist() != places[1].tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1x5cv+20halves", "is not a design"),
        ("5x1cv+20halves", "folds must be an integer of at least 2, got 1"),
        ("5x5cv+1halves", "halvings must be an integer of at least 2, got 1"),
        ("7*5x5cv+20halves", "has no independent partitions"),
        ("5x5cv+20halves/given", "cannot be given"),
    ],
)
def test_designs_that_cannot_be_are_refused(text: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        parse(text)


def test_groups_are_as_many_as_four_for_each_fold() -> None:
    groups = np.arange(60) // 3
    assert len(list(parse("2x5cv+2halves/grouped").split(60, groups=groups))) == 30
    with pytest.raises(
        DesignError, match="at least 20 groups, 4 for each fold, got 19; use '2x4cv"
    ):
        parse("2x5cv+2halves/grouped").split(57, groups=groups[:57])
    with pytest.raises(
        DesignError,
        match=r"split groups between training and test sets; use '5x4cv\+20halves/grouped'",
    ):
        CalibratedKFold().split(57, groups=groups[:57])


@pytest.mark.slow
def test_every_fit_has_a_seed_of_its_own_and_runs_are_the_same_for_any_number_of_workers() -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = np.arange(80) % 2
    models = {"bayes": GaussianNB(), "guess": DummyClassifier(strategy="uniform")}
    one, two = (
        op.run(models, X, y, design="2x4cv+3halves", random_state=1, n_jobs=n) for n in (1, 2)
    )
    assert one.digest() == two.digest()
    assert one.n_splits == 32
    assert one.addresses.tolist() == op.parse("2x4cv+3halves").addresses().tolist()
    assert np.unique(one.n_train).tolist() == [30, 60]


@pytest.mark.parametrize(
    ("y", "scoring", "advice"),
    [
        (np.arange(60) % 12 == 0, None, "a class.*'5x.cv.2halves/stratified'"),
        (np.arange(60) % 6 == 0, "roc_auc", "roc_auc is undefined in .*'5x.cv.2halves/stratified'"),
        (np.arange(60) == 0, None, "smallest class has 1 item.*'10x10cv/stratified'"),
    ],
)
def test_halves_that_lack_a_class_are_refused_before_anything_is_fitted(
    y: np.ndarray, scoring: str | None, advice: str
) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(DesignError, match=advice):
        op.run(
            {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)},
            *(X, y),
            design="5x5cv+2halves",
            scoring=scoring,
            random_state=1,
        )
