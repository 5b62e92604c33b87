"""Tango's score test and interval, against published tables and forty-digit arithmetic."""

from __future__ import annotations

import math
import re
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from outperform import DataError, MethodError
from outperform.numerics.pair_counts import tango_interval, tango_z


@st.composite
def two_by_two(draw: st.DrawFn, largest: int = 10**12) -> tuple[int, int, int]:
    n = draw(st.integers(1, largest))
    n10 = draw(st.integers(0, n))
    return n10, draw(st.integers(0, n - n10)), n


levels = st.sampled_from([0.001, 0.5, 0.9, 0.95, 0.999, 1 - 1e-9])
deltas = st.floats(-1, 1, allow_subnormal=False)


def quantile(level: float) -> mpmath.mpf:
    """Return z with P(|Z| ≤ z) = level, for the level as a float holds it."""
    return mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(level))


def exact_z(n10: int, n01: int, n: int, delta: mpmath.mpf) -> mpmath.mpf:
    """Return z(δ) by Tango's printed formula, as a user with unlimited digits would."""
    b = (2 * n - n10 + n01) * delta - n10 - n01
    p01 = (mpmath.sqrt(b * b + 8 * n * n01 * delta * (1 - delta)) - b) / (4 * n)
    return (n10 - n01 - n * delta) / mpmath.sqrt(n * (2 * p01 + delta * (1 - delta)))


def exact_upper(n10: int, n01: int, n: int, z: mpmath.mpf) -> mpmath.mpf:
    low, high = mpmath.mpf(n10 - n01) / n, mpmath.mpf(1)
    for _ in range(120):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if exact_z(n10, n01, n, middle) < -z:
            high = middle
        else:
            low = middle
    return high


# (n10, n01, n) → 95% limits. Cavo et al. (2012) in Fagerland, Lydersen and Laake, Statistical
# Analysis of Contingency Tables (2017), chapter 8, as the tests of their R package
# contingencytables 3.0 print them.
def test_the_interval_of_a_published_table_is_reproduced() -> None:
    low, high = tango_interval(6, 16, 161, 0.95)
    assert round(float(low), 4) == -0.1240
    assert round(float(high), 4) == -0.0054
    assert float(tango_z(6, 16, 161, 0)) == pytest.approx(-2.132, abs=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.95, 1 - 1e-9])
