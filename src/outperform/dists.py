"""The reference distributions of the tests, over scipy.special."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import tails
from .tails import Array

__all__ = [
    "Binomial",
    "Chi2",
    "F",
    "Normal",
    "StudentizedMaximumModulus",
    "StudentizedRange",
    "T",
]

Number: TypeAlias = float | Array
"""A float for scalar arguments, an array otherwise."""

_SQRT2 = math.sqrt(2.0)
_LOG2 = math.log(2.0)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)

# Up to here counting in integers takes about a millisecond.
_FEW_TOSSES = 4000

# Branches that np.where discards may divide by zero or overflow; the branch kept does not.
_quiet = np.errstate(all="ignore")


def _float64(value: npt.ArrayLike) -> Array:
    return np.asarray(value, dtype=np.float64)


def _plain(value: Array) -> Number:
    """Return a float for a scalar, never -0.0."""
    return float(value) + 0.0 if np.ndim(value) == 0 else value + 0.0


def _name(symbol: str, *parameters: Number) -> str:
    if any(np.ndim(parameter) for parameter in parameters):
        return symbol
    return f"{symbol}({', '.join(_digits(float(parameter)) for parameter in parameters)})"


def _digits(value: float) -> str:
    if math.isinf(value):
        return "∞"
    return f"{value:.0f}" if value == int(value) else f"{value:.5g}"


def _pick(parameter: Number, index: Any) -> Number:
    return _plain(parameter[index]) if isinstance(parameter, np.ndarray) else parameter


def _log_normal_sf(z: float) -> float:
    """Return log P(Z > z) without SciPy."""
    if z <= 0.0:
        return math.log1p(-0.5 * math.erfc(-z / _SQRT2))
    if z < 37.0:
        return math.log(0.5 * math.erfc(z / _SQRT2))
    # Mills' ratio beyond underflow: the first term left out is below 1e-12.
    u = -1.0 / (z * z)
    ratio = u * (1.0 + 3.0 * u * (1.0 + 5.0 * u * (1.0 + 7.0 * u)))
    return math.log1p(ratio) - z * z / 2.0 - math.log(z) - _LOG_SQRT_2PI


@dataclass(frozen=True, slots=True)
class Normal:
    """The standard normal distribution; scalars need no SciPy."""

    @property
    def label(self) -> str:
        return "N(0, 1)"

    def at(self, index: Any) -> Normal:
        return self

    def sf(self, x: npt.ArrayLike) -> Number:
        z = _float64(x)
        if z.ndim == 0:
            return 0.5 * math.erfc(float(z) / _SQRT2)
        from scipy.special import erfc

        # scipy's erfc is 0 where the result would be subnormal.
        area = 0.5 * erfc(z / _SQRT2)
        return np.where(area < tails.TINY, np.exp(self.logsf(z)), area)

    def cdf(self, x: npt.ArrayLike) -> Number:
        return self.sf(-_float64(x))

    def logsf(self, x: npt.ArrayLike) -> Number:
        z = _float64(x)
        if z.ndim == 0:
            return _log_normal_sf(float(z))
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(-z))

    def logcdf(self, x: npt.ArrayLike) -> Number:
        return self.logsf(-_float64(x))

    def isf(self, q: npt.ArrayLike) -> Number:
        from scipy.special import ndtri

        return _plain(-ndtri(_float64(q)))


@dataclass(frozen=True, slots=True)
class T:
    """Student's t; infinite degrees of freedom give the normal distribution."""

    df: Number

    @property
    def label(self) -> str:
        return _name("t", self.df)

    def at(self, index: Any) -> T:
        return T(_pick(self.df, index))

    @_quiet
    def sf(self, x: npt.ArrayLike) -> Number:
        from scipy.special import stdtr

        t, df = np.broadcast_arrays(_float64(x), self._finite_df())
        # Two to nine times as quick as the incomplete beta, and right to 3e-13 from 2 degrees of
        # freedom on; below that it loses digits near 0, and nowhere does it reach far down.
        area = np.array(stdtr(df, -t))
        hard = (df < 2.0) | ~(area > tails.TINY)
        if hard.any():
            t_hard, df_hard = t[hard], df[hard]
            half = 0.5 * tails.beta_lower(df_hard / 2.0, _float64(0.5), _t_cut(t_hard, df_hard))
            area[hard] = np.where(t_hard > 0.0, half, 1.0 - half)
        return self._or_normal(area, Normal().sf, t)

    def cdf(self, x: npt.ArrayLike) -> Number:
        return self.sf(-_float64(x))

    @_quiet
    def logsf(self, x: npt.ArrayLike) -> Number:
        t, df = _float64(x), self._finite_df()
        log_both = tails.log_beta_lower(df / 2.0, _float64(0.5), _t_cut(t, df))
        log_area = np.where(t > 0.0, log_both - _LOG2, np.log1p(-0.5 * np.exp(log_both)))
        return self._or_normal(log_area, Normal().logsf, t)

    def logcdf(self, x: npt.ArrayLike) -> Number:
        return self.logsf(-_float64(x))

    @_quiet
    def isf(self, q: npt.ArrayLike) -> Number:
        p, df = _float64(q), self._finite_df()
        smaller = np.minimum(p, 1.0 - p)
        if np.all((df >= 2.0) & (smaller > 1e-12)):
            t = _quick_t(df, smaller)
        else:
            t = np.sqrt(df) * tails.beta_root_odds(df / 2.0, _float64(0.5), 2.0 * smaller)
        return self._or_normal(np.where(p > 0.5, -t, t), Normal().isf, p)

    def _finite_df(self) -> Array:
        return np.where(self._is_normal(), 1.0, self.df)

    def _is_normal(self) -> npt.NDArray[np.bool_]:
        # From here on not a digit differs, and products of df would overflow.
        return np.asarray(_float64(self.df) > 1e290)

    def _or_normal(self, value: Array, normal: Callable[[Array], Number], x: Array) -> Number:
        if self._is_normal().any():
            value = np.where(self._is_normal(), normal(x), value)
        return _plain(value)


