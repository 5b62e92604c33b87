"""A plan from items as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .formatting import decimals_for, fixed, terminal
from .wrapping import paragraphs

if TYPE_CHECKING:
    from ..verbs.item_plan import ItemPlan


def text(plan: ItemPlan) -> str:
    """Return what so many items detect, what so many samples need, and the answer."""
    first, second = map(terminal, plan.names)
    head = f"{first} vs. {second}: {terminal(plan.metric)}, planned from {plan.n:,} items"
    decimals = decimals_for(plan.sizes[0].expected)
    rows = [["items", "detectable", "expected"]]
    rows += [
        [f"{each.n:,}", fixed(each.detectable, decimals), fixed(each.expected, decimals)]
        for each in plan.sizes
    ]
    lines = [*paragraphs([head]), "", *_columns(rows)]
    if plan.samples:
        rows = [["samples of each item", "items needed", "answers of each model", "cost"]]
        rows += [
            [f"{s.k:,}", f"{s.items:,}", f"{s.answers:,}", f"{s.cost:,.6g}"] for s in plan.samples
        ]
        lines += ["", *_columns(rows)]
    return "\n".join([*lines, "", *paragraphs(_sentences(plan))])


def _sentences(plan: ItemPlan) -> list[str]:
    said = []
    if plan.needed is not None:
        enough = "no more than the pilot has" if plan.more == 0 else f"{plan.more:,} more"
        said.append(
            f"A difference of {plan.difference:g} needs about {plan.needed:,} items, {enough}."
        )
    if plan.best_k is not None:
        if math.isinf(plan.best_k):
            least = f" {plan.samples[-1].k:,} cost least of those listed." * bool(plan.samples)
            said.append(
                "The items hardly differ: more samples of the same items help as much as "
                f"more items.{least}"
            )
        else:
            ratio = "and a sample by both models cost the same"
            if plan.item_cost != plan.sample_cost:
                costs = f"{plan.item_cost:g} and a sample by both models {plan.sample_cost:g}"
                ratio = f"costs {costs}"
            best = max(1, round(plan.best_k))
            said.append(
                f"{best:,} {'sample' if best == 1 else 'samples'} of each item "
                f"{'costs' if best == 1 else 'cost'} least, if an item {ratio}."
            )
    said.append(
        f"Differences are detected with {100 * plan.power:g} % power at α = {plan.alpha:g}, "
        f"two-sided, by {plan.method} for this pair alone; the variance is taken at its 80 % "
        "upper limit."
    )
    return said


def _columns(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  " + "  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True))
        for row in rows
    ]
