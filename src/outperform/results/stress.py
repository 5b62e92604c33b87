"""Stress p-values: what would be left of a verdict if what its test assumes did not hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import argument
from ..notes import Note
from ..numerics.distributions import T
from ..numerics.exact_sums import Array
from ..numerics.measured_sizes import size_range
from ..views import item_order
from .evidence import Evidence, Pivot

if TYPE_CHECKING:
    from ..registry import Grade, Method
    from .comparison import Comparison
    from .result import Result

REJECTED = size_range("corrected_t")
VARIANCE = 4.0
"""With 4 times the variance it assumes, a test at 5 % rejects a third of true null hypotheses,
which is about the most that was measured."""
ALPHA = 0.05
LUCK = "OP326"


def stressed(
    method: Method,
    evidence: Evidence,
    ratio: float | None,
    log_pvalues: Callable[[Evidence], Array],
) -> list[Note]:
    """Say what scores cannot check about the overlap of splits, with the stress p-value."""
    if not (method.assumes_overlap and isinstance(evidence, Pivot) and ratio):
        return []
    wide = replace(evidence, stderr=np.sqrt(VARIANCE) * np.asarray(evidence.stderr))
    p, stress = (np.atleast_1d(np.exp(log_pvalues(each))) for each in (evidence, wide))
    if np.isnan(stress).all():
        return []
    least = f"{np.nanmin(stress):.2g}"
    what = f"p would be {least}" if p.size == 1 else f"the smallest p would be {least}"
    notes = [
        Note(
            "OP315",
            f"The test assumes a correlation of {ratio / (1 + ratio):.2f} between splits, which "
            "these scores cannot check. In our measurements the corrected t-test rejected "
            f"{REJECTED} of true null hypotheses at 5 %. With four times the variance, {what} "
            "(stress p).",
        )
    ]
    frail = int(((p < ALPHA) & (stress >= ALPHA)).sum())
    if frail:
        which = "This verdict" if p.size == 1 else f"{frail} of {p.size} verdicts"
        notes.append(
            Note(
                "OP316",
                f"{which} would not survive the correlation found for some learners; running the "
                f"learners with {argument(design='5x5cv+20halves')} would settle it.",
            )
        )
    return notes


def luck(shown: Any, alpha: float = ALPHA) -> list[Note]:
    """Say where a verdict at α assumes that luck with the dataset shrinks, with the stress p."""
    frail, stress = _frail(shown, alpha)
    if not frail.any():
        return []
    pairs = (
        "" if frail.size == 1 else f" This applies to {item_order.listed(shown.pair_names, frail)}."
    )
    which = "p" if frail.sum() == 1 else "the largest p"
    return [
        Note(
            LUCK,
            "The test assumes that luck with the dataset shrinks as items are added; if it did "
            f"not, {which} = {stress[frail].max():.2g} (stress p).{pairs}",
        )
    ]


def notes_at(result: Result, alpha: float = ALPHA) -> tuple[Note, ...]:
    """Return the notes of a result, that on luck with the dataset made at α."""
    return (*(note for note in result.notes if note.code != LUCK), *luck(result, alpha))


def grades(shown: Comparison, alpha: float) -> list[Grade]:
    """Return the grade of every pair; only where notes can lower it are the pairs looked at."""
    method, rows = shown.method, range(shown.n_pairs)
    if method.grade != "measured":
        return [method.grade_of(shown.evidence, shown.notes)] * shown.n_pairs
    frail, _ = _frail(shown, alpha)
    own = (method.grade_of(shown.evidence.at(row), shown.own_notes(row)) for row in rows)
    return ["assumed" if weak else grade for weak, grade in zip(frail, own, strict=True)]


def grade_at(shown: Any, alpha: float) -> Grade:
    """Return what a verdict at α rests on; the lowest of the grades of several pairs."""
    from ..registry import GRADES

    if hasattr(shown, "pairs"):
        return max(grades(shown, alpha), key=GRADES.index)
    method: Method = shown.method
    return method.grade_of(shown.evidence, notes_at(shown, alpha))


def _frail(shown: Any, alpha: float) -> tuple[Any, Array]:
    """Return where p < α ≤ stress p though luck was measured, and the stress p-values."""
    evidence = shown.evidence
    if "stress_stderr" not in evidence.details:
        return np.zeros(getattr(shown, "n_pairs", 1), dtype=bool), np.empty(0)
    stderr, df = (evidence.details[name] for name in ("stress_stderr", "stress_df"))
    stress = _pvalues(shown, replace(evidence, stderr=stderr, dist=T(df)))
    return (_pvalues(shown, evidence) < alpha) & (stress >= alpha), stress


def _pvalues(shown: Any, evidence: Evidence) -> Array:
    """Return p-values, adjusted as a family where there is one, as if by other evidence."""
    if hasattr(shown, "pairs"):
        return np.atleast_1d(np.exp(replace(shown, evidence=evidence).log_adjusted()))
    return np.atleast_1d(np.exp(evidence.log_pvalue(shown.alternative)))
