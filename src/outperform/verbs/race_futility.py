"""When a race is futile: 0 could not be ruled out even if all remaining items favoured the leader.

That is computed for the e-process, for bets on bounded scores, and for the asymptotic sequence of
items within bounds. A race with a rope may still end as equivalent, and one through all items of a
benchmark is decided at the last of them, so neither is ever futile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..numerics.confidence_sequences import FIRST_ASYMPTOTIC, asymptotic_width, bets, running
from ..numerics.e_process import log_e_value
from ..numerics.exact_sums import Array

WORK = 20_000_000
"""Items that all looks ahead together go through, at most."""


def spacing(n_items: int) -> int:
    """Return after how many items one looks ahead through all that are left: 1 up to 6,324."""
    return max(1, n_items * n_items // WORK)


def counts_futile(wins: Array, losses: Array, left: Array, alpha: float) -> Any:
    """Tell for the e-process after each item, given the items left.

    E grows with each further item of the leader, so that the last of them decides.
    """
    most, least = np.maximum(wins, losses), np.minimum(wins, losses)
    return (log_e_value(most + left, least) < -math.log(alpha)) & (left > 0)


@dataclass
class BetsOnZero:
    """The capital of both sides betting against a difference of 0, item by item."""

    alpha: float
    seen: int = 0
    half: float = 0.5
    squares: float = 0.25
    up: float = 0.0
    """The log capital on the first model."""
    down: float = 0.0

    def futile(self, x: Array, left: Array, every: int) -> Any:
        """Take in values between 0 and 1; tell after each whether the race is futile.

        Looks ahead after every `every` items: the bets on a run of wins are known ahead.
        """
        bet = np.minimum(bets(x, self.alpha, (self.seen, self.half, self.squares)), 1.0)
        t = self.seen + np.arange(1, x.size + 1)
        half = running(self.half, x)
        squares = running(self.squares, (x - half / (t + 1)) ** 2)
        up, down = (
            running(start, np.log1p(side * bet * (x - 0.5)))
            for start, side in ((self.up, 1), (self.down, -1))
        )
        found = np.zeros(x.size, dtype=bool)
        for at in np.flatnonzero((t % every == 0) & (left > 0)).tolist():
            state, n = (int(t[at]), float(half[at]), float(squares[at])), int(left[at])
            found[at] = not (
                self._reaches(state, n, 1.0, float(up[at]))
                or self._reaches(state, n, 0.0, float(down[at]))
            )
        self.seen, self.half, self.squares = int(t[-1]), float(half[-1]), float(squares[-1])
        self.up, self.down = float(up[-1]), float(down[-1])
        return found

    def _reaches(self, state: tuple[int, float, float], n: int, x: float, capital: float) -> bool:
        """Tell whether n items of one side bring its capital to 2/α."""
        needed = math.log(2 / self.alpha) - capital
        seen, _, squares = state
        largest = math.sqrt(2 * math.log(2 / self.alpha) / (math.log(2 + seen) * squares))
        if n * math.log1p(min(largest, 1.0) / 2) < needed:
            return False  # not even with the largest bet each time
        ahead = np.minimum(bets(np.full(n, x), self.alpha, state), 1.0)
        return float(np.log1p(ahead / 2).sum()) >= needed


def sums_futile(
    t: Array, total: Array, squares: Array, left: Array, reach: float, width: tuple[float, float]
) -> Any:
    """Tell for the asymptotic sequence after each item, from Σd and Σd² so far.

    What is left would differ by ±`reach`, or by less where that is better for the leader: the mean
    over the deviation is largest where every further item differs by Σd²/Σd. `width` is α and t* of
    the sequence.
    """
    found = np.zeros(t.size, dtype=bool)
    every = spacing(int(t[0] + left[0]))
    for at in np.flatnonzero((t % every == 0) & (left > 0)).tolist():
        more = np.arange(1, int(left[at]) + 1)
        n = t[at] + more
        half = asymptotic_width(n, *width)
        reached = False
        for side in (1, -1):
            lead = side * float(total[at])
            each = min(reach, float(squares[at]) / lead) if lead > 0 else reach
            mean = (lead + more * each) / n
            spread = np.maximum((squares[at] + more * each**2) / n - mean**2, 0.0)
            out = (mean > np.sqrt(spread) * half) & (n >= FIRST_ASYMPTOTIC) & (spread > 0)
            reached |= bool(out.any())
        found[at] = not reached
    return found
