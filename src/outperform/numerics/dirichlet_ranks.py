"""Bayesian sign and signed-rank tests: Dirichlet weights on datasets, drawn once for all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .exact_sums import Array

BLOCK = 2**16
"""Weights worked on at a time: 512 kB, which a processor keeps at hand."""


@dataclass(frozen=True, slots=True)
class Shares:
    """For each experiment: how often a region was the largest, and its mean probability."""

    better: Any
    equivalent: Any
    worse: Any
    mean_better: Any
    mean_equivalent: Any
    mean_worse: Any
    error: Any
    """The largest Monte Carlo standard error of the first three."""


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """Dirichlet(s, 1, …, 1) draws, (n, draws), their sums from each place on, and those of z₀."""

    each: Array
    tails: Array
    """(n + 1, draws): the weights of the datasets from place 0, 1, …, n on."""
    prior: Array


def weights(n: int, strength: float, n_draws: int, seed: int) -> Iterator[Weights]:
    """Draw the weights of n datasets and of the prior's, some draws at a time."""
    rng = np.random.Generator(np.random.PCG64(seed))
    step = max(BLOCK // n, 1)
    for at in range(0, n_draws, step):
        size = min(step, n_draws - at)
        drawn = rng.standard_exponential((n, size))
        prior = rng.standard_gamma(strength, size) if strength > 0 else np.zeros(size)
        total = drawn.sum(axis=0) + prior
        drawn /= total
        sums = np.cumsum(drawn[::-1], axis=0)[::-1]
        yield Weights(drawn, np.concatenate([sums, np.zeros((1, size))]), prior / total)


Thetas: TypeAlias = Callable[[Array, float, Weights, float], Array]


def shares(
    thetas: Thetas, z: Array, rope: float, width: Array, draws: Iterable[Weights], place: float
) -> Shares:
    """Return how often each region is the largest, for differences z, (experiments, n).

    Sums within `width` of ±rope are ties, of which each region gets half. The prior's dataset has
    the difference `place`. Draws are made once for all experiments.
    """
    rows = np.sort(z.reshape(-1, z.shape[-1]), axis=-1)
    widths = np.broadcast_to(width, z.shape[:-1]).ravel()
    sums, total = np.zeros((len(rows), 6)), 0
    for w in draws:
        total += w.prior.size
        back = _mirrored(w)
        for at, (row, tie) in enumerate(zip(rows, widths, strict=True)):
            sums[at] += _regions(thetas, row, rope, float(tie), (w, back), place)
    found = sums / total
    most = found[:, :3]
    error = np.sqrt(np.maximum(np.max(most * (1 - most), axis=1), 1 / total) / total)
    columns = np.concatenate([found, error[:, None]], axis=1).reshape(*z.shape[:-1], 7)
    return Shares(*(columns[..., column][()] for column in range(7)))


def theta_draws(
    thetas: Thetas, z: Array, rope: float, width: float, draws: Iterable[Weights], place: float
) -> Array:
    """Return the probabilities of right, rest and left in each draw, (draws, 3), for one z."""
    row, found = np.sort(z), []
    for w in draws:
        found.append(np.stack(_sides(thetas, row, rope, width, (w, _mirrored(w)), place), axis=1))
    return np.concatenate(found)


def _mirrored(w: Weights) -> Weights:
    return Weights(w.each[::-1], w.tails[0] - w.tails[::-1], w.prior)


def _sides(
    thetas: Thetas,
    z: Array,
    rope: float,
    width: float,
    draws: tuple[Weights, Weights],
    place: float,
) -> tuple[Array, Array, Array]:
    """Return the probabilities of right, rest and left in each draw."""
    sides = []
    for values, w, at in ((z, draws[0], place), (-z[::-1], draws[1], -place)):
        above = thetas(values, rope + width, w, at)
        tied = width > 0 and (thetas is sign_thetas or _has_ties(values, rope, width, at))
        sides.append((above + thetas(values, rope - width, w, at)) / 2 if tied else above)
    right, left = sides
    rest = np.maximum(1 - right - left, 0.0) if rope > 0 else np.zeros_like(right)
    return right, rest, left


def _regions(
    thetas: Thetas,
    z: Array,
    rope: float,
    width: float,
    draws: tuple[Weights, Weights],
    place: float,
) -> Array:
    """Return the sums over draws of: largest (right, rest, left), probability of each."""
    right, rest, left = _sides(thetas, z, rope, width, draws, place)
    top = np.maximum(np.maximum(right, left), rest)
    largest = np.stack([right >= top, (rest >= top) & (rope > 0), left >= top]).astype(np.float64)
    return np.concatenate(
        [(largest / largest.sum(axis=0)).sum(axis=1), [right.sum(), rest.sum(), left.sum()]]
    )


def _has_ties(z: Array, rope: float, width: float, place: float) -> bool:
    """Tell whether a sum of two differences lies on the edge of the rope."""
    every = np.append(z, place)
    ends = (np.searchsorted(z, 2 * (rope + s * width) - every, side="right") for s in (1, -1))
    first, second = ends
    alone = abs(place - rope) <= width
    return bool((first != second).any()) or alone


def rank_thetas(z: Array, r: float, w: Weights, place: float) -> Array:
    """Return Σᵢⱼ wᵢwⱼ [zᵢ + zⱼ > 2r] of each draw, for sorted z; both may be the prior's.

    O(n) for each draw: the j with zᵢ + zⱼ > 2r are the last ones.
    """
    first = np.searchsorted(z, 2 * r - z, side="right")
    alone = int(np.searchsorted(z, 2 * r - place, side="right"))
    theta = 2 * w.prior * w.tails[alone] + w.prior**2 * (place > r)
    return np.asarray(theta + np.einsum("ib,ib->b", w.each, w.tails[first]))


def sign_thetas(z: Array, r: float, w: Weights, place: float) -> Array:
    """Return Σᵢ wᵢ [zᵢ > r] of each draw."""
    first = int(np.searchsorted(z, r, side="right"))
    return np.asarray(w.tails[first] + w.prior * (place > r))