@pytest.mark.parametrize("n", [1, 7, 1000, 10**12])
def test_limits_hold_to_thirteen_digits_for_every_shape_of_table(n: int, level: float) -> None:
    corners = {0, 1, 2, n // 3, n // 2, n - 1, n}
    rows = sorted({(b, c) for b in corners for c in corners if b >= 0 <= c and b + c <= n})
    n10, n01 = np.array(rows).T
    low, high = tango_interval(n10, n01, n, level)
    with mpmath.workdps(40):
        z = quantile(level)
        for i, (b, c) in enumerate(rows):
            for limit, exact in (
                (high[i], exact_upper(b, c, n, z)),
                (low[i], -exact_upper(c, b, n, z)),
            ):
                width = abs(exact - mpmath.mpf(b - c) / n)
                assert abs(limit - exact) <= 1e-13 * max(abs(exact), width), (b, c)


@pytest.mark.slow
@given(two_by_two(), levels)
def test_the_upper_limit_holds_to_thirteen_digits_for_random_tables(
    table: tuple[int, int, int], level: float
) -> None:
    n10, n01, n = table
    _, high = tango_interval(*table, level)
    with mpmath.workdps(40):
        exact = exact_upper(*table, quantile(level))
        scale = max(abs(exact), abs(exact - mpmath.mpf(n10 - n01) / n))
        assert abs(float(high) - exact) <= 1e-13 * scale


@given(two_by_two(), levels)
def test_the_interval_lies_within_one_and_contains_the_estimate(
    table: tuple[int, int, int], level: float
) -> None:
    n10, n01, n = table
    low, high = tango_interval(*table, level)
    assert -1 <= low <= (n10 - n01) / n <= high <= 1


@given(two_by_two(), levels)
def test_swapping_the_models_turns_the_interval_around_to_the_last_bit(
    table: tuple[int, int, int], level: float
) -> None:
    n10, n01, n = table
    low, high = tango_interval(n10, n01, n, level)
    assert tango_interval(n01, n10, n, level) == (-high, -low)


@given(two_by_two(), deltas)
def test_swapping_the_models_turns_the_sign_of_z(table: tuple[int, int, int], delta: float) -> None:
    n10, n01, n = table
    assert tango_z(n01, n10, n, -delta) == -tango_z(n10, n01, n, delta)


@given(two_by_two(10**6))
def test_a_higher_level_never_narrows_the_interval(table: tuple[int, int, int]) -> None:
    lows, highs = zip(*(tango_interval(*table, level) for level in (0.5, 0.9, 0.99)), strict=True)
    assert lows[0] >= lows[1] >= lows[2]
    assert highs[0] <= highs[1] <= highs[2]


@given(two_by_two(10**6), levels)
def test_zero_is_inside_exactly_when_the_score_test_keeps_it(
    table: tuple[int, int, int], level: float
) -> None:
    low, high = tango_interval(*table, level)
    gap = abs(float(tango_z(*table, 0))) - float(quantile(level))
    if abs(gap) > 1e-9:
        assert (low <= 0 <= high) == (gap < 0)


@pytest.mark.parametrize("n", [1, 50, 10**12])
def test_tables_at_the_border_have_their_closed_forms(n: int) -> None:
    z2 = 3.841458820694124  # χ²₁ at 0.95
    low, high = tango_interval(0, 0, n)
    assert float(high) == pytest.approx(z2 / (n + z2), rel=1e-14)
    assert low == -high
    low, high = tango_interval(n, 0, n)
    assert float(low) == pytest.approx((n - z2) / (n + z2), rel=1e-14)
    assert high == 1


@pytest.mark.requirement("D-16")
@given(two_by_two())
def test_at_no_difference_z_is_mcnemar_without_correction(table: tuple[int, int, int]) -> None:
    n10, n01, _ = table
    expected = (n10 - n01) / math.sqrt(n10 + n01) if n10 + n01 else 0.0
    assert float(tango_z(*table, 0.0)) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("table", [(5, 2, 30), (2, 5, 30), (0, 4, 20), (4, 0, 20), (9, 6, 15)])
@pytest.mark.parametrize("delta", [-0.9, -0.3, -0.01, 0.05, 0.4, 0.95])
def test_z_uses_the_proportions_that_make_the_table_most_likely(
    table: tuple[int, int, int], delta: float
) -> None:
    n10, n01, n = table

    def loss(p01: float) -> float:
        cells = (n10, p01 + delta), (n01, p01), (n - n10 - n01, 1 - delta - 2 * p01)
        return -sum(count * math.log(max(p, 1e-300)) for count, p in cells if count)

    bounds = max(0.0, -delta), (1 - delta) / 2
    p01 = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    expected = (n10 - n01 - n * delta) / math.sqrt(n * (2 * p01 + delta - delta**2))
    assert float(tango_z(*table, delta)) == pytest.approx(expected, rel=1e-5)


@given(two_by_two(), deltas)
def test_z_keeps_its_digits_at_any_table_and_difference(
    table: tuple[int, int, int], delta: float
) -> None:
    n10, n01, n = table
    found = float(tango_z(*table, delta))
    if abs(delta) == 1 or n10 + n01 == 0 == delta:
        return
    with mpmath.workdps(400):
        exact = exact_z(n10, n01, n, mpmath.mpf(delta))
    # The distance n10 − n01 − nδ is known to a rounding of its largest term.
    rounding = 1e-15 * max(n10, n01, n * abs(delta)) / max(abs(n10 - n01 - n * delta), 1e-300)
    assert found == pytest.approx(float(exact), rel=max(1e-13, 4 * rounding), abs=1e-300)


@pytest.mark.parametrize(
    ("table", "delta", "z"),
    [
        ((0, 0, 9), 0.0, 0.0),
        ((9, 0, 9), 1.0, 0.0),
        ((3, 0, 9), 1.0, -math.inf),
        ((3, 0, 9), -1.0, math.inf),
        ((0, 9, 9), -1.0, 0.0),
    ],
)
def test_z_at_the_border_is_a_limit_and_never_nan(
    table: tuple[int, int, int], delta: float, z: float
) -> None:
    assert float(tango_z(*table, delta)) == z


def test_many_tables_at_once_give_what_one_at_a_time_gives() -> None:
    rng = np.random.default_rng(0)
    n10, n01 = rng.integers(0, 500, (2, 30, 700))
    low, high = tango_interval(n10, n01, 1000)
    assert low.shape == high.shape == (30, 700)
    for i, j in [(0, 0), (29, 699), (12, 345)]:
        one = tango_interval(n10[i, j], n01[i, j], 1000)
        assert one[0] == pytest.approx(low[i, j], rel=1e-14)
        assert one[1] == pytest.approx(high[i, j], rel=1e-14)


def test_counts_in_narrow_integers_do_not_wrap() -> None:
    narrow = tango_interval(np.uint8(3), np.uint8(200), np.uint8(250))
    assert narrow == tango_interval(3, 200, 250)
    assert tango_z(np.int8(3), np.int8(100), np.int8(120), 0.5) == tango_z(3, 100, 120, 0.5)


def test_shapes_broadcast() -> None:
    z = tango_z([[5], [6]], 2, [30, 40, 50], 0.1)
    assert z.shape == (2, 3)
    assert z[1, 2] == tango_z(6, 2, 50, 0.1)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ((5, 6, 10), "at least n10 + n01, got n=10 with n10=5 and n01=6"),
        ((0, 0, 0), "n must be at least 1"),
        ((-1, 0, 10), "n10"),
        ((1.5, 0, 10), "n10"),
        ((math.nan, 0, 10), "n10"),
        ((1, [1, 2], [10, 10, 10]), "got (), (2,), (3,)"),
    ],
)
def test_counts_that_cannot_be_are_refused(table: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        tango_interval(*table)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0])
def test_a_level_outside_zero_and_one_is_refused(level: float) -> None:
    with pytest.raises(MethodError, match="level"):
        tango_interval(1, 2, 10, level)


@pytest.mark.parametrize("delta", [1.5, -2.0, math.nan])
def test_a_difference_that_cannot_be_is_refused(delta: float) -> None:
    with pytest.raises(DataError, match="delta"):
        tango_z(1, 2, 10, delta)
