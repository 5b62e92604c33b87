"""The variance behind the tests: all of Nadeau & Bengio that can be checked."""

from __future__ import annotations

import json
import math

import numpy as np
import places
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import outperform as op
from reproduction import variance

GOLDEN = json.loads((places.GOLDEN / "nadeau_bengio.json").read_text(encoding="utf-8"))
ORACLE = GOLDEN["oracle"]["rows"]
FACTORS = GOLDEN["factors"]["rows"]

requirement = pytest.mark.requirement
oracle = pytest.mark.parametrize("row", ORACLE, ids=lambda r: f"n1={r['n1']},n2={r['n2']}")
factors = pytest.mark.parametrize("row", FACTORS, ids=lambda r: f"n1={r['n1']},n2={r['n2']}")


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


# Lemma 1


@requirement("N-08")
def test_lemma_1() -> None:
    golden = GOLDEN["lemma_1"]
    found = variance.exchangeable_mean(**golden["input"])
    assert found.expected_sample_variance == close(golden["expected"]["expected_sample_variance"])
    assert found.variance == close(golden["expected"]["var_mean"])
    assert found.correlation == close(golden["expected"]["pi"])


@requirement("N-08")
@pytest.mark.parametrize(("delta", "gamma", "k"), [(2.0, 0.5, 4), (1.0, -0.2, 6), (3.0, 3.0, 5)])
def test_lemma_1_is_the_variance_of_a_mean_by_the_covariance_matrix(
    delta: float, gamma: float, k: int
) -> None:
    covariance = np.full((k, k), gamma) + (delta - gamma) * np.eye(k)
    centring = np.eye(k) - 1 / k
    found = variance.exchangeable_mean(delta, gamma, k)
    assert found.variance == pytest.approx(covariance.sum() / k**2, abs=1e-15)
    expected = np.trace(centring @ covariance) / (k - 1)
    assert found.expected_sample_variance == pytest.approx(expected, abs=1e-15)


def test_constants_have_no_correlation() -> None:
    found = variance.exchangeable_mean(0.0, 0.0, 3)
    assert (found.variance, found.expected_sample_variance, found.correlation) == (0, 0, None)
    assert "correlation" not in str(found)


# The four covariances


@requirement("N-10")
@oracle
def test_equation_3_gives_the_variance_of_one_split(row: dict) -> None:
    assert variance.sigma1(row["sigma0"], row["sigma3"], row["n2"]) == close(row["sigma1"])


@requirement("N-13")
@oracle
def test_a_real_model_keeps_the_order_of_proposition_1(row: dict) -> None:
    variance.check_sigmas(row["sigma0"], row["sigma1"], row["sigma2"], row["sigma3"])


@requirement("N-11")
def test_drawing_from_the_test_set_adds_its_own_variance() -> None:
    row = ORACLE[-1]
    one_draw = variance.var_test_mean(row["sigma0"], row["sigma1"], 1)
    assert one_draw == close(row["sigma0"])
    assert variance.var_test_mean(row["sigma0"], row["sigma1"]) == row["sigma1"]
    half = variance.var_test_mean(row["sigma0"], row["sigma1"], 2)
    assert half == close((row["sigma0"] + row["sigma1"]) / 2)
    lemma = variance.exchangeable_mean(row["sigma0"], row["sigma1"], 7)
    assert variance.var_test_mean(row["sigma0"], row["sigma1"], 7) == close(lemma.variance)


@requirement("N-12", "N-16")
@oracle
def test_equations_4_and_6_give_the_variance_of_the_mean_over_splits(row: dict) -> None:
    sigmas = row["sigma0"], row["sigma1"], row["sigma2"]
    found = variance.var_resampled_mean(*sigmas, row["J"])
    assert found == close(row["var_muhat_J"])
    rho = variance.rho(row["sigma1"], row["sigma2"])
    assert rho == close(row["rho"])
    assert found == close(row["sigma1"] * (rho + (1 - rho) / row["J"]))
    assert variance.var_resampled_mean(*sigmas, math.inf) == row["sigma2"]
    assert variance.var_resampled_mean(*sigmas, 1, draws=1) == close(row["sigma0"])


