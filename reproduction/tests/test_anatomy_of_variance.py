"""Variances measured by simulation, against populations whose variances are known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from outperform import DataError, MethodError
from outperform.lab import Contest, DesignedPopulation
from outperform.lab.scenarios import Dataset
from reproduction.anatomy import (
    anatomy,
    fold_correlation,
    halvings_correlation,
    overlap,
    pooled_correlation,
)
from reproduction.simulated_learners import SimulatedLearners

DESIGN = "30xresampled@1/3"


@pytest.fixture(scope="module")
def found():
    return anatomy(DesignedPopulation(epsilon=0.2, beta=0.0), design=DESIGN, n_reps=4000)


@pytest.mark.requirement("N-09")
@pytest.mark.requirement("N-10")
def test_the_variances_of_the_designed_population_are_found(found):
    low, high = 0.1, 0.3  # ε_A and ε_B of the two kinds of points, reversed for the other half
    sigma0 = low * (1 - high) + high * (1 - low)
    assert abs(found.sigma0 - sigma0) < 5 * found.stderrs[0]
    assert abs(found.sigma1 - sigma0 / 100) < 5 * found.stderrs[1]
    assert abs(found.sigma3) < 5 * found.stderrs[3]
    by_hand = found.sigma3 + (found.sigma0 - found.sigma3) / 100
    assert found.sigma1 == pytest.approx(by_hand, rel=1e-9)


@pytest.mark.requirement("N-16")
@pytest.mark.requirement("N-17")
def test_the_correlation_of_two_splits_is_found(found):
    rho = 0.2 / (6 - 4.5 * 0.2)
    assert abs(found.rho - rho) < 5 * found.rho_stderr
    assert found.plugin_rho == pytest.approx(1 / 3)
    assert found.ratio("resampled_t") == pytest.approx(1 + 30 * found.rho / (1 - found.rho))
    assert found.ratio("corrected_t") < 1 < found.ratio("resampled_t")


@pytest.mark.requirement("N-05")
@pytest.mark.requirement("N-06")
@pytest.mark.requirement("N-12")
@pytest.mark.requirement("N-14")
def test_the_variance_of_a_mean_falls_with_resamples_and_draws(found):
    by_j = [found.of_mean(j) for j in (1, 5, 15, 30)]
    assert by_j == sorted(by_j, reverse=True)
    assert by_j[0] == pytest.approx(found.sigma1)
    assert found.of_mean(5, draws=10) > found.of_mean(5, draws=50) > found.of_mean(5)


@pytest.mark.requirement("N-13")
def test_proposition_1_holds(found):
    assert all(found.holds().values())


@pytest.mark.requirement("N-27")
def test_one_model_alone_has_variances_of_its_own():
    points = SimulatedLearners(np.full(50, 0.2), np.full(50, 0.4))
    one = anatomy(points, design="5xresampled@1/3", n_reps=1500, side="first")
    assert abs(one.sigma0 - 0.2 * 0.8) < 5 * one.stderrs[0]
    assert abs(one.mean - 0.8) < 0.01


class Line:
    """A line with noise of variance 1, for a constant that is fitted to it."""

    name, delta = "line", None

    def draw(self, n: int, rng: np.random.Generator) -> Dataset:
        X = rng.standard_normal((n, 1))
        return Dataset(X, X[:, 0] + rng.standard_normal(n))


@pytest.mark.slow
@pytest.mark.requirement("N-01", "N-09")
def test_squared_losses_have_the_variances_that_normal_errors_give():
    """A mean of m values errs by N(0, v(1 + 1/m)), v = 2: its square varies by 2v²(1 + 1/m)²."""
    contest = Contest(
        Line(), DummyRegressor(), LinearRegression(), n=60, scoring="neg_mean_squared_error"
    )
    one = anatomy(contest, design="4xresampled@1/3", n_reps=120, side="first")
    m, v = 40, 2.0
    assert (one.n_train, one.n_test) == (m, 20)
    assert abs(one.mean + v * (1 + 1 / m)) < 0.15
    assert abs(one.sigma0 - 2 * v**2 * (1 + 1 / m) ** 2) < 5 * one.stderrs[0]
    assert all(one.holds().values())
    assert one.sigma1 == pytest.approx(one.sigma0 / 20, rel=0.5)
    better = anatomy(contest, design="4xresampled@1/3", n_reps=8)
    assert better.mean < -0.5  # the second is better by what the line explains


@pytest.mark.requirement("D-29")
def test_correlated_folds_are_found_and_independent_runs_are_not():
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(4000, 1))
    folds = np.sqrt(0.05) * shared + np.sqrt(0.95) * rng.normal(size=(4000, 10))
    within, across = fold_correlation(folds), fold_correlation(folds, across=True)
    assert within.n == across.n == 4000 * 45
    assert within.r == pytest.approx(0.05, abs=0.012)
    assert within.pvalue < 1e-10 < 1e-4 < across.pvalue


@pytest.mark.requirement("D-29")
def test_the_printed_correlation_needs_many_pairs_for_its_p_value():
    # E-D13: r = .03778 has t = 8.02 over 45,000 pairs.
    r, n = 0.03778, 45_000
    x = np.tile([1.0, -1.0, 1.0, -1.0], n // 4)
    y = np.tile([1.0, 1.0, -1.0, -1.0], n // 4) * np.sqrt(1 - r * r) + r * x
    found = pooled_correlation(x, y)
    assert found.r == pytest.approx(r, rel=1e-9)
    assert found.t == pytest.approx(8.02, abs=0.005)


@pytest.mark.requirement("D-28")
def test_overlapping_folds_show_less_variance_than_their_mean_has():
    rng = np.random.default_rng(2)
    shared = rng.normal(size=(3000, 1))
    table = overlap(rng.normal(size=(3000, 10)), 0.5 * shared + rng.normal(size=(3000, 10)))
    assert table["disjoint variance shown"] == pytest.approx(
        table["disjoint variance of the mean"], rel=0.1
    )
    assert table["overlapping variance of the mean"] > 2 * table["overlapping variance shown"]


@pytest.mark.requirement("N-20")
def test_independent_halvings_have_uncorrelated_gaps():
    rng = np.random.default_rng(3)
    assert abs(halvings_correlation(rng.normal(size=(2000, 5, 2)))) < 0.04
    scale = rng.gamma(1.0, size=(2000, 1, 1))
    assert halvings_correlation(scale * rng.normal(size=(2000, 5, 2))) > 0.1


def test_what_cannot_be_taken_apart_is_refused(found):
    with pytest.raises(DataError, match="must consist of resamples"):
        anatomy(DesignedPopulation(), design="10cv")
    with pytest.raises(DataError, match="differences only"):
        anatomy(DesignedPopulation(), design=DESIGN, n_reps=10, side="first")
    with pytest.raises(MethodError, match="no ratio for"):
        found.ratio("five_by_two_t")
    with pytest.raises(DataError, match="runs, k"):
        fold_correlation([1.0, 2.0])
