"""Adjusted p-values against statsmodels, and the properties each adjustment promises."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from outperform import DataError, MethodError
from outperform.methods import adjust, benjamini_hochberg, bonferroni, hochberg, holm
from outperform.results.adjustments import ADJUSTMENTS, adjust_log, familywise

PEERS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "benjamini-hochberg": "fdr_bh",
}
ADJUSTING = sorted(PEERS)

pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=30)
ties = st.lists(st.sampled_from([0.0, 0.01, 0.02, 0.5, 1.0]), min_size=1, max_size=30)


def by_definition(p: list[float], method: str) -> list[float]:
    """Return the smallest level at which each hypothesis falls, by the papers' own words."""
    m, ordered = len(p), sorted(p)
    down = [(m - i) * value for i, value in enumerate(ordered)]
    share = [m / (i + 1) * value for i, value in enumerate(ordered)]
    found = {
        "bonferroni": lambda i: m * ordered[i],
        "holm": lambda i: max(down[: i + 1]),
        "hochberg": lambda i: min(down[i:]),
        "benjamini-hochberg": lambda i: min(share[i:]),
    }[method]
    return [min(1.0, found(ordered.index(value))) for value in p]


@pytest.mark.requirement("F-05", "B-26")
@pytest.mark.parametrize("method", ADJUSTING)
@given(p=pvalues | ties)
def test_adjusted_p_values_equal_their_definitions(method: str, p: list[float]) -> None:
    np.testing.assert_allclose(adjust(p, method), by_definition(p, method), rtol=1e-14, atol=0)


@pytest.mark.slow
@pytest.mark.requirement("F-05", "B-26")
@pytest.mark.parametrize("method", ADJUSTING)
@pytest.mark.parametrize("m", [1, 2, 10, 1000])
def test_adjusted_p_values_equal_those_of_statsmodels(method: str, m: int) -> None:
    p = np.random.default_rng(m).beta(0.3, 3, m).round(3)
    expected = multipletests(p, method=PEERS[method])[1]
    np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("method", ADJUSTING)
@given(p=pvalues, extra=st.integers(0, 40))
def test_a_larger_family_counts_the_rest_as_if_their_p_were_one(
    method: str, p: list[float], extra: int
) -> None:
    padded = adjust([*p, *[1.0] * extra], method)[: len(p)]
    np.testing.assert_allclose(adjust(p, method, size=len(p) + extra), padded, rtol=1e-15)


@pytest.mark.parametrize("method", ADJUSTING)
@given(p=st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=20).filter(lambda p: None in p))
def test_a_comparison_without_p_value_still_counts_and_stays_none(
    method: str, p: list[float | None]
) -> None:
    found = adjust(p, method)
    assert isinstance(found, list)
    as_one = adjust([1.0 if value is None else value for value in p], method)
    for value, adjusted, expected in zip(p, found, as_one, strict=True):
        if value is None:
            assert adjusted is None
        else:
            assert adjusted == pytest.approx(float(expected), rel=1e-15)


@pytest.mark.parametrize("method", ADJUSTING)
@given(p=pvalues | ties)
def test_adjusting_keeps_the_order_and_never_lowers_a_p_value(method: str, p: list[float]) -> None:
    adjusted = adjust(p, method)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


@pytest.mark.parametrize("method", sorted(ADJUSTMENTS))
@given(p=pvalues | ties, random=st.randoms(use_true_random=False))
def test_the_order_of_comparisons_does_not_matter(method: str, p: list[float], random: Any) -> None:
    places = list(range(len(p)))
    random.shuffle(places)
    shuffled = adjust([p[place] for place in places], method)
    assert shuffled.tolist() == adjust(p, method)[places].tolist()


@given(p=pvalues | ties)
def test_the_adjustments_are_ordered_by_power(p: list[float]) -> None:
    rounding = 1 + 1e-14
    assert (benjamini_hochberg(p) <= hochberg(p) * rounding).all()
    assert (hochberg(p) <= holm(p) * rounding).all()
    assert (holm(p) <= bonferroni(p) * rounding).all()


@pytest.mark.requirement("F-05")
def test_bonferroni_gets_stricter_as_comparisons_grow() -> None:
    adjusted = [float(bonferroni([0.001], size=size)[0]) for size in (1, 10, 100, 10_000)]
    assert adjusted == pytest.approx([0.001, 0.01, 0.1, 1.0], rel=1e-15)


@pytest.mark.parametrize("method", sorted(ADJUSTMENTS))
def test_every_row_of_a_batch_is_a_family_of_its_own(method: str) -> None:
    p = np.random.default_rng(0).random((4, 5, 7))
    batch = adjust(p, method)
    assert batch.shape == p.shape
    for i in range(4):
        for j in range(5):
            assert batch[i, j].tolist() == adjust(p[i, j], method).tolist()
    assert p.tolist() == np.random.default_rng(0).random((4, 5, 7)).tolist()


@pytest.mark.parametrize("method", sorted(ADJUSTMENTS))
@given(p=st.lists(st.floats(1e-300, 1), min_size=1, max_size=20))
def test_logs_of_p_values_are_adjusted_as_the_p_values_are(method: str, p: list[float]) -> None:
    np.testing.assert_allclose(np.exp(adjust_log(np.log(p), method)), adjust(p, method), rtol=1e-12)