@requirement("N-14")
@given(st.lists(st.floats(0, 1e300), min_size=3, max_size=3).map(sorted), st.integers(1, 10**6))
def test_proposition_2_the_variance_never_rises_with_splits_draws_or_test_items(
    sigmas: list[float], size: int
) -> None:
    sigma2, sigma1, sigma0 = sigmas
    more = np.array([size, size + 1, 10 * size])
    for values in (
        variance.var_resampled_mean(sigma0, sigma1, sigma2, more, 3),
        variance.var_resampled_mean(sigma0, sigma1, sigma2, 3, more),
        variance.sigma1(sigma0, sigma2, more),
    ):
        assert (np.diff(values) <= 1e-15 * sigma0).all()


@requirement("N-15")
def test_the_conjecture_holds_for_the_training_mean() -> None:
    at = {row["n1"]: row["var_muhat_J"] for row in ORACLE if row["n2"] == 30}
    sizes = sorted(at)
    assert sizes == [120, 150, 270]
    assert at[120] > at[150] > at[270]
    assert variance.half_size(300, 30) == 120
    ratio = variance.ratio("conservative_z", variance=at[150], half_variance=at[120])
    assert ratio == close(at[150] / at[120])
    assert ratio < 1


# The unbiased factor and the ratio column


@requirement("N-17")
@oracle
def test_equation_7_makes_the_sample_variance_unbiased(row: dict) -> None:
    expected = variance.expected_sample_variance(row["sigma1"], row["sigma2"])
    assert expected == close(row["expected_sample_variance"])
    assert variance.unbiased_factor(row["J"], row["rho"]) * expected == close(row["var_muhat_J"])


@requirement("N-17", "N-18")
@oracle
def test_a_guess_above_the_true_correlation_overestimates(row: dict) -> None:
    guess = variance.plugin_rho(row["n1"], row["n2"])
    assert guess == close(row["rho0"])
    over = variance.unbiased_factor(row["J"], guess) > variance.unbiased_factor(
        row["J"], row["rho"]
    )
    assert over == (guess > row["rho"]) == (row["ratio_corrected"] < 1)


@requirement("N-25")
@oracle
def test_the_ratio_column_of_table_1(row: dict) -> None:
    split = {"n_resamples": row["J"], "rho": row["rho"]}
    sizes = {"n_train": row["n1"], "n_test": row["n2"]}
    t_test = variance.ratio("t-test", sigma0=row["sigma0"], sigma3=row["sigma3"], n_test=row["n2"])
    assert t_test == close(row["ratio_t_test"])
    resampled = variance.ratio("resampled_t", **split)
    assert resampled == close(row["ratio_resampled"])
    assert resampled == close(row["var_muhat_J"] * row["J"] / row["expected_sample_variance"])
    corrected = variance.ratio("corrected_t", **split, **sizes)
    assert corrected == close(row["ratio_corrected"])
    assert variance.ratio("five_by_two_t") is None


@requirement("N-18", "N-25")
@factors
def test_factors_at_the_settings_of_the_paper(row: dict) -> None:
    rho = variance.plugin_rho(row["n1"], row["n2"])
    assert variance.unbiased_factor(row["J"], 0) == close(row["variance_factor_resampled"])
    assert variance.unbiased_factor(row["J"], rho) == close(row["variance_factor_corrected"])
    ratio = variance.ratio("resampled_t", n_resamples=row["J"], rho=rho)
    assert ratio == close(row["ratio_resampled_if_rho_is_rho0"])
    split = {"n_resamples": row["J"], "rho": rho, "n_train": row["n1"], "n_test": row["n2"]}
    assert variance.ratio("corrected_t", **split) == close(1)


@requirement("N-22", "N-25")
@factors
def test_the_size_of_a_resampled_t_whose_variance_is_too_small(row: dict) -> None:
    size = variance.size_at(row["ratio_resampled_if_rho_is_rho0"], df=row["J"] - 1, alpha=0.1)
    assert size == close(row["size_resampled_at_alpha_0_10"])


@requirement("N-25")
@pytest.mark.parametrize("error", GOLDEN["resampled_size"]["expected"])
def test_the_ratio_predicts_the_size_of_dietterichs_resampled_t(error: str) -> None:
    golden, rate = GOLDEN["resampled_size"]["expected"][error], float(error)
    rho = rate / (6 - 4.5 * rate)
    assert rho == pytest.approx(golden["rho"], abs=5e-7)
    ratio = variance.ratio("resampled_t", n_resamples=30, rho=rho)
    assert ratio == pytest.approx(golden["var_ratio"], abs=5e-7)
    assert variance.size_at(ratio, df=29) == pytest.approx(golden["size"], abs=5e-6)


