"""The tests on one's own data: true hypotheses are made, measured and rejected as often as said."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from outperform.errors import DataError, MethodError
from outperform.lab.contests import Damaged
from outperform.lab.own_data import own_data_study

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 3, 900)
X = RNG.normal(size=(900, 4)) + 0.7 * np.eye(3, 4)[Y]
LEARNERS = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
SOME = [("kfold_t", "10cv"), ("corrected_t", "10xresampled@1/3"), ("mcnemar", "holdout@1/3")]


@pytest.fixture(scope="module")
def shifted():
    return own_data_study(LEARNERS, X, Y, methods=SOME, n=90, n_reps=40, n_truth=60)


@pytest.mark.slow
def test_the_shift_null_asks_each_test_about_the_difference_at_its_training_size(shifted):
    assert sorted(shifted.truth) == [60, 81]
    by_hand = {
        label: shifted.study.rates(mu0=shifted.truth[size].mean)[label].hits
        for label, size in shifted.sizes.items()
    }
    assert {row.method: row.hits for row in shifted.rates()} == by_hand
    plain = {row.method: row.hits for row in shifted.study.rates()}
    assert all(plain[label] > by_hand[label] for label in by_hand)


@pytest.mark.slow
def test_the_truth_is_the_mean_over_the_pool(shifted):
    rng, found = np.random.default_rng(8), []
    for _ in range(60):
        order = rng.permutation(900)
        models = [clone(one).fit(X[order[:81]], Y[order[:81]]) for one in LEARNERS.values()]
        right = [np.mean(one.predict(X[order[81:]]) == Y[order[81:]]) for one in models]
        found.append(right[0] - right[1])
    truth = shifted.truth[81]
    stderr = np.hypot(truth.stderr, np.std(found, ddof=1) / np.sqrt(60))
    assert abs(truth.mean - np.mean(found)) < 4.9 * stderr
    assert truth.mean > 20 * truth.stderr


def test_methods_that_answer_no_difference_alone_are_left_out_with_a_word(shifted):
    assert shifted.study.methods == ("kfold_t 10cv", "corrected_t 10xresampled@1/3")
    assert "mcnemar" in shifted.left_out[0]
    with pytest.raises(MethodError, match="null='damaged'"):
        own_data_study(LEARNERS, X, Y, methods=["mcnemar"], n=90)


def test_what_it_speaks_for_is_said(shifted):
    said = " ".join(shifted.sentences())
    assert "900 items represent the population" in said
    assert "do not describe" in said
    assert shifted.to_dict()["truth"][0]["n_train"] == 60


@pytest.mark.slow
@pytest.mark.requirement("D-43")
@pytest.mark.requirement("D-47")
def test_the_damaged_null_makes_learners_equal_and_asks_every_test():
    found = own_data_study(
        LEARNERS, X, Y, null="damaged", methods=SOME[::2], n=90, n_reps=20, n_truth=120
    )
    assert len(found.rates()) == 2
    for made in found.equal.values():
        assert made.damaged == 0
        assert made.rate > 0.05
        assert abs(made.gap.mean) < 4.9 * made.gap.stderr + 0.01
    again = own_data_study(
        LEARNERS, X, Y, null="damaged", methods=SOME[::2], n=90, n_reps=20, n_truth=120, n_jobs=2
    )
    assert again.study.to_frame().equals(found.study.to_frame())


def test_damage_exchanges_the_share_it_says_for_other_classes():
    sound = GaussianNB().fit(X, Y).predict(X)
    worse = Damaged(GaussianNB(), 0.2, random_state=1).fit(X, Y).predict(X)
    changed = np.count_nonzero(sound != worse)
    assert abs(changed / 900 - 0.2) < 4.9 * (0.2 * 0.8 / 900) ** 0.5
    assert np.isin(worse, [0, 1, 2]).all()
    assert np.array_equal(Damaged(GaussianNB(), 0.0).fit(X, Y).predict(X), sound)


@pytest.mark.parametrize(
    ("learners", "options", "words"),
    [
        ({"one": GaussianNB()}, {}, "compares two learners, got 1"),
        ({**LEARNERS, "line": LinearRegression()}, {}, "compares two learners, got 3"),
        ({"bayes": GaussianNB(), "line": LinearRegression()}, {}, "not a classifier"),
        (LEARNERS, {"n": 800}, "half of the"),
        (LEARNERS, {"null": "none"}, "null"),
    ],
)
def test_what_cannot_be_measured_is_refused(learners, options, words):
    with pytest.raises((DataError, MethodError, ValueError), match=words):
        own_data_study(learners, X, Y, **options)
