"""The state of a race: what is known after each item, in memory that does not grow with them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import DataError, argument
from ..numerics.confidence_sequences import FIRST_ASYMPTOTIC, BettingSequence, asymptotic_width
from ..numerics.e_process import log_e_value

BLOCK = 256
"""Items taken in at a time; the race is looked at after each of them."""
KEPT = 400
"""Points kept of the sequence for its figure; it is thinned evenly as it grows."""
MOST_GAINED = math.log(1.5)
"""By one item, betting against a difference of 0: bets there are at most 1 on ±½."""
FIRST = ("equivalent", "better", "worse", "futile")
"""Which decision counts where several fall on the same item."""


@dataclass
class RaceWatch:
    """Takes in differences, looks after each, and stops at the first decision."""

    alpha: float = 0.05
    rope: float | None = None
    method: str = "e-process"
    bounds: tuple[float, float] = (0.0, 1.0)
    n_items: int | None = None
    fixed: bool = False
    """Whether the verdict applies to these `n_items` alone."""
    turn: float = 1.0
    """−1 where lower is better."""
    outcome: str = "undecided"
    n: int = 0
    wins: int = 0
    losses: int = 0
    mean: float = 0.0
    best_log_e: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    units: int = 0
    sums: tuple[float, ...] = (0.0,) * 5
    """Σs, Σm, Σs², Σsm, Σm² of units (items or clusters) with sums s of m differences."""
    path: list[tuple[int, float, float, float]] = field(default_factory=list)
    every: int = 1
    sequence: BettingSequence | None = None

    def __post_init__(self) -> None:
        if self.method != "asymptotic":
            reach = self.bounds[1] - self.bounds[0]
            self.low, self.high = -reach, reach
            self.sequence = BettingSequence(self.alpha, self.n_items if self.fixed else None)

    def take(self, a: Any, b: Any, sizes: Any = None) -> bool:
        """Take in the scores of the next items, or sums over the next clusters; True if decided."""
        d = self.turn * (np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64))
        m = np.ones(d.size) if sizes is None else np.asarray(sizes, dtype=np.float64)
        for at in range(0, d.size, BLOCK):
            if self.outcome == "undecided":
                self._look(d[at : at + BLOCK], m[at : at + BLOCK])
        return self.outcome != "undecided"

    def _look(self, d: Any, m: Any) -> None:
        seen = self.n + np.cumsum(m)
        means = (self.mean * self.n + np.cumsum(d)) / seen
        wins, losses = self.wins + np.cumsum(d > 0), self.losses + np.cumsum(d < 0)
        log_e = np.asarray(log_e_value(wins, losses))
        lows, highs = (self._asymptotic if self.sequence is None else self._betting)(d, m)
        lows = np.maximum.accumulate(np.maximum(lows, self.low))
        highs = np.minimum.accumulate(np.minimum(highs, self.high))
        stop, self.outcome = self._decision(lows, highs, log_e, wins, losses, seen)
        self.n, self.mean = int(seen[stop]), float(means[stop])
        self.wins, self.losses = int(wins[stop]), int(losses[stop])
        self.low, self.high = float(lows[stop]), float(highs[stop])
        self.best_log_e = max(self.best_log_e, float(np.max(log_e[: stop + 1])))
        for at in range(stop + 1):
            last = at == stop and self.outcome != "undecided"
            if int(seen[at]) % self.every == 0 or last:
                self._keep(int(seen[at]), float(means[at]), float(lows[at]), float(highs[at]))

    def _betting(self, d: Any, m: Any) -> tuple[Any, Any]:
        reach = self.bounds[1] - self.bounds[0]
        largest = float(np.abs(d).max())
        if largest > reach * (1 + 1e-12):
            raise DataError(
                f"The 'bounds' parameter must include all scores, got {self.bounds} and a "
                f"difference of {largest:g}. Pass the smallest and the largest possible score, or "
                f"use {argument(method='asymptotic')}"
            )
        assert self.sequence is not None
        low, high = self.sequence.add(np.clip((d / reach + 1) / 2, 0.0, 1.0))
        return reach * (2 * low - 1), reach * (2 * high - 1)

    def _asymptotic(self, d: Any, m: Any) -> tuple[Any, Any]:
        """Return the asymptotic sequence over units: a ratio of sums, by its residuals."""
        parts = (d, m, d * d, d * m, m * m)
        s, w, ss, sw, ww = (
            start + np.cumsum(part) for start, part in zip(self.sums, parts, strict=True)
        )
        t = self.units + np.arange(1, d.size + 1)
        mean = s / w
        spread = np.maximum(ss - 2 * mean * sw + mean * mean * ww, 0.0) / t
        half = np.sqrt(spread) * t / w * asymptotic_width(t, self.alpha, self._star(t, w))
        early = (t < FIRST_ASYMPTOTIC) | (spread == 0)
        self.sums = tuple(float(part[-1]) for part in (s, w, ss, sw, ww))
        self.units = int(t[-1])
        low, high = (np.where(early, side * np.inf, mean + side * half) for side in (-1, 1))
        return low, high

    def _star(self, t: Any, w: Any) -> float:
        """Return for how many units the sequence is to be narrowest: half of all, fixed ahead."""
        return max((self.n_items or 1000) / 2, FIRST_ASYMPTOTIC)

    def _decision(
        self, lows: Any, highs: Any, log_e: Any, wins: Any, losses: Any, seen: Any
    ) -> tuple[int, str]:
        """Return the position of the first decision, and which it is."""
        marks = {"better": lows > 0, "worse": highs < 0}
        if self.method == "e-process":
            sure = log_e >= -math.log(self.alpha)
            marks = {"better": sure & (wins > losses), "worse": sure & (wins < losses)}
        if self.rope is not None:
            marks["equivalent"] = (lows > -self.rope) & (highs < self.rope)
        marks["futile"] = self._futile(wins, losses, seen)
        firsts = {name: int(mark.argmax()) for name, mark in marks.items() if mark.any()}
        if not firsts:
            return lows.size - 1, "undecided"
        name = min(firsts, key=lambda each: (firsts[each], FIRST.index(each)))
        return firsts[name], name

    def _futile(self, wins: Any, losses: Any, seen: Any) -> Any:
        """Tell where all remaining items for the leader could not rule a difference of 0 out."""
        hopeless = np.zeros(seen.size, dtype=bool)
        if self.n_items is None or self.rope is not None or self.fixed:
            return hopeless
        left = self.n_items - seen
        if self.method == "e-process":
            most, least = np.maximum(wins, losses), np.minimum(wins, losses)
            return (log_e_value(most + left, least) < -math.log(self.alpha)) & (left > 0)
        if self.sequence is not None:
            at = np.flatnonzero(np.abs(self.sequence.means - 0.5) < 1e-9)
            if at.size and left[-1] > 0:  # known at the end of a block
                capital = float(self.sequence.capital[:, at[0]].max())
                hopeless[-1] = capital + left[-1] * MOST_GAINED < math.log(2 / self.alpha)
        return hopeless

    def _keep(self, n: int, mean: float, low: float, high: float) -> None:
        self.path.append((n, mean, low, high))
        if len(self.path) > KEPT:
            self.path, self.every = self.path[1::2], 2 * self.every
