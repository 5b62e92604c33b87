"""Learners in batches: each agrees with one that is trained split by split."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import outperform as op
from calibration import batch_learners
from calibration.batch_contests import BatchContest
from calibration.batch_learners import BatchBayes, BatchNeighbor, BatchSelector, BatchStump
from calibration.batch_linear import BatchLDA, BatchLinear, BatchLogistic
from calibration.fold_labels import FoldLabels
from calibration.fold_views import split_seed
from outperform.lab import block_seed, mirror_population, reading
from outperform.lab.contests import _together
from outperform.lab.scenarios import SAMPLE, stream
from outperform.registry import get

N, SEED = 60, 4


class Selector:
    """The feature with the largest gap between class means, one split at a time."""

    def fit(self, X, y):
        means = [X[y == c].mean(axis=0) for c in (0, 1)]
        self.at = int(np.argmax(np.abs(means[1] - means[0])))
        self.low, self.high = (mean[self.at] for mean in means)
        return self

    def predict(self, X):
        above = X[:, self.at] > (self.low + self.high) / 2
        return (above == (self.high > self.low)).astype(int)


class Stumps:
    """Every cut of least Gini impurity: where several are as good, any may be taken."""

    def fit(self, X, y):
        found = []
        for feature, column in enumerate(X.T):
            values = np.unique(column)
            for cut in (values[1:] + values[:-1]) / 2:
                sides = [y[column <= cut], y[column > cut]]
                impurity = sum(len(side) * side.mean() * (1 - side.mean()) for side in sides)
                found.append((impurity, feature, cut, sides[1].mean() > sides[0].mean()))
        least = min(found)[0]
        self.cuts = [one[1:] for one in found if one[0] <= least + 1e-5]
        return self

    def agrees(self, X, predicted):
        return any((((X[:, f] > cut) == up) == predicted).all() for f, cut, up in self.cuts)


MODELS = {
    "bayes": (BatchBayes(), GaussianNB),
    "neighbor": (BatchNeighbor(), lambda: KNeighborsClassifier(1)),
    "selector": (BatchSelector(), Selector),
    "stump": (BatchStump(), Stumps),
}


def datasets(count=3, population="B"):
    rng = np.random.default_rng(8)
    drawn = [mirror_population(population).draw(N, rng) for _ in range(count)]
    return np.stack([d.X for d in drawn]), np.stack([d.y for d in drawn])


@pytest.mark.slow
@pytest.mark.parametrize("design", ["2x5cv+3halves", "3cv", "2x4cv", "6xresampled@1/3"])
@pytest.mark.parametrize("name", MODELS)
def test_a_batch_model_predicts_what_one_trained_on_each_split_does(name, design):
    learner, alone = MODELS[name]
    X, y = datasets()
    plan = op.parse(design)
    folds = FoldLabels.of(plan, N, SEED)
    predicted = learner.predict(X, y.astype(float), folds)
    for at in range(len(X)):
        for number, split in enumerate(plan.split(N, random_state=SEED)):
            row = number if design.endswith("1/3") else number // folds.n_folds
            model = alone().fit(X[at][split.train], y[at][split.train])
            answer, items = predicted[at, row, split.test], X[at][split.test]
            if name == "stump":
                assert model.agrees(items, answer), (at, number)
            else:
                assert (answer == model.predict(items)).all(), (at, number)


def test_splits_may_differ_between_experiments():
    X, y = datasets(2)
    each = [FoldLabels.of(op.parse("2x5cv"), N, seed) for seed in (1, 2)]
    both = FoldLabels(np.concatenate([one.labels for one in each]), 5)
    for learner, _ in MODELS.values():
        found = learner.predict(X, y.astype(float), both)
        for at, one in enumerate(each):
            alone = learner.predict(X[at : at + 1], y[at : at + 1].astype(float), one)
            assert (found[at] == alone[0]).all()


def test_a_contest_in_batches_shows_what_a_run_of_the_same_splits_shows():
    """The engine, run on the same data and seed, gives the same evidence to 1e-12."""
    contest = BatchContest(mirror_population("A"), BatchBayes(), BatchBayes(), n=N)
    asked = [("calibrated_t", "2x5cv+3halves"), ("corrected_t", "3x4cv")]
    seed = block_seed(5, 0, 0)
    views = contest.draw([reading(*one) for one in asked], 2, seed)
    data = contest.source.draw(N, stream(seed, SAMPLE, 1))
    for method, design in asked:
        at = split_seed(seed, op.parse(design).family)
        runs = [
            op.run({name: GaussianNB()}, X, data.y, design=design, random_state=at, progress=False)
            for name, X in (("first", data.X), ("second", data.X_second))
        ]
        scores = _together(*runs)
        want = op.compare(scores, method=method)["first", "second"]
        found = get(method).on(views[reading(method, design)])
        assert found.estimate[1] == pytest.approx(want.estimate, rel=1e-12, abs=1e-15)
        assert found.stderr[1] == pytest.approx(want.stderr, rel=1e-12)
        assert found.pvalue()[1] == pytest.approx(want.pvalue, rel=1e-12)


def test_a_smaller_design_is_part_of_a_larger_one():
    contest = BatchContest(mirror_population("B"), BatchSelector(), BatchSelector(), n=N)
    small, large = (reading("calibrated_t", d) for d in ("2x5cv+3halves", "4x5cv+6halves"))
    both = contest.draw([small, large], 3, block_seed(1, 0, 0))
    alone = contest.draw([small], 3, block_seed(1, 0, 0))[small]
    assert (both[small].whole == alone.whole).all()
    assert (both[small].halves == both[large].halves[:, :3]).all()


def test_designs_without_batches_are_refused():
    for design in ("10cv/stratified", "5x2cv/grouped", "loo"):
        with pytest.raises(op.MethodError, match="such as '5x5cv\\+20halves'"):
            FoldLabels.of(op.parse(design), N, SEED)


def test_one_model_twice_is_an_exact_null_and_two_are_not_known_to_be():
    bayes, stump = BatchBayes(), BatchStump()
    assert BatchContest(mirror_population("A"), bayes, bayes).null_at_zero
    assert not BatchContest(mirror_population("A"), bayes, stump).null_at_zero
    assert (
        "naive Bayes vs. stump, n = 200" in BatchContest(mirror_population("A"), bayes, stump).name
    )


def test_the_third_population_has_a_fifth_of_positives():
    y = mirror_population("C").draw(20_000, np.random.default_rng(0)).y
    assert abs(y.mean() - (0.2 * 0.95 + 0.8 * 0.05)) < 0.02


SCIKIT = {
    "5-NN": (BatchNeighbor(5), lambda: KNeighborsClassifier(5)),
    "LDA": (BatchLDA(), LinearDiscriminantAnalysis),
    "L2 logistic": (BatchLogistic(), lambda: LogisticRegression(tol=1e-10, max_iter=1000)),
    "pipeline": (
        BatchBayes(best=2),
        lambda: make_pipeline(SelectKBest(f_classif, k=2), GaussianNB()),
    ),
    "linear": (BatchLinear(), LinearRegression),
    "lasso": (BatchLinear(0.05), lambda: Lasso(0.05, tol=1e-12)),
    "5-NN regression": (BatchNeighbor(5), lambda: KNeighborsRegressor(5)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCIKIT)
def test_a_batch_model_is_what_scikit_learn_has(name):
    learner, alone = SCIKIT[name]
    X, y = datasets(1)
    plan = op.parse("2x5cv+2halves")
    numbers = name in ("linear", "lasso", "5-NN regression")
    if numbers:
        y = y + X[..., 3]
    folds = FoldLabels.of(plan, N, SEED)
    shown = learner.values if numbers else getattr(learner, "log_odds", learner.predict)
    found = shown(X, y.astype(float), folds)[0]
    for number, split in enumerate(plan.split(N, random_state=SEED)):
        model = alone().fit(X[0][split.train], y[0][split.train])
        items = X[0][split.test]
        if numbers or name == "5-NN":
            want = model.predict(items)
        elif hasattr(model, "decision_function"):
            want = model.decision_function(items)
        else:
            chance = model.predict_proba(items)
            want = np.log(chance[:, 1] / chance[:, 0])
        np.testing.assert_allclose(found[number // 5, split.test], want, rtol=1e-4, atol=1e-5)


def test_neighbours_of_changed_features_are_found_again(monkeypatch):
    rng, folds = np.random.default_rng(6), FoldLabels.of(op.parse("5cv"), 30, 2)
    X, y = rng.normal(size=(2, 30, 3)), rng.integers(0, 2, (2, 30)) * 1.0
    before = BatchNeighbor().predict(X, y, folds)
    X[1] = rng.normal(size=(30, 3))
    after = BatchNeighbor().predict(X, y, folds)
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_array_equal(after, BatchNeighbor().predict(X.copy(), y, folds))
    assert (after[1] != before[1]).any()
    folded = X.reshape(1, 30, 6)  # the same bytes, other items
    once = BatchNeighbor().predict(folded, y[:1], folds)
    monkeypatch.setattr(batch_learners, "MOST_KEPT", 0)
    np.testing.assert_array_equal(once, BatchNeighbor().predict(folded, y[:1], folds))
    np.testing.assert_array_equal(after, BatchNeighbor().predict(X, y, folds))
