"""Betting on all values at once, by bisection: what a running sequence is compared with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from outperform.numerics.confidence_sequences import _log_capital, bets
from outperform.numerics.exact_sums import Array

BISECTIONS = 60


def betting_capital(x: Any, mean: float, *, alpha: float = 0.05) -> Array:
    """Return the capital max(½K⁺, ½K⁻) after each value, betting against one mean."""
    values = np.asarray(x, dtype=np.float64)
    bet, at = bets(values, alpha), np.full((values.size, 1), mean)
    paths = [np.cumsum(_log_capital(values, at, bet, side)[:, 0]) for side in (1, -1)]
    return np.asarray(np.exp(np.maximum(*paths)) / 2)


def betting_interval(
    x: Any, *, alpha: float = 0.05, n_population: int | None = None
) -> tuple[float, float]:
    """Return the means that the bets after all values do not rule out, by bisection.

    K⁺(m) falls and K⁻(m) rises with m, so that both ends are roots. Without replacement, the mean
    of what is left, m_t = (Nm − S_{t−1})/(N − t + 1), takes the place of m.
    """
    values = np.asarray(x, dtype=np.float64)
    bet = bets(values, alpha)
    before = np.concatenate([[0.0], np.cumsum(values)[:-1]])
    left = None if n_population is None else n_population - np.arange(values.size)

    def wealth(mean: float, side: int) -> float:
        means = np.full((values.size, 1), mean)
        if left is not None and n_population is not None:
            means = ((n_population * mean - before) / left)[:, None]
            if side > 0 and (means < 0).any():
                return math.inf  # so small a mean is impossible by now
            if side < 0 and (means > 1).any():
                return math.inf
            means = np.clip(means, 0.0, 1.0)
        return float(_log_capital(values, means, bet, side).sum())

    limit = math.log(2 / alpha)
    return tuple(_end(wealth, side, limit) for side in (1, -1))  # type: ignore[return-value]


def _end(wealth: Any, side: int, limit: float) -> float:
    """Return where the capital of one side reaches the limit; the end of the range if nowhere."""
    out, inside = (0.0, 1.0) if side > 0 else (1.0, 0.0)
    if wealth(out, side) < limit:
        return out
    for _ in range(BISECTIONS):
        middle = (out + inside) / 2
        if wealth(middle, side) < limit:
            inside = middle
        else:
            out = middle
    return (out + inside) / 2
