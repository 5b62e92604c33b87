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
from outperform.lab import DesignedPopulation
from reproduction.exact import rejection_rates

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


def test_the_gates_themselves_fail_as_rarely_as_they_say():
    for n, bound in ((160, 0.08), (160, 0.40), (2_000, 0.945)):
        hits = np.arange(n + 1)
        law = binom.pmf(hits, n, bound)
        assert law[[not at_most(k, n, bound) for k in hits]].sum() < DELTA
        assert law[[not at_least(k, n, bound) for k in hits]].sum() < DELTA