def _quick_t(df: Array, q: Array) -> Array:
    """Return the upper q point, q ≤ ½, where `stdtrit` is near it: elsewhere it can fail outright.

    In SciPy 1.13 it has 10 digits, in 1.17 13; a Newton step makes them 13 in both.
    """
    from scipy.special import betaln, stdtr, stdtrit

    t = -stdtrit(df, q)
    log_density = -betaln(df / 2.0, 0.5) - (df + 1.0) / 2.0 * np.log1p(t * t / df)
    t = t + (stdtr(df, -t) - q) * np.sqrt(df) * np.exp(-log_density)
    return np.where(q == 0.5, 0.0, t)


def _t_cut(t: Array, df: Array) -> tails.Cut:
    root = np.abs(t) / np.sqrt(df)
    return tails.cut_at_odds(root * root, 2.0 * np.log(root))


@dataclass(frozen=True, slots=True)
class F:
    """Fisher's F with finite degrees of freedom."""

    df1: Number
    df2: Number

    @property
    def label(self) -> str:
        return _name("F", self.df1, self.df2)

    def at(self, index: Any) -> F:
        return F(_pick(self.df1, index), _pick(self.df2, index))

    @_quiet
    def sf(self, x: npt.ArrayLike) -> Number:
        return _plain(tails.beta_lower(*self._halves()[::-1], self._cut(x)))

    @_quiet
    def cdf(self, x: npt.ArrayLike) -> Number:
        return _plain(tails.beta_lower(*self._halves(), self._cut(x).flipped()))

    @_quiet
    def logsf(self, x: npt.ArrayLike) -> Number:
        return _plain(tails.log_beta_lower(*self._halves()[::-1], self._cut(x)))

    @_quiet
    def logcdf(self, x: npt.ArrayLike) -> Number:
        return _plain(tails.log_beta_lower(*self._halves(), self._cut(x).flipped()))

    @_quiet
    def isf(self, q: npt.ArrayLike) -> Number:
        half1, half2 = self._halves()
        root = tails.beta_root_odds(half2, half1, _float64(q))
        return _plain(root * (root * (half2 / half1)))

    def _halves(self) -> tuple[Array, Array]:
        return _float64(self.df1) / 2.0, _float64(self.df2) / 2.0

    def _cut(self, x: npt.ArrayLike) -> tails.Cut:
        half1, half2 = self._halves()
        f, ratio = np.maximum(_float64(x), 0.0), half1 / half2
        return tails.cut_at_odds(f * ratio, np.log(f) + np.log(ratio))


