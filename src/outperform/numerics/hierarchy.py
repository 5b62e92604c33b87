"""The hierarchical model of Corani et al. (2017) by quadrature: datasets drawn from a Student t."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .exact_sums import Array

NODES = 24
"""Gauss–Legendre nodes on the quantiles of each of the two densities of a product."""
FLOOR = 1e-8
"""The least scale of a dataset that does not vary, in units of the mean scale."""
LIGHTEST, HEAVIEST = 1e-3, 2000.0
"""The range of ν − 1."""
WIDEST = 1000.0
"""The largest σ₀, in units of the mean standard deviation of a dataset."""
SMALL = 1e-6
"""Posterior densities below this part of the largest are left out of the grid."""


@dataclass(frozen=True, slots=True)
class Prior:
    """ν − 1 ~ Gamma(α, β) with α and β uniform; δ₀ and σ₀ are uniform."""

    alpha: tuple[float, float] = (1.0, 2.0)
    beta: tuple[float, float] = (0.01, 0.1)

    def log_density(self, nu: Array) -> Array:
        """Return the log density of ν, α and β integrated out."""
        from scipy.special import gammaln, logsumexp

        nodes, weights = np.polynomial.legendre.leggauss(16)
        a, b = (low + (high - low) * (nodes + 1) / 2 for low, high in (self.alpha, self.beta))
        a, b, x = a[:, None, None], b[None, :, None], (nu - 1)[None, None, :]
        each = a * np.log(b) - gammaln(a) + (a - 1) * np.log(x) - b * x
        both = np.log(weights[:, None, None] / 2) + np.log(weights[None, :, None] / 2)
        return np.asarray(logsumexp(each + both, axis=(0, 1)))


@dataclass(frozen=True, eq=False, slots=True)
class Posterior:
    """Weights on a grid of δ₀, σ₀ and ν, in the units of the data."""

    delta: Array
    sigma: Array
    nu: Array
    density: Array
    """(δ₀, σ₀, ν): the joint density of δ₀ with the weights of σ₀ and ν; sums to 1 over all with
    `steps`."""
    steps: Array
    """Simpson's weights of δ₀."""

    def mean(self, values: Array) -> float:
        return float(np.einsum("dsn,d,dsn->", self.density, self.steps, values))

    @property
    def delta_mean(self) -> float:
        return self.mean(np.broadcast_to(self.delta[:, None, None], self.density.shape))

    @property
    def sigma_mean(self) -> float:
        return self.mean(np.broadcast_to(self.sigma[None, :, None], self.density.shape))

    @property
    def nu_mean(self) -> float:
        return self.mean(np.broadcast_to(self.nu[None, None, :], self.density.shape))

    @property
    def delta_sd(self) -> float:
        off = (self.delta - self.delta_mean)[:, None, None] ** 2
        return math.sqrt(self.mean(np.broadcast_to(off, self.density.shape)))

    def next_dataset(self, low: float, high: float) -> tuple[float, float, float]:
        """Return P(δ_new < low), P(low ≤ δ_new ≤ high), P(δ_new > high)."""
        left, right = self.mean(self._below(low)), self.mean(self._above(high))
        return left, max(1 - left - right, 0.0), right

    def most_probable(self, low: float, high: float) -> tuple[float, float, float]:
        """Return how probable it is that each region is the one a new dataset most likely is in.

        Given σ₀ and ν, right is the largest region for δ₀ beyond a threshold, left before its
        mirror image; the density of δ₀ is integrated past them.
        """
        from scipy.interpolate import CubicSpline
        from scipy.special import stdtr

        centre, rope = (low + high) / 2, (high - low) / 2
        sigma, nu = self.sigma[:, None], self.nu[None, :]

        def lead(off: Array) -> Array:
            """Return P(right) − P(rope) with δ₀ off the centre by so much."""
            right, left = stdtr(nu, (off - rope) / sigma), stdtr(nu, -(off + rope) / sigma)
            return np.asarray(2 * right + left - 1)

        least = np.zeros(np.broadcast_shapes(sigma.shape, nu.shape))
        most = least + rope + 60 * sigma
        never = lead(least) >= 0
        for _ in range(60):
            middle = (least + most) / 2
            ahead = lead(middle) >= 0
            least, most = np.where(ahead, least, middle), np.where(ahead, middle, most)
        reach = np.where(never, 0.0, most)
        whole = CubicSpline(self.delta, self.density.reshape(self.delta.size, -1)).antiderivative()

        def upto(limit: Array) -> Array:
            x = np.clip(limit.ravel(), self.delta[0], self.delta[-1])
            at = np.clip(np.searchsorted(self.delta, x, side="right") - 1, 0, self.delta.size - 2)
            step, column = x - self.delta[at], np.arange(x.size)
            parts = [whole.c[4 - p, at, column] * step**p for p in range(5)]
            return np.asarray(sum(parts))

        total = upto(np.full(reach.shape, self.delta[-1]))
        left, upper = upto(centre - reach).sum(), upto(centre + reach).sum()
        right = float(total.sum() - upper)
        return float(left), max(1 - float(left) - right, 0.0), right

    def sample(self, n: int, low: float, high: float) -> tuple[Array, Array, Array]:
        """Return n draws of P(below low), P(between), P(above high), and δ_new with its density.

        The draws are the points of the grid, evenly by their weights, each spread over its cell of
        the grid: the same each time.
        """
        from scipy.special import stdtr, stdtrit

        weight = np.maximum(self.density * self.steps[:, None, None], 0.0).ravel()
        even = (np.arange(n) + 0.5) / n
        at = np.searchsorted(np.cumsum(weight) / weight.sum(), even).clip(max=weight.size - 1)
        rng = np.random.Generator(np.random.PCG64(0))
        centre, sigma, nu = (
            _within_cells(nodes, where, rng.random(n))
            for nodes, where in zip(
                (self.delta, self.sigma, self.nu),
                np.unravel_index(at, self.density.shape),
                strict=True,
            )
        )
        left, right = stdtr(nu, (low - centre) / sigma), stdtr(nu, (centre - high) / sigma)
        regions = np.stack([left, np.maximum(1 - left - right, 0.0), right], axis=1)
        near = stdtrit(np.maximum(nu, 2.0), 0.995) * sigma
        ends = float(np.quantile(centre - near, 0.1)), float(np.quantile(centre + near, 0.9))
        x = np.linspace(*ends, 301)
        density = np.zeros_like(x)
        width = np.maximum(sigma, 5 * (x[1] - x[0]))  # a draw narrower than the eye sees is no peak
        for first in range(0, n, 500):
            some = slice(first, first + 500)
            t = (x - centre[some, None]) / width[some, None]
            density += (_density(t, nu[some, None]) / width[some, None]).sum(axis=0)
        return regions, x, density / n

    def _below(self, limit: float) -> Array:
        from scipy.special import stdtr

        off = (limit - self.delta[:, None, None]) / self.sigma[None, :, None]
        return np.asarray(stdtr(self.nu[None, None, :], off))

    def _above(self, limit: float) -> Array:
        from scipy.special import stdtr

        off = (self.delta[:, None, None] - limit) / self.sigma[None, :, None]
        return np.asarray(stdtr(self.nu[None, None, :], off))


