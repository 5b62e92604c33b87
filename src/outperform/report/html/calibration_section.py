"""What the calibrated test measured between halves of the data, pair by pair, and why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...results.stress import grades
from .. import calibration_lines
from ..formatting import terminal
from . import PageOptions

if TYPE_CHECKING:
    from ...results.comparison import Comparison

PAIRS = 100
"""Pairs in the table; the file of scores has them all."""


def calibration_section(shown: Comparison, options: PageOptions) -> dict[str, Any] | None:
    """Return the explanation, and a row for each pair; None where nothing was measured."""
    chosen = [shown[names] for names in shown.pair_names[:PAIRS]]
    words = calibration_lines.explanation(chosen[0]) if chosen else []
    if not words:
        return None
    rows = []
    for one, grade in zip(chosen, grades(shown, options.alpha), strict=False):
        kept, half = one.details, calibration_lines.half_data(one, options.alpha)
        rho = float(kept["correlation"])
        growth = float(kept["growth"])
        known = f"{growth:.2f}" if math.isfinite(growth) else "infinite"
        first, second = (terminal(str(name)) for name in one.names)
        rows.append(
            {
                "first": first,
                "second": second,
                "correlation": "–" if math.isnan(rho) else f"{rho:.2f}",
                "growth": known if calibration_lines.knows_growth(one.notes) else "unknown",
                "half": "–" if half is None else half.size,
                "verdict": "–" if half is None else half.outcome,
                "grade": grade,
            }
        )
    return {
        "words": words,
        "rows": rows,
        "assumed": f"{float(chosen[0].details['assumed_correlation']):.2f}",
        "left_out": max(shown.n_pairs - PAIRS, 0),
    }
