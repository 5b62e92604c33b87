"""The quick contest on binary data, against the learners whose answers it gives."""

from __future__ import annotations

import numpy as np
import pytest

from outperform.errors import DataError, MethodError
from outperform.lab import BayesianNetwork, BinaryContest, block_seed, reading, stream, study
from outperform.lab.bayesian_networks import _tests
from outperform.learners import C45, NaiveBayes

pytest.importorskip("numba")
NETWORK = BayesianNetwork.ban(3)


@pytest.mark.requirement("R-24")
@pytest.mark.parametrize("design", ["5x2cv", "10cv/stratified", "7xresampled@1/10"])
def test_scores_are_those_of_the_learners_themselves(design):
    contest = BinaryContest(NETWORK, n=120)
    method = "five_by_two_t" if design == "5x2cv" else "corrected_t"
    asked = reading(method, design)
    seed = block_seed(1, 0, 0)
    view = contest.draw([asked], 1, seed)[asked]
    data = NETWORK.draw(120, stream(seed, 0, 0))
    X, y = np.asarray(data.X, dtype=int), np.asarray(data.y)
    tests, _ = _tests(asked, y.astype(bool), 1, stream(seed, asked.key, 0))
    mask = [True] * X.shape[1]
    for at, test in enumerate(tests):
        for learner, side in (
            (NaiveBayes(nominal=mask), view.first),
            (C45(nominal=mask), view.second),
        ):
            model = learner.fit(X[~test], y[~test])
            score = np.mean(model.predict(X[test]) == y[test])
            assert side.ravel()[at] == pytest.approx(score, abs=1e-12)


def test_folds_are_disjoint_and_stratified_ones_balanced():
    y = np.arange(101) % 2 == 0
    for design, spread in (("10cv", 1), ("10cv/stratified", 1)):
        tests, shape = _tests(reading("kfold_t", design), y, 2, np.random.default_rng(0))
        assert shape == (2, 1, 1, 10)
        per_run = tests.reshape(2, 10, -1)
        assert (per_run.sum(axis=1) == 1).all()
        sizes = per_run.sum(axis=2)
        assert np.ptp(sizes) <= spread
        if "stratified" in design:
            assert np.ptp((per_run & y).sum(axis=2)) <= 1


@pytest.mark.requirement("R-03")
def test_repetitions_share_their_data_and_nothing_else():
    contest = BinaryContest(NETWORK, n=100, repeated=10)
    found = study("kfold_t", contest, n_reps=40, random_state=2)
    estimates = found.column("kfold_t", "estimate").reshape(4, 10)
    assert np.ptp(estimates, axis=1).min() > 0
    again = study("kfold_t", contest, n_reps=20, random_state=2)
    assert np.array_equal(again.column("kfold_t"), found.column("kfold_t")[:20])


def test_what_the_contest_cannot_draw_is_refused():
    contest = BinaryContest(NETWORK, n=100)
    with pytest.raises(DataError, match="a divisor of 100"):
        BinaryContest(NETWORK, repeated=3)
    with pytest.raises(MethodError, match="differences of splits"):
        study("mcnemar", contest, n_reps=5, random_state=0)
    with pytest.raises(DataError, match="effect must be 0"):
        study("kfold_t", contest, n_reps=5, effects=(0.1,), random_state=0)
