"""What a calibrated test measured beside its verdict: overlap of splits, growth, half the data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import call
from ..numerics.distributions import T
from ..procedures.calibrated_t import MOST_GROWTH
from ..results.evidence import Pivot
from ..results.verdict import decide
from .formatting import bracketed, decimals_for, fixed, pvalue

if TYPE_CHECKING:
    from ..notes import Note
    from ..results.comparison import Comparison
    from ..results.result import Result

NO_SIGN = "; this gives no sign that the variance measured on halves is too small"
DOUBT = ", so the variance measured on halves may be too small"


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
                f"The correlation between splits is {kept['correlation']:.2f}; the corrected "
                f"t-test would have assumed {kept['assumed_correlation']:.2f}.",
            )
        )
    if knows_growth(result.notes) and not bool(result.evidence.identical):
        growth = float(kept["growth"])
        found = (
            "The learners differ on all data and on no half of them: growth is infinite."
            if math.isinf(growth)
            else f"The learners differ {growth:.2f} times as much on all data as on half of them"
            f"{NO_SIGN if growth <= MOST_GROWTH else DOUBT}."
        )
        said.append(("growth", found))
    return [*said, *_with_half(result, alpha)]


def knows_growth(notes: Iterable[Note]) -> bool:
    """Return whether item losses were known, from which growth is measured."""
    return not {"OP323", "OP324"} & {note.code for note in notes}


def explanation(result: Result) -> list[str]:
    """Return what is measured and why, in plain words, where the method measured it."""
    if "half_estimate" not in result.details:
        return []
    return [
        "Cross-validation uses the same items in every fold and repeat, so repeating it does not "
        "average out the variation due to having drawn these items. Two halves of the data share "
        "no items, so the difference between their results shows how large this variation is. The "
        "test measures it on random halves and carries it over to all of the data, as if it shrank "
        "with more of them; other tests assume it. "
        f"For the formulas: {call('explain', result.method.name)}."
    ]


class HalfData(NamedTuple):
    """What the same fits say of training on half the data."""

    size: str
    """The difference and its interval."""
    p: str
    outcome: str


def half_data(result: Result, alpha: float) -> HalfData | None:
    """Return the result on half the data; None where halves do not vary."""
    kept = result.details
    half = Pivot(
        float(kept["half_estimate"]),
        float(kept["half_stderr"]),
        T(float(kept["half_df"])),
        null=result.null,
    )
    if half.stderr == 0:
        return None
    digits = decimals_for(half.stderr, half.estimate)
    ends = bracketed(half.interval(1 - alpha, result.alternative), digits, sign=True)
    p = half.pvalue(result.alternative), half.log_pvalue(result.alternative)
    outcome = decide(half, result.alternative, alpha, p[1]).item()
    return HalfData(f"{fixed(half.estimate, digits, sign=True)} {ends}", pvalue(*p), outcome)


def _with_half(result: Result, alpha: float) -> list[tuple[str, str]]:
    """Return what the same fits say of training on half the data, and whether that differs."""
    half = half_data(result, alpha)
    if half is None:
        return []
    found = f"{half.size}, {half.p}: {half.outcome}."
    other = result.verdict(alpha).outcome
    if {half.outcome, other} == {"outperforms", "outperformed"}:
        found += " The better learner changes as data are added: their learning curves cross."
    elif half.outcome != other and "equivalent" not in (half.outcome, other):
        found += " The verdict depends on the amount of data: compare the learning curves."
    return [("half data", f"With half the data: {found}")]


def of_family(shown: Comparison) -> list[tuple[str, str]]:
    """Return the same in a line for all pairs together; none where nothing was measured."""
    kept = shown.evidence.details
    if "half_estimate" not in kept:
        return []
    said, known = [], np.asarray(kept["correlation"], dtype=float)
    known = known[np.isfinite(known)]
    if known.size:
        low, high = (f"{end:.2f}" for end in (known.min(), known.max()))
        said.append(
            (
                "overlap",
                f"The correlation between splits is {low}{'' if low == high else f' to {high}'}; "
                "the corrected t-test would have assumed "
                f"{float(np.max(kept['assumed_correlation'])):.2f}.",
            )
        )
    if knows_growth(shown.notes):
        growth = np.asarray(kept["growth"], dtype=float)
        over = int((growth > MOST_GROWTH).sum())
        most = "infinitely many" if np.isinf(growth).any() else f"{growth.max():.2f}"
        judged = f"{DOUBT} for {over} of {growth.size} pairs" if over else NO_SIGN
        said.append(
            (
                "growth",
                f"The learners of a pair differ {growth.min():.2f} to {most} times as "
                f"much on all data as on half of them{judged}.",
            )
        )
    return said