def test_p_values_too_small_for_a_float_keep_their_order_and_distance() -> None:
    adjusted = adjust_log([-5000.0, -10_000.0, -1.0])
    expected = [-5000 + math.log(2), -10_000 + math.log(3), -1.0]
    assert adjusted.tolist() == pytest.approx(expected, rel=1e-15)
    assert adjust_log([-5000.0, None], "bonferroni") == [-5000 + math.log(2), None]
    assert adjust_log([-math.inf, 0.0]).tolist() == [-math.inf, 0.0]


def test_no_adjustment_returns_the_same_bits() -> None:
    p = np.random.default_rng(0).random(50)
    assert adjust(p, "none").tolist() == p.tolist()


@pytest.mark.parametrize("alias", ["bh", "fdr"])
def test_an_alias_is_the_false_discovery_rate(alias: str) -> None:
    p = [0.01, 0.02, 0.5]
    assert adjust(p, alias).tolist() == benjamini_hochberg(p).tolist()


@pytest.mark.parametrize("method", sorted(ADJUSTMENTS))
def test_the_table_of_adjustments_holds_the_functions_adjust_calls(method: str) -> None:
    p = [0.01, 0.02, 0.5]
    assert ADJUSTMENTS[method](p, size=9).tolist() == adjust(p, method, size=9).tolist()


def test_a_misspelt_adjustment_is_answered_with_the_nearest() -> None:
    with pytest.raises(MethodError, match="adjustment 'bonferoni'; did you mean 'bonferroni'"):
        adjust([0.1], "bonferoni")
    with pytest.raises(MethodError, match=r"known: .*holm"):
        adjust_log([-1.0], "xyz")


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.1, math.nan], "pvalues[1] must lie between 0 and 1, got nan"),
        ([0.1, 1.5], "pvalues[1] must lie between 0 and 1, got 1.5"),
        ([None, -0.1], "pvalues[1] must lie between 0 and 1, got -0.1"),
        ([[0.1, 0.2], [0.3, math.inf]], "pvalues[1, 1] must lie between 0 and 1, got inf"),
        ([[0.1, None]], "None is allowed in a single row"),
        ([[0.1], [0.2, 0.3]], "rows of equal length"),
        (["0.1"], "pvalues must be numbers"),
        (0.1, "pvalues must be numbers"),
        ([True], "pvalues must be numbers"),
    ],
)
def test_what_is_not_a_p_value_is_refused_by_position(p: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        adjust(p)


def test_a_positive_log_p_value_is_refused() -> None:
    with pytest.raises(DataError, match=re.escape("log_pvalues[1] must lie between -inf and 0")):
        adjust_log([-1.0, 0.5])


def test_a_family_smaller_than_its_p_values_is_refused() -> None:
    with pytest.raises(DataError, match="at least 3, the number of comparisons, got 2"):
        adjust([0.1, None, 0.2], size=2)


def test_a_family_without_any_p_value_stays_empty() -> None:
    assert adjust([None, None]) == [None, None]
    assert adjust([]).tolist() == []


@pytest.mark.requirement("B-25", "F-04")
@pytest.mark.parametrize(
    ("n", "chance", "expected"),
    [
        (23, 0.692643132275, 1.15),
        (20, 0.641514077591, 1.0),
        (92, 0.99107575085, 4.6),
        (1, 0.05, 0.05),
        (0, 0.0, 0.0),
    ],
)
def test_the_chance_of_a_false_rejection_among_n_tests(
    n: int, chance: float, expected: float
) -> None:
    assert familywise(0.05, n) == pytest.approx((chance, expected), abs=1e-12)


@pytest.mark.requirement("B-25", "F-04")
@given(st.integers(1, 200), st.floats(1e-12, 0.5))
def test_familywise_error_equals_exact_rational_arithmetic(n: int, alpha: float) -> None:
    chance, expected = familywise(alpha, n)
    assert chance == pytest.approx(float(1 - (1 - Fraction(alpha)) ** n), rel=1e-13)
    assert expected == pytest.approx(float(n * Fraction(alpha)), rel=1e-15)


@pytest.mark.requirement("B-25")
def test_a_trillion_tests_at_a_tiny_level_keep_their_digits() -> None:
    # 1 − (1 − 1e-15)^1e12 = 1 − exp(−1e-3 − 5e-19 …)
    chance, expected = familywise(1e-15, 10**12)
    assert chance == pytest.approx(9.995001666250083e-4, rel=1e-12)
    assert expected == pytest.approx(1e-3, rel=1e-15)


@pytest.mark.parametrize("n", [-1, 1.5, math.inf, math.nan])
def test_a_number_of_tests_that_cannot_be_is_refused(n: Any) -> None:
    with pytest.raises(DataError, match="n must be a whole number of tests"):
        familywise(0.05, n)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 5.0])
def test_an_alpha_outside_zero_and_one_is_refused(alpha: float) -> None:
    with pytest.raises(MethodError, match="alpha"):
        familywise(alpha, 10)
