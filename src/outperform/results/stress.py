"""Stress p-values: what would be left of a verdict if splits correlated as for some learners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import argument
from ..notes import Note
from ..numerics.exact_sums import Array
from ..numerics.measured_sizes import size_range
from .evidence import Evidence, Pivot

if TYPE_CHECKING:
    from ..registry import Method

REJECTED = size_range("corrected_t")
VARIANCE = 4.0
"""With 4 times the variance it assumes, a test at 5 % rejects a third of true null hypotheses,
which is about the most that was measured."""
ALPHA = 0.05


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
