"""Assumptions and notes: what the test accounts for, its notes, and a look at normality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...notes import NOTES
from ...views import over_seeds
from ..figures.svg import Sheet, figure_of
from ..formatting import sentence
from ..sentences import listed

if TYPE_CHECKING:
    from ...results.comparison import Comparison


PANELS = 6
"""Pairs in the figure; of more, half as many."""


def note_section(shown: Comparison, alpha: float, sheet: Sheet) -> dict[str, Any]:
    """Return what the template needs of the notes."""
    return {
        "accounts_for": _accounts_for(shown),
        "notes": [
            {
                "code": note.code,
                "severity": note.severity,
                "text": sentence(note.text),
                "explanation": NOTES[note.code].explanation,
            }
            for note in shown.notes_at(alpha)
        ],
        "qq": _quantiles(shown, sheet),
    }


def _accounts_for(shown: Comparison) -> str:
    seeds = shown.scores is not None and over_seeds(shown.scores)
    known: tuple[str, ...] = ("internal randomness",) if seeds else shown.method.accounts_for
    if not known:
        return "This test accounts for none of the four sources of variation (Dietterich, 1998)."
    return f"This test accounts for variation in {listed(known)}. {shown.method.advice}".strip()


def _quantiles(shown: Comparison, sheet: Sheet) -> Any:
    scores = shown.scores
    if (
        scores is None
        or not scores.paired
        or scores.n_splits < 5
        or len(set(scores.datasets or ())) > 1
    ):
        return None
    most = PANELS if shown.n_pairs <= PANELS else PANELS // 2
    some = "" if shown.n_pairs <= most else f" The first {most} pairs are shown."
    caption = (
        "Standardized differences of the splits against normal quantiles: points near the line "
        f"suggest a normal distribution. Splits share data, so this is not a formal test.{some}"
    )
    alt = "Quantiles of the differences against quantiles of the normal distribution."
    return figure_of(shown, "qq", alt, caption, sheet, most=most)
