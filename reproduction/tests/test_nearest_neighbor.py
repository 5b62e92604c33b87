"""The nearest neighbour: its distances, its ties, and splits that share them."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import outperform as op
from outperform import DataError
from reproduction import datasets
from reproduction.learners import NearestNeighbor
from weka_oracle import IB1, Table, halves, load_table, weka_splits

Split = tuple[Any, Any]

# Quick ones of each kind: numeric, nominal, mixed, with missing values of both kinds.
SAMPLED = ("iris", "labor", "breast-cancer", "hepatitis", "glass", "monk2", "zoo", "autos")


# None is excepted; the check of array libraries asks to be left out where SCIPY_ARRAY_API is unset.
@parametrize_with_checks([NearestNeighbor(), NearestNeighbor(normalize=True)])
def test_scikit_learns_checks_hold(estimator: Any, check: Any) -> None:
    try:
        check(estimator)
    except SkipTest as why:
        if "SCIPY_ARRAY_API" not in str(why):
            raise


def folds(n: int, k: int, seed: int, *, sort: bool = True) -> list[Split]:
    rng = np.random.default_rng(seed)
    parts = np.array_split(rng.permutation(n), k)
    rest = [np.concatenate([p for j, p in enumerate(parts) if j != i]) for i in range(k)]
    order = np.sort if sort else np.asarray
    return [(order(train), order(test)) for train, test in zip(rest, parts, strict=True)]


def one_by_one(learner: Any, X: Any, y: Any, splits: list[Split]) -> list[Any]:
    return [clone(learner).fit(X[a], y[a]).predict(X[b]) for a, b in splits]


def assert_shares(learner: Any, X: Any, y: Any, splits: list[Split]) -> None:
    shared = clone(learner).fit_predict_splits(X, y, splits)
    alone = one_by_one(learner, X, y, splits)
    for number, (ours, wanted) in enumerate(zip(shared, alone, strict=True)):
        np.testing.assert_array_equal(ours, wanted, err_msg=f"split {number}")


def by_hand(
    train: Any, test: Any, weights: Any, nominal: Any, *, normalize: bool, wide: Any = None
) -> Any:
    """Return the first nearest training row by Weka's rules, written plainly."""
    known = train if wide is None else wide
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    answers = []
    for a in test:
        sums = []
        for b in train:
            total = 0.0
            for j, w in enumerate(weights):
                if nominal[j]:
                    difference = float(a[j] != b[j])
                elif np.isnan(a[j]) and np.isnan(b[j]):
                    difference = 1.0 if normalize else high[j] - low[j]
                else:
                    unit = (high[j] - low[j]) if normalize else 1.0
                    start = low[j] if normalize else 0.0
                    u, v = (a[j] - start) / unit, (b[j] - start) / unit
                    if np.isnan(u) or np.isnan(v):
                        value = v if np.isnan(u) else u
                        ends = (0, 1) if normalize else (low[j], high[j])
                        difference = max(value - ends[0], ends[1] - value)
                    else:
                        difference = u - v
                total += w * difference**2
            sums.append(total)
        answers.append(int(np.argmin(np.round(sums, 9))))
    return answers


@pytest.mark.requirement("D-41", "D-42", "R-15", "N-26")
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("holes", [0.0, 0.15])
def test_distances_follow_the_rules(normalize: bool, holes: float) -> None:
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(60, 2)), rng.integers(0, 3, (60, 2)), rng.random(60)])
    X[rng.random(X.shape) < holes] = np.nan
    nominal = np.array([False, False, True, True, False])
    weights = np.array([1.0, 0.3, 2.0, 0.0, 5.0])
    learner = NearestNeighbor(weights=weights, normalize=normalize, nominal=nominal)
    learner.fit(X[:40], np.arange(40))
    wanted = by_hand(X[:40], X[40:], weights, nominal, normalize=normalize)
    assert learner.predict(X[40:]).tolist() == wanted


@pytest.mark.requirement("D-41")
def test_it_is_scikit_learns_first_neighbour() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(900, 7)), rng.integers(0, 5, 900)
    ours = NearestNeighbor().fit(X[:600], y[:600])
    theirs = KNeighborsClassifier(1).fit(X[:600], y[:600])
    np.testing.assert_array_equal(ours.predict(X[600:]), theirs.predict(X[600:]))
    np.testing.assert_array_equal(ours.predict_proba(X[600:]), theirs.predict_proba(X[600:]))


@pytest.mark.requirement("D-42", "N-26")
def test_weights_damage_the_metric_as_stretched_columns_do() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(500, 4)), rng.integers(0, 9, 500)
    weights = np.array([9.0, 0.25, 1.0, 0.0])
    damaged = NearestNeighbor(weights=weights).fit(X[:300], y[:300]).predict(X[300:])
    stretched = X * np.sqrt(weights)
    plain = NearestNeighbor().fit(stretched[:300], y[:300]).predict(stretched[300:])
    np.testing.assert_array_equal(damaged, plain)
    assert (damaged != NearestNeighbor().fit(X[:300], y[:300]).predict(X[300:])).any()


@pytest.mark.parametrize("n", [20, 2000])
def test_of_several_as_near_the_first_in_training_wins(n: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n, 2)).astype(float)
    first = {}
    for i, row in enumerate(map(tuple, X.tolist())):
        first.setdefault(row, i)
    found = NearestNeighbor().fit(X, np.arange(n)).predict(X)
    assert found.tolist() == [first[tuple(row)] for row in X.tolist()]


