"""Trees in batches: scikit-learn's where no two cuts are equally good, and of its law elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import outperform as op
from calibration.batch_trees import BatchC45, BatchTrees
from calibration.cases import BATCH, RegressionMirror
from calibration.fold_labels import FoldLabels
from outperform.lab import mirror_population
from reproduction.learners import C45

N, SEED = 200, 4


def datasets(source, count=2, n=N):
    """Draw datasets, rounded as scikit-learn's trees round them."""
    drawn = [source.draw(n, np.random.default_rng(at)) for at in range(count)]
    X = np.stack([d.X for d in drawn]).astype(np.float32).astype(float)
    return X, np.stack([d.y for d in drawn]).astype(float)


def told_alone(make, X, y, plan, n=N):
    """Return what learners say that are fitted split by split: (experiments, splits × n_test)."""
    said = []
    for at in range(len(X)):
        for split in plan.split(n, random_state=SEED):
            model = make().fit(X[at][split.train], y[at][split.train])
            said.append(model.predict(X[at][split.test]))
    return np.concatenate(said)


def told_together(shown, X, y, plan, n=N):
    folds = FoldLabels.of(plan, n, SEED)
    found = shown(X, y, folds)
    return np.concatenate(
        [
            found[at, number // folds.n_folds, split.test]
            for at in range(len(X))
            for number, split in enumerate(plan.split(n, random_state=SEED))
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [0.0, 0.15])
def test_a_regression_tree_is_that_of_scikit_learn(penalty):
    X, y = datasets(RegressionMirror())
    depth = 2 if penalty == 0 else 1 << 30  # at two items any feature cuts as well
    learner = BatchTrees("tree", depth=depth, penalty=penalty)
    plan = op.parse("2x5cv")
    want = told_alone(
        lambda: DecisionTreeRegressor(
            max_depth=2 if penalty == 0 else None, ccp_alpha=penalty, random_state=0
        ),
        *(X, y, plan),
    )
    np.testing.assert_allclose(told_together(learner.values, X, y, plan), want, rtol=1e-9)


@pytest.mark.parametrize(
    ("learner", "make", "share"),
    [
        (BatchTrees("", depth=2), lambda: DecisionTreeClassifier(max_depth=2), 0.97),
        (
            BATCH["boosting"],
            lambda: GradientBoostingClassifier(n_estimators=10, max_depth=2),
            0.97,
        ),
        (BatchTrees("", penalty=0.04), lambda: DecisionTreeClassifier(ccp_alpha=0.04), 0.9),
    ],
)
def test_classifiers_differ_only_where_cuts_are_equally_good(learner, make, share):
    X, y = datasets(mirror_population("A"))
    plan = op.parse("2x5cv")
    same = told_together(learner.predict, X, y, plan) == (told_alone(make, X, y, plan) > 0)
    assert share <= same.mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("tree", DecisionTreeClassifier),
        ("pruned", lambda: DecisionTreeClassifier(ccp_alpha=0.02)),
        ("forest", lambda: RandomForestClassifier(10)),
        ("rforest", lambda: RandomForestRegressor(10)),
    ],
)
def test_models_that_draw_random_numbers_lose_as_much_as_scikit_learns(name, make):
    source = RegressionMirror() if name == "rforest" else mirror_population("A")
    X, y = datasets(source, 10, 60)
    plan = op.parse("5cv")
    truth = told_together(lambda X, y, folds: y[:, None], X, y, plan, 60)
    shown = BATCH[name].values if name == "rforest" else BATCH[name].predict
    losses = [
        ((told - truth) ** 2).reshape(10, -1).mean(axis=1)
        for told in (told_together(shown, X, y, plan, 60), told_alone(make, X, y, plan, 60))
    ]
    gap = losses[0] - losses[1]
    assert abs(gap.mean()) < 4.5 * gap.std(ddof=1) / np.sqrt(10) + 1e-12


def test_trees_of_a_forest_differ_and_the_same_data_give_the_same_forest():
    X, y = datasets(mirror_population("A"), 1, 60)
    folds = FoldLabels.of(op.parse("2x5cv"), 60, SEED)
    first, again = (BATCH["forest"].predict(X, y, folds) for _ in range(2))
    assert (first == again).all()
    moved = BATCH["forest"].predict(X + 1, y, folds)
    assert 0 < (first != moved).mean() < 0.4


def test_splits_of_each_experiment_may_be_its_own():
    X, y = datasets(mirror_population("A"), 2, 60)
    each = [FoldLabels.of(op.parse("2x5cv"), 60, seed) for seed in (1, 2)]
    both = FoldLabels(np.concatenate([one.labels for one in each]), 5)
    for learner in (BATCH["forest"], BATCH["boosting"], BatchC45()):
        found = learner.predict(X, y, both)
        for at, one in enumerate(each):
            alone = learner.predict(X[at : at + 1], y[at : at + 1], one)
            assert (found[at] == alone[0]).all()


def test_c45_in_batches_is_c45():
    X, y = datasets(mirror_population("A"), 1, 60)
    plan = op.parse("2x5cv")
    assert (
        told_together(BatchC45().predict, X, y, plan, 60) == told_alone(C45, X, y > 0, plan, 60)
    ).all()
