"""Would a single run give the same verdict? What each repeat or partition alone says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...results.robustness import why_none
from ..figures import least_settled
from ..figures.svg import Sheet, figure_of
from ..formatting import terminal
from . import PageOptions

if TYPE_CHECKING:
    from ...results.comparison import Comparison


PANELS = 6
"""Pairs in the figure; the table below it holds more."""
TABLED = 60
"""Pairs in the table: those that agree least."""


def run_section(shown: Comparison, options: PageOptions, sheet: Sheet) -> dict[str, Any]:
    """Return words, the figure of sorted significance and the table of all verdicts."""
    found = shown.robustness(options.alpha, options.rope)
    if not found:
        return {"words": f"Unknown here: {why_none(shown)}.", "figure": None}
    first, alone = found[0], len(found) == 1
    words = first.sentences()[0]
    if not alone:
        settled = sum(not one.otherwise for one in found)
        flips = sum(one.flips for one in found)
        both = {0: "No pair has", 1: "1 pair has"}.get(flips, f"{flips} pairs have")
        words = (
            f"For {settled} of {len(found)} pairs, each of the {first.n} {first.unit}s alone gives "
            f"the same verdict as all together. {both} {first.unit}s that are significant in "
            "opposite directions."
        )
    least = least_settled(found)
    alt = "Sorted significance. " + " ".join(one.sentences()[0] for one in least[:PANELS])
    over = "" if shown.family_size == 1 else f" over {shown.family_size} pairs"
    some = "" if len(found) <= PANELS else f" The {PANELS} pairs that agree least are shown."
    where = {
        "two-sided": "Above the band the first learner is better at {}, below it the second",
        "greater": "Above the band the first learner is better at {}",
        "less": "Below the band the second learner is better at {}",
    }[shown.alternative].format(f"α = {options.alpha:g}{over}")
    counted = "the verdict" if options.rope is None else "who is significantly better"
    caption = (
        f"Each dot is one {first.unit}, judged alone, in order of p. {where}; colours show "
        f"{counted}, arrows are beyond the axis.{some}"
    )
    asked: dict[str, Any] = {"level": 1 - options.alpha, "most": PANELS, "runs": found}
    return {
        "words": words,
        "figure": figure_of(shown, "sorted", alt, caption, sheet, **asked),
        "sentences": first.sentences() if alone else (),
        "n": first.n,
        "unit": first.unit,
        "method": first.method,
        "rope": options.rope is not None,
        "rows": [
            {
                "first": terminal(one.names[0]),
                "second": terminal(one.names[1]),
                "better": one.verdicts["first better"],
                "open": one.verdicts["no decision"],
                "worse": one.verdicts["second better"],
                "same": None if options.rope is None else one.verdicts["equivalent"],
                "R": f"{one.replicability:.2f}",
            }
            for one in least[:TABLED]
        ],
        "left_out": max(len(found) - TABLED, 0),
    }
