"""Numbers as readers want them: decimals follow the standard error, p is never 0."""

from __future__ import annotations

import math

__all__ = ["decimals_apart", "decimals_for", "fixed", "pvalue", "short"]


def decimals_for(stderr: float | None, *values: float) -> int:
    """Return how many decimals show two figures of the standard error (or of the value)."""
    size = stderr or max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if not size or not math.isfinite(size):
        return 3
    return min(max(1 - math.floor(math.log10(size)), 0), 15)


def decimals_apart(decimals: int, null: float, low: float, high: float) -> int:
    """Return as many decimals as show that an interval leaves out the null value, if it does."""
    near = min((low, high), key=lambda end: abs(end - null))
    if low <= null <= high or not math.isfinite(near):
        return decimals
    most = decimals + 4
    while decimals < most and round(near - null, decimals) == 0:
        decimals += 1
    return decimals


def fixed(value: float, decimals: int, *, sign: bool = False) -> str:
    """Return a fixed-point number with a true minus sign; very large or small ones in powers."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    small = value != 0 and decimals > 8
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