@dataclass(frozen=True, slots=True)
class Chi2:
    """The chi-square distribution; scalars with one degree of freedom need no SciPy."""

    df: Number

    @property
    def label(self) -> str:
        return _name("χ²", self.df)

    def at(self, index: Any) -> Chi2:
        return Chi2(_pick(self.df, index))

    @_quiet
    def sf(self, x: npt.ArrayLike) -> Number:
        if (z := self._normal_deviate(x)) is not None:
            return math.erfc(z / _SQRT2)
        return _plain(tails.gamma_area(*self._halves(x), upper=True))

    @_quiet
    def cdf(self, x: npt.ArrayLike) -> Number:
        if (z := self._normal_deviate(x)) is not None:
            return math.erf(z / _SQRT2)
        return _plain(tails.gamma_area(*self._halves(x), upper=False))

    @_quiet
    def logsf(self, x: npt.ArrayLike) -> Number:
        if (z := self._normal_deviate(x)) is not None:
            return math.log1p(-math.erf(z / _SQRT2)) if z < 0.5 else _LOG2 + _log_normal_sf(z)
        return _plain(tails.log_gamma_area(*self._halves(x), upper=True))

    @_quiet
    def logcdf(self, x: npt.ArrayLike) -> Number:
        return _plain(tails.log_gamma_area(*self._halves(x), upper=False))

    @_quiet
    def isf(self, q: npt.ArrayLike) -> Number:
        return _plain(2.0 * tails.gamma_quantile(_float64(self.df) / 2.0, _float64(q)))

    def _halves(self, x: npt.ArrayLike) -> tuple[Array, Array]:
        return _float64(self.df) / 2.0, np.maximum(_float64(x), 0.0) / 2.0

    def _normal_deviate(self, x: npt.ArrayLike) -> float | None:
        if np.ndim(x) == np.ndim(self.df) == 0 and self.df == 1:
            return math.sqrt(max(float(_float64(x)), 0.0))
        return None


@dataclass(frozen=True, slots=True)
class Binomial:
    """Successes in n trials, n up to 10¹²; a fair coin of few tosses is exact, without SciPy."""

    n: Number
    p: Number

    @property
    def label(self) -> str:
        return _name("B", self.n, self.p)

    def at_least(self, k: npt.ArrayLike) -> Number:
        return _binomial_tail(*self._hits(k), log=False)

    def at_most(self, k: npt.ArrayLike) -> Number:
        return _binomial_tail(*self._misses(k), log=False)

    def log_at_least(self, k: npt.ArrayLike) -> Number:
        return _binomial_tail(*self._hits(k), log=True)

    def log_at_most(self, k: npt.ArrayLike) -> Number:
        return _binomial_tail(*self._misses(k), log=True)

    def pmf(self, k: npt.ArrayLike) -> Number:
        return _plain(np.exp(self.log_pmf(k)))

    @_quiet
    def log_pmf(self, k: npt.ArrayLike) -> Number:
        hits, n, cut = self._hits(k)
        inner = (hits > 0.0) & (hits < n)
        a, b = np.where(inner, hits, 1.0), np.where(inner, n - hits, 1.0)
        log_pmf = tails.log_beta_weight(a, b, cut) + np.log(n / a / b)
        ends = np.where(n == 0.0, 0.0, n * np.where(hits == 0.0, cut.log_y, cut.log_x))
        within = (hits >= 0.0) & (hits <= n)
        return _plain(np.where(inner, log_pmf, np.where(within, ends, -np.inf)))

    @_quiet
    def _hits(self, k: npt.ArrayLike) -> tuple[Array, Array, tails.Cut]:
        return _float64(k), _float64(self.n), tails.cut_at_probability(_float64(self.p))

    def _misses(self, k: npt.ArrayLike) -> tuple[Array, Array, tails.Cut]:
        hits, n, cut = self._hits(k)
        return n - hits, n, cut.flipped()


@_quiet
def _binomial_tail(k: Array, n: Array, cut: tails.Cut, *, log: bool) -> Number:
    """Return P(at least k of n), each with probability cut.x."""
    if np.ndim(k) == n.ndim == cut.x.ndim == 0 and cut.x == 0.5 and n <= _FEW_TOSSES:
        return _fair_tail(int(k), int(n), log=log)
    area = tails.log_beta_lower if log else tails.beta_lower
    certain, impossible = (0.0, -np.inf) if log else (1.0, 0.0)
    inner = area(np.maximum(k, 1.0), np.maximum(n - k, 0.0) + 1.0, cut)
    return _plain(np.where(k <= 0.0, certain, np.where(k > n, impossible, inner)))


