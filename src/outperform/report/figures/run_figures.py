"""Sorted significance: what each run or partition alone would have said, in order (B-11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...numerics.distributions import Normal
from ...numerics.exact_sums import Array
from ...results.partitions import one_sided
from .canvas import Look, canvas, fewer, short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.robustness import Robustness
    from ...scores.split_scores import Scores


EDGE = 0.0005
"""Beyond this the papers' figures show nothing (B-11); here an arrow stands at the edge."""
PANELS = 12
TICKS = (
    (3.01, {0.001: ".001", 0.01: ".01", 0.05: ".05", 0.5: ".5"}),
    (4.0, {0.001: ".001", 0.01: ".01", 0.5: ".5"}),
    (5.8, {1e-4: "10⁻⁴", 0.01: ".01", 0.5: ".5"}),
    (math.inf, {1e-6: "10⁻⁶", 1e-3: ".001", 0.5: ".5"}),
)
"""Marks of the axis by how many decades it spans, so that they do not collide."""


def sorted_significance(
    found: Sequence[Robustness], look: Look, *, alpha: float = 0.05, family: int = 1
) -> Figure:
    """Draw one panel for each pair; the first learner's side is above, p = .5 in the middle.

    The band is where nobody wins at α shared by the family; one-sided tests leave the other side
    to it. Colours are the sides that were counted, which the adjustment of a family may put within
    the band. A run without a p-value has no dot; of more than a dozen pairs those that come first
    are shown.
    """
    shown = found[:PANELS]
    columns = min(len(shown), 2 if look.narrow else 3 if len(shown) in (3, 5, 6, 9) else 4)
    n_rows = math.ceil(len(shown) / columns)
    height = 3.1 if len(shown) == 1 else 1.95 * n_rows + 0.45
    figure, axes = canvas(look, height, nrows=n_rows, ncols=columns, sharey=True, squeeze=False)
    panels = axes.ravel()
    for panel, one in zip(panels, shown, strict=False):
        _sorted_panel(panel, one, look, alpha / family)
        letters = None if columns == 1 else (12 if look.narrow else 14)
        first, second = (short_name(n, look, letters=letters) for n in one.names)
        words: dict[str, Any] = {"fontsize": 8.5, "parse_math": False}
        panel.set_title(f"▲ {first}", loc="left", color=look["first"], pad=4, **words)
        panel.set_xlabel(f"▼ {second}", color=look["second"], labelpad=1, **words)
        panel.xaxis.label.set(x=0, ha="left")
    for panel in panels[len(shown) :]:
        panel.set_axis_off()
    for panel in axes[:, 0]:
        panel.set_ylabel("one-sided p", labelpad=2)
    return figure


def _sorted_panel(axes: Axes, found: Robustness, look: Look, alpha: float) -> None:
    signed = found.signed
    p = np.asarray(one_sided(signed)) if signed.size else signed  # constant differences have none
    order = np.argsort(p, kind="stable")[::-1]
    p, sides = p[order], found.signed_sides[order]
    shown = fewer(p, 300)
    ranks, height, sides = shown + 1, _height(p[shown]), sides[shown]
    tail = alpha / 2 if found.alternative == "two-sided" else alpha
    limit = float(_height(np.array([tail]))[0])
    top = max(float(_height(np.array([EDGE]))[0]), limit + 1)
    low = -limit if found.alternative != "greater" else -top * 1.08
    high = limit if found.alternative != "less" else top * 1.08
    axes.axhspan(low, high, color=look["open"], alpha=0.10, lw=0, zorder=0)
    axes.axhline(0, color=look["muted"], lw=0.8, zorder=1)
    beyond = np.abs(height) > top
    for token, side in (("second", -1), ("open", 0), ("first", 1)):
        inside = (sides == side) & ~beyond
        size = 4.2 if p.size <= 60 else 2.8
        axes.plot(ranks[inside], height[inside], "o", ms=size, mew=0, color=look[token], zorder=3)
        for mark, way in (("^", 1), ("v", -1)):
            out = (sides == side) & beyond & (np.sign(height) == way)
            axes.plot(
                ranks[out],
                np.full(np.count_nonzero(out), way * top),
                mark,
                ms=4.6,
                mew=0,
                color=look[token],
                zorder=3,
            )
    axes.set_ylim(-top * 1.08, top * 1.08)
    last = max(p.size, 1)
    air = max(0.5, 0.03 * last)
    axes.set_xlim(1 - air, last + air)
    axes.set_xticks(sorted({1, last}))
    ticks = next(marks for decades, marks in TICKS if top <= decades)
    marks = [(sign, p) for p in ticks for sign in ((1, -1) if p < 0.5 else (1,))]
    axes.set_yticks(
        [sign * float(_height(np.array([p]))[0]) for sign, p in marks], [ticks[p] for _, p in marks]
    )


