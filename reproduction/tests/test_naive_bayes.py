"""Naive Bayes: Weka's, scikit-learn's, the discretised one; alone, in splits, and in batches."""

from __future__ import annotations

import math
import os
import pickle
from pathlib import Path
from statistics import NormalDist
from typing import Any
from unittest import SkipTest

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from outperform import DataError
from reproduction import datasets
from reproduction.learners import NaiveBayes
from reproduction.learners.naive_bayes import bins, count_errors, cuts, predict_binary
from weka_oracle import NAIVE_BAYES, halves, load_table, weka_splits

Split = tuple[Any, Any]
SAMPLED = ("iris", "labor", "breast-cancer", "hepatitis", "glass", "monk2", "zoo", "autos")
FORMS = {
    "weka": NaiveBayes(),
    "gaussian": NaiveBayes(variant="gaussian"),
    "discretised": NaiveBayes(discretize=True),
}


# None is excepted; the check of array libraries asks to be left out where SCIPY_ARRAY_API is unset.
@parametrize_with_checks(list(FORMS.values()))
def test_scikit_learns_checks_hold(estimator: Any, check: Any) -> None:
    try:
        check(estimator)
    except SkipTest as why:
        if "SCIPY_ARRAY_API" not in str(why):
            raise


def folds(n: int, k: int, seed: int) -> list[Split]:
    parts = np.array_split(np.random.default_rng(seed).permutation(n), k)
    return [(np.setdiff1d(np.arange(n), part), np.sort(part)) for part in parts]


def assert_shares(learner: Any, X: Any, y: Any, splits: list[Split]) -> None:
    shared = clone(learner).fit_predict_splits(X, y, splits)
    for number, (ours, (train, test)) in enumerate(zip(shared, splits, strict=True)):
        alone = clone(learner).fit(X[train], y[train]).predict(X[test])
        np.testing.assert_array_equal(ours, alone, err_msg=f"split {number}")


@pytest.mark.requirement("R-15")
def test_wekas_estimates_are_those_worked_by_hand() -> None:
    # Distinct values 1, 2, 4, 7: precision 2, so 1 → 0 (half to even), 2 → 2, 4 → 4, 7 → 8.
    X = pl.DataFrame(
        {
            "x": [1.0, 2.0, 4.0, 7.0, None],
            "c": pl.Series(["u", "v", "u", "u", "v"], dtype=pl.Enum(["u", "v", "w"])),
        }
    )
    y = np.array(["a", "a", "b", "b", "b"])
    learner = NaiveBayes().fit(X, y)
    new = pl.DataFrame(
        {"x": [3.2, None], "c": pl.Series(["w", "u"], dtype=pl.Enum(["u", "v", "w"]))}
    )
    a, b = NormalDist(1, 1), NormalDist(6, 2)  # of 0, 2 and of 4, 8
    x = 4.0  # 3.2 rounded

    def interval(law: NormalDist) -> float:
        return law.cdf(x + 1) - law.cdf(x - 1)

    first = (3 / 7 * interval(a) * 1 / 5, 4 / 7 * interval(b) * 1 / 6)
    second = (3 / 7 * 2 / 5, 4 / 7 * 3 / 6)
    wanted = [[p / sum(pair) for p in pair] for pair in (first, second)]
    np.testing.assert_allclose(learner.predict_proba(new), wanted, rtol=1e-12)
    logs = learner.predict_log_proba(new)
    np.testing.assert_allclose(np.exp(logs), learner.predict_proba(new))


@pytest.mark.requirement("R-15")
def test_a_constant_column_has_wekas_default_precision() -> None:
    X, y = np.array([[5.0], [5.0], [5.0]]), np.array([0, 0, 1])
    learner = NaiveBayes().fit(X, y)
    # Both classes: mean 5, standard deviation 0.01 / 6; only the prior tells them apart.
    np.testing.assert_allclose(learner.predict_proba([[5.0]]), [[3 / 5, 2 / 5]])
    # Nothing is less probable than 1e-75.
    np.testing.assert_allclose(learner.predict_proba([[900.0]]), [[3 / 5, 2 / 5]])


@pytest.mark.requirement("B-09")
def test_cuts_are_fayyad_and_iranis() -> None:
    classes = np.repeat([0, 1, 0], 20)
    values = np.arange(60.0)
    np.testing.assert_array_equal(cuts(values, classes, 2), [19.5, 39.5])
    np.testing.assert_array_equal(cuts(values, np.arange(60) % 2, 2), [])
    np.testing.assert_array_equal(cuts(np.full(60, 1.0), classes, 2), [])
    holes = np.where(np.arange(60) % 7 == 3, np.nan, values)
    np.testing.assert_array_equal(cuts(holes, classes, 2), [19.5, 39.5])
    at = np.array([19.5, 39.5])
    np.testing.assert_array_equal(
        bins(np.array([0, 19.5, 20, 99, np.nan]), at), [0, 0, 1, 2, np.nan]
    )