def _within_cells(nodes: Array, at: Any, share: Array) -> Array:
    """Return places between the middles beside nodes, which ends have on one side alone."""
    middles = (nodes[1:] + nodes[:-1]) / 2
    edges = np.concatenate([nodes[:1], middles, nodes[-1:]])
    return np.asarray(edges[at] + share * (edges[at + 1] - edges[at]))


def posterior(
    means: Array, scales: Array, df: Array, unit: float, bound: float, prior: Prior, nodes: int
) -> Posterior:
    """Return the posterior of (δ₀, σ₀, ν), each dataset's difference being t_df(mean, scale).

    `unit` is the mean standard deviation of a dataset, `bound` the largest |δ₀|. The grid has
    `nodes` values of δ₀; two coarse passes find the box that holds the posterior.
    """
    x, c = means / unit, np.maximum(scales / unit, FLOOR)
    spread = float(np.std(x)) + float(np.mean(c))
    low, high = float(x.min()) - 3 * spread, float(x.max()) + 3 * spread
    limit = bound / unit
    low, high, top = max(low, -limit), min(high, limit), min(10 * spread, WIDEST)
    for size in (31, 41):
        grid = _grid(x, c, df, (low, high, top), limit, prior, (size, 15, 9))
        low, high, top = _box(grid, limit)
    made = _grid(x, c, df, (low, high, top), limit, prior, _sizes(nodes))
    return Posterior(
        made.delta * unit, made.sigma * unit, made.nu, made.density / unit, made.steps * unit
    )


