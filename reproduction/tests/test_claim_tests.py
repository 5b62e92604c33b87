"""The one rule: shown where the contrary is rejected, different where the claim is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import outperform as op
from reproduction.exhibits import (
    Measurement,
    Statement,
    all_of,
    binomial,
    bootstrap,
    claim,
    follows,
    jackknife,
    mean,
    settled,
    share_error,
    tails,
    within,
)


def told(statement: Statement) -> str:
    return statement.agreement


def test_a_claim_is_called_different_only_where_the_data_contradict_it() -> None:
    shown = claim("a", Measurement(0.30, 0.02), "above", 0.1, what="size")
    unclear = claim("b", Measurement(0.08, 0.02), "above", 0.1, what="size")
    against = claim("c", Measurement(0.02, 0.02), "above", 0.1, what="size", reason="why")
    assert [told(one) for one in (shown, unclear, against)] == ["agrees", "undecided", "differs"]
    assert against.why == "why"
    assert not shown.why


def test_each_side_has_half_of_0_001() -> None:
    edge = stats.norm.isf(0.0005)
    assert told(claim("a", Measurement(edge + 1e-6, 1), "above", 0, what="x")) == "agrees"
    assert told(claim("a", Measurement(edge - 1e-6, 1), "above", 0, what="x")) == "undecided"
    assert told(claim("a", Measurement(-edge - 1e-6, 1), "above", 0, what="x")) == "differs"
    assert told(claim("a", Measurement(edge + 1e-6, 1, df=5), "above", 0, what="x")) == "undecided"
    assert follows("a", Measurement(edge - 1e-6, 1), 0, what="x").holds
    assert not follows("a", Measurement(edge + 1e-6, 1), 0, what="x").holds


def test_a_mean_of_differences_is_judged_by_the_paired_t() -> None:
    x = np.random.default_rng(1).normal(0.4, 1, 23)
    expected = op.methods.paired_t(x, np.zeros(23), alternative="greater", unit="items").pvalue
    assert tails(mean(x), "above", 0.0).contrary == pytest.approx(expected, rel=1e-9)


def test_a_few_equal_values_settle_nothing() -> None:
    assert told(claim("a", mean(np.ones(3)), "above", 0.0, what="x")) == "undecided"
    assert told(claim("a", mean(np.ones(300)), "above", 0.0, what="x")) == "agrees"


def test_shares_are_judged_by_the_binomial_law() -> None:
    high = binomial(69, 1000, "above", 0.05)
    assert high.contrary == pytest.approx(stats.binom.sf(68, 1000, 0.05), rel=1e-9)
    assert high.claim == pytest.approx(stats.binom.cdf(69, 1000, 0.05), rel=1e-9)
    assert binomial(69, 1000, "below", 0.05) == high[::-1]


def test_parts_must_all_be_shown_and_one_after_bonferroni_contradicts() -> None:
    sure, unclear, against = (tails(Measurement(v, 1.0), "above", 0.0) for v in (9, 0, -3.4))
    assert told(settled("all", all_of([sure, sure]), "")) == "agrees"
    assert told(settled("all", all_of([sure, unclear]), "")) == "undecided"
    assert told(settled("one", against, "")) == "differs"
    assert told(settled("all", all_of([sure, against]), "")) == "undecided"
    near, far = Measurement(0.01, 0.005), Measurement(0.09, 0.005)
    assert told(settled("within", within(near, -0.05, 0.05), "")) == "agrees"
    assert told(settled("within", within(far, -0.05, 0.05), "")) == "differs"


def test_a_difference_without_a_reason_says_that_none_was_found() -> None:
    assert Statement("s", False, "t").why == "no reason found"
    assert Statement("s", True, "t", reason="kept for later").why == ""


def test_errors_over_datasets_are_those_of_the_textbook() -> None:
    x = np.random.default_rng(5).standard_normal(50)
    found = jackknife(lambda v: float(v.mean()), x)
    assert found.error == pytest.approx(x.std(ddof=1) / np.sqrt(50))
    assert found.df == 49
    drawn = bootstrap(lambda v: float(v.mean()), x, seed=1)
    assert drawn.error == pytest.approx(found.error, rel=0.15)


def test_the_error_of_a_share_is_never_zero() -> None:
    assert share_error(0.0, 100) > 0
    assert share_error(0.5, 100) == pytest.approx(0.05)
