"""Scores and differences: the first figure of the page, with its words for those who see it not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...scores.performance import on_whole_data
from ...views import over_seeds
from ..figures.score_figures import reference_of
from ..figures.svg import Sheet, figure_of
from ..formatting import decimals_for, ends, fixed, terminal
from ..sentences import interval_heading, joined, limits_of, percent
from . import PageOptions

if TYPE_CHECKING:
    from ...results.comparison import Comparison


SPOKEN = 8
"""Pairs that the text beside a figure spells out for those who do not see it."""


def score_section(
    shown: Comparison, rows: list[dict[str, Any]], options: PageOptions, sheet: Sheet
) -> dict[str, Any] | None:
    """Return the figure of all scores, or of the intervals alone where there are none."""
    if not shown.method.has_interval and shown.scores is None:
        return None
    asked = {"level": options.level, "rope": options.rope}
    band = "" if options.rope is None else " The grey band is the region of equivalence."
    if shown.scores is None or shown.scores.n_splits < 2:
        caption = f"Estimates and intervals; a hollow mark is a pair without a decision.{band}"
        alt = f"Intervals of the differences. {_spoken(shown, rows, options)}"
        figure = figure_of(shown, "intervals", alt, caption, sheet, **asked)
        return {"figure": figure, "title": "The differences"}
    has = any(row["low"] is not None for row in rows)
    centre = shown.method.centre
    means = ", ".join(
        f"{terminal(name)} {on_whole_data(shown.scores, name).mean():.4g}"
        for name in shown.names[:20]
    )
    if len(shown.names) == 2:
        alt = f"Scores of both learners and their difference. Means: {means}. "
        each = "dataset" if shown.method.layout == "datasets" else "split"
        each = "seed" if over_seeds(shown.scores) else each
        lines = f"a thin line joins the two scores of a {each}, a thick line marks a mean"
        lines = lines if shown.scores.paired else "a thick line marks a mean"
        what = "difference on the first split" if shown.method.first_counts else "mean difference"
        if centre:
            what = f"{centre} of the differences, not the difference of the means"
        bar = ", the bar its interval" if has else ""
        shape = ", the shape its confidence distribution" if has and not centre else ""
        caption = (
            f"Each dot is the score on one {each}; {lines}. The dot on the right is the {what}"
            f"{bar}{shape}.{band} Means: {means}."
        )
    else:
        reference = reference_of(shown)
        whom = terminal(reference)
        alt = f"Scores of all learners and their differences from {whom}. Means: {means}. "
        held = f" with {interval_heading(shown, options.level, many=True)}" if has else ""
        what = f"{centre} of the differences" if centre else "difference"
        caption = (
            f"Every score and the mean of each learner, and the {what} from {whom}{held}. Learners "
            f"with a hollow mark are not significantly different from it.{band}"
        )
        rows = [row for row in rows if reference in row["names"]]
    alt += _spoken(shown, rows, options)
    figure = figure_of(shown, "estimation", alt, caption, sheet, **asked)
    return {"figure": figure, "title": "Scores and differences"}


def _spoken(shown: Comparison, rows: list[dict[str, Any]], options: PageOptions) -> str:
    said = [_pair(shown, row, options) for row in rows[:SPOKEN]]
    if len(rows) > SPOKEN:
        said.append(f"The table below lists all {len(rows)} pairs.")
    return " ".join(said)


def _pair(shown: Comparison, row: dict[str, Any], options: PageOptions) -> str:
    digits = decimals_for(row["stderr"], row["estimate"])
    size = fixed(row["estimate"], digits, sign=True)
    interval = ""
    if row["low"] is not None and row["high"] is not None:
        limits = limits_of(shown, options.rope)
        low, high = ends(row["low"], row["high"], digits, *limits, sign=True)
        interval = f", {percent(options.level)} interval {low} to {high}"
    return f"{joined(shown, *map(terminal, row['names']))}: {size}{interval}, {row['verdict']}."