def _height(p: Array) -> Array:
    """Return where a p-value stands: 0 at .5, up by decades where the first is better."""
    side = np.where(p <= 0.5, 1.0, -1.0)
    tail = np.maximum(np.where(p <= 0.5, p, 1 - p), 1e-300)
    return np.asarray(side * -np.log10(2 * tail))


QUANTILE_PANELS = 6


def quantiles(scores: Scores, look: Look, pairs: Sequence[tuple[str, str]]) -> Figure:
    """Draw each pair's differences, standardised, against the normal law."""
    shown = list(pairs)[:QUANTILE_PANELS]
    columns = min(len(shown), 2 if look.narrow else 3)
    n_rows = math.ceil(len(shown) / columns)
    height = 3.3 if len(shown) == 1 else 2.15 * n_rows + 0.4
    figure, axes = canvas(look, height, nrows=n_rows, ncols=columns, squeeze=False)
    panels = axes.ravel()
    for panel, (first, second) in zip(panels, shown, strict=False):
        found = differences_of(scores, first, second)
        spread = float(found.std(ddof=1)) if found.size > 1 else 0.0
        centred = (found - found.mean()) / spread if spread else np.zeros_like(found)
        _quantile_panel(panel, centred, Normal(), look)
        letters = None if columns == 1 else 11
        names = " − ".join(short_name(name, look, letters=letters) for name in (first, second))
        panel.set_title(names, loc="left", parse_math=False, fontsize=8.5, color=look["ink"])
    for panel in panels[len(shown) :]:
        panel.set_axis_off()
    figure.supxlabel("normal quantile", color=look["ink"], fontsize=9)
    figure.supylabel("difference, standardised", color=look["ink"], fontsize=9)
    return figure


def statistics(values: Any, dist: Any, look: Look) -> Figure:
    """Draw simulated statistics against their law, as Dietterich's figure 2 does (D-31, E-D4)."""
    figure, axes = canvas(look, 3.4 if look.narrow else 4.4)
    _quantile_panel(axes, np.asarray(values, dtype=np.float64).ravel(), dist, look)
    axes.set_xlabel(f"quantile of {dist.label}", parse_math=False)
    axes.set_ylabel("statistic")
    return figure


def differences_of(scores: Scores, first: str, second: str) -> Array:
    """Return differences split by split, positive where the first is better."""
    turn = 1.0 if scores.greater_is_better else -1.0
    first_scores, second_scores = (scores.values[scores.index(n)] for n in (first, second))
    return np.asarray(turn * (first_scores - second_scores))


def _quantile_panel(axes: Axes, values: Array, dist: Any, look: Look) -> None:
    ordered = np.sort(values)
    ranks = (np.arange(values.size) + 0.5) / values.size
    expected = np.asarray(dist.isf(1 - ranks), dtype=np.float64)
    kept = fewer(ordered, 300)
    ends = [float(expected[0]), float(expected[-1])]
    axes.plot(ends, ends, color=look["muted"], lw=0.9, zorder=1)
    axes.plot(
        expected[kept], ordered[kept], "o", ms=3.2, mew=0, color=look["first"], alpha=0.75, zorder=2
    )
    axes.locator_params(nbins=5)
