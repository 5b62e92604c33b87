"""Figures of scores and of single runs: estimation, sorted significance, quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError
from ...numerics.distributions import Normal
from ...numerics.exact_sums import Array
from ...results.partitions import one_sided
from ...scores.performance import on_whole_data
from . import pair_figures as diff
from .canvas import LETTERS, Look, best, canvas, fewer, grid, in_lines, named, short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.comparison import Comparison
    from ...results.robustness import Robustness
    from ...scores.split_scores import Scores


LINKED = 150
"""Up to so many splits, a line joins the two scores of each."""
LEVELS = np.concatenate([np.linspace(0.02, 0.98, 49), [0.99, 0.995]])


def estimation(comparison: Comparison, look: Look) -> Figure:
    """Draw two learners as Gardner & Altman do, more as Cumming does, turned on its side."""
    scores = comparison.scores
    # A difference of squared errors has no place beside scores of another metric, such as r2.
    if scores is None or scores.n_splits < 2 or scores.metric != comparison.metric:
        from .pair_figures import intervals

        return intervals(comparison, look)
    if len(comparison.names) == 2:
        return gardner_altman(comparison, scores, look)
    return cumming(comparison, scores, look)


def reference_of(comparison: Comparison) -> str:
    """Return whom the others are compared with: the control, or else the best estimate."""
    if comparison.control is not None:
        return comparison.control
    return comparison.names[comparison.order()[0]]


def gardner_altman(comparison: Comparison, scores: Scores, look: Look) -> Figure:
    """Draw both learners' scores, split by split, and the difference beside them.

    Up is better on both axes, and the zero of the right one stands at the second's mean.
    """
    figure, axes = canvas(look, 4.2)
    first, second = (on_whole_data(scores, name) for name in comparison.names)
    if scores.paired:
        kept = fewer(first - second)
        dots = [first[kept], second[kept]]
    else:
        dots = [side[fewer(side)] for side in (first, second)]
    offsets = [_swarm(side, 0.3) for side in dots]
    if scores.paired and dots[0].size <= LINKED:
        none = np.full(dots[0].size, np.nan)
        ends = np.stack([offsets[0], 1 + offsets[1], none], axis=1)
        heights = np.stack([*dots, none], axis=1)
        axes.plot(ends.ravel(), heights.ravel(), color=look["muted"], lw=0.5, alpha=0.28, zorder=1)
    for place, (token, side) in enumerate((("first", first), ("second", second))):
        axes.plot(
            place + offsets[place],
            dots[place],
            "o",
            ms=3.4,
            mew=0,
            color=look[token],
            alpha=0.62,
            zorder=2,
        )
        mean = float(side.mean())
        axes.plot([place - 0.36, place + 0.36], [mean] * 2, color=look[token], lw=2.2, zorder=3)
    if not scores.greater_is_better:
        axes.invert_yaxis()
    row = diff.against(comparison, comparison.names[1], look.level)[comparison.names[0]]
    base = float(second.mean())
    axes.plot([1.36, 2.6], [base] * 2, color=look["second"], lw=0.8, ls=(0, (4, 3)), zorder=1)
    if not comparison.method.centre:  # else it would miss the mean of the first
        shown = base + (1 if scores.greater_is_better else -1) * row.estimate
        axes.plot([0.36, 2.6], [shown] * 2, color=look["first"], lw=0.8, ls=(0, (4, 3)), zorder=1)
    _difference_axis(axes, comparison, row, base, scores.greater_is_better, look)
    axes.set_xlim(-0.55, 2.62)
    names = [in_lines(name, letters=24) for name in comparison.names]
    named(axes.set_xticks, [0, 1, 2.1], [*names, "difference"])
    axes.tick_params(axis="x", length=0, labelsize=9.5)
    for tick, token in zip(axes.get_xticklabels(), ("first", "second", "ink"), strict=True):
        tick.set_color(look[token])
    axes.set_ylabel(_score_label(scores, comparison), parse_math=False)
    return figure


def _difference_axis(
    axes: Axes, comparison: Comparison, row: diff.Difference, base: float, up: bool, look: Look
) -> None:
    """Draw the difference on an axis of its own, aligned with the scores."""
    turn = 1 if up else -1
    place, sign = 2.1, look["ink"]
    ends = [end for end in (row.low, row.high) if end is not None]
    finite = [base + turn * end for end in [*ends, row.estimate, 0.0] if np.isfinite(end)]
    bottom, top = sorted(axes.get_ylim())
    low, high = min(bottom, *finite), max(top, *finite)
    air = 0.03 * (high - low)
    limits = (low - air, high + air) if up else (high + air, low - air)
    axes.set_ylim(*limits)
    if look.rope is not None:
        axes.fill_between(
            [1.4, 2.6], base - look.rope, base + look.rope, color=look["open"], alpha=0.14, lw=0
        )
    curve = _confidence_curve(comparison)
    if curve is not None:
        points, height = curve
        axes.fill_betweenx(
            base + turn * points, place, place + 0.42 * height, color=sign, alpha=0.13, lw=0
        )
    if len(ends) == 2:
        held = np.clip(np.array([base + turn * end for end in ends]), min(limits), max(limits))
        axes.plot([place] * 2, held, color=sign, lw=2.4, solid_capstyle="round", zorder=4)
    axes.plot([place], [base + turn * row.estimate], "o", ms=7, color=sign, zorder=5)

    def to_difference(y: Any) -> Any:
        return turn * (y - base)

    def to_score(d: Any) -> Any:
        return base + turn * d

    right = axes.secondary_yaxis("right", functions=(to_difference, to_score))
    right.spines["right"].set_color(look["muted"])
    right.tick_params(colors=look["muted"], labelcolor=look["ink"], labelsize=8.5)
    right.set_ylabel(
        f"difference (up: first is better){diff.centre_of(comparison)}", color=look["ink"]
    )


def _confidence_curve(comparison: Comparison) -> tuple[Array, Array] | None:
    """Return how densely confidence lies on each difference, its peak 1; None without intervals."""
    method = comparison.method
    if comparison.alternative != "two-sided" or not method.has_interval or method.centre:
        return None  # signs and ranks step from level to level, without a density
    ends = np.array([[float(end[0]) for end in comparison.intervals(p)] for p in LEVELS])
    if not np.isfinite(ends).all():
        return None
    points = np.concatenate([ends[::-1, 0], ends[:, 1]])
    below = np.concatenate([(1 - LEVELS[::-1]) / 2, (1 + LEVELS) / 2])
    steps = np.diff(points)
    if not (steps > 0).all():
        return None
    height = np.diff(below) / steps
    return (points[1:] + points[:-1]) / 2, height / height.max()


def cumming(comparison: Comparison, scores: Scores, look: Look) -> Figure:
    """Draw a row for each learner, best first: its scores, and its difference from one of them."""
    reference = reference_of(comparison)
    order, left_out = best(comparison, beside=reference)
    k = len(order)
    rows = diff.against(comparison, reference, look.level)
    size = 0.30 if k > 8 else 0.40
    figure, (left, right) = canvas(look, size * k + 1.0, ncols=2, width_ratios=(1.25, 1))
    places = np.arange(k, dtype=np.float64)
    budget = max(40, min(400, 4000 // k))
    for place, index in zip(places, order, strict=True):
        values = on_whole_data(scores, comparison.names[index])
        kept = values[fewer(values, budget)]
        row = rows.get(comparison.names[index])
        colour = look["ink" if row is None else row.token]
        left.plot(
            kept, place + _swarm(kept, 0.34), "o", ms=2.3, mew=0, color=colour, alpha=0.5, zorder=2
        )
        left.plot([values.mean()] * 2, [place - 0.36, place + 0.36], color=colour, lw=2.2, zorder=3)
    left.set_xlabel(_score_label(scores, comparison), parse_math=False)
    if not scores.greater_is_better:
        left.invert_xaxis()
    names = [comparison.names[index] for index in order]
    beside = [
        (place, rows[name]) for place, name in zip(places, names, strict=True) if name in rows
    ]
    diff.draw_rows(right, look, np.array([place for place, _ in beside]), [r for _, r in beside])
    diff.zero_line(right, look)
    itself = float(places[names.index(reference)])
    right.plot([0], [itself], "D", ms=5, color=look["ink"], zorder=5)
    what = "control" if comparison.control is not None else "best estimate"
    whom = short_name(reference, letters=22)
    tail = f"; {left_out:,} learners left out" if left_out else ""
    right.set_xlabel(
        f"difference from {whom}\n({what}; right is better{tail}){diff.centre_of(comparison)}",
        parse_math=False,
    )
    for axes in (left, right):
        axes.set_ylim(k - 0.4, -0.6)
        axes.spines["left"].set_visible(False)
        grid(axes, look, "x")
        axes.tick_params(axis="y", length=0)
        axes.locator_params(axis="x", nbins=5)
    named(left.set_yticks, places.tolist(), [short_name(name) for name in names])
    right.set_yticks([])
    return figure


def _score_label(scores: Scores, comparison: Comparison) -> str:
    from ..formatting import terminal

    words = ["" if scores.greater_is_better else "lower is better"]
    words += ["bar: mean"] if comparison.method.centre else []
    said = "; ".join(filter(None, words))
    return f"{terminal(scores.metric)}{said and f' ({said})'}"


def _swarm(values: Array, half: float) -> Array:
    """Return how far each point steps aside so that equal values stand side by side."""
    spread = float(np.ptp(values))
    if values.size < 2 or spread == 0:
        return np.linspace(-half, half, values.size) if values.size > 1 else np.zeros(1)
    bins = np.minimum((35 * (values - values.min()) / spread).astype(np.int64), 34)
    offsets = np.zeros(values.size)
    fullest = int(np.bincount(bins).max())
    step = min(2 * half / max(fullest - 1, 1), 0.09)
    for filled in np.unique(bins):
        members: Any = np.flatnonzero(bins == filled)
        ranks = np.argsort(np.argsort(values[members], kind="stable"), kind="stable")
        # 0, +1, −1, +2, … keeps neighbours in value apart.
        aside = (ranks + 1) // 2 * np.where(ranks % 2, 1, -1)
        offsets[members] = step * (aside - aside.mean())
    return np.clip(offsets, -half, half)


def check_scores(comparison: Any, kind: str) -> Scores:
    """Return the scores of a comparison, or say what is needed to draw."""
    found: Scores | None = getattr(comparison, "scores", None)
    if found is None:
        raise DataError(
            f"The {kind} figure needs the scores, but this was made without them. Compare Scores: "
            "op.compare(op.Scores.from_arrays(…))"
        )
    return found


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
    columns = min(len(shown), 3 if len(shown) in (3, 5, 6, 9) else 4)
    n_rows = math.ceil(len(shown) / columns)
    height = 3.1 if len(shown) == 1 else 1.95 * n_rows + 0.45
    figure, axes = canvas(look, height, nrows=n_rows, ncols=columns, sharey=True, squeeze=False)
    panels = axes.ravel()
    for panel, one in zip(panels, shown, strict=False):
        _sorted_panel(panel, one, look, alpha / family)
        letters = LETTERS if columns == 1 else 20
        first, second = (short_name(n, letters=letters) for n in one.names)
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
    columns = min(len(shown), 3)
    n_rows = math.ceil(len(shown) / columns)
    height = 3.3 if len(shown) == 1 else 2.15 * n_rows + 0.4
    figure, axes = canvas(look, height, nrows=n_rows, ncols=columns, squeeze=False)
    panels = axes.ravel()
    for panel, (first, second) in zip(panels, shown, strict=False):
        found = differences_of(scores, first, second)
        spread = float(found.std(ddof=1)) if found.size > 1 else 0.0
        centred = (found - found.mean()) / spread if spread else np.zeros_like(found)
        _quantile_panel(panel, centred, Normal(), look)
        letters = LETTERS if columns == 1 else 11
        names = " − ".join(short_name(name, letters=letters) for name in (first, second))
        panel.set_title(names, loc="left", parse_math=False, fontsize=8.5, color=look["ink"])
    for panel in panels[len(shown) :]:
        panel.set_axis_off()
    figure.supxlabel("normal quantile", color=look["ink"], fontsize=9)
    figure.supylabel("difference, standardised", color=look["ink"], fontsize=9)
    return figure


def statistics(values: Any, dist: Any, look: Look) -> Figure:
    """Draw simulated statistics against their law, as Dietterich's figure 2 does (D-31, E-D4)."""
    figure, axes = canvas(look, 4.4)
    _quantile_panel(axes, np.asarray(values, dtype=np.float64).ravel(), dist, look)
    axes.set_xlabel(f"quantile of {dist.label}", parse_math=False)
    axes.set_ylabel("statistic")
    return figure


def differences_of(scores: Scores, first: str, second: str) -> Array:
    """Return differences split by split, positive where the first is better."""
    if not scores.paired:
        raise DataError(
            "A figure of quantiles needs paired scores, but these learners have seeds of their "
            "own; use plot(kind='intervals')"
        )
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
