"""Numbers as readers want them: decimals follow the standard error, p is never 0."""

from __future__ import annotations

import math

__all__ = ["apart", "decimals_for", "ends", "fixed", "pvalue", "short"]

PLAIN = 8
"""Decimals up to which numbers are written out; of more, three figures and a power of ten."""


def decimals_for(stderr: float | None, *values: float) -> int:
    """Return how many decimals show two figures of the standard error (or of the value)."""
    size = stderr or max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if not size or not math.isfinite(size):
        return 3
    return min(max(1 - math.floor(math.log10(size)), 0), 15)


def apart(value: float, decimals: int, *limits: float, sign: bool = False) -> str:
    """Return a number in as many decimals as tell it from 0 and from each limit that it is not."""
    needed = _needed(value, decimals, limits)
    if needed is not None:
        return fixed(value, needed, sign=sign)
    text = f"{value:+.17g}" if float(f"{value:.15g}") in limits else f"{value:+.15g}"
    return text.replace("-", "−") if sign else text.lstrip("+").replace("-", "−")


def ends(
    low: float, high: float, decimals: int, *limits: float, sign: bool = False
) -> tuple[str, str]:
    """Return both ends of an interval, none of them printed as a limit that it is not.

    An end printed as 0.0000 beside a decision would seem to deny it.
    """
    needed = (_needed(end, decimals, limits) for end in (low, high))
    common = max([decimals, *(n for n in needed if n is not None and n <= PLAIN)])
    first, second = (apart(end, common, *limits, sign=sign) for end in (low, high))
    return first, second


def _needed(value: float, decimals: int, limits: tuple[float, ...]) -> int | None:
    others = [limit for limit in (0.0, *limits) if limit != value]
    for more in range(decimals, max(decimals, PLAIN + 1) + 1):
        if fixed(value, more) not in [fixed(other, more) for other in others]:
            return more
    return None


def fixed(value: float, decimals: int, *, sign: bool = False) -> str:
    """Return a fixed-point number with a true minus sign; very large or small ones in powers."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    small = value != 0 and decimals > PLAIN
    text = f"{value:+.3g}" if small or abs(value) >= 1e7 else f"{value:+.{decimals}f}"
    if not any(digit in text for digit in "123456789"):
        return text.lstrip("+-")  # what shows as zero has no side to show
    text = text.replace("-", "−")
    return text if sign else text.lstrip("+")


def short(value: float | None) -> str:
    """Return a statistic or a count in at most four significant figures."""
    if value is None:
        return "–"
    if value == int(value) and abs(value) < 1e7:
        return f"{int(value)}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def pvalue(p: float | None, log_p: float | None = None) -> str:
    """Return "p = 0.021" or "p < 0.001"; below 1e-300 the power of ten from its logarithm."""
    if p is None:
        return "no p-value"
    if p >= 0.9995:
        return "p = 1" if p == 1 else "p > 0.999"
    if p >= 0.001:
        return f"p = {p:.3f}"
    if log_p is not None and log_p < math.log(1e-300):
        return f"p < 0.001 (10^−{-math.ceil(log_p / math.log(10))})"
    return "p < 0.001"
