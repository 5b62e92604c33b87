"""The reference distributions of the tests, over scipy.special."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import tails
from .tails import Array

Number: TypeAlias = float | Array
"""A float for scalar arguments, an array otherwise."""

_SQRT2 = math.sqrt(2.0)
_LOG2 = math.log(2.0)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)

FEW = 256
"""Normal values worked out one by one: quicker than importing SciPy, and the same to 1e-15."""

# Up to here counting in integers takes about a millisecond.
_FEW_TOSSES = 4000

# Branches that np.where discards may divide by zero or overflow; the branch kept does not.
quiet = np.errstate(all="ignore")


def float64(value: npt.ArrayLike) -> Array:
    return np.asarray(value, dtype=np.float64)


def plain(value: Array) -> Number:
    """Return a float for a scalar, never -0.0."""
    return float(value) + 0.0 if np.ndim(value) == 0 else value + 0.0


def name_of(symbol: str, *parameters: Number) -> str:
    if any(np.ndim(parameter) for parameter in parameters):
        return symbol
    return f"{symbol}({', '.join(_digits(float(parameter)) for parameter in parameters)})"


def _digits(value: float) -> str:
    if math.isinf(value):
        return "∞"
    return f"{value:.0f}" if value == int(value) else f"{value:.5g}"


def _pick(parameter: Number, index: Any) -> Number:
    return plain(parameter[index]) if isinstance(parameter, np.ndarray) else parameter


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


def _normal_isf(q: float) -> float:
    """Return z with P(Z > z) = q without SciPy."""
    from statistics import NormalDist

    if not 0.0 < q < 1.0:
        return {0.0: math.inf, 1.0: -math.inf}.get(q, math.nan)
    return -NormalDist().inv_cdf(q)


def _each(function: Callable[[float], float], values: Array) -> Array:
    found = [function(value) for value in values.ravel().tolist()]
    return np.array(found, dtype=np.float64).reshape(values.shape)


def _log_normal_sfs(z: Array, *, few: bool) -> Array:
    """Return log P(Z > z) of an array; few values do not load SciPy."""
    if few:
        return _each(_log_normal_sf, z)
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(-z))


@dataclass(frozen=True, slots=True)
class Normal:
    """The standard normal distribution.

    Examples
    --------
    >>> from outperform.extend import Normal
    >>> law = Normal()
    >>> round(law.isf(0.025), 3), round(law.sf(1.96), 3), round(law.cdf(1.96), 3), law.label
    (1.96, 0.025, 0.975, 'N(0, 1)')
    >>> round(law.logsf(40.0), 1), round(law.logcdf(-40.0), 1), law.at(0)
    (-804.6, -804.6, Normal())
    """

    @property
    def label(self) -> str:
        """The name, as in tables."""
        return "N(0, 1)"

    def at(self, index: Any) -> Normal:
        """Return the distribution of one experiment of many.

        Parameters
        ----------
        index : int
            Number of the experiment.

        Returns
        -------
        Normal
            Itself.
        """
        return self

    def sf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a larger value.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X > x).
        """
        z = float64(x)
        if z.ndim == 0:
            return 0.5 * math.erfc(float(z) / _SQRT2)
        from scipy.special import erfc

        # scipy's erfc is 0 where the result would be subnormal.
        area: Array = 0.5 * erfc(z / _SQRT2)
        tiny = area < tails.TINY
        if tiny.any():
            area[tiny] = np.exp(_log_normal_sfs(z[tiny], few=z.size <= FEW))
        return area

    def cdf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a value that is not larger.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X ≤ x).
        """
        return self.sf(-float64(x))

    def logsf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `sf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X > x).
        """
        z = float64(x)
        if z.ndim == 0:
            return _log_normal_sf(float(z))
        return _log_normal_sfs(z, few=z.size <= FEW)

    def logcdf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `cdf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X ≤ x).
        """
        return self.logsf(-float64(x))

    def isf(self, q: npt.ArrayLike) -> Number:
        """Return the upper quantile.

        Parameters
        ----------
        q : float or array-like
            Probabilities of a larger value.

        Returns
        -------
        float or ndarray
            x with P(X > x) = q.
        """
        area = float64(q)
        if area.size <= FEW:
            return plain(_each(_normal_isf, area))
        from scipy.special import ndtri

        return plain(-ndtri(area))


@dataclass(frozen=True, slots=True)
class T:
    """Student's t distribution; infinite degrees of freedom give the normal one.

    Parameters
    ----------
    df : float or array-like
        Degrees of freedom.

    Examples
    --------
    >>> from outperform.extend import T
    >>> law = T(9)
    >>> round(law.isf(0.025), 3), round(law.sf(2.262), 3), round(law.cdf(2.262), 3), law.label
    (2.262, 0.025, 0.975, 't(9)')
    >>> round(law.logsf(1e9), 1), round(law.logcdf(-1e9), 1), law.at(0)
    (-178.7, -178.7, T(df=9))
    """

    df: Number

    @property
    def label(self) -> str:
        """The name with its degrees of freedom, as in tables."""
        return name_of("t", self.df)

    def at(self, index: Any) -> T:
        """Return the distribution of one experiment of many.

        Parameters
        ----------
        index : int
            Number of the experiment.

        Returns
        -------
        T
            The distribution with its degrees of freedom.
        """
        return T(_pick(self.df, index))

    @quiet
    def sf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a larger value.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X > x).
        """
        from scipy.special import stdtr

        t, df = np.broadcast_arrays(float64(x), self._finite_df())
        # Two to nine times as quick as the incomplete beta, and right to 3e-13 from 2 degrees of
        # freedom on; below that it loses digits near 0, and nowhere does it reach far down.
        area = np.array(stdtr(df, -t))
        hard = (df < 2.0) | ~(area > tails.TINY)
        if hard.any():
            t_hard, df_hard = t[hard], df[hard]
            half = 0.5 * tails.beta_lower(df_hard / 2.0, float64(0.5), _t_cut(t_hard, df_hard))
            area[hard] = np.where(t_hard > 0.0, half, 1.0 - half)
        return self._or_normal(area, Normal().sf, t)

    def cdf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a value that is not larger.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X ≤ x).
        """
        return self.sf(-float64(x))

    @quiet
    def logsf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `sf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X > x).
        """
        t, df = float64(x), self._finite_df()
        log_both = tails.log_beta_lower(df / 2.0, float64(0.5), _t_cut(t, df))
        log_area = np.where(t > 0.0, log_both - _LOG2, np.log1p(-0.5 * np.exp(log_both)))
        return self._or_normal(log_area, Normal().logsf, t)

    def logcdf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `cdf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X ≤ x).
        """
        return self.logsf(-float64(x))

    @quiet
    def isf(self, q: npt.ArrayLike) -> Number:
        """Return the upper quantile.

        Parameters
        ----------
        q : float or array-like
            Probabilities of a larger value.

        Returns
        -------
        float or ndarray
            x with P(X > x) = q.
        """
        p, df = float64(q), self._finite_df()
        smaller = np.minimum(p, 1.0 - p)
        if np.all((df >= 2.0) & (smaller > 1e-12)):
            t = _quick_t(df, smaller)
        else:
            t = np.sqrt(df) * tails.beta_root_odds(df / 2.0, float64(0.5), 2.0 * smaller)
        return self._or_normal(np.where(p > 0.5, -t, t), Normal().isf, p)

    def _finite_df(self) -> Array:
        return np.where(self._is_normal(), 1.0, self.df)

    def _is_normal(self) -> npt.NDArray[np.bool_]:
        # From here on not a digit differs, and products of df would overflow.
        return np.asarray(float64(self.df) > 1e290)

    def _or_normal(self, value: Array, normal: Callable[[Array], Number], x: Array) -> Number:
        if self._is_normal().any():
            value = np.where(self._is_normal(), normal(x), value)
        return plain(value)


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
    """Fisher's F distribution with finite degrees of freedom.

    Parameters
    ----------
    df1 : float or array-like
        Degrees of freedom of the numerator.
    df2 : float or array-like
        Degrees of freedom of the denominator.

    Examples
    --------
    >>> from outperform.extend import F
    >>> law = F(10, 5)
    >>> round(law.isf(0.05), 3), round(law.sf(4.735), 3), round(law.cdf(4.735), 3), law.label
    (4.735, 0.05, 0.95, 'F(10, 5)')
    >>> round(law.logsf(4.735), 3), round(law.logcdf(4.735), 3), law.at(0)
    (-2.996, -0.051, F(df1=10, df2=5))
    """

    df1: Number
    df2: Number

    @property
    def label(self) -> str:
        """The name with its degrees of freedom, as in tables."""
        return name_of("F", self.df1, self.df2)

    def at(self, index: Any) -> F:
        """Return the distribution of one experiment of many.

        Parameters
        ----------
        index : int
            Number of the experiment.

        Returns
        -------
        F
            The distribution with its degrees of freedom.
        """
        return F(_pick(self.df1, index), _pick(self.df2, index))

    @quiet
    def sf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a larger value.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X > x).
        """
        return plain(tails.beta_lower(*self._halves()[::-1], self._cut(x)))

    @quiet
    def cdf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a value that is not larger.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X ≤ x).
        """
        return plain(tails.beta_lower(*self._halves(), self._cut(x).flipped()))

    @quiet
    def logsf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `sf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X > x).
        """
        return plain(tails.log_beta_lower(*self._halves()[::-1], self._cut(x)))

    @quiet
    def logcdf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `cdf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X ≤ x).
        """
        return plain(tails.log_beta_lower(*self._halves(), self._cut(x).flipped()))

    @quiet
    def isf(self, q: npt.ArrayLike) -> Number:
        """Return the upper quantile.

        Parameters
        ----------
        q : float or array-like
            Probabilities of a larger value.

        Returns
        -------
        float or ndarray
            x with P(X > x) = q.
        """
        half1, half2 = self._halves()
        root = tails.beta_root_odds(half2, half1, float64(q))
        return plain(root * (root * (half2 / half1)))

    def _halves(self) -> tuple[Array, Array]:
        return float64(self.df1) / 2.0, float64(self.df2) / 2.0

    def _cut(self, x: npt.ArrayLike) -> tails.Cut:
        half1, half2 = self._halves()
        f, ratio = np.maximum(float64(x), 0.0), half1 / half2
        return tails.cut_at_odds(f * ratio, np.log(f) + np.log(ratio))


@dataclass(frozen=True, slots=True)
class Chi2:
    """The chi-square distribution.

    Parameters
    ----------
    df : float or array-like
        Degrees of freedom.

    Examples
    --------
    >>> from outperform.extend import Chi2
    >>> law = Chi2(1)
    >>> round(law.isf(0.05), 3), round(law.sf(3.841), 3), round(law.cdf(3.841), 3), law.label
    (3.841, 0.05, 0.95, 'χ²(1)')
    >>> round(law.logsf(3.841), 3), round(law.logcdf(3.841), 3), law.at(0)
    (-2.995, -0.051, Chi2(df=1))
    """

    df: Number

    @property
    def label(self) -> str:
        """The name with its degrees of freedom, as in tables."""
        return name_of("χ²", self.df)

    def at(self, index: Any) -> Chi2:
        """Return the distribution of one experiment of many.

        Parameters
        ----------
        index : int
            Number of the experiment.

        Returns
        -------
        Chi2
            The distribution with its degrees of freedom.
        """
        return Chi2(_pick(self.df, index))

    @quiet
    def sf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a larger value.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X > x).
        """
        if (z := self._normal_deviate(x)) is not None:
            return math.erfc(z / _SQRT2)
        return plain(tails.gamma_area(*self._halves(x), upper=True))

    @quiet
    def cdf(self, x: npt.ArrayLike) -> Number:
        """Return the probability of a value that is not larger.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            P(X ≤ x).
        """
        if (z := self._normal_deviate(x)) is not None:
            return math.erf(z / _SQRT2)
        return plain(tails.gamma_area(*self._halves(x), upper=False))

    @quiet
    def logsf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `sf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X > x).
        """
        if (z := self._normal_deviate(x)) is not None:
            return math.log1p(-math.erf(z / _SQRT2)) if z < 0.5 else _LOG2 + _log_normal_sf(z)
        return plain(tails.log_gamma_area(*self._halves(x), upper=True))

    @quiet
    def logcdf(self, x: npt.ArrayLike) -> Number:
        """Return the logarithm of `cdf`, also where that underflows.

        Parameters
        ----------
        x : float or array-like
            Values.

        Returns
        -------
        float or ndarray
            log P(X ≤ x).
        """
        return plain(tails.log_gamma_area(*self._halves(x), upper=False))

    @quiet
    def isf(self, q: npt.ArrayLike) -> Number:
        """Return the upper quantile.

        Parameters
        ----------
        q : float or array-like
            Probabilities of a larger value.

        Returns
        -------
        float or ndarray
            x with P(X > x) = q.
        """
        return plain(2.0 * tails.gamma_quantile(float64(self.df) / 2.0, float64(q)))

    def _halves(self, x: npt.ArrayLike) -> tuple[Array, Array]:
        return float64(self.df) / 2.0, np.maximum(float64(x), 0.0) / 2.0

    def _normal_deviate(self, x: npt.ArrayLike) -> float | None:
        if np.ndim(x) == np.ndim(self.df) == 0 and self.df == 1:
            return math.sqrt(max(float(float64(x)), 0.0))
        return None


@dataclass(frozen=True, slots=True)
class Binomial:
    """The binomial distribution of successes in up to 10¹² trials.

    Parameters
    ----------
    n : float or array-like
        Number of trials.
    p : float or array-like
        Probability of success.

    Examples
    --------
    >>> from outperform.extend import Binomial
    >>> law = Binomial(10, 0.5)
    >>> round(law.at_least(8), 4), round(law.at_most(2), 4), round(law.pmf(5), 4), law.label
    (0.0547, 0.0547, 0.2461, 'B(10, 0.5)')
    >>> round(law.log_at_least(8), 3), round(law.log_at_most(2), 3), round(law.log_pmf(5), 3)
    (-2.906, -2.906, -1.402)
    """

    n: Number
    p: Number

    @property
    def label(self) -> str:
        """The name with its parameters, as in tables."""
        return name_of("B", self.n, self.p)

    def at_least(self, k: npt.ArrayLike) -> Number:
        """Return the probability of at least k successes.

        Parameters
        ----------
        k : int or array-like
            Numbers of successes.

        Returns
        -------
        float or ndarray
            P(X ≥ k).
        """
        return _binomial_tail(*self._hits(k), log=False)

    def at_most(self, k: npt.ArrayLike) -> Number:
        """Return the probability of at most k successes.

        Parameters
        ----------
        k : int or array-like
            Numbers of successes.

        Returns
        -------
        float or ndarray
            P(X ≤ k).
        """
        return _binomial_tail(*self._misses(k), log=False)

    def log_at_least(self, k: npt.ArrayLike) -> Number:
        """Return the logarithm of `at_least`, also where that underflows.

        Parameters
        ----------
        k : int or array-like
            Numbers of successes.

        Returns
        -------
        float or ndarray
            log P(X ≥ k).
        """
        return _binomial_tail(*self._hits(k), log=True)

    def log_at_most(self, k: npt.ArrayLike) -> Number:
        """Return the logarithm of `at_most`, also where that underflows.

        Parameters
        ----------
        k : int or array-like
            Numbers of successes.

        Returns
        -------
        float or ndarray
            log P(X ≤ k).
        """
        return _binomial_tail(*self._misses(k), log=True)

    def pmf(self, k: npt.ArrayLike) -> Number:
        """Return the probability of k successes.

        Parameters
        ----------
        k : int or array-like
            Numbers of successes.

        Returns
        -------
        float or ndarray
            P(X = k).
        """
        return plain(np.exp(self.log_pmf(k)))

    @quiet
    def log_pmf(self, k: npt.ArrayLike) -> Number:
        """Return the logarithm of `pmf`, also where that underflows.

        Parameters
        ----------
        k : int or array-like
            Numbers of successes.

        Returns
        -------
        float or ndarray
            log P(X = k).
        """
        hits, n, cut = self._hits(k)
        inner = (hits > 0.0) & (hits < n)
        a, b = np.where(inner, hits, 1.0), np.where(inner, n - hits, 1.0)
        log_pmf = tails.log_beta_weight(a, b, cut) + np.log(n / a / b)
        ends = np.where(n == 0.0, 0.0, n * np.where(hits == 0.0, cut.log_y, cut.log_x))
        within = (hits >= 0.0) & (hits <= n)
        return plain(np.where(inner, log_pmf, np.where(within, ends, -np.inf)))

    @quiet
    def _hits(self, k: npt.ArrayLike) -> tuple[Array, Array, tails.Cut]:
        return float64(k), float64(self.n), tails.cut_at_probability(float64(self.p))

    def _misses(self, k: npt.ArrayLike) -> tuple[Array, Array, tails.Cut]:
        hits, n, cut = self._hits(k)
        return n - hits, n, cut.flipped()


@quiet
def _binomial_tail(k: Array, n: Array, cut: tails.Cut, *, log: bool) -> Number:
    """Return P(at least k of n), each with probability cut.x."""
    if np.ndim(k) == n.ndim == cut.x.ndim == 0 and cut.x == 0.5 and n <= _FEW_TOSSES:
        return _fair_tail(int(k), int(n), log=log)
    area = tails.log_beta_lower if log else tails.beta_lower
    certain, impossible = (0.0, -np.inf) if log else (1.0, 0.0)
    inner = area(np.maximum(k, 1.0), np.maximum(n - k, 0.0) + 1.0, cut)
    return plain(np.where(k <= 0.0, certain, np.where(k > n, impossible, inner)))


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
