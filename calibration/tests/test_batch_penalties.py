"""Classifiers with a penalty, in batches: the same predictions as scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.svm import LinearSVC

import outperform as op
from calibration.batch_penalties import BatchL1, BatchSVM, BatchTunedRidge
from calibration.fold_labels import FoldLabels
from outperform.lab import mirror_population

MODELS = {
    "svm": (BatchSVM(), lambda n: LinearSVC(C=0.1, dual=False, tol=1e-10)),
    "l1": (
        BatchL1(),
        lambda n: LogisticRegression(
            penalty="l1", C=1 / (1.2 * n**0.5), solver="liblinear", tol=1e-10, random_state=0
        ),
    ),
    "tuned": (BatchTunedRidge(), lambda n: RidgeClassifierCV(np.logspace(-1, 3, 9))),
}


@pytest.mark.filterwarnings("ignore:.*penalty")
@pytest.mark.parametrize("design", ["2x5cv+3halves", "3xresampled@1/3"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_with_a_penalty_predicts_what_scikit_learn_does(name, design):
    learner, alone = MODELS[name]
    plan, n, seed = op.parse(design), 90, 4
    drawn = [mirror_population("B").draw(n, np.random.default_rng(at)) for at in (1, 2)]
    X, y = np.stack([d.X for d in drawn]), np.stack([d.y for d in drawn])
    folds = FoldLabels.of(plan, n, seed)
    found = learner.predict(X, y.astype(float), folds)
    for at in range(2):
        for number, split in enumerate(plan.split(n, random_state=seed)):
            model = alone(len(split.train)).fit(X[at][split.train], y[at][split.train])
            told = found[at, number // folds.n_folds, split.test]
            assert (told == model.predict(X[at][split.test])).all(), (at, number)


def test_penalties_that_are_tuned_differ_between_training_sets():
    drawn = mirror_population("B").draw(90, np.random.default_rng(1))
    chosen = {
        RidgeClassifierCV(np.logspace(-1, 3, 9)).fit(drawn.X[rows], drawn.y[rows]).alpha_
        for rows in np.array_split(np.arange(90), 3)
    }
    assert len(chosen) > 1
