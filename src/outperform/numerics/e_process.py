"""The beta-binomial e-process: evidence on discordant items that may be looked at any time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .exact_sums import Array

PRIOR = 10.0
"""a of the Beta(a, a) mixture: tuned to shares of one half to two thirds."""
_LOG2 = math.log(2.0)


def log_e_value(
    wins: Any, losses: Any, *, a: float = PRIOR, alternative: str = "two-sided"
) -> Array:
    """Return log E after s wins and f losses: B(s + a, f + a)/B(a, a)·2^{s + f}.

    E is a martingale with mean 1 if wins and losses are equally likely, so P(E ever ≥ 1/α) ≤ α.
    One-sided, E is that times 2 P(Beta(s + a, f + a) > 1/2): mass on shares above one half only.

    >>> round(float(np.exp(log_e_value(20, 0, a=1.0))), 2)
    49932.19
    """
    from scipy.special import betainc, betaln

    s, f = (np.asarray(x, dtype=np.float64) for x in (wins, losses))
    if alternative == "less":
        s, f = f, s
    log_e = betaln(s + a, f + a) - betaln(a, a) + (s + f) * _LOG2
    if alternative == "two-sided":
        return np.asarray(log_e)
    with np.errstate(divide="ignore"):
        return np.asarray(log_e + _LOG2 + np.log(betainc(f + a, s + a, 0.5)))


def e_path(signs: Any, *, a: float = PRIOR, alternative: str = "two-sided") -> Array:
    """Return log E after each of the differences (last axis): wins > 0, losses < 0, ties 0."""
    d = np.asarray(signs)
    wins, losses = np.cumsum(d > 0, axis=-1), np.cumsum(d < 0, axis=-1)
    return log_e_value(wins, losses, a=a, alternative=alternative)
