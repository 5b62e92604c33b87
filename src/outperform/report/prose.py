"""Every sentence that is said about a result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .clean import terminal
from .numbers import decimals_for, fixed, pvalue, short

if TYPE_CHECKING:
    from ..result import Outcome, Result

__all__ = [
    "allowed",
    "effect",
    "heading",
    "interval_line",
    "sides",
    "test_line",
    "verdict_sentence",
]


def sides(result: Result) -> tuple[str, str]:
    """Return the names to speak of, safe for a terminal; a single side is compared with μ₀."""
    first, second = result.names
    against = f"the value {result.null:g}" if second is None else second
    return terminal(first), terminal(against)


def heading(result: Result) -> str:
    """Say who is judged."""
    alone = math.isnan(result.null) or not result.method.compares
    return sides(result)[0] if alone else " v ".join(sides(result))


def effect(result: Result) -> str:
    """Say the estimate: who is ahead, by how much, in which score."""
    first, second = sides(result)
    digits = decimals_for(result.stderr, result.estimate)
    size = fixed(result.estimate, digits, sign=result.names[1] is not None)
    spread = ""
    if result.stderr:
        spread = f" (standard error {fixed(result.stderr, digits)})"
    if result.method.estimand:
        return f"{result.method.estimand} {size}{spread}"
    if result.names[1] is None:
        return f"{first}: {terminal(result.metric)} {size}{spread}"
    return f"{first} − {second}: {terminal(result.metric)} {size}{spread}"


def interval_line(result: Result, level: float) -> str:
    """Say the interval, and when it is not the inversion of the test."""
    interval = result.interval(level)
    if interval is None:
        return "no interval" if result.method.has_interval else "no interval with this method"
    digits = decimals_for(result.stderr, result.estimate)
    low, high = (fixed(end, digits, sign=result.names[1] is not None) for end in interval)
    tail = "" if result.method.interval_inverts else ", not the inversion of the test"
    return f"[{low}, {high}] at {level:.4g} confidence{tail}"


def test_line(result: Result) -> str:
    """Say the test, its statistic and its p-value."""
    law = getattr(result.evidence, "dist", None)
    if getattr(result.evidence, "chi2", False):
        label = "χ²(1)"
    else:
        label = {"N(0, 1)": "z"}.get(law.label, law.label) if law is not None else "statistic"
    stat = "" if result.statistic is None else f"{label} = {short(result.statistic)}, "
    side = "" if result.alternative == "two-sided" else f" ({result.alternative})"
    found = pvalue(result.pvalue, result.log_pvalue)
    variant = "".join(f" ({terminal(str(value))})" for value in result.options.values())
    tested = f", against {result.null:g}" if result.names[1] and result.null else ""
    return f"{result.method.title}{variant}: {stat}{found}{side}{tested}"


def allowed(result: Result, level: float) -> str:
    """Say what the interval still allows, which is what "no decision" leaves open."""
    interval = result.interval(level)
    if interval is None:
        return ""
    digits = decimals_for(result.stderr, result.estimate)
    paired = result.names[1] is not None
    low, high = (fixed(end, digits, sign=paired) for end in interval)
    return f"{'differences' if paired else 'values'} from {low} to {high} remain possible"


def verdict_sentence(result: Result, outcome: Outcome, alpha: float, rope: float | None) -> str:
    """Say the verdict; never "no difference"."""
    first, second = sides(result)
    by = f" by more than {abs(result.null):g}" if result.names[1] and result.null else ""
    if outcome == "outperforms":
        return f"{first} outperforms {second}{by} (α = {alpha:g})."
    if outcome == "outperformed":
        return f"{first} is outperformed by {second}{by} (α = {alpha:g})."
    if outcome == "equivalent":
        return f"{first} and {second} are equivalent within ±{rope:g} (α = {alpha:g})."
    if not result.method.compares:
        apart = "differ" if (result.pvalue or 1.0) < alpha else "are not told apart"
        return f"no decision between two: the {first} {apart} as a whole (α = {alpha:g})."
    if result.pvalue is None:
        why = "no hypothesis was asked about" if math.isnan(result.null) else "there is no p-value"
        return f"no decision: {why}."
    if by and result.pvalue < alpha:
        where = "above" if result.estimate > result.null else "below"
        return (
            f"no decision on the better: the difference is {where} {result.null:g} (α = {alpha:g})."
        )
    left = allowed(result, 1 - alpha)
    return f"no decision at α = {alpha:g}{': ' + left if left else ''}."
