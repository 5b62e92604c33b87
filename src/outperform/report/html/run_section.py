"""Would one run have said the same? What each repeat or partition alone says."""

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
        return {"words": f"That cannot be told here: {why_none(shown)}.", "figure": None}
    first, alone = found[0], len(found) == 1
    words = first.sentences()[0]
    if not alone:
        settled = sum(not one.otherwise for one in found)
        words = (
            f"On {settled} of {len(found)} pairs every single {first.unit} says what all {first.n} "
            f"say together; on {sum(one.flips for one in found)} either learner wins on some "
            f"{first.unit}."
        )
    least = least_settled(found)
    alt = "Sorted significance. " + " ".join(one.sentences()[0] for one in least[:PANELS])
    over = "" if shown.family_size == 1 else f" over {shown.family_size} pairs"
    some = "" if len(found) <= PANELS else f" Shown are the {PANELS} pairs that agree least."
    where = {
        "two-sided": "Above the band the first learner is better at {}, below it the second",
        "greater": "Above the band the first learner is better at {}",
        "less": "Below the band the second learner is better at {}",
    }[shown.alternative].format(f"α = {options.alpha:g}{over}")
    counted = "the verdicts that were counted" if options.rope is None else "who wins"
    caption = (
        f"One dot for each {first.unit}, judged alone, in order. {where}; colours are {counted}, "
        f"an arrow lies beyond the axis.{some}"
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
