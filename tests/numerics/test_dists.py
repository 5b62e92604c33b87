"""The reference distributions against 50 digits, published constants and their own identities."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import places
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from outperform.numerics.distributions import Binomial, Chi2, F, Normal, T
from outperform.numerics.studentized import StudentizedMaximumModulus, StudentizedRange

MODULUS = json.loads((places.GOLDEN / "feelders_verkooijen_smm.json").read_text(encoding="utf-8"))[
    "points"
]

SMALLEST = mp.mpf(10) ** -305


@pytest.fixture(autouse=True)
def _fifty_digits() -> Iterator[None]:
    with mp.workdps(50):
        yield


# The truth


def beta_areas(a: mp.mpf, b: mp.mpf, x: mp.mpf, y: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """I_x(a, b) and its complement, by the continued fraction of DLMF 8.17.22."""
    n = a + b
    if x > (a + 1) / (n + 2):
        return beta_areas(b, a, y, x)[::-1]
    fraction, c, d, ratio, j = mp.mpf(1), mp.mpf(1), mp.mpf(0), mp.mpf(0), 1
    while abs(ratio - 1) > mp.mpf(10) ** -40:
        m, odd = divmod(j, 2)
        if odd:
            term = -(a + m) * (n + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c, j = 1 / (1 + term * d), 1 + term / c, j + 1
        ratio = c * d
        fraction *= ratio
    scale = mp.loggamma(n) - mp.loggamma(a) - mp.loggamma(b) - mp.log(a)
    lower = mp.exp(a * mp.log(x) + b * mp.log(y) + scale) / fraction
    return lower, 1 - lower


def beta_area_by_quadrature(a: mp.mpf, b: mp.mpf, x: mp.mpf) -> mp.mpf:
    """I_x(a, b) for x below the mean of large a and b, where the fraction is slow."""
    sd = 1 / mp.sqrt((a + b) * x * (1 - x))

    def density(s: mp.mpf) -> mp.mpf:
        odds = x / (1 - x) * mp.exp(-s * sd)
        return mp.exp(a * mp.log(odds) - (a + b) * mp.log1p(odds) + scale)

    scale = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
    return sd * mp.quad(density, [0, 1, 2, 4, 6, 8, 12, 16])


def gamma_areas(a: mp.mpf, x: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """P(a, x) and Q(a, x)."""
    if x < a:
        lower = mp.gammainc(a, 0, x, regularized=True)
        return lower, 1 - lower
    upper = mp.gammainc(a, x, mp.inf, regularized=True)
    return 1 - upper, upper


def log_of(area: mp.mpf, complement: mp.mpf) -> mp.mpf:
    return mp.log(area) if area < 0.5 else mp.log1p(-complement)


def relative_error(value: Any, truth: mp.mpf) -> float:
    return float(abs(mp.mpf(float(value)) / truth - 1))


def assert_areas(dist: Any, x: float, upper: mp.mpf, lower: mp.mpf) -> None:
    """12 digits of every area that a double can hold, 10 of every logarithm."""
    for area, log_area, truth, log_truth in (
        (dist.sf, dist.logsf, upper, log_of(upper, lower)),
        (dist.cdf, dist.logcdf, lower, log_of(lower, upper)),
    ):
        if truth > SMALLEST:
            assert relative_error(area(x), truth) < 1e-12
        if abs(log_truth) > SMALLEST:
            assert relative_error(log_area(x), log_truth) < (1e-12 if truth > SMALLEST else 1e-13)


# Areas


@pytest.mark.parametrize("df", [0.5, 1, 2, 3, 5, 9.3, 29, 383, 1e4, 1e6, 1e12])
@pytest.mark.parametrize("t", [1e-8, 1e-3, 0.5, 1, 2, 5.5, 12, 37, 100, 1e4, 1e8, 1e157, 1e300])
def test_t_areas_match_50_digits(df: float, t: float) -> None:
    odds = mp.mpf(t) ** 2 / mp.mpf(df)
    both, _ = beta_areas(mp.mpf(df) / 2, mp.mpf(1) / 2, 1 / (1 + odds), odds / (1 + odds))
    assert_areas(T(df), t, both / 2, 1 - both / 2)
    assert_areas(T(df), -t, 1 - both / 2, both / 2)


F_DFS = [
    (0.5, 0.5),
    (1, 5),
    (10, 5),
    (2, 30.5),
    (30, 0.1),
    (7, 1e6),
    (1e6, 7),
    (300, 4000.5),
    (4000, 3001),
    (30, 59945.444923753574),
    (59945.444923753574, 30),
]


@pytest.mark.parametrize("dfs", F_DFS, ids=str)
@pytest.mark.parametrize("f", [1e-300, 1e-8, 0.02, 0.8457271288961337, 1.2, 3, 40, 1e8, 1e300])
def test_f_areas_match_50_digits(dfs: tuple[float, float], f: float) -> None:
    df1, df2 = dfs
    odds = mp.mpf(f) * mp.mpf(df1) / mp.mpf(df2)
    upper, lower = beta_areas(mp.mpf(df2) / 2, mp.mpf(df1) / 2, 1 / (1 + odds), odds / (1 + odds))
    assert_areas(F(df1, df2), f, upper, lower)


@pytest.mark.parametrize("df", [0.1, 0.5, 1, 2, 3, 10, 190, 210, 1e4, 1e6])
@pytest.mark.parametrize("z", [-40, -5, -0.01, 0.01, 1, 5, 40])
def test_chi2_areas_match_50_digits_about_the_mean(df: float, z: float) -> None:
    x = df + z * math.sqrt(2 * df)
    if x > 0:
        lower, upper = gamma_areas(mp.mpf(df) / 2, mp.mpf(x) / 2)
        assert_areas(Chi2(df), x, upper, lower)


@pytest.mark.parametrize("df", [0.1, 1, 2, 3, 10, 190, 210])
@pytest.mark.parametrize("x", [1e-300, 1e-8, 0.01, 1.0, 40.0, 1e3, 1e5])
def test_chi2_areas_match_50_digits_far_from_the_mean(df: float, x: float) -> None:
    lower, upper = gamma_areas(mp.mpf(df) / 2, mp.mpf(x) / 2)
    assert_areas(Chi2(df), x, upper, lower)
    values = [area(np.array([x]))[0] for area in (Chi2(df).sf, Chi2(df).logsf)]
    assert values == pytest.approx([Chi2(df).sf(x), Chi2(df).logsf(x)], rel=1e-13)


@pytest.mark.parametrize("z", [0.0, 1e-9, 0.3, 1.96, 8.0, 36.9, 38.3, 50.0, 1e4, 1e150])
def test_normal_areas_match_50_digits_as_scalar_and_as_array(z: float) -> None:
    upper = mp.erfc(mp.mpf(z) / mp.sqrt(2)) / 2
    assert_areas(Normal(), z, upper, 1 - upper)
    assert_areas(Normal(), -z, 1 - upper, upper)
    for name in ("sf", "cdf", "logsf", "logcdf"):
        method: Callable[[Any], Any] = getattr(Normal(), name)
        least = 1e-307 if name.startswith("log") else 1e-323
        assert method(np.array([z]))[0] == pytest.approx(method(z), rel=1e-12, abs=least)


def test_chi2_with_a_million_million_df_is_normal_to_first_order() -> None:
    # Wilson and Hilferty's cube root is right to about 1 / df.
    df, z = 1e12, np.array([-6.0, -2.0, 0.5, 2.0, 6.0])
    x = df * (1 - 2 / (9 * df) + z * math.sqrt(2 / (9 * df))) ** 3
    recovered = (np.cbrt(x / df) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))
    np.testing.assert_allclose(Chi2(df).sf(x), Normal().sf(recovered), rtol=1e-7)


@pytest.mark.parametrize("dist", [Normal(), T(1), T(9), T(math.inf)], ids=lambda d: d.label)
def test_the_ends_of_the_line_are_exact(dist: Any) -> None:
    assert [dist.sf(math.inf), dist.sf(-math.inf), dist.sf(0.0)] == [0.0, 1.0, 0.5]
    assert [dist.cdf(math.inf), dist.cdf(-math.inf)] == [1.0, 0.0]
    assert [dist.logsf(math.inf), dist.logsf(-math.inf)] == [-math.inf, 0.0]
    assert [dist.isf(0.0), dist.isf(0.5), dist.isf(1.0)] == [math.inf, 0.0, -math.inf]


@pytest.mark.parametrize(
    "dist",
    [
        F(10, 5),
        F(2000, 3000),
        Chi2(1),
        Chi2(4),
        Chi2(1000),
        StudentizedMaximumModulus(3, 5),
        StudentizedRange(3, 5),
    ],
    ids=lambda d: d.label,
)
def test_the_ends_of_the_half_line_are_exact(dist: Any) -> None:
    assert [dist.sf(x) for x in (-1.0, 0.0, math.inf)] == [1.0, 1.0, 0.0]
    assert [dist.cdf(x) for x in (-1.0, 0.0, math.inf)] == [0.0, 0.0, 1.0]
    assert [dist.logsf(0.0), dist.logsf(math.inf)] == [0.0, -math.inf]
    assert [dist.logcdf(0.0), dist.logcdf(math.inf)] == [-math.inf, 0.0]
    assert [dist.isf(0.0), dist.isf(1.0)] == [math.inf, 0.0]


# Identities


degrees = st.floats(0.3, 1e7)
positive = st.floats(1e-6, 1e6)
properties = settings(max_examples=60)


@pytest.mark.slow
@properties
@given(degrees, st.floats(-1e6, 1e6))
def test_both_tails_of_t_add_to_one(df: float, t: float) -> None:
    assert T(df).sf(t) + T(df).sf(-t) == pytest.approx(1.0, abs=4e-16)


@properties
@given(degrees, positive)
def test_a_squared_t_is_an_f(df: float, t: float) -> None:
    two_sided = 2 * T(df).sf(t)
    assert F(1, df).sf(t * t) == pytest.approx(two_sided, rel=1e-11, abs=1e-300)


@pytest.mark.slow
@properties
@given(degrees, degrees, positive)
def test_one_over_an_f_is_an_f(df1: float, df2: float, f: float) -> None:
    mirrored = F(df2, df1).logcdf(1 / f)
    # 1 / f is rounded, which moves log p by as much as the density is steep.
    steep = abs(F(df1, df2).logsf(f * (1 + 1e-9)) - F(df1, df2).logsf(f)) / 1e-9
    assert F(df1, df2).logsf(f) == pytest.approx(mirrored, rel=1e-12, abs=1e-14 + 1e-15 * steep)


@properties
@given(st.floats(1e-3, 1e5), positive)
def test_f_with_two_df_is_a_power(df2: float, f: float) -> None:
    expected = -df2 / 2 * math.log1p(2 * f / df2)
    assert F(2, df2).logsf(f) == pytest.approx(expected, rel=1e-11)


@properties
@given(st.floats(1e-300, 1e300))
def test_chi2_with_two_df_is_exponential(x: float) -> None:
    assert Chi2(2).logsf(x) == pytest.approx(-x / 2, rel=1e-13)


@properties
@given(st.floats(0, 1e100))
def test_chi2_with_one_df_is_a_squared_normal(z: float) -> None:
    assert Chi2(1).logsf(z * z) == pytest.approx(math.log(2) + Normal().logsf(z), rel=1e-13)
    assert Chi2(1).sf(z * z) == pytest.approx(2 * Normal().sf(z), rel=1e-12)
    assert Chi2(np.ones(1)).sf(z * z)[0] == pytest.approx(Chi2(1).sf(z * z), rel=1e-12)


@properties
@given(st.floats(-1e10, 1e10))
def test_t_with_one_df_is_cauchy(t: float) -> None:
    expected = 0.5 - math.atan(t) / math.pi if t < 1 else math.atan(1 / t) / math.pi
    assert T(1).sf(t) == pytest.approx(expected, rel=1e-14)


@pytest.mark.slow
@properties
@given(
    st.sampled_from([Normal(), T(0.5), T(9), T(2e4), F(3, 7), F(900, 1100), Chi2(3), Chi2(300)]),
    st.floats(-20, 1e3),
    st.floats(1e-6, 10),
)
def test_areas_fall_and_logs_agree_with_them(dist: Any, x: float, more: float) -> None:
    assert dist.sf(x + more) <= dist.sf(x) * (1 + 1e-12)
    assert dist.logsf(x + more) <= dist.logsf(x) + 1e-12
    assert dist.sf(x) + dist.cdf(x) == pytest.approx(1.0, abs=1e-14)
    if dist.sf(x) > 1e-300:
        assert dist.logsf(x) == pytest.approx(math.log(dist.sf(x)), rel=1e-12, abs=2e-16)


def test_infinite_df_are_normal_alone_and_among_others() -> None:
    z = np.array([-3.0, 0.5, 40.0])
    mixed = T(np.array([math.inf, 5.0, math.inf]))
    for name in ("sf", "cdf", "logsf", "logcdf"):
        found, normal = getattr(mixed, name)(z), getattr(Normal(), name)(z)
        assert found[[0, 2]].tolist() == normal[[0, 2]].tolist()
        assert found[1] == getattr(T(5), name)(0.5)
    assert T(math.inf).logsf(1e3) == Normal().logsf(1e3)
    assert T(math.inf).isf(0.025) == Normal().isf(0.025)
    assert T(1e300).isf(1e-300) == Normal().isf(1e-300)


def test_arguments_and_df_broadcast() -> None:
    df, t = np.array([[1.0], [9.0], [5000.0]]), np.array([-1.0, 0.0, 2.0, 60.0])
    for name in ("sf", "cdf", "logsf", "logcdf"):
        table = getattr(T(df), name)(t)
        assert table.shape == (3, 4)
        for i, j in np.ndindex(3, 4):
            assert table[i, j] == getattr(T(df[i, 0]), name)(t[j])
    assert F(df, t[2:]).sf(2.0).shape == (3, 2)
    assert Chi2(df).isf(np.array([0.01, 0.99])).shape == (3, 2)
    assert Binomial(df * 10, 0.3).at_least(3).shape == (3, 1)


@pytest.mark.parametrize("scalar", [2, 2.0, np.float64(2), np.int64(2), np.array(2.0)])
def test_scalars_of_any_kind_give_floats(scalar: Any) -> None:
    for dist in (Normal(), T(9), F(2, 9), Chi2(1), Chi2(4), StudentizedRange(3, 9)):
        for name in ("sf", "cdf", "logsf", "logcdf"):
            assert type(getattr(dist, name)(scalar)) is float
        assert type(dist.isf(scalar / 5)) is float
    for name in ("at_least", "at_most", "pmf", "log_at_least", "log_at_most", "log_pmf"):
        assert type(getattr(Binomial(10, 0.5), name)(scalar)) is float
        assert type(getattr(Binomial(scalar, 0.3), name)(1)) is float


def test_labels() -> None:
    labelled = {
        "N(0, 1)": Normal(),
        "t(9)": T(9),
        "t(8.25)": T(8.25),
        "t(1000000)": T(1e6),
        "t(∞)": T(math.inf),
        "t": T(np.array([9.0, 5.0])),
        "F(10, 5)": F(10, 5),
        "χ²(1)": Chi2(1),
        "B(12, 0.5)": Binomial(12, 0.5),
        "|M|(6, 105)": StudentizedMaximumModulus(6, 105),
        "q(4, ∞)": StudentizedRange(4, math.inf),
    }
    assert {dist.label: dist for dist in labelled.values()} == labelled


def test_at_picks_one_experiment_of_many() -> None:
    assert T(np.array([9.0, 5.0])).at(1) == T(5.0)
    assert T(9).at(1) == T(9)
    assert F(2, np.array([9.0, 5.0])).at(0) == F(2, 9.0)
    assert Chi2(np.array([1.0, 2.0])).at(-1) == Chi2(2.0)
    assert Normal().at(7) == Normal()
    assert T(np.array([9.0, 5.0, 3.0])).at(slice(1, None)).df.tolist() == [5.0, 3.0]


# Quantiles


@pytest.mark.parametrize(
    ("dist", "q", "published"),
    [
        (T(29), 0.025, 2.04522964213),
        (T(9), 0.025, 2.2621571628),
        (T(5), 0.025, 2.57058183564),
        (T(14), 0.05, 1.76131013577),
        (T(383), 0.05 / 20, 2.8234),
        (Chi2(1), 0.05, 3.84145882069),
        (Normal(), 0.025, 1.95996398454),
        (Normal(), 0.05 / 20, 2.80703376834),
    ],
    ids=str,
)
def test_the_constants_of_the_papers(dist: Any, q: float, published: float) -> None:
    digits = len(f"{published}".partition(".")[2])
    assert dist.isf(q) == pytest.approx(published, abs=0.51 * 10**-digits)


quantiles = st.one_of(
    st.floats(-300, math.log10(0.5)).map(lambda e: 10**e), st.floats(1e-6, 1 - 1e-6)
)


def assert_inverted(dist: Any, q: float) -> None:
    """12 digits of q, or as many as the spacing of doubles at the quantile allows."""
    x = dist.isf(q)
    area, target = (dist.sf, q) if q <= 0.5 else (dist.cdf, 1 - q)
    around = area(np.array([x * (1 - 4e-16), x * (1 + 4e-16)]))
    spacing = float(np.abs(around - area(x)).max())
    assert abs(area(x) - target) <= 1e-12 * target + spacing


@settings(max_examples=60)
@given(st.sampled_from([1, 2, 3, 9.3, 29, 383, 1e6, 1e12, math.inf]), quantiles)
@example(1, 1e-300)
@example(9, 0.5 - 1e-12)
def test_t_quantiles_invert_areas(df: float, q: float) -> None:
    assert_inverted(T(df), q)


@settings(max_examples=60)
@given(st.sampled_from([0.5, 1, 2, 10, 300, 1e6]), st.sampled_from([3, 30.5, 1e4]), quantiles)
@example(10, 912.3169218326432, 0.05)
def test_f_quantiles_invert_areas(df1: float, df2: float, q: float) -> None:
    assert_inverted(F(df1, df2), q)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from([0.5, 1, 2, 3, 190, 210, 1e4, 1e6, 1e12]), quantiles)
@example(3393702238341.976, 0.25)
def test_chi2_quantiles_invert_areas(df: float, q: float) -> None:
    assert_inverted(Chi2(df), q)


@properties
@given(quantiles)
@example(1e-300)
def test_normal_quantiles_invert_areas(q: float) -> None:
    assert_inverted(Normal(), q)


def test_a_quantile_beyond_the_largest_double_is_infinite() -> None:
    assert T(0.5).isf(1e-300) == math.inf
    assert F(2, 1).isf(1e-300) == math.inf


def test_quantiles_of_arrays_are_those_of_their_elements() -> None:
    q = np.array([0.0, 1e-300, 0.01, 0.3, 0.5, 0.7, 1.0])
    for dist in (T(9), F(3, 8), Chi2(5), Normal()):
        assert dist.isf(q).tolist() == pytest.approx([dist.isf(p) for p in q], rel=1e-14)


# Counts


def binomial_truth(k: int, n: int, p: float) -> tuple[mp.mpf, mp.mpf]:
    """P(at least k) and P(fewer than k)."""
    a, b, x = mp.mpf(k), mp.mpf(n - k + 1), mp.mpf(p)
    far = abs(k - n * p) > 3 * math.sqrt(n * p * (1 - p))
    if n < 10**6 or far or min(n * p, n * (1 - p)) < 1e4:
        return beta_areas(a, b, x, 1 - x)
    if x > a / (a + b):
        lower = beta_area_by_quadrature(b, a, 1 - x)
        return 1 - lower, lower
    upper = beta_area_by_quadrature(a, b, x)
    return upper, 1 - upper


TRIALS = 10**12
HALF = TRIALS // 2


@pytest.mark.parametrize(
    ("n", "p", "k"),
    [
        *[(TRIALS, 0.5, HALF + d) for d in (0, 1, 10**5, 10**6, -(10**6), 3 * 10**6, 18_400_000)],
        *[(TRIALS, 0.5, HALF + d) for d in (10**8, -(10**9))],
        *[(TRIALS, 0.1, 10**11 + d) for d in (0, 10**5, 10**7, -(10**7))],
        *[(TRIALS, 1e-11, k) for k in (1, 3, 10, 40, 200)],
        *[(TRIALS, 1 - 1e-11, TRIALS - k) for k in (0, 3, 10, 40, 200)],
        *[(10**6, 0.3, 300_000 + d) for d in (-(10**4), 0, 500, 17_000)],
        *[(4001, 0.5, k) for k in (1, 500, 1990, 2001, 3900)],
        *[(57, 0.3, k) for k in (1, 17, 30, 57)],
        (1, 0.9, 1),
        (20, 1e-100, 3),
    ],
)
def test_binomial_tails_match_50_digits(n: int, p: float, k: int) -> None:
    upper, lower = binomial_truth(k, n, p)
    law, batch = Binomial(n, p), Binomial(np.array([n], dtype=float), p)
    for area, log_area, count, truth, log_truth in (
        ("at_least", "log_at_least", k, upper, log_of(upper, lower)),
        ("at_most", "log_at_most", k - 1, lower, log_of(lower, upper)),
    ):
        if truth > SMALLEST:
            assert relative_error(getattr(law, area)(count), truth) < 1e-12
            assert relative_error(getattr(batch, area)(count)[0], truth) < 1e-12
        if abs(log_truth) > SMALLEST:
            assert relative_error(getattr(law, log_area)(count), log_truth) < 1e-12


@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (30, 0.3), (4000, 0.5), (10**12, 0.5)])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.4999, 0.5, 0.9, 1.0])
def test_binomial_point_probabilities_match_50_digits(n: int, p: float, share: float) -> None:
    k = round(n * share)
    x = mp.mpf(p)
    truth = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
    truth += k * mp.log(x) + (n - k) * mp.log(1 - x)
    assert relative_error(Binomial(n, p).log_pmf(k), truth) < 1e-14
    if truth > -700:
        assert relative_error(Binomial(n, p).pmf(k), mp.exp(truth)) < 1e-12


@properties
@given(st.integers(0, 300), st.integers(-2, 302))
def test_fair_tosses_are_counted_exactly(n: int, k: int) -> None:
    ways = sum(math.comb(n, j) for j in range(max(k, 0), n + 1))
    assert Binomial(n, 0.5).at_least(k) == ways / 2**n
    assert Binomial(n, 0.5).at_most(k - 1) == (2**n - ways) / 2**n
    assert Binomial(np.array([n]), 0.5).at_least(k)[0] == pytest.approx(ways / 2**n, rel=1e-12)
    if 0 < ways < 2**n:
        log_truth = log_of(mp.mpf(ways) / 2**n, mp.mpf(2**n - ways) / 2**n)
        assert relative_error(Binomial(n, 0.5).log_at_least(k), log_truth) < 1e-14


@properties
@given(st.integers(1, 10**12), st.floats(1e-9, 1 - 1e-9), st.floats(0, 1))
def test_binomial_tails_meet_and_differ_by_the_point(n: int, p: float, share: float) -> None:
    law, k = Binomial(n, p), round(n * share)
    assert law.at_least(k) + law.at_most(k - 1) == pytest.approx(1.0, abs=1e-14)
    assert law.at_least(k) >= law.at_least(k + 1) * (1 - 1e-12)
    assert law.at_least(k) - law.at_least(k + 1) == pytest.approx(law.pmf(k), rel=1e-9, abs=1e-14)


def test_counts_outside_the_trials_are_certain_or_impossible() -> None:
    for law in (Binomial(5, 0.5), Binomial(5, 0.3), Binomial(10**6, 0.3)):
        n = int(law.n)
        assert [law.at_least(-1), law.at_least(0), law.at_least(n + 1)] == [1.0, 1.0, 0.0]
        assert [law.at_most(-1), law.at_most(n), law.at_most(n + 1)] == [0.0, 1.0, 1.0]
        assert [law.log_at_least(0), law.log_at_least(n + 1)] == [0.0, -math.inf]
        assert [law.pmf(-1), law.pmf(n + 1)] == [0.0, 0.0]


def test_sure_and_hopeless_trials() -> None:
    assert Binomial(5, 0.0).at_least([0, 1]).tolist() == [1.0, 0.0]
    assert Binomial(5, 1.0).at_most([4, 5]).tolist() == [0.0, 1.0]
    assert Binomial(5, 1.0).pmf([4, 5]).tolist() == [0.0, 1.0]
    assert Binomial(0, 0.3).at_least(0) == Binomial(0, 0.3).pmf(0) == 1.0


# The studentized maximum modulus and range


@pytest.mark.requirement("F-10")
@pytest.mark.parametrize("point", MODULUS, ids=lambda p: f"{p['alpha']}-{p['k']}-{p['nu']}")
def test_modulus_points_match_the_recomputed_table(point: dict[str, Any]) -> None:
    dist = StudentizedMaximumModulus(point["k"], float(point["nu"]))
    assert dist.isf(point["alpha"]) == pytest.approx(point["value"], rel=3e-12)
    assert dist.sf(dist.isf(point["alpha"])) == pytest.approx(point["alpha"], rel=1e-13)


@pytest.mark.requirement("F-10")
def test_the_paper_prints_a_constant_too_small() -> None:
    assert StudentizedMaximumModulus(6, 105).isf(0.10) == pytest.approx(2.41271918495, abs=6e-12)
    assert StudentizedMaximumModulus(3, 105).isf(0.10) == pytest.approx(2.13993134777, abs=6e-12)
    assert StudentizedMaximumModulus(3, 105).sf(2.135) > 0.101


@pytest.mark.requirement("F-10")
@pytest.mark.parametrize("df", [1, 5, 105, 1e4, math.inf])
@pytest.mark.parametrize("x", [1e-3, 0.5, 2.0, 8.0, 300.0])
def test_one_modulus_is_a_two_sided_t(df: float, x: float) -> None:
    one, t = StudentizedMaximumModulus(1, df), T(df)
    assert one.logsf(x) == pytest.approx(math.log(2) + t.logsf(x), rel=1e-13, abs=1e-14)
    if df < math.inf:
        assert one.logcdf(x) == pytest.approx(F(1, df).logcdf(x * x), rel=1e-12)
    pair = StudentizedRange(2, df)
    assert pair.logsf(x * math.sqrt(2)) == pytest.approx(one.logsf(x), rel=1e-13, abs=1e-14)


def modulus_truth(k: int, df: int, x: float) -> mp.mpf:
    """P(|M| > x) as the mean over the scale, split where its integrand changes."""
    half = mp.mpf(df) / 2
    scale = mp.log(2) + half * mp.log(half) - mp.loggamma(half)

    def integrand(s: mp.mpf) -> mp.mpf:
        beyond = -mp.expm1(k * mp.log1p(-mp.erfc(x * s / mp.sqrt(2))))
        return beyond * mp.exp(scale + (df - 1) * mp.log(s) - half * s * s)

    return mp.quad(integrand, [0, *(mp.mpf(c) / x for c in (0.5, 1, 2, 4, 6, 9, 13))])


@pytest.mark.slow
@pytest.mark.requirement("F-10")
@pytest.mark.parametrize(("k", "df", "x"), [(3, 5, 1200.0), (6, 2, 1e7), (100, 20, 33.0)])
def test_the_far_tail_of_the_modulus_keeps_its_digits(k: int, df: int, x: float) -> None:
    truth = modulus_truth(k, df, x)
    assert truth < 1e-9
    assert relative_error(StudentizedMaximumModulus(k, df).sf(x), truth) < 1e-12


@pytest.mark.requirement("F-10")
@pytest.mark.parametrize("k", [2, 6, 40])
def test_known_scale_makes_the_modulus_independent(k: int) -> None:
    dist = StudentizedMaximumModulus(k, math.inf)
    for x in (0.1, 2.0, 9.0):
        one = mp.erf(mp.mpf(x) / mp.sqrt(2))
        assert relative_error(dist.cdf(x), one**k) < 1e-13
        assert relative_error(dist.sf(x), 1 - one**k) < 1e-13
    assert dist.logsf(60.0) == pytest.approx(math.log(2 * k) + Normal().logsf(60.0), rel=1e-14)


RANGE_POINTS = [
    (3, 0.122266305944),
    (4, 0.203322434168),
    (5, 0.285813123756),
    (10, 0.627414522539),
]


@pytest.mark.requirement("F-08")
@pytest.mark.parametrize(("k", "expected"), RANGE_POINTS)
def test_unadjusted_comparison_of_the_extremes_of_k(k: int, expected: float) -> None:
    x = 1.95996398454 * math.sqrt(2)
    assert StudentizedRange(k, math.inf).sf(x) == pytest.approx(expected, abs=6e-13)


@pytest.mark.requirement("F-08")
@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("df", [3, 20, 500, math.inf])
def test_the_range_agrees_with_scipy_where_scipy_is_right(k: int, df: float) -> None:
    dist = StudentizedRange(k, df)
    for x in (1.5, 3.5, 7.0):
        assert dist.cdf(x) == pytest.approx(stats.studentized_range.cdf(x, k, df), rel=1e-10)
        assert dist.sf(x) == pytest.approx(stats.studentized_range.sf(x, k, df), rel=1e-8)


@pytest.mark.requirement("F-08")
@pytest.mark.parametrize("x", [0.3, 4.0, 20.0])
def test_the_range_of_three_normals_matches_30_digits(x: float) -> None:
    # P(R > x) = 3 ∫ φ(z) (Q(z)² - (Q(z) - Q(z + x))²) dz over the smallest z.
    def upper(z: mp.mpf) -> mp.mpf:
        return mp.erfc(z / mp.sqrt(2)) / 2

    # Scaled to about 1, since quadrature stops at an absolute error.
    scale = mp.exp(mp.mpf(x) ** 2 / 4)

    def integrand(z: mp.mpf) -> mp.mpf:
        far = upper(z + x)
        return scale * 3 * mp.npdf(z) * far * (2 * upper(z) - far)

    with mp.workdps(30):
        truth = mp.quad(integrand, [c - mp.mpf(x) / 2 for c in range(-9, 10, 3)]) / scale
    assert relative_error(StudentizedRange(3, math.inf).sf(x), truth) < 1e-12
    assert relative_error(StudentizedRange(3, math.inf).cdf(x), 1 - truth) < 1e-12


@pytest.mark.slow
@pytest.mark.requirement("F-10", "F-08")
@settings(max_examples=15)
@given(
    st.sampled_from([StudentizedMaximumModulus, StudentizedRange]),
    st.integers(2, 12),
    st.sampled_from([2, 5, 60, 1e5, math.inf]),
    st.floats(-12, -0.02).map(lambda e: 10**e),
)
def test_studentized_points_invert_areas(kind: Any, k: int, df: float, q: float) -> None:
    dist = kind(k, df)
    x = dist.isf(q)
    assert dist.sf(x) == pytest.approx(q, rel=1e-12)
    assert dist.logcdf(x) == pytest.approx(math.log1p(-q), rel=1e-12)
    assert dist.sf(x * 1.01) < dist.sf(x)
    assert dist.sf(x) < kind(k + 1, df).sf(x)


def test_studentized_arrays_are_their_elements() -> None:
    dist = StudentizedMaximumModulus(3, 10)
    x = np.array([[0.5, 1.0], [2.0, 4.0]])
    assert dist.sf(x).tolist() == [[dist.sf(value) for value in row] for row in x]
    assert dist.isf(np.array([0.1, 0.9])).tolist() == [dist.isf(0.1), dist.isf(0.9)]


# What it costs to start


def test_first_p_values_need_no_scipy() -> None:
    program = """
import sys
from outperform.numerics.distributions import Binomial, Chi2, Normal
Normal().sf(1.96), Normal().cdf(1.96), Normal().logsf(50.0), Normal().logcdf(1.0)
Chi2(1).sf(3.84), Chi2(1).cdf(3.84), Chi2(1).logsf(3.84), Chi2(1).logsf(5000.0)
Binomial(41, 0.5).at_least(30), Binomial(41, 0.5).log_at_most(12), Binomial(41, 0.5).pmf(12)
Binomial(10**12, 0.5).log_at_least(5 * 10**11 + 10**6)
print([name for name in sys.modules if name.startswith("scipy")])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_scipy_stats_is_never_loaded() -> None:
    program = """
import sys
import numpy as np
from outperform.numerics.distributions import Chi2, F, Normal, T
from outperform.numerics.studentized import StudentizedMaximumModulus
T(9).isf(0.025), F(2, 9).sf(3.0), Chi2(3).logsf(np.array([1.0, 9.0])), Normal().isf(0.1)
StudentizedMaximumModulus(3, 9).isf(0.1)
print("scipy.special" in sys.modules, "scipy.stats" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]
