"""Statistical gates: sizes, power and coverage through `study`, each with a bug it must catch.

δ = 1e-6 is the chance that a correct product fails a gate. A gate on a bound fails only if as many
rejections, or more, have a probability below δ where the bound is the truth.
"""

from __future__ import annotations

import json

import numpy as np
import places
import pytest
from scipy.stats import binom

import outperform as op
from outperform.lab import Contest, DesignedPopulation, Mirror, rejection_rates

DELTA = 1e-6
APART = 4.9
"""Standard errors that a normal estimate is away from the truth with a chance of about δ."""
GOLDEN = json.loads((places.GOLDEN / "designed_population.json").read_text())
FIVE = ["mcnemar", "proportions", "resampled_t", "kfold_t", "five_by_two_t"]
SIMULATED = {
    "resampled_t": "resampled_t_30",
    "kfold_t": "cv10_t_beta_shared",
    "five_by_two_t": "5x2cv_t_beta_none",
}
SUMMED = {"mcnemar": "mcnemar_corrected", "proportions": "difference_of_proportions_z"}
PLAIN, CORRECTED = "repeated_kfold_t 10x10cv", "corrected_t 30xresampled@1/3"
UNCORRECTED, Z = "resampled_t 30xresampled@1/3", "conservative_z 5x10halves@1/10"
LEARNERS = {
    "bayes": op.learners.NaiveBayes(variant="gaussian"),
    "neighbor": op.learners.NearestNeighbor(),
}


def at_most(hits: int, n: int, bound: float) -> bool:
    """Whether so many rejections are to be believed of a rate that is at most the bound."""
    return bool(binom.sf(hits - 1, n, bound) >= DELTA)


def at_least(hits: int, n: int, bound: float) -> bool:
    return bool(binom.cdf(hits, n, bound) >= DELTA)


def reference(name: str, epsilon: str) -> tuple[float, float]:
    """Return the reference Type I error and its standard error."""
    if name in SUMMED:
        return GOLDEN["exact_holdout"][epsilon][SUMMED[name]], 0.0
    found = GOLDEN["type1"][epsilon][SIMULATED[name]]
    return found["rate"], found["se"]


def disagreements(found: op.Study, epsilon: str) -> list[str]:
    """Name the methods whose rate is further from the reference than chance allows."""
    rows = found.rates(undefined="reject")
    apart = []
    for row in rows:
        rate, stderr = reference(row.method, epsilon)
        if abs(row.rate - rate) > APART * np.hypot(row.stderr, stderr):
            apart.append(row.method)
    return apart


@pytest.mark.requirement("D-36", "R-02")
@pytest.mark.parametrize("epsilon", ["0.10", "0.20", "0.30", "0.40"])
def test_reference_type_i_errors_are_reproduced(epsilon):
    found = op.study(FIVE, DesignedPopulation(float(epsilon)), n_reps=50_000, random_state=11)
    assert disagreements(found, epsilon) == []


def test_a_population_that_is_a_little_wrong_fails_the_reference():
    wrong = DesignedPopulation(0.10, spread=0.7)
    found = op.study(FIVE, wrong, n_reps=50_000, random_state=11)
    assert "resampled_t" in disagreements(found, "0.10")


@pytest.mark.slow
@pytest.mark.requirement("D-52", "R-02")
def test_power_is_that_of_the_finite_sums_and_a_test_that_never_rejects_would_fail():
    population = DesignedPopulation(0.2)
    found = op.study("mcnemar", population, effects=(0.1,), n_reps=20_000, random_state=5)
    row = found.rates()["mcnemar"]
    exact = rejection_rates(population, ["mcnemar"], effect=0.1)["mcnemar"]
    assert exact > 0.2
    assert abs(row.rate - exact) < APART * row.stderr
    assert at_least(row.hits, row.n, exact - 0.02)
    assert not at_least(0, row.n, exact - 0.02)


def test_intervals_of_independent_folds_cover_and_those_of_resamples_do_not():
    population = DesignedPopulation(0.3)
    found = op.study(
        ["kfold_t", "resampled_t"], population, effects=(0.05,), n_reps=20_000, random_state=6
    ).coverage()
    assert at_least(found["kfold_t"].hits, 20_000, 0.945)
    assert not at_least(found["resampled_t"].hits, 20_000, 0.945)


@pytest.fixture(scope="module", params=LEARNERS)
def mirrored(request):
    """Two copies of a learner that are equal whatever they learn, on 200 items."""
    learner = LEARNERS[request.param]
    asked = [tuple(words.split()) for words in (PLAIN, CORRECTED, UNCORRECTED, Z)]
    asked.append(("corrected_t", "10x10cv"))
    contest = Contest(Mirror(), learner, learner, n=200)
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


def test_the_gates_themselves_fail_as_rarely_as_they_say():
    for n, bound in ((160, 0.08), (160, 0.40), (2_000, 0.945)):
        hits = np.arange(n + 1)
        law = binom.pmf(hits, n, bound)
        assert law[[not at_most(k, n, bound) for k in hits]].sum() < DELTA
        assert law[[not at_least(k, n, bound) for k in hits]].sum() < DELTA