@pytest.mark.requirement("B-09")
def test_a_cut_is_kept_exactly_when_the_gain_pays_for_it() -> None:
    # One item of a class below n - 1 of the other; in bits, H is the entropy of all.
    kept = []
    for n in range(2, 30):
        rare = 1 / n
        H = -rare * math.log2(rare) - (1 - rare) * math.log2(1 - rare)
        cost = (math.log2(n - 1) + math.log2(7) - 2 * H) / n
        found = cuts(np.arange(float(n)), np.array([0] + [1] * (n - 1)), 2)
        assert found.tolist() == ([0.5] if cost < H else [])
        kept.append(found.size)
    assert 0 < sum(kept) < len(kept)
    # Two of three right on either side of the middle: 0.459 bits are gained, 0.792 are needed.
    assert cuts(np.arange(6.0), np.array([0, 0, 1, 0, 1, 1]), 2).size == 0


@pytest.mark.parametrize("n_classes", [2, 26])
def test_the_gaussian_form_answers_as_gaussian_nb(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    y = np.arange(600) % n_classes
    X = rng.normal(size=(600, 5)) * 3 + y[:, None] * 0.4 + 50
    ours, theirs = NaiveBayes(variant="gaussian").fit(X[:400], y[:400]), GaussianNB()
    theirs.fit(X[:400], y[:400])
    np.testing.assert_array_equal(ours.predict(X[400:]), theirs.predict(X[400:]))
    wanted = theirs.predict_proba(X[400:])
    np.testing.assert_allclose(ours.predict_proba(X[400:]), wanted, rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("n_classes", [2, 26])
def test_the_nominal_form_answers_as_categorical_nb(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    y = np.arange(600) % n_classes
    X = (rng.integers(0, 4, (600, 6)) + (rng.random((600, 6)) < 0.4) * y[:, None]) % 4
    ours = NaiveBayes(variant="gaussian", nominal="all").fit(X[:400], y[:400])
    theirs = CategoricalNB(alpha=1).fit(X[:400], y[:400])
    wanted = theirs.predict_proba(X[400:])
    np.testing.assert_allclose(ours.predict_proba(X[400:]), wanted, rtol=1e-10)


def test_missing_values_are_left_out_of_the_product() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 3
    for learner in FORMS.values():
        whole = clone(learner).fit(X, y)
        blank = X[:10].copy()
        blank[:, 1] = np.nan
        rest = clone(learner).fit(X[:, [0, 2]], y)
        if learner.variant == "gaussian":  # its variances grow by the largest of all columns
            np.testing.assert_allclose(
                whole.predict_proba(blank), rest.predict_proba(X[:10][:, [0, 2]]), rtol=1e-6
            )
        else:
            np.testing.assert_allclose(
                whole.predict_proba(blank), rest.predict_proba(X[:10][:, [0, 2]]), rtol=1e-12
            )


@pytest.mark.parametrize("learner", FORMS.values(), ids=FORMS)
def test_a_class_or_column_without_values_is_no_error(learner: Any) -> None:
    X = np.array([[1.0, np.nan, np.nan], [2.0, np.nan, np.nan], [5.0, 1, np.nan], [6.0, 2, np.nan]])
    y = np.array([0, 0, 1, 1])
    found = clone(learner).fit(X, y).predict_proba([[1.5, 1.5, 3.0], [np.nan] * 3])
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found[1], 0.5)


def test_equal_probabilities_give_the_first_class_whatever_the_order_of_sums() -> None:
    # Swapping the classes swaps the counts of the columns in pairs, so that all products tie.
    X = np.array([[0, 1, 0, 1, 1], [1, 0, 1, 0, 0]] * 3)
    y = np.array([0, 1] * 3)
    learner = NaiveBayes(nominal="all").fit(X, y)
    tied = np.array([[0, 0, 1, 1, np.nan]])
    np.testing.assert_array_equal(learner.predict_proba(tied), [[0.5, 0.5]])
    assert learner.predict(tied).tolist() == [0]


KINDS = ("numbers", "nominal", "declared", "mixed", "holes", "rare")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("learner", FORMS.values(), ids=FORMS)
def test_splits_that_share_answer_as_one_by_one(learner: Any, kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    y = rng.permutation(np.arange(160) % 5)
    X: Any = rng.normal(size=(160, 6)) + y[:, None] * 0.3
    X[:, 5] = 7.25
    nominal: Any = None
    if kind in ("nominal", "declared", "rare"):
        X, nominal = rng.integers(0, 12 if kind == "rare" else 3, X.shape).astype(float), "all"
    if kind in ("mixed", "holes"):
        X[:, :3], nominal = rng.integers(0, 3, (160, 3)), [0, 1, 2]
    if kind == "holes":
        X[rng.random(X.shape) < 0.2] = np.nan
    if kind == "declared":
        levels = pl.Enum(["0", "1", "2", "3"])
        words = {f"x{j}": pl.Series(X[:, j].astype(int).astype(str)) for j in range(6)}
        X, nominal = pl.DataFrame({k: v.cast(levels) for k, v in words.items()}), None
    splits = [*folds(160, 10, 0), *folds(160, 2, 1)]
    one_class = np.flatnonzero(y == 2)
    splits += [(one_class, np.arange(9)), (np.array([3, 3, 3, 8, 8, 20, 41]), np.arange(50))]
    assert_shares(clone(learner).set_params(nominal=nominal), X, y, splits)


@pytest.mark.requirement("R-15", "B-09")
@pytest.mark.needs("datasets")
@pytest.mark.parametrize("learner", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", SAMPLED)
def test_datasets_share_as_one_by_one(name: str, learner: Any) -> None:
    found = datasets.load(name)
    assert_shares(learner, found.X, found.y, folds(len(found.y), 4, 2))


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.parametrize("learner", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", sorted({*datasets.names()} - {*SAMPLED, "boston"}))
def test_every_other_dataset_shares_as_one_by_one(name: str, learner: Any) -> None:
    found = datasets.load(name)
    rows = np.random.default_rng(0).permutation(len(found.y))[:700]
    assert_shares(learner, found.X[rows], found.y[rows], folds(len(rows), 3, 2))


@pytest.mark.slow
@pytest.mark.requirement("R-15", "B-09")
@pytest.mark.needs("datasets", "weka")
@pytest.mark.parametrize(("options", "learner"), [("", NaiveBayes()), ("-D", FORMS["discretised"])])
def test_weka_predicts_the_same(options: str, learner: Any) -> None:
    shares = []
    for name in datasets.BOUCKAERT_FRANK:
        table = load_table(Path(os.environ["OUTPERFORM_DATA"]), name)
        splits = halves(len(table.y), count=10, seed=1)
        theirs = weka_splits(NAIVE_BAYES, options, table, splits)
        ours = learner.fit_predict_splits(datasets.load(name).X, table.y, splits)
        shares.append(np.mean([np.mean(a == b) for a, b in zip(ours, theirs, strict=True)]))
    assert np.mean(shares) >= 0.995
    assert min(shares) >= 0.98


def binary_study(seed: int) -> tuple[Any, Any, Any]:
    """Return 6 datasets of 300 items, 10 binary attributes, and 40 training sets."""
    rng = np.random.default_rng(seed)
    y = rng.random((6, 300)) < 0.5
    lean = rng.uniform(0.2, 0.8, (6, 2, 10))
    chance = np.where(y[..., None], lean[:, 1, None], lean[:, 0, None])
    train = rng.random((40, 300)) < np.where(np.arange(40) < 20, 0.9, 0.1)[:, None]
    return rng.random((6, 300, 10)) < chance, y, train


@pytest.mark.slow
@pytest.mark.requirement("R-23")
def test_the_batch_on_binary_attributes_answers_as_naive_bayes() -> None:
    X, y, train = binary_study(3)
    batch = predict_binary(X, y, train)
    errors = count_errors(X, y, train, ~train)
    names = [f"x{j}" for j in range(10)]
    for b in range(6):
        frame = pl.DataFrame(X[b], schema=names)  # booleans: both values declared
        for s, mask in enumerate(train):
            learner = NaiveBayes().fit(frame.filter(mask), y[b][mask])
            alone = learner.predict(frame)
            np.testing.assert_array_equal(batch[b, s], alone)
            assert errors[b, s] == np.count_nonzero((alone != y[b]) & ~mask)


def test_each_dataset_of_a_batch_may_have_its_own_splits() -> None:
    X, y, train = binary_study(4)
    own = np.stack([train, ~train, train, ~train, train, ~train])
    batch = predict_binary(X, y, own)
    np.testing.assert_array_equal(batch[1], predict_binary(X[1:2], y[1:2], ~train)[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y, t: (X + 1.5, y, t), "X must contain only 0 and 1"),
        (lambda X, y, t: (X, np.ones_like(y), t), "only one class"),
    ],
)
def test_a_batch_of_anything_else_is_refused(change: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        predict_binary(*change(*binary_study(0)))


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(DataError, match="Use variant='weka'"):
        NaiveBayes(variant="wekka").fit(np.ones((4, 1)), [0, 1, 0, 1])


@pytest.mark.parametrize("learner", FORMS.values(), ids=FORMS)
def test_a_clone_and_a_pickle_answer_alike(learner: Any) -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(50, 3)), np.arange(50) % 3
    fitted = clone(learner).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    refitted = clone(fitted).fit(X, y)
    np.testing.assert_array_equal(refitted.predict_proba(X), fitted.predict_proba(X))
