"""The quick contest on binary data, against the learners whose answers it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier

from outperform import DataError, MethodError
from outperform.lab import Source, block_seed, reading, stream, study
from reproduction.bayesian_networks import BayesianNetwork, BinaryContest, _tests
from reproduction.learner_errors import true_difference
from reproduction.learners import C45, NaiveBayes

NETWORK = BayesianNetwork.ban(3)
BOUND = 4.9
"""Standard errors that a right answer exceeds with a chance of 1e-6."""


@pytest.mark.requirement("R-24")
@pytest.mark.parametrize("design", ["5x2cv", "10cv/stratified", "7xresampled@1/10"])
def test_scores_are_those_of_the_models_themselves(design):
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


@pytest.mark.requirement("R-23")
def test_the_class_of_every_network_is_a_fair_coin_and_probabilities_add_up() -> None:
    for network in (BayesianNetwork.independent(3), BayesianNetwork.ban(3)):
        cases, joint = network.cases()
        assert cases.shape == (512, 9)
        assert joint.sum() == pytest.approx(1.0)
        assert joint.sum(axis=0) == pytest.approx([0.5, 0.5])


@pytest.mark.requirement("R-23")
def test_nothing_can_be_learned_without_arrows() -> None:
    network = BayesianNetwork.independent(3)
    assert network.delta == 0.0
    assert network.bayes_accuracy == pytest.approx(0.5)
    data = network.draw(200, np.random.default_rng(0))
    assert network.accuracy(BernoulliNB().fit(data.X, data.y)) == pytest.approx(0.5)


@pytest.mark.requirement("R-23")
def test_a_ban_has_naive_bayes_arrows_and_more_without_a_circle() -> None:
    network = BayesianNetwork.ban(7, arrows=8)
    assert network.delta is None
    assert network.parents[0] == ()
    assert all(0 in above for above in network.parents[1:])
    assert sum(len(above) - 1 for above in network.parents[1:]) == 8
    assert all(max(above) < v for v, above in enumerate(network.parents) if above)
    assert network.bayes_accuracy > 0.6
    with pytest.raises(DataError, match="use fewer"):
        BayesianNetwork.ban(7, arrows=100)


@pytest.mark.requirement("R-23")
def test_forward_sampling_has_the_joint_law() -> None:
    network = BayesianNetwork.ban(2, n_variables=4, arrows=2)
    n = 50_000
    data = network.draw(n, np.random.default_rng(1))
    _, joint = network.cases()
    case = data.X @ np.array([4, 2, 1])
    seen = np.zeros((8, 2))
    np.add.at(seen, (case, data.y), 1)
    stderr = np.sqrt(joint * (1 - joint) / n)
    assert (np.abs(seen / n - joint) <= BOUND * stderr + 1 / n).all()


@pytest.mark.parametrize(
    ("parents", "chances", "said"),
    [
        (((), (1,)), ((0.5,), (0.1, 0.2)), "must precede it"),
        (((), (0,)), ((0.5,), (0.1,)), "2 probabilities between 0 and 1"),
        (((),), ((0.5,),), "at least one variable"),
    ],
)
def test_a_network_that_is_none_is_refused(parents: Any, chances: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        BayesianNetwork(parents, chances)


@pytest.mark.slow
@pytest.mark.requirement("R-01", "R-24")
def test_the_true_difference_agrees_with_the_sum_over_all_cases() -> None:
    network = BayesianNetwork.ban(2)
    found = true_difference(
        network, BernoulliNB(), KNeighborsClassifier(1), n_train=100, n_test=2000, n_datasets=30
    )
    exact = []
    for number in range(30):
        rng = np.random.default_rng([99, number])
        data = network.draw(100, rng)
        first, second = (
            network.accuracy(model.fit(data.X, data.y))
            for model in (BernoulliNB(), KNeighborsClassifier(1))
        )
        exact.append(first - second)
    stderr = np.hypot(found.stderr, np.std(exact, ddof=1) / np.sqrt(30))
    assert abs(found.mean - np.mean(exact)) < 4.9 * stderr


def test_a_network_is_a_source_that_draws_the_same_again():
    assert isinstance(NETWORK, Source)
    first, again = (NETWORK.draw(60, np.random.default_rng(3)) for _ in range(2))
    assert len(first.X) == first.n == 60
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