def _fair_tail(k: int, n: int, *, log: bool) -> float:
    """Return P(at least k heads of n), counted in integers and rounded once."""
    term, count = 1, 0
    for heads in range(n, max(k, n - k + 1) - 1, -1):
        count += term
        term = term * heads // (n - heads + 1)
    total = 1 << n
    upper = count if 2 * k > n else total - count
    if not log:
        return upper / total
    if 2 * upper > total:
        return math.log1p((upper - total) / total)
    if upper / total > tails.TINY:
        return math.log(upper / total)
    return math.log(upper) - n * _LOG2 if upper else -math.inf


@dataclass(frozen=True, slots=True)
class StudentizedMaximumModulus:
    """The largest of k independent |N(0, 1)| over √(χ²_df / df), df ≤ ∞ (F-10)."""

    k: int
    df: float

    @property
    def label(self) -> str:
        return _name("|M|", self.k, self.df)

    def at(self, index: Any) -> StudentizedMaximumModulus:
        return self

    def sf(self, x: npt.ArrayLike) -> Number:
        return _plain(np.exp(self.logsf(x)))

    def cdf(self, x: npt.ArrayLike) -> Number:
        return _plain(np.exp(self.logcdf(x)))

    def logsf(self, x: npt.ArrayLike) -> Number:
        return _each(partial(_studentized, _log_modulus, self.k, self.df, upper=True), x)

    def logcdf(self, x: npt.ArrayLike) -> Number:
        return _each(partial(_studentized, _log_modulus, self.k, self.df, upper=False), x)

    def isf(self, q: npt.ArrayLike) -> Number:
        solve = partial(_studentized_isf, self.logsf, self.logcdf, self.df, 1.0, self.k)
        return _each(solve, q)


@dataclass(frozen=True, slots=True)
class StudentizedRange:
    """The range of k ≥ 2 independent N(0, 1) over √(χ²_df / df), df ≤ ∞ (F-08)."""

    k: int
    df: float

    @property
    def label(self) -> str:
        return _name("q", self.k, self.df)

    def at(self, index: Any) -> StudentizedRange:
        return self

    def sf(self, x: npt.ArrayLike) -> Number:
        return _plain(np.exp(self.logsf(x)))

    def cdf(self, x: npt.ArrayLike) -> Number:
        return _plain(np.exp(self.logcdf(x)))

    def logsf(self, x: npt.ArrayLike) -> Number:
        return _each(partial(_studentized, _log_range, self.k, self.df, upper=True), x)

    def logcdf(self, x: npt.ArrayLike) -> Number:
        return _each(partial(_studentized, _log_range, self.k, self.df, upper=False), x)

    def isf(self, q: npt.ArrayLike) -> Number:
        pairs = self.k * (self.k - 1) // 2
        solve = partial(_studentized_isf, self.logsf, self.logcdf, self.df, _SQRT2, pairs)
        return _each(solve, q)


def _each(function: Callable[[float], float], x: npt.ArrayLike) -> Number:
    values = _float64(x)
    results = [function(value) for value in values.ravel().tolist()]
    return _plain(np.array(results).reshape(values.shape))


def _log1mexp(log_p: Array) -> Array:
    """Return log(1 - exp(log_p))."""
    return np.where(log_p > -_LOG2, np.log(-np.expm1(log_p)), np.log1p(-np.exp(log_p)))


def _log_modulus(x: Array, k: int, *, upper: bool) -> Array:
    """Return log P(max |Z| > x), or log P(max |Z| ≤ x), over k independent Z."""
    from scipy.special import erf, erfc, log_ndtr

    z = x / _SQRT2
    log_lower = k * np.where(z < 0.5, np.log(erf(z)), np.log1p(-erfc(z)))
    if not upper:
        return np.asarray(log_lower)
    # Where the chance of one is tiny, that of k is k times as large.
    return np.where(x > 10.0, math.log(2 * k) + log_ndtr(-x), _log1mexp(log_lower))


