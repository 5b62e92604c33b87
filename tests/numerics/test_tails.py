"""The pieces under the tail areas: series without cancellation, cuts with both ends exact."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath as mp
import numpy as np
import pytest

from outperform.numerics import tails


@pytest.fixture(autouse=True)
def _fifty_digits() -> Iterator[None]:
    with mp.workdps(50), np.errstate(all="ignore"):
        yield


def relative_error(value: object, truth: mp.mpf) -> float:
    return float(abs(mp.mpf(float(value)) / truth - 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1e-150, 1e-12, 1e-5, 0.01, 0.3, 0.499, 0.501, 2.0, 30.0])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_exp_minus_one_minus_s_does_not_cancel(size: float, sign: float) -> None:
    s = sign * size
    truth = mp.expm1(mp.mpf(s)) - mp.mpf(s)
    if size < 1e-4:
        truth = mp.mpf(s) ** 2 / 2 + mp.mpf(s) ** 3 / 6 + mp.mpf(s) ** 4 / 24
    assert relative_error(tails.relative_exponential(np.float64(s)), truth) < 1e-15


@pytest.mark.parametrize("a", [1e-8, 0.005, 0.5, 1, 2.5, 9.99, 10, 31, 1e6, 1e12])
def test_stirling_error_completes_log_gamma(a: float) -> None:
    z = mp.mpf(a)
    truth = mp.loggamma(z) - ((z - 0.5) * mp.log(z) - z + mp.log(2 * mp.pi) / 2)
    found = float(tails.stirling_error(np.float64(a)))
    assert float(abs(mp.mpf(found) - truth)) < 1e-15 * max(1.0, abs(found))


@pytest.mark.parametrize("odds", [1e-300, 1e-20, 0.3, 1.0, 7.0, 1e20, 1e300])
def test_a_cut_has_all_digits_at_both_ends(odds: float) -> None:
    cut = tails.cut_at_odds(np.float64(odds), np.log(odds))
    x, y = 1 / (1 + mp.mpf(odds)), mp.mpf(odds) / (1 + mp.mpf(odds))
    assert max(relative_error(cut.x, x), relative_error(cut.y, y)) < 4e-16
    assert cut.flipped().x == cut.y
    assert cut.flipped().log_y == cut.log_x


@pytest.mark.parametrize("log_odds", [-2000.0, 2000.0])
def test_a_cut_keeps_the_log_of_an_end_that_underflows(log_odds: float) -> None:
    cut = tails.cut_at_odds(np.exp(log_odds), np.float64(log_odds))
    assert min(cut.x, cut.y) == 0.0
    assert min(cut.log_x, cut.log_y) == -2000.0
    assert max(cut.log_x, cut.log_y) == 0.0


def test_areas_do_not_depend_on_how_many_are_asked_at_once() -> None:
    x = np.linspace(900.0, 1100.0, 20_011)
    together = tails.gamma_area(np.float64(1000.0), x, upper=True)
    some = np.array([0, 8191, 8192, 8193, 20_010])
    alone = [float(tails.gamma_area(np.float64(1000.0), x[i], upper=True)) for i in some]
    np.testing.assert_allclose(together[some], alone, rtol=1e-14)


def test_upper_and_lower_areas_may_be_mixed() -> None:
    a, x = np.array([3.0, 3.0, 400.0, 400.0]), np.array([2.0, 2.0, 420.0, 420.0])
    areas = tails.gamma_area(a, x, upper=np.array([True, False, True, False]))
    np.testing.assert_allclose(areas[::2] + areas[1::2], 1.0, rtol=1e-15)
    assert areas[0] > areas[1]
    assert areas[2] < areas[3]