def test_far_from_the_origin_the_nearest_is_still_the_nearest() -> None:
    rng = np.random.default_rng(5)
    X = rng.random((400, 3)) * 1e-3 + 1e6
    test = X[:300] + rng.random((300, 3)) * 1e-7
    found = NearestNeighbor().fit(X, np.arange(400)).predict(test)
    squares = ((test[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(found, squares.argmin(axis=1))


@pytest.mark.parametrize("sort", [True, False], ids=["sorted", "shuffled"])
@pytest.mark.parametrize("kind", ["smooth", "tied", "nominal", "mixed", "holes", "hollow nominal"])
@pytest.mark.parametrize("normalize", [False, True, "widening"])
def test_splits_that_share_answer_as_one_by_one(kind: str, sort: bool, normalize: Any) -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(150, 4))
    nominal: Any = None
    if kind == "tied":
        X = rng.integers(0, 3, X.shape).astype(float)
    if kind in ("nominal", "hollow nominal"):
        X, nominal = rng.integers(0, 3, X.shape).astype(float), "all"
    if kind == "mixed":
        X[:, :2], nominal = rng.integers(0, 4, (150, 2)), [0, 1]
    if kind in ("holes", "hollow nominal"):
        X[rng.random(X.shape) < 0.1] = np.nan
    splits = [*folds(150, 10, 0, sort=sort), *folds(150, 2, 1, sort=sort)]
    splits += [(np.arange(10), np.arange(40, 90)), (np.arange(5), np.arange(5))]
    learner = NearestNeighbor(nominal=nominal, normalize=normalize, weights=[1, 2, 0.5, 1])
    assert_shares(learner, X, rng.permutation(150), splits)


def test_splits_share_when_all_kept_neighbours_are_tested() -> None:
    rng = np.random.default_rng(8)
    centres = np.repeat(np.arange(4) * 100.0, 50)
    X = rng.normal(size=(200, 3)) + centres[:, None]
    splits = [(np.flatnonzero(centres != c), np.flatnonzero(centres == c)) for c in set(centres)]
    assert_shares(NearestNeighbor(), X, np.arange(200), splits)


@pytest.mark.requirement("R-15")
@pytest.mark.needs("datasets")
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("name", SAMPLED)
def test_datasets_share_as_one_by_one(name: str, normalize: bool) -> None:
    found = datasets.load(name)
    splits = folds(len(found.y), 5, 2)
    assert_shares(NearestNeighbor(normalize=normalize), found.X, found.y, splits)


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("name", sorted({*datasets.names()} - {*SAMPLED, "boston"}))
def test_every_other_dataset_shares_as_one_by_one(name: str, normalize: bool) -> None:
    found = datasets.load(name)
    rows = np.random.default_rng(0).permutation(len(found.y))[:700]
    X, y = found.X[rows], found.y[rows]
    assert_shares(NearestNeighbor(normalize=normalize), X, y, folds(len(y), 3, 2))


def test_the_engine_gets_the_same_scores_with_and_without_sharing() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 3, 90)
    run = op.run({"nn": NearestNeighbor()}, X, y, design="2x5cv", random_state=1)
    splits = [(a, b) for *_, a, b in op.parse("2x5cv").split(90, y, random_state=1)]
    alone = [np.mean(NearestNeighbor().fit(X[a], y[a]).predict(X[b]) == y[b]) for a, b in splits]
    np.testing.assert_allclose(np.asarray(run.values).ravel(), alone)


def test_a_clone_and_a_pickle_answer_alike() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    learner = NearestNeighbor(weights=[1, 2, 3], normalize=True).fit(X, y)
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.predict(X + 0.1), learner.predict(X + 0.1))
    np.testing.assert_array_equal(clone(learner).fit(X, y).predict(X + 1), learner.predict(X + 1))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": [1, 2]}, "weights must be 3 finite non-negative numbers"),
        ({"weights": [1, -1, 0]}, "non-negative"),
        ({"weights": [1, np.nan, 0]}, "finite"),
        ({"normalize": "widen"}, "normalize='widening'"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        NearestNeighbor(**parameters).fit(np.ones((4, 3)), [0, 1, 0, 1])


def weka_agreement(table: Table, learner: Any, splits: list[Split]) -> float:
    theirs = weka_splits(IB1, "", table, splits)
    ours = learner.fit_predict_splits(table.X, table.y, splits)
    return float(np.mean([np.mean(a == b) for a, b in zip(ours, theirs, strict=True)]))


@pytest.mark.slow
@pytest.mark.requirement("R-15")
@pytest.mark.needs("datasets", "weka")
def test_widening_ranges_is_wekas_ib1_and_fixed_ones_nearly() -> None:
    fixed = []
    for name in SAMPLED:
        table = load_table(Path(os.environ["OUTPERFORM_DATA"]), name)
        splits = halves(len(table.y), count=3, seed=4)
        nominal = table.nominal
        widening = NearestNeighbor(normalize="widening", nominal=nominal)
        assert weka_agreement(table, widening, splits) == 1
        plain = NearestNeighbor(normalize=True, nominal=nominal)
        fixed.append(weka_agreement(table, plain, splits))
    assert np.mean(fixed) >= 0.98


@pytest.mark.parametrize("tested", [0.02, 0.1, 0.5, 0.9])
def test_shared_answers_equal_refits_whatever_share_of_the_items_is_tested(tested: float) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 4, (120, 3)).astype(float), rng.integers(0, 5, 120)
    splits = []
    for _ in range(40):
        order = rng.permutation(120)
        cut = int(tested * 120) + int(rng.integers(2))
        splits.append((order[cut:], order[:cut]))
    shared = NearestNeighbor().fit_predict_splits(X, y, splits)
    for (train, test), found in zip(splits, shared, strict=True):
        alone = NearestNeighbor().fit(X[train], y[train]).predict(X[test])
        np.testing.assert_array_equal(found, alone)


def test_no_splits_give_no_answers() -> None:
    assert NearestNeighbor().fit_predict_splits(np.eye(3), [0, 1, 1], []) == []
