"""What a calibrated test measured beside its verdict: overlap of splits, growth, half the data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..errors import call
from ..numerics.distributions import T
from ..results.evidence import Pivot
from ..results.verdict import decide
from .formatting import bracketed, decimals_for, fixed, pvalue

if TYPE_CHECKING:
    from ..results.result import Result


def lines(result: Result, alpha: float) -> list[tuple[str, str]]:
    """Return labelled sentences, or none where the method measured nothing of the kind."""
    kept = result.details
    if "half_estimate" not in kept:
        return []
    said = []
    if not math.isnan(float(kept["correlation"])):
        said.append(
            (
                "overlap",
                f"Splits correlate {kept['correlation']:.2f} here; the corrected t-test would have "
                f"assumed {kept['assumed_correlation']:.2f}.",
            )
        )
    if "OP323" not in {note.code for note in result.notes}:
        growth = float(kept["growth"])
        carries = "carries over" if growth <= 1.25 else "may not carry over"
        said.append(
            (
                "growth",
                f"The learners differ {growth:.2f} times as much on all data as on half of them, "
                f"so the variance measured on halves {carries}.",
            )
        )
    return [*said, *_with_half(result, alpha)]


def explanation(result: Result) -> list[str]:
    """Return what is measured and why, in plain words, where the method measured it."""
    if "half_estimate" not in result.details:
        return []
    return [
        "Cross-validation uses the same items in every fold and repeat, so repeating it does not "
        "average out the luck of having drawn these items. Two halves of the data share no item: "
        "how much their results differ shows how large that luck is. The test measures it on "
        "random halves and carries it over to all of the data, where other tests assume it. "
        f"For the formulas: {call('explain', result.method.name)}."
    ]


def _with_half(result: Result, alpha: float) -> list[tuple[str, str]]:
    """Return what the same fits say of training on half the data, and whether that differs."""
    kept = result.details
    half = Pivot(
        float(kept["half_estimate"]),
        float(kept["half_stderr"]),
        T(float(kept["half_df"])),
        null=result.null,
    )
    if half.stderr == 0:
        return []
    digits = decimals_for(half.stderr, half.estimate)
    ends = bracketed(half.interval(1 - alpha, result.alternative), digits, sign=True)
    p = half.pvalue(result.alternative), half.log_pvalue(result.alternative)
    outcome = decide(half, result.alternative, alpha, p[1]).item()
    found = f"{fixed(half.estimate, digits, sign=True)} {ends}, {pvalue(*p)}: {outcome}."
    other = result.verdict(alpha).outcome
    if {outcome, other} == {"outperforms", "outperformed"}:
        found += " The better learner changes as data are added: their learning curves cross."
    elif outcome != other and "equivalent" not in (outcome, other):
        found += " The verdict depends on the amount of data: compare the learning curves."
    return [("half data", f"With half the data: {found}")]
