"""Stress p-values: what would be left of a verdict if splits correlated as for some learners."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import argument
from ..notes import Note
from .evidence import Pivot

if TYPE_CHECKING:
    from .comparison import Comparison

REJECTED = "4 to 23 %"
"""The corrected test on 10x10cv, by learner: tools/calibration_table.py measures it."""
VARIANCE = 4.0
"""A margin above the largest understatement of the variance that was measured, 2.5 of stumps."""
ALPHA = 0.05


def stressed(found: Comparison) -> list[Note]:
    """Say what scores cannot check about the overlap of splits, with the stress p-value."""
    evidence, scores = found.evidence, found.scores
    ratio = None if scores is None else scores.test_train_ratio
    if not (found.method.assumes_overlap and isinstance(evidence, Pivot) and ratio):
        return []
    wide = replace(evidence, stderr=np.sqrt(VARIANCE) * np.asarray(evidence.stderr))
    p = np.atleast_1d(np.exp(found.log_adjusted()))
    stress = np.atleast_1d(np.exp(replace(found, evidence=wide).log_adjusted()))
    if np.isnan(stress).all():
        return []
    least = f"{np.nanmin(stress):.2g}"
    what = f"p would be {least}" if p.size == 1 else f"the smallest p would be {least}"
    notes = [
        Note(
            "OP315",
            f"The test assumes a correlation of {ratio / (1 + ratio):.2f} between splits, which "
            f"these scores cannot check. In our measurements it rejected {REJECTED} of true null "
            f"hypotheses at 5 %. With four times the variance, {what} (stress p).",
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
