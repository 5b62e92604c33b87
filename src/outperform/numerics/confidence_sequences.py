"""Confidence sequences for a mean: intervals that hold at all times at once.

By betting, for scores in [0, 1] (Waudby-Smith and Ramdas, 2024), with items drawn with or without
replacement; and asymptotically, for any scores (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .exact_sums import Array

CUT = 0.5
"""Bets are cut so that no more than this share of the capital can be lost on one item."""
GRID = 10_001
"""Candidate means that a running sequence tells apart: differences of 0.0002."""
FIRST_ASYMPTOTIC = 30
"""Items from which the asymptotic sequence is given."""
_BLOCK = 400_000


def running(start: float, values: Array) -> Array:
    """Return the sums of a start and the values up to each, added one by one.

    So the last bit does not depend on how a sequence is cut into blocks.
    """
    return np.asarray(np.cumsum(np.concatenate([[start], values]))[1:])


def bets(x: Array, alpha: float, state: tuple[int, float, float] = (0, 0.5, 0.25)) -> Array:
    """Return the PrPl-EB bet before each value: λ_t = √(2 log(2/α)/(t log(1 + t) σ̂²_{t−1})).

    `state` is what came before: how many values, ½ + Σx and ¼ + Σ(x − μ̂)².
    """
    seen, total, squares = state
    t = seen + np.arange(1, x.size + 1)
    sums = running(total, x)
    apart = running(squares, (x - sums / (t + 1)) ** 2)
    variance = np.concatenate([[squares], apart[:-1]]) / t
    return np.asarray(np.sqrt(2 * math.log(2 / alpha) / (t * np.log1p(t) * variance)))


def _log_capital(x: Array, means: Array, bet: Array, side: int) -> Array:
    """Return log(1 ± λ(x − m)) of each value and candidate, bets cut at c/m or c/(1 − m)."""
    room = means if side > 0 else 1 - means
    with np.errstate(divide="ignore"):
        most = np.where(room > 0, CUT / np.where(room > 0, room, 1.0), np.inf)
    size = np.minimum(bet[:, None], most)
    return np.asarray(np.log1p(side * size * (x[:, None] - means)))


def asymptotic_interval(
    mean: Any, variance: Any, t: Any, *, alpha: float = 0.05, t_star: float = 100.0
) -> tuple[Array, Array]:
    """Return the asymptotic confidence sequence at time t; narrowest near t = `t_star`.

    μ̂ ± σ̂ √(2(tρ² + 1)/(t²ρ²)·log(√(tρ² + 1)/α)), ρ² = (−2 log α + log(−2 log α + 1))/t*.
    """
    half = np.sqrt(variance) * asymptotic_width(t, alpha, t_star)
    return np.asarray(mean - half), np.asarray(mean + half)


def asymptotic_width(t: Any, alpha: float, t_star: float) -> Array:
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / t_star
    t = np.asarray(t, dtype=np.float64)
    inside = t * rho2 + 1
    return np.asarray(np.sqrt(2 * inside / (t * t * rho2) * np.log(np.sqrt(inside) / alpha)))


@dataclass
class BettingSequence:
    """A running betting sequence whose memory does not grow: candidates ruled out are dropped.

    The interval after t values is the intersection of all so far, its ends on a grid of
    `GRID` candidate means and rounded outwards.
    """

    alpha: float = 0.05
    n_population: int | None = None
    seen: int = 0
    total: float = 0.0
    half: float = 0.5
    """½ + Σx, from which, with `squares`, the bets are made."""
    squares: float = 0.25
    """¼ + Σ(x − μ̂)²."""
    means: Array = field(default_factory=lambda: np.linspace(0, 1, GRID))
    capital: Array = field(default_factory=lambda: np.zeros((2, GRID)))
    """Log capital of both sides at the candidates that are left."""
    _step: float = 1 / (GRID - 1)

    def add(self, x: Array) -> tuple[Array, Array]:
        """Take in values; return the interval after each of them."""
        lows, highs = np.empty(x.size), np.empty(x.size)
        at = 0
        while at < x.size:
            size = max(1, min(x.size - at, _BLOCK // max(self.means.size, 1)))
            part = slice(at, at + size)
            lows[part], highs[part] = self._take(x[part])
            at += size
        return lows, highs

    def _take(self, x: Array) -> tuple[Array, Array]:
        bet = bets(x, self.alpha, (self.seen, self.half, self.squares))
        sums, totals = running(self.half, x), running(self.total, x)
        t = self.seen + np.arange(1, x.size + 1)
        means = np.broadcast_to(self.means, (x.size, self.means.size))
        impossible: npt.NDArray[np.bool_] | None = None
        if self.n_population is not None:
            before = np.concatenate([[self.total], totals[:-1]])
            left = (self.n_population - (t - 1)).astype(np.float64)
            means = (self.n_population * self.means - before[:, None]) / left[:, None]
            slack = 0.5 * self._step * self.n_population / left[:, None]
            impossible = (means < -slack) | (means > 1 + slack)
            means = np.clip(means, 0.0, 1.0)
        paths = []
        for row, side in enumerate((1, -1)):
            grown = _log_capital(x, means, bet, side)
            grown[0] += self.capital[row]
            np.cumsum(grown, axis=0, out=grown)
            paths.append(grown)
        out = np.maximum(*paths) >= math.log(2 / self.alpha)
        if impossible is not None:
            out |= impossible
        np.logical_or.accumulate(out, axis=0, out=out)
        self.squares = float(running(self.squares, (x - sums / (t + 1)) ** 2)[-1])
        self.seen, self.total, self.half = int(t[-1]), float(totals[-1]), float(sums[-1])
        low, high = self._ends(out)
        kept = ~out[-1]
        if not kept.any():  # the truth lies between two candidates
            kept = np.abs(self.means - (low[-1] + high[-1]) / 2) <= self._step
        self.capital = np.stack([path[-1] for path in paths])[:, kept]
        self.means = self.means[kept]
        return low, high

    def _ends(self, out: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return the ends after each value, a step of the grid further out than what is left."""
        some = ~out.all(axis=1)
        first = np.where(some, out.argmin(axis=1), 0)
        last = np.where(some, out.shape[1] - 1 - out[:, ::-1].argmin(axis=1), out.shape[1] - 1)
        low = np.maximum(self.means[first] - self._step, 0.0)
        high = np.minimum(self.means[last] + self._step, 1.0)
        return low, high
