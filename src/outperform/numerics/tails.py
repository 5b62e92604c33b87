"""Gamma and beta tail areas and their logarithms, at full precision and beyond underflow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

# scipy.special gives the everyday values. It loses digits where the parameters are large (its
# series stop early, its prefactors cancel) and has no logarithm where the area underflows. There
# the area is the density at the cut times the integral of a log-concave function that falls from
# 1, which 80 Gauss-Legendre nodes give to rounding.


Array: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]

TINY = 1e-290
"""Below this a double is about to lose digits, so logarithms are computed directly."""

# Beyond these sizes scipy.special 1.17 has fewer than 12 digits, and as few as 8: measured against
# 50-digit values. Its incomplete beta stays right where one parameter is at most 1, as for t.
_LARGE_BETA = 500.0
_LARGE_GAMMA = 100.0

# exp(-42) is 6e-19: what is cut off the integral is below rounding.
_DROP = 42.0
_LOG_SQRT_2PI = 0.9189385332046727

# |B₂ⱼ| / 2j(2j - 1), the highest first: the series of `stirling_error`.
_STIRLING = (3617 / 122400, 1 / 156, 691 / 360360, 1 / 1188, 1 / 1680, 1 / 1260, 1 / 360, 1 / 12)


class Cut(NamedTuple):
    """A point of the unit interval and its complement, each with all its digits."""

    x: Array
    y: Array
    log_x: Array
    log_y: Array

    def flipped(self) -> Cut:
        """Return the same cut seen from the other end."""
        return Cut(self.y, self.x, self.log_y, self.log_x)

    def where(self, mask: Mask) -> Cut:
        """Return the cuts selected by `mask`."""
        return Cut(*(part[mask] for part in self))


def cut_at_odds(odds: Array, log_odds: Array) -> Cut:
    """Return the cut x = 1 / (1 + odds); `log_odds` serves where `odds` over- or underflows."""
    x, y = 1.0 / (1.0 + odds), 1.0 / (1.0 + 1.0 / odds)
    log_x = np.where(x < TINY, -log_odds, np.log(x))
    return Cut(x, y, log_x, np.where(y < TINY, log_odds, np.log(y)))


def cut_at_probability(p: Array) -> Cut:
    """Return the cut x = p."""
    return Cut(p, 1.0 - p, np.log(p), np.log1p(-p))


def relative_exponential(s: Array) -> Array:
    """Return exp(s) - 1 - s without cancellation."""
    near = np.abs(s) < 0.5
    t = np.where(near, s, 0.0)
    series = np.full_like(t, 1.0 / 17.0)
    for j in range(16, 2, -1):
        series = (1.0 + t * series) / j
    return np.where(near, t * t * (1.0 + t * series) / 2.0, np.expm1(s) - s)


def _relative_log(v: Array) -> Array:
    """Return log(1 + v) - v without cancellation, by the series of 2 artanh(v / (2 + v))."""
    near = np.abs(v) < 0.35
    w = np.where(near, v, 0.0)
    t = w / (2.0 + w)
    series = np.zeros_like(t)
    for odd in range(25, 1, -2):
        series = series * t * t + 1.0 / odd
    return np.where(near, t * (2.0 * t * t * series - w), np.log1p(v) - v)


def stirling_error(a: Array) -> Array:
    """Return log Γ(a) - ((a - ½) log a - a + ½ log 2π), small arguments by recurrence."""
    z = np.array(a, dtype=np.float64)
    total = np.zeros_like(z)
    while np.any(small := z < 10.0):
        total += np.where(small, (z + 0.5) * np.log1p(1.0 / z) - 1.0, 0.0)
        z += small
    u = 1.0 / (z * z)
    series = np.zeros_like(z)
    for coefficient in _STIRLING:
        series = coefficient - u * series
    return np.asarray(total + series / z)


def _deviance(k: Array, mean: Array, excess: Array, log_mean: Array) -> Array:
    """Return k log(k / mean) - excess, for excess = k - mean (Loader's D₀, 2000)."""
    v = -excess / k
    ratio = np.where(mean > TINY, np.log(k / mean), np.log(k) - log_mean)
    return np.where(np.abs(v) < 0.35, -k * _relative_log(v), k * ratio - excess)


def _product_minus(n: Array, x: Array, c: Array) -> Array:
    """Return n x - c with the product exact: at n = 10¹² its rounding would cost p digits."""
    product = n * x
    n_high, x_high = _upper_half(n), _upper_half(x)
    n_low, x_low = n - n_high, x - x_high
    error = ((n_high * x_high - product) + n_high * x_low + n_low * x_high) + n_low * x_low
    return (product - c) + error


def _upper_half(value: Array) -> Array:
    """Return the upper 26 bits of a double (Veltkamp)."""
    shifted = 134217729.0 * value
    return shifted - (shifted - value)


@cache
def _nodes() -> tuple[Array, Array]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(80)
    return (nodes + 1.0) / 2.0, weights / 2.0


def _fall(s: Array, slope: Array, n: Array, m: Array, nm: Array, sign: Array) -> Array:
    """Return how far the log density falls over a distance s away from the mean.

    The distance is in log odds for a beta density with smaller side m, n = a + b; in log x for a
    gamma density, which is n = m = 0, nm = x.
    """
    e = sign * s
    return slope * s + nm * relative_exponential(e) + n * _relative_log(m * np.expm1(e))


def _log_integral(*shape: Array) -> Array:
    """Return log ∫ exp(-fall(s)) ds over s > 0, in blocks that keep memory small."""
    blocks = [np.array_split(part, part.size // 8192 + 1) for part in shape]
    return np.concatenate([_log_integrals(*block) for block in zip(*blocks, strict=True)])


def _log_integrals(slope: Array, n: Array, m: Array, nm: Array, sign: Array) -> Array:
    shape = [part[:, None] for part in (slope, n, m, nm, sign)]
    slope, n, m, nm, sign = shape
    end = np.minimum(_DROP / slope, np.sqrt(2.0 * _DROP / (nm * (1.0 - m))))
    # The fall is convex: Newton's iteration for fall(end) = _DROP cannot run away.
    for _ in range(6):
        v = np.expm1(sign * end)
        rate = slope + nm * sign * v * (1.0 - m) / (1.0 + m * v)
        end = end - (_fall(end, *shape) - _DROP) / rate
    nodes, weights = _nodes()
    return np.asarray(np.log(end[:, 0] * (np.exp(-_fall(end * nodes, *shape)) @ weights)))


def _beta_excess(a: Array, b: Array, cut: Cut) -> Array:
    """Return a - (a + b) x from whichever of x and y is the smaller, hence exact, one."""
    n = a + b
    from_x = -_product_minus(n, cut.x, a)
    return np.where(cut.x <= cut.y, from_x, _product_minus(n, cut.y, b))


def log_beta_weight(a: Array, b: Array, cut: Cut) -> Array:
    """Return log(xᵃ yᵇ / B(a, b)), the beta density per unit of log odds."""
    return _log_beta_peak(a, b) - _beta_fall(a, b, cut)


def _log_beta_peak(a: Array, b: Array) -> Array:
    """Return the log weight at x = a / (a + b), its largest."""
    stirling = stirling_error(a + b) - stirling_error(a) - stirling_error(b)
    return np.asarray(stirling + 0.5 * np.log(a / (a + b) * b) - _LOG_SQRT_2PI)


def _beta_fall(a: Array, b: Array, cut: Cut) -> Array:
    """Return how far the log weight at the cut is below its peak."""
    n, excess = a + b, _beta_excess(a, b, cut)
    fall = _deviance(a, n * cut.x, excess, np.log(n) + cut.log_x)
    return fall + _deviance(b, n * cut.y, -excess, np.log(n) + cut.log_y)


def _log_gamma_peak(a: Array) -> Array:
    """Return log(xᵃ exp(-x) / Γ(a)), the gamma density per unit of log x, at its peak x = a."""
    return np.asarray(0.5 * np.log(a) - _LOG_SQRT_2PI - stirling_error(a))


def _gamma_fall(a: Array, x: Array) -> Array:
    """Return how far that log density at x is below its peak."""
    return _deviance(a, x, a - x, np.log(x))


def _beta_tail(a: Array, b: Array, cut: Cut) -> tuple[Array, Mask]:
    """Return the log area on the side away from the mean, and where that is the upper side."""
    excess = _beta_excess(a, b, cut)
    upper = excess < 0.0
    n, m = a + b, np.minimum(cut.x, cut.y)
    sign = np.where((cut.x <= cut.y) ^ upper, -1.0, 1.0)
    integral = _log_integral(np.abs(excess), n, m, n * m, sign)
    return log_beta_weight(a, b, cut) + integral, upper


def _gamma_tail(a: Array, x: Array) -> tuple[Array, Mask]:
    """Return the log area on the side away from the mean, and where that is the upper side."""
    upper, zero = x > a, np.zeros_like(x)
    integral = _log_integral(np.abs(x - a), zero, zero, x, np.where(upper, 1.0, -1.0))
    log_tail = _log_gamma_peak(a) - _gamma_fall(a, x) + integral
    return np.where(np.isinf(x), -np.inf, log_tail), upper


def beta_lower(a: Array, b: Array, cut: Cut) -> Array:
    """Return the regularised incomplete beta function I_x(a, b)."""
    a, b, *parts = np.broadcast_arrays(a, b, *cut)
    cut, area = Cut(*parts), np.zeros(a.shape)
    large = (np.maximum(a, b) > _LARGE_BETA) & (np.minimum(a, b) > 1.0)
    if not large.all():
        from scipy.special import betainc, betaincc

        # Where y is the smaller side it has all its digits, but betainc takes x. The rounding of
        # x shows unless the area is near 1 or y is not small; betaincc(y) takes ten times as long.
        near, far = ~large & (cut.x <= cut.y), ~large & (cut.x > cut.y)
        area[near] = betainc(a[near], b[near], cut.x[near])
        area[far] = 1.0 - betainc(b[far], a[far], cut.y[far])
        short = far & (area < 0.5) & (cut.y > 1e-3) & (a + b < _LARGE_BETA)
        area[short] = betainc(a[short], b[short], cut.x[short])
        long = far & (area < 0.5) & ~short
        area[long] = betaincc(b[long], a[long], cut.y[long])
    hard = large | (area < TINY) | (cut.x < TINY)
    if hard.any():
        log_tail, upper = _beta_tail(a[hard], b[hard], cut.where(hard))
        area[hard] = np.where(upper, -np.expm1(log_tail), np.exp(log_tail))
    return area


def log_beta_lower(a: Array, b: Array, cut: Cut) -> Array:
    """Return log I_x(a, b), also where the area underflows."""
    a, b, *parts = np.broadcast_arrays(a, b, *cut)
    cut, area = Cut(*parts), beta_lower(a, b, Cut(*parts))
    log_area = np.asarray(np.log(area))
    if (most := area > 0.5).any():
        log_area[most] = np.log1p(-beta_lower(b[most], a[most], cut.where(most).flipped()))
    if (hard := area < TINY).any():
        log_area[hard] = _beta_tail(a[hard], b[hard], cut.where(hard))[0]
    return log_area


def gamma_area(a: Array, x: Array, *, upper: Mask | bool) -> Array:
    """Return the regularised incomplete gamma function Q(a, x), or P(a, x) where not `upper`."""
    a, x, upper = np.broadcast_arrays(a, x, upper)
    area = np.zeros(a.shape)
    large = a > _LARGE_GAMMA
    if not large.all():
        from scipy.special import gammainc, gammaincc

        above, below = ~large & upper, ~large & ~upper
        area[above] = gammaincc(a[above], x[above])
        area[below] = gammainc(a[below], x[below])
    if (hard := large | (area < TINY)).any():
        log_tail, is_upper = _gamma_tail(a[hard], x[hard])
        same = is_upper == upper[hard]
        area[hard] = np.where(same, np.exp(log_tail), -np.expm1(log_tail))
    return area


def log_gamma_area(a: Array, x: Array, *, upper: Mask | bool) -> Array:
    """Return log Q(a, x), or log P(a, x) where not `upper`, also where the area underflows."""
    a, x, upper = np.broadcast_arrays(a, x, upper)
    area = gamma_area(a, x, upper=upper)
    log_area = np.asarray(np.log(area))
    if (most := area > 0.5).any():
        log_area[most] = np.log1p(-gamma_area(a[most], x[most], upper=~upper[most]))
    if (hard := area < TINY).any():
        log_area[hard] = _gamma_tail(a[hard], x[hard])[0]
    return log_area


def beta_root_odds(a: Array, b: Array, q: Array) -> Array:
    """Return the square root of the odds (1 - x) / x at which I_x(a, b) = q.

    The root, because the odds of a t quantile with one degree of freedom overflow.
    """
    a, b, q = np.broadcast_arrays(a, b, q)
    flip, inner = q > 0.5, (q > 0.0) & (q < 1.0)
    a, b = np.where(flip, b, a), np.where(flip, a, b)
    log_target = np.log(np.where(inner, np.where(flip, 1.0 - q, q), 0.5))
    peak, n = _log_beta_peak(a, b), a + b

    def level(root: Array) -> tuple[Array, Array]:
        cut = cut_at_odds(root * root, 2.0 * np.log(root))
        log_area = log_beta_lower(a, b, cut)
        return log_area, -2.0 * np.exp(peak - _beta_fall(a, b, cut) - log_area)

    # The leading power of x, exact in the far tail, or else the odds of the mean.
    log_b = a * np.log(a / n) + b * np.log(b / n) - peak
    log_x = np.minimum((log_target + np.log(a) + log_b) / a, -TINY)
    log_odds = np.maximum(np.log(-np.expm1(log_x)) - log_x, np.log(b / a))
    root = _invert(level, np.exp(0.5 * log_odds), log_target)
    root = np.where(flip, 1.0 / root, root)
    return np.where(inner, root, np.where(flip, 0.0, np.inf))


def gamma_quantile(a: Array, q: Array) -> Array:
    """Return the x at which Q(a, x) = q."""
    a, q = np.broadcast_arrays(a, q)
    upper, inner = q <= 0.5, (q > 0.0) & (q < 1.0)
    log_target = np.log(np.where(inner, np.where(upper, q, 1.0 - q), 0.5))
    peak, sign = _log_gamma_peak(a), np.where(upper, -1.0, 1.0)

    def level(x: Array) -> tuple[Array, Array]:
        log_area = log_gamma_area(a, x, upper=upper)
        return log_area, sign * np.exp(peak - _gamma_fall(a, x) - log_area)

    # Below the mean the leading power of x; above it Q falls about as exp(-x).
    leading = np.exp(np.log(a) - 1.0 + (log_target + np.log(a) - peak) / a)
    start = np.where(upper, np.maximum(a, -log_target), leading)
    return np.where(inner, _invert(level, start, log_target), np.where(upper, np.inf, 0.0))


def _invert(
    level: Callable[[Array], tuple[Array, Array]], start: Array, log_target: Array
) -> Array:
    """Return x > 0 with log area `log_target`, by Newton's iteration in log x.

    `level` gives the log area and its derivative in log x. The log area is concave in log x, so
    the iteration converges from one side; limiting the step keeps the first ones in range.
    """
    limits = np.finfo(np.float64)
    x = np.clip(start, limits.tiny, limits.max)
    for _ in range(200):
        log_area, slope = level(x)
        gap = log_target - log_area
        step = np.clip(gap / slope, -8.0, 8.0)
        x = np.clip(x * np.exp(step), limits.tiny, limits.max)
        # The error left is quadratic in the last gap and step: below rounding.
        done = (np.abs(gap) < 1e-8) & (np.abs(step) < 1e-8)
        if np.all(done | (x == limits.max) | (x == limits.tiny)):
            break
    return np.where(x == limits.max, np.inf, x)
