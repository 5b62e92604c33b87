"""The papers' learners and datasets in contests of the lab."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import outperform as op
from outperform.lab import (
    Contest,
    Mirror,
    Pool,
    SixClasses,
    block_seed,
    reading,
)
from reproduction import datasets
from reproduction.bayesian_networks import BayesianNetwork
from reproduction.damage import calibrate
from reproduction.learner_errors import learner_errors
from reproduction.learners import C45, NearestNeighbor

pytestmark = pytest.mark.nightly

SEED = block_seed(5, 0, 0)
DELTA = 1e-6
PLAIN, CORRECTED = "repeated_kfold_t 10x10cv", "corrected_t 30xresampled@1/3"
UNCORRECTED, Z = "resampled_t 30xresampled@1/3", "conservative_z 5x10halves@1/10"


def at_most(hits: int, n: int, bound: float) -> bool:
    """Whether so many rejections are to be believed of a rate that is at most the bound."""
    return bool(binom.sf(hits - 1, n, bound) >= DELTA)


def at_least(hits: int, n: int, bound: float) -> bool:
    return bool(binom.cdf(hits, n, bound) >= DELTA)


@pytest.fixture(scope="module")
def mirrored():
    """Two copies of a learner that are equal whatever they learn, on 200 items."""
    model = NearestNeighbor()
    asked = [tuple(words.split()) for words in (PLAIN, CORRECTED, UNCORRECTED, Z)]
    asked.append(("corrected_t", "10x10cv"))
    contest = Contest(Mirror(), model, model, n=200)
    return op.study(asked, contest, n_reps=160, random_state=20)


@pytest.mark.slow
@pytest.mark.requirement("R-11")
def test_plain_t_over_10x10_rejects_two_of_five_true_hypotheses_and_the_corrected_does_not(
    mirrored,
):
    rates = mirrored.rates()
    assert at_least(rates[PLAIN].hits, rates[PLAIN].n, 0.40)
    corrected = rates["corrected_t 10x10cv"]
    assert not at_least(corrected.hits, corrected.n, 0.40)


@pytest.mark.slow
@pytest.mark.requirement("N-18")
def test_corrected_t_keeps_within_8_percent_and_without_its_correction_does_not(mirrored):
    rates = mirrored.rates()
    assert at_most(rates[CORRECTED].hits, rates[CORRECTED].n, 0.08)
    assert not at_most(rates[UNCORRECTED].hits, rates[UNCORRECTED].n, 0.08)


@pytest.mark.slow
@pytest.mark.requirement("N-19")
def test_conservative_z_keeps_within_9_percent_but_not_with_the_error_of_a_mean(mirrored):
    row = mirrored.rates()[Z]
    assert at_most(row.hits, row.n, 0.09)
    z, critical = np.abs(mirrored.column(Z, "statistic")), 1.959963984540054
    assert np.count_nonzero(z > critical) == row.hits
    # The bug: five halvings taken for five independent ones, their variance divided by 5.
    assert not at_most(np.count_nonzero(z * 5**0.5 > critical), row.n, 0.09)


@pytest.mark.requirement("D-43")
def test_random_errors_damage_a_tree_until_it_equals_nearest_neighbour() -> None:
    found = calibrate(
        KNeighborsClassifier(1),
        lambda noise: C45(noise=noise),
        BayesianNetwork.ban(4),
        weights=[0.0, 0.1, 0.2, 0.4],
        sizes=(60,),
        n_datasets=20,
        test=300,
        tolerance=0.002,
    )
    assert found.reached
    assert found.grid[0, 0] < found.reference[0] < found.grid[0, -1]


@pytest.mark.requirement("D-42")
def test_our_own_neighbour_takes_bad_weights() -> None:
    def damaged(weight: float) -> NearestNeighbor:
        return NearestNeighbor(weights=[1.0, 1 - weight])

    errors = learner_errors(
        SixClasses(),
        [damaged(0.0), damaged(0.999)],
        sizes=(60,),
        test=500,
        n_datasets=5,
        random_state=1,
    )
    assert (errors[:, 0, 1] > errors[:, 0, 0] + 0.1).all()


@pytest.mark.needs("datasets")
@pytest.mark.requirement("D-45", "D-46", "N-26")
def test_real_data_serve_as_a_population() -> None:
    pima, letter = datasets.load("pima-diabetes"), datasets.load("letter")
    calibration, experiment = Pool(letter.X, letter.y, "letter").split(10_000, random_state=0)
    assert (calibration.n, experiment.n) == (10_000, 10_000)
    errors = learner_errors(
        Pool(pima.X, pima.y),
        [GaussianNB()],
        sizes=(270, 150),
        test=468,
        n_datasets=3,
        random_state=0,
    )
    assert ((errors > 0.15) & (errors < 0.35)).all()
    contest = Contest(experiment, GaussianNB(), KNeighborsClassifier(1), n=300)
    of = reading("mcnemar")
    table: Any = contest.draw([of], 2, SEED)[of]
    assert (table.n == 100).all()