def _log_range(x: Array, k: int, *, upper: bool) -> Array:
    """Return log P(max Z - min Z > x), or log P(max Z - min Z ≤ x), over k independent Z.

    Integrates over min Z by the trapezoidal rule, which converges geometrically here; the step
    suits the density of the smallest, or for a narrow range exp(-k z² / 2).
    """
    from scipy.special import log_ndtr

    x, step = x[..., None], 0.7 / (1.0 + math.log(k) if upper else math.sqrt(k))
    grid = np.arange(-10.0, 10.0 + step, step)
    # A range far out lies about 0.
    smallest, largest = (grid - x / 2.0, grid + x / 2.0) if upper else (grid, grid + x)
    log_above = log_ndtr(-smallest)
    log_ratio = np.minimum(log_ndtr(-largest) - log_above, 0.0)
    log_others = (k - 1) * _log1mexp(log_ratio)
    if upper:
        few = math.log(k - 1) + log_ratio
        log_others = np.where(log_ratio < -40.0, few, _log1mexp(log_others))
    level = (k - 1) * log_above + log_others - smallest**2 / 2.0
    return _log_sum(level) + math.log(k * step) - _LOG_SQRT_2PI


def _log_sum(level: Array) -> Array:
    """Return log Σ exp(level) along the last axis."""
    top = np.maximum(np.max(level, axis=-1), -np.finfo(np.float64).max)
    return np.asarray(np.log(np.sum(np.exp(level - top[..., None]), axis=-1)) + top)


@_quiet
def _studentized(law: Callable[..., Array], k: int, df: float, x: float, *, upper: bool) -> float:
    """Return the log area beyond or up to x of `law` over √(χ²_df / df)."""
    log_area = _log_mean(law, k, df, x, upper=upper)
    if log_area < -_LOG2:
        return log_area
    return math.log1p(-math.exp(_log_mean(law, k, df, x, upper=not upper)))


def _log_mean(law: Callable[..., Array], k: int, df: float, x: float, *, upper: bool) -> float:
    """Return the log of the mean of the area over the scale √(χ²_df / df).

    The mean over u = log √(χ²_df / df) by the trapezoidal rule. The integrand is log-concave, so
    the range that matters is found by looking ever closer at its top.
    """
    if not 0.0 < x < math.inf:
        return 0.0 if (x > 0.0) != upper else -math.inf
    if math.isinf(df):
        return float(law(np.array([x]), k, upper=upper)[0])

    def level(u: Array) -> Array:
        return law(x * np.exp(u), k, upper=upper) - df / 2.0 * tails.relative_exponential(2.0 * u)

    away = np.geomspace(1e-8, 1e5, 64)
    u = np.concatenate([-away[::-1], [0.0], away[away < 10.0]])
    for _ in range(3):
        heights = level(u)
        keep = np.flatnonzero(heights > np.max(heights) - 42.0)
        low, high = u[max(keep[0] - 1, 0)], u[min(keep[-1] + 1, u.size - 1)]
        u = np.linspace(low, high, 65)
    # The largest of k falls from likely to rare over 1 / (2 log k) in log x.
    widest_step = 0.15 / (1.0 + 2.0 * math.log(k))
    steps = max(128, math.ceil((high - low) / widest_step))
    log_sum = _log_sum(level(np.linspace(low, high, steps + 1))) + math.log((high - low) / steps)
    log_density = 0.5 * math.log(2.0 * df) - _LOG_SQRT_2PI - tails.stirling_error(_float64(df / 2))
    return float(log_sum + log_density)


def _studentized_isf(
    logsf: Callable[[float], Number],
    logcdf: Callable[[float], Number],
    df: float,
    unit: float,
    events: int,
    q: float,
) -> float:
    """Return the upper q point of the union of `events` events |t_df| > x / unit."""
    if not 0.0 < q < 1.0:
        return math.inf if q <= 0.0 else 0.0

    def excess(log_x: float) -> float:
        if q <= 0.5:
            return float(logsf(math.exp(log_x))) - math.log(q)
        return math.log1p(-q) - float(logcdf(math.exp(log_x)))

    # A union is at least as likely as one event, and at most as likely as their sum.
    old, new = (math.log(unit * float(T(df).isf(q / 2.0 / n))) for n in (1, events))
    if math.isinf(new):
        return math.inf
    at_old, at_new = excess(old), excess(new)
    for _ in range(100):
        if abs(new - old) < 1e-15 * max(1.0, abs(new)) or at_new == 0.0:
            break
        # Regula falsi; halving a value kept twice makes both ends converge (Illinois).
        between = new - at_new * (new - old) / (at_new - at_old)
        at_between = excess(between)
        if at_between * at_new < 0.0:
            old, at_old = new, at_new
        else:
            at_old /= 2.0
        new, at_new = between, at_between
    return math.exp(new)
