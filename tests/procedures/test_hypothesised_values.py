"""The tests of Nadeau & Bengio's Table 1 against a hypothesised value."""

from __future__ import annotations

import json
import math

import numpy as np
import places
import pytest

import outperform as op

GOLDEN = json.loads((places.GOLDEN / "nadeau_bengio.json").read_text(encoding="utf-8"))

requirement = pytest.mark.requirement


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


@requirement("N-22", "N-24", "N-27")
def test_resampled_t_against_a_value() -> None:
    given_, expected = (GOLDEN["resampled_t"][key] for key in ("input", "expected"))
    result = op.methods.resampled_t(given_["mu_j"], mu0=given_["mu0"])
    check_pivot(result, expected, given_["alpha"])
    assert result.estimate == close(expected["mean"])
    assert result.statistic == close(expected["t"])
    assert result.n * result.stderr**2 == close(expected["sample_variance"])


@requirement("N-18", "N-24", "N-27")
def test_corrected_t_against_a_value_with_its_interval() -> None:
    given_, expected = (GOLDEN["corrected_t"][key] for key in ("input", "expected"))
    sizes = {"n_train": given_["n1"], "n_test": given_["n2"]}
    result = op.methods.corrected_t(given_["mu_j"], mu0=given_["mu0"], **sizes)
    assert result.stderr == close(expected["se"])
    assert result.statistic == close(expected["t"])
    assert result.df == expected["df"]
    assert result.pvalue == close(expected["p_two_sided"])
    assert list(result.interval(1 - given_["alpha"])) == close(expected["ci90"])
    plain = op.methods.resampled_t(given_["mu_j"], mu0=given_["mu0"])
    factor = (result.stderr / plain.stderr) ** 2 / len(given_["mu_j"])
    assert factor == close(expected["factor"])


@requirement("N-19", "N-24", "N-27")
def test_conservative_z_against_a_value() -> None:
    given_, expected = (GOLDEN["conservative_z"][key] for key in ("input", "expected"))
    result = op.methods.conservative_z(given_["muhat"], given_["pairs"], mu0=given_["mu0"])
    assert result.stderr**2 == close(expected["variance"])
    assert result.statistic == close(expected["z"])
    assert result.pvalue == close(expected["p_two_sided"])
    check_pivot(result, {**expected, "se": math.sqrt(expected["variance"])}, given_["alpha"])


def check_pivot(result: op.Result, expected: dict[str, float], alpha: float) -> None:
    """The interval is the estimate ± critical value × standard error (N-24)."""
    assert result.stderr == close(expected["se"])
    interval = result.interval(1 - alpha)
    half = expected["critical"] * expected["se"]
    assert list(interval) == close([result.estimate - half, result.estimate + half])


@requirement("N-19")
def test_conservative_z_costs_many_fits() -> None:
    assert op.methods.conservative_z.fits == GOLDEN["fits"]["conservative_z"]


@requirement("N-21")
def test_the_t_test_on_right_and_wrong_is_mcnemar() -> None:
    given_, expected = (GOLDEN["mcnemar_identity"][key] for key in ("input", "expected"))
    n01, n10, n = given_["n01"], given_["n10"], given_["n2"]
    wrong_a = np.arange(n) < n01
    wrong_b = (np.arange(n) >= n01) & (np.arange(n) < n01 + n10)
    t = op.methods.paired_t(wrong_a, wrong_b, lower_is_better=True, unit="items")
    plain = op.methods.mcnemar(table=[[0, n01], [n10, n - n01 - n10]], variant="plain")
    assert t.df == n - 1
    assert -t.statistic == close(expected["t"])
    assert plain.statistic == close(expected["M"])
    identity = (n - 1) * plain.statistic / (n - plain.statistic)
    assert t.statistic**2 == close(identity)
    assert identity == close(expected["t_squared"])
