"""The laws of simultaneous comparison: the largest of k deviates, or their range, studentized."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from . import tails
from .distributions import Number, T, float64, name_of, plain, quiet
from .tails import Array

_SQRT2 = math.sqrt(2.0)
_LOG2 = math.log(2.0)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True, slots=True)
class StudentizedMaximumModulus:
    """The largest of k independent |N(0, 1)| over √(χ²_df / df), df ≤ ∞ (F-10)."""

    k: int
    df: float

    @property
    def label(self) -> str:
        return name_of("|M|", self.k, self.df)

    def at(self, index: Any) -> StudentizedMaximumModulus:
        return self

    def sf(self, x: npt.ArrayLike) -> Number:
        return plain(np.exp(self.logsf(x)))

    def cdf(self, x: npt.ArrayLike) -> Number:
        return plain(np.exp(self.logcdf(x)))

    def logsf(self, x: npt.ArrayLike) -> Number:
        return _areas(_log_modulus, self.k, self.df, x, upper=True)

    def logcdf(self, x: npt.ArrayLike) -> Number:
        return _areas(_log_modulus, self.k, self.df, x, upper=False)

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
        return name_of("q", self.k, self.df)

    def at(self, index: Any) -> StudentizedRange:
        return self

    def sf(self, x: npt.ArrayLike) -> Number:
        return plain(np.exp(self.logsf(x)))

    def cdf(self, x: npt.ArrayLike) -> Number:
        return plain(np.exp(self.logcdf(x)))

    def logsf(self, x: npt.ArrayLike) -> Number:
        return _areas(_log_range, self.k, self.df, x, upper=True)

    def logcdf(self, x: npt.ArrayLike) -> Number:
        return _areas(_log_range, self.k, self.df, x, upper=False)

    def isf(self, q: npt.ArrayLike) -> Number:
        pairs = self.k * (self.k - 1) // 2
        solve = partial(_studentized_isf, self.logsf, self.logcdf, self.df, _SQRT2, pairs)
        return _each(solve, q)


def _areas(
    law: Callable[..., Array], k: int, df: float, x: npt.ArrayLike, *, upper: bool
) -> Number:
    """Return log areas beyond or up to x: all at once where the scale is known (df = ∞)."""
    values = float64(x)
    if not math.isinf(df) or values.size < 2:
        return _each(partial(_studentized, law, k, df, upper=upper), x)
    inside = (values > 0.0) & np.isfinite(values)
    found = np.where((values > 0.0) != upper, 0.0, -np.inf)
    if inside.any():
        found[inside] = _known_scale(law, k, values[inside], upper=upper)
    return plain(found)


@quiet
def _known_scale(law: Callable[..., Array], k: int, x: Array, *, upper: bool) -> Array:
    near = law(x, k, upper=upper)
    other = law(x, k, upper=not upper)
    return np.where(near < -_LOG2, near, np.log1p(-np.exp(np.minimum(other, 0.0))))


def _each(function: Callable[[float], float], x: npt.ArrayLike) -> Number:
    values = float64(x)
    results = [function(value) for value in values.ravel().tolist()]
    return plain(np.array(results).reshape(values.shape))


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


@quiet
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
    log_density = 0.5 * math.log(2.0 * df) - _LOG_SQRT_2PI - tails.stirling_error(float64(df / 2))
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
