"""The state of a race: what is known after each item, in memory that does not grow with them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import DataError, argument, either
from ..numerics.confidence_sequences import (
    FIRST_ASYMPTOTIC,
    BettingSequence,
    asymptotic_width,
    running,
)
from ..numerics.e_process import log_e_value
from .race_futility import BetsOnZero, counts_futile, spacing, sums_futile

BLOCK = 256
"""Items taken in at a time; the race is looked at after each of them."""
KEPT = 400
"""Points kept of the sequence for its figure; it is thinned evenly as it grows."""
FIRST = ("equivalent", "better", "worse", "futile")
"""Which decision counts where several fall on the same item."""


def check_bounds(bounds: tuple[float, float], d: Any) -> None:
    """Refuse differences that scores within the bounds cannot have."""
    largest = float(np.abs(d).max(initial=0.0))
    if largest > (bounds[1] - bounds[0]) * (1 + 1e-12):
        way = either(python="bounds=(LOW, HIGH)", typed="--bounds LOW HIGH")
        raise DataError(
            f"The 'bounds' parameter must include all scores, got {bounds} and a difference of "
            f"{largest:g}. Pass the smallest and the largest possible score as {way}, or use "
            f"{argument(method='asymptotic')}"
        )


def check_right_wrong(*sides: Any) -> None:
    """Refuse scores of which counted wins may favour the model with the lower mean."""
    if not all(bool(np.isin(side, (0.0, 1.0)).all()) for side in sides):
        raise DataError(
            "The e-process counts items that are right or wrong, but some scores are neither "
            f"0 nor 1. Use {argument(method='betting')}"
        )


@dataclass
class RaceWatch:
    """Takes in differences, looks after each, and stops at the first decision."""

    alpha: float = 0.05
    rope: float | None = None
    method: str = "e-process"
    bounds: tuple[float, float] = (0.0, 1.0)
    n_items: int | None = None
    n_units: int | None = None
    """Clusters, where there are; else items."""
    fixed: bool = False
    """Whether the verdict applies to these `n_items` alone."""
    turn: float = 1.0
    """−1 where lower is better."""
    bounded: bool = True
    """Whether no score can lie outside the bounds."""
    outcome: str = "undecided"
    n: int = 0
    wins: int = 0
    losses: int = 0
    total: float = 0.0
    mean: float = 0.0
    best_log_e: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    units: int = 0
    squares: float = 0.0
    """Σd²."""
    sums: tuple[float, ...] = (0.0,) * 5
    """Σs, Σm, Σs², Σsm, Σm² of units (items or clusters) with sums s of m differences."""
    path: list[tuple[int, float, float, float]] = field(default_factory=list)
    every: int = 1
    sequence: BettingSequence | None = None
    on_zero: BetsOnZero | None = None

    def __post_init__(self) -> None:
        if self.method != "asymptotic":
            reach = self.bounds[1] - self.bounds[0]
            self.low, self.high = -reach, reach
            self.sequence = BettingSequence(self.alpha, self.n_items if self.fixed else None)
        if self.method == "betting":
            self.on_zero = BetsOnZero(self.alpha)

    def take(self, a: Any, b: Any, sizes: Any = None) -> bool:
        """Take in the scores of the next items, or sums over the next clusters; True if decided."""
        if self.method == "e-process":
            check_right_wrong(a, b)
        d = self.turn * (np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64))
        m = np.ones(d.size) if sizes is None else np.asarray(sizes, dtype=np.float64)
        for at in range(0, d.size, BLOCK):
            if self.outcome == "undecided":
                self._look(d[at : at + BLOCK], m[at : at + BLOCK])
        return self.outcome != "undecided"

    def _look(self, d: Any, m: Any) -> None:
        seen = self.n + np.cumsum(m)
        totals = running(self.total, d)
        means = totals / seen
        wins, losses = self.wins + np.cumsum(d > 0), self.losses + np.cumsum(d < 0)
        log_e = np.asarray(log_e_value(wins, losses))
        lows, highs = (self._asymptotic if self.sequence is None else self._betting)(d, m)
        lows = np.maximum.accumulate(np.maximum(lows, self.low))
        highs = np.minimum.accumulate(np.minimum(highs, self.high))
        if self.fixed and seen[-1] == self.n_items:  # all that there is
            lows[-1] = highs[-1] = means[-1]
        hopeless = self._futile(d, wins, losses, seen, is_items=bool((m == 1).all()))
        stop, self.outcome = self._decision(lows, highs, log_e, wins, losses, hopeless)
        self.n, self.mean, self.total = int(seen[stop]), float(means[stop]), float(totals[stop])
        self.wins, self.losses = int(wins[stop]), int(losses[stop])
        self.low, self.high = float(lows[stop]), float(highs[stop])
        self.best_log_e = max(self.best_log_e, float(np.max(log_e[: stop + 1])))
        for at in range(stop + 1):
            last = at == stop and self.outcome != "undecided"
            if int(seen[at]) % self.every == 0 or last:
                self._keep(int(seen[at]), float(means[at]), float(lows[at]), float(highs[at]))

    def _betting(self, d: Any, m: Any) -> tuple[Any, Any]:
        reach = self.bounds[1] - self.bounds[0]
        check_bounds(self.bounds, d)
        assert self.sequence is not None
        low, high = self.sequence.add(np.clip((d / reach + 1) / 2, 0.0, 1.0))
        return reach * (2 * low - 1), reach * (2 * high - 1)

    def _asymptotic(self, d: Any, m: Any) -> tuple[Any, Any]:
        """Return the asymptotic sequence over units: a ratio of sums, by its residuals."""
        parts = (d, m, d * d, d * m, m * m)
        s, w, ss, sw, ww = (
            running(start, part) for start, part in zip(self.sums, parts, strict=True)
        )
        t = self.units + np.arange(1, d.size + 1)
        mean = s / w
        spread = np.maximum(ss - 2 * mean * sw + mean * mean * ww, 0.0) / t
        half = np.sqrt(spread) * t / w * asymptotic_width(t, self.alpha, self._star())
        early = (t < FIRST_ASYMPTOTIC) | (spread == 0)
        self.sums = tuple(float(part[-1]) for part in (s, w, ss, sw, ww))
        self.units = int(t[-1])
        low, high = (np.where(early, side * np.inf, mean + side * half) for side in (-1, 1))
        return low, high

    def _star(self) -> float:
        """Return for how many units the sequence is to be narrowest: half of all, fixed ahead."""
        return max((self.n_units or self.n_items or 1000) / 2, FIRST_ASYMPTOTIC)

    def _decision(
        self, lows: Any, highs: Any, log_e: Any, wins: Any, losses: Any, hopeless: Any
    ) -> tuple[int, str]:
        """Return the position of the first decision, and which it is."""
        marks = {"better": lows > 0, "worse": highs < 0}
        if self.method == "e-process":
            sure = log_e >= -math.log(self.alpha)
            marks = {"better": sure & (wins > losses), "worse": sure & (wins < losses)}
        if self.rope is not None:
            marks["equivalent"] = (lows > -self.rope) & (highs < self.rope)
        marks["futile"] = hopeless
        firsts = {name: int(mark.argmax()) for name, mark in marks.items() if mark.any()}
        if not firsts:
            return lows.size - 1, "undecided"
        name = min(firsts, key=lambda each: (firsts[each], FIRST.index(each)))
        return firsts[name], name

    def _futile(self, d: Any, wins: Any, losses: Any, seen: Any, *, is_items: bool) -> Any:
        """Tell where all remaining items for the leader could not rule a difference of 0 out."""
        if self.n_items is None or self.rope is not None or self.fixed:
            return np.zeros(seen.size, dtype=bool)
        left = self.n_items - seen
        if self.method == "e-process":
            return counts_futile(wins, losses, left, self.alpha)
        reach = self.bounds[1] - self.bounds[0]
        if self.on_zero is not None:
            x = np.clip((d / reach + 1) / 2, 0.0, 1.0)
            return self.on_zero.futile(x, left, spacing(self.n_items))
        if not (self.bounded and is_items):
            return np.zeros(seen.size, dtype=bool)
        squares = running(self.squares, d * d)
        self.squares = float(squares[-1])
        width = self.alpha, self._star()
        return sums_futile(seen, running(self.total, d), squares, left, reach, width)

    def _keep(self, n: int, mean: float, low: float, high: float) -> None:
        self.path.append((n, mean, low, high))
        if len(self.path) > KEPT:
            self.path, self.every = self.path[1::2], 2 * self.every