def _sizes(nodes: int) -> tuple[int, int, int]:
    return nodes | 1, max(nodes // 3 | 1, 9), max(nodes // 6 | 1, 7)


def _box(p: Posterior, limit: float) -> tuple[float, float, float]:
    """Return where δ₀ and σ₀ have any density, a node wider; σ₀ may go on beyond the box."""
    of_delta = p.density.sum(axis=(1, 2))
    held = np.flatnonzero(of_delta > SMALL * of_delta.max())
    step = p.delta[1] - p.delta[0]
    edge = 2.0 if held[0] == 0 or held[-1] == p.delta.size - 1 else 1.0
    low, high = p.delta[held[0]] - edge * step, p.delta[held[-1]] + edge * step
    of_sigma = np.einsum("dsn,d->s", p.density, p.steps) / np.gradient(p.sigma)
    held = np.flatnonzero(of_sigma > SMALL * of_sigma.max())
    last = held[-1]
    top = p.sigma[last + 1] if last + 1 < p.sigma.size else 4 * p.sigma[-1]
    return max(float(low), -limit), min(float(high), limit), min(float(top), WIDEST)


def _grid(
    x: Array,
    c: Array,
    df: Array,
    box: tuple[float, float, float],
    limit: float,
    prior: Prior,
    sizes: tuple[int, int, int],
) -> Posterior:
    low, high, top = box
    delta = np.linspace(low, high, sizes[0])
    steps = np.full(sizes[0], 2.0)
    steps[1::2] = 4.0
    steps[[0, -1]] = 1.0
    steps *= (delta[1] - delta[0]) / 3
    u, of_u = np.polynomial.legendre.leggauss(sizes[1])
    u, of_u = (u + 1) / 2, of_u / 2
    sigma, of_sigma = top * u**2, of_u * 2 * top * u
    v, of_v = np.polynomial.legendre.leggauss(sizes[2])
    ends = math.log(LIGHTEST), math.log(HEAVIEST)
    log_nu = ends[0] + (ends[1] - ends[0]) * (v + 1) / 2
    nu = 1 + np.exp(log_nu)
    log_weight = prior.log_density(nu) + log_nu + np.log(of_v)
    log_joint = _log_likelihood(x, c, df, delta, sigma, nu)
    log_joint += np.log(of_sigma)[None, :, None] + log_weight[None, None, :]
    density = np.exp(log_joint - log_joint.max())
    density /= np.einsum("dsn,d->", density, steps)
    return Posterior(delta, sigma, nu, density, steps)


def _log_likelihood(x: Array, c: Array, df: Array, delta: Array, sigma: Array, nu: Array) -> Any:
    """Return Σᵢ log ∫ fᵢ g for f = t_df(x, c) and g = t_ν(δ₀, σ₀).

    ∫ fg = E_f[h] + E_g[h] with h = fg/(f + g), each by nodes on the quantiles of its own density:
    against one of them alone the integral fails where a dataset lies far out.
    """
    from scipy.special import stdtrit

    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    share, weights = (nodes + 1) / 2, weights / 2
    at_f = x[:, None] + c[:, None] * stdtrit(df[:, None], share)
    f_at_f = _density((at_f - x[:, None]) / c[:, None], df[:, None]) / c[:, None]
    found = np.empty((delta.size, sigma.size, nu.size))
    for n, free in enumerate(nu):
        quantiles = stdtrit(free, share)
        density = _density(quantiles, free)
        for s, width in enumerate(sigma):
            g_at_f = _density((at_f - delta[:, None, None]) / width, free) / width
            of_f = (f_at_f * g_at_f / (f_at_f + g_at_f)) @ weights
            at_g = delta[:, None] + width * quantiles
            off = (at_g[:, None, :] - x[:, None]) / c[:, None]
            f_at_g, g_at_g = _density(off, df[:, None]) / c[:, None], density / width
            of_g = (f_at_g * g_at_g / (f_at_g + g_at_g)) @ weights
            found[:, s, n] = np.log(np.maximum(of_f + of_g, 1e-300)).sum(axis=1)
    return found


def _density(t: Array, df: Any) -> Array:
    """Return the density of Student's t."""
    from scipy.special import gammaln

    scale = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * math.pi)
    return np.asarray(np.exp(scale - (df + 1) / 2 * np.log1p(t * t / df)))