def test_a_right_variance_has_the_nominal_size() -> None:
    assert variance.size_at(1.0, df=14, alpha=0.1) == close(0.1)
    assert variance.size_at([1.0, 4.0], df=None) == close(
        [0.05, 2 * stats.norm.sf(0.5 * 1.959963984540054)]
    )


@requirement("N-19")
@pytest.mark.parametrize(("n", "n_test", "size"), [(300, 30, 120), (301, 30, 120), (10, 4, 1)])
def test_training_items_in_a_half(n: int, n_test: int, size: int) -> None:
    assert variance.half_size(n, n_test) == size


@requirement("N-20")
def test_more_halvings_help_while_their_correlation_is_small() -> None:
    assert variance.var_halves_variance(8.0, 0.0, 10) == close(0.2)
    assert variance.var_halves_variance(8.0, 0.1, 10) == close(2 * (0.1 + 0.9 / 10))
    assert variance.var_halves_variance(8.0, 1.0, 10) == close(2.0)


# Input and output


@requirement("N-13")
@pytest.mark.parametrize(
    ("sigmas", "message"),
    [
        ((1.0, 2.0, 0.5, 0.1), r"sigma0 must be at least sigma1 \(2\), got 1"),
        ((3.0, 2.0, 2.5, 0.1), r"sigma1 must be at least sigma2 \(2.5\), got 2"),
        ((3.0, 2.0, -0.5, 0.1), r"sigma2 must be at least 0, got -0.5"),
        ((3.0, 2.0, 0.5, 2.1), r"sigma1 must be at least sigma3 \(2.1\), got 2"),
        ((3.0, [2.0, 5.0], 0.5, 0.1), r"sigma0 must be at least sigma1 \(5\), got 3"),
    ],
)
def test_sigmas_no_model_can_have_are_refused(sigmas: tuple, message: str) -> None:
    with pytest.raises(op.DataError, match=message):
        variance.check_sigmas(*sigmas)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: variance.exchangeable_mean(1, -0.5, 4), "not a valid variance and covariance"),
        (lambda: variance.exchangeable_mean(1, 1.5, 4), "not a valid variance and covariance"),
        (
            lambda: variance.exchangeable_mean(math.nan, 0, 4),
            "The 'delta' parameter must be a finite number, got nan",
        ),
        (lambda: variance.exchangeable_mean(1, 0, math.inf), "k is inf"),
        (lambda: variance.sigma1(1, 2, 10), "sigma0 must be at least sigma3"),
        (lambda: variance.sigma1(2, 1, 0), "n_test must be at least 1, got 0"),
        (lambda: variance.sigma1(2, 1, 2.5), "got 2.5 at n_test, which is not an integer"),
        (lambda: variance.var_test_mean(1, 2, 3), "sigma0 must be at least sigma1"),
        (lambda: variance.var_resampled_mean(3, 2, 1, 0), "n_resamples must be at least 1, got 0"),
        (lambda: variance.rho(0, 0), "sigma1 is 0"),
        (lambda: variance.unbiased_factor(15, 1), "rho must be at least 0 and less than 1, got 1"),
        (lambda: variance.unbiased_factor(15, -0.1), "rho must be at least 0, got -0.1"),
        (lambda: variance.half_size(300, 150), "leave no training items"),
        (lambda: variance.size_at(0.0, df=9), "ratio must be positive, got 0"),
        (lambda: variance.ratio("resampled_t", rho=0.1), r"takes exactly \['n_resamples', 'rho'\]"),
        (lambda: variance.ratio("resampled"), "did you mean 'resampled_t'"),
        (lambda: variance.ratio("t-test", sigma0=1, sigma3=1, n_test=3), "ratio is infinite"),
        (lambda: variance.ratio("conservative_z", variance=1, half_variance=0), "half_variance"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(call: object, message: str) -> None:
    with pytest.raises(op.OutperformError, match=message):
        call()


def test_formulas_take_arrays() -> None:
    found = variance.unbiased_factor([5, 15], [[0.0], [0.5]])
    assert found == close(np.array([[0.2, 1 / 15], [1.2, 1 + 1 / 15]]))
    assert isinstance(variance.unbiased_factor(5, 0.5), float)


def test_answers_print_as_sentences() -> None:
    found = variance.exchangeable_mean(1.0, 0.3, 15)
    assert str(found) == (
        "The mean of 15 values with correlation 0.3 has variance 0.3467; their sample variance "
        "is 0.7 on average."
    )
    assert repr(found).startswith("ExchangeableMean(expected_sample_variance=0.7, ")
    assert found.to_dict()["k"] == 15
