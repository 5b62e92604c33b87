"""Curves and dots with error bars: rates of tests by effect, size or method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import validation
from .canvas import Look, canvas, grid, look, quiet, short_name
from .score_figures import statistics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...verbs.learning_curve import LearningCurve


# Okabe & Ito, those that stand out on white and on black alike; markers tell them apart in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "osD^vPX"
LINES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))
"""Lines of the first seven series, of the next seven, and so on."""
YELLOW = "#f0e442"
"""In place of the light blue on black, where that is the first colour."""
STUDY_KINDS = ("rates", "power", "pvalues", "qq")


class Curve(NamedTuple):
    """Points of one series; `low` and `high` are the ends of their error bars."""

    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def curves(
    series: Mapping[str, Curve],
    look: Look,
    *,
    xlabel: str,
    ylabel: str,
    level: float | None = None,
    marks: Sequence[float] = (),
) -> Figure:
    """Draw several curves on one panel; `level` is a horizontal line, `marks` vertical ones."""
    figure, axes = canvas(look, 4.4)
    draw_curves(axes, series, look, level=level, marks=marks)
    axes.set_xlabel(xlabel, parse_math=False)
    axes.set_ylabel(ylabel, parse_math=False)
    _legend(axes, list(series), look)
    return figure


def panels(
    groups: Mapping[str, Mapping[str, Curve]],
    look: Look,
    *,
    xlabel: str,
    ylabel: str,
    level: float | None = None,
) -> Figure:
    """Draw a panel for each group, all with the same vertical scale."""
    across = min(len(groups), 3)
    down = -(-len(groups) // across)
    figure, axes = canvas(
        look, 2.7 * down + 0.5, nrows=down, ncols=across, squeeze=False, sharey=True
    )
    for panel, (title, series) in zip(axes.ravel(), groups.items(), strict=False):
        draw_curves(panel, series, look, level=level)
        panel.set_title(short_name(title), loc="left", parse_math=False, color=look["ink"])
    for panel in axes.ravel()[len(groups) :]:
        panel.set_axis_off()
    figure.supxlabel(xlabel, color=look["ink"], fontsize=9)
    figure.supylabel(ylabel, color=look["ink"], fontsize=9)
    _legend(axes.ravel()[0], list(next(iter(groups.values()))), look)
    return figure


def draw_curves(
    axes: Axes,
    series: Mapping[str, Curve],
    look: Look,
    *,
    level: float | None = None,
    marks: Sequence[float] = (),
) -> None:
    """Draw curves on axes that are there."""
    grid(axes, look, "y")
    if level is not None:
        axes.axhline(level, color=look["muted"], lw=0.9, ls=(0, (4, 3)), zorder=1)
    for mark in marks:
        axes.axvline(mark, color=look["muted"], lw=0.9, ls=(0, (1, 2)), zorder=1)
    for row, (name, curve) in enumerate(series.items()):
        axes.errorbar(
            curve.x,
            curve.y,
            yerr=_reach(curve),
            **_drawn(row, look),
            ms=4.5,
            lw=1.5,
            elinewidth=0.9,
            capsize=0,
            label=name,
            zorder=2,
        )


def dots(
    rows: Sequence[tuple[str, float, float, float]],
    look: Look,
    *,
    xlabel: str,
    level: float | None = None,
    bounds: Sequence[float] = (),
) -> Figure:
    """Draw one dot with its interval for each row: name, value, low, high; bounds are hollow."""
    figure, axes = canvas(look, 0.42 * len(rows) + 1.1)
    places = np.arange(len(rows))[::-1]
    if level is not None:
        axes.axvline(level, color=look["muted"], lw=0.9, ls=(0, (4, 3)), zorder=1)
    for place, (_, value, low, high) in zip(places, rows, strict=True):
        axes.plot([low, high], [place, place], color=look["first"], lw=2.2, zorder=2)
        axes.plot(value, place, "o", ms=6, color=look["first"], mec=look["paper"], zorder=3)
    hollow = {"color": look["paper"], "mec": look["first"], "mew": 1.4, "ls": "none"}
    axes.plot(bounds, places[: len(bounds)], "o", ms=6, zorder=4, **hollow)
    names = ["\n".join(short_name(line) for line in row[0].split("\n")) for row in rows]
    axes.set_yticks(places, names, parse_math=False)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(left=0)
    grid(axes, look, "x")
    axes.set_xlabel(xlabel, parse_math=False)
    return figure


def _reach(curve: Curve) -> Any:
    if curve.low is None or curve.high is None:
        return None
    y = np.asarray(curve.y, dtype=np.float64)
    return np.abs(np.stack([y - np.asarray(curve.low), np.asarray(curve.high) - y]))


def _drawn(row: int, look: Look) -> dict[str, Any]:
    """Return the colour, marker and line of a series: no two of 28 are alike."""
    colours = [look["first"], look["second"], *COLOURS[2:], look["ink"]]
    if colours[0] == colours[5]:
        colours[5] = YELLOW
    at, again = row % len(MARKERS), row // len(MARKERS) % len(LINES)
    return {"color": colours[at], "marker": MARKERS[at], "ls": LINES[again]}


def _legend(axes: Axes, names: Sequence[str], look: Look) -> None:
    legend = axes.legend(frameon=False, labelcolor=look["ink"], fontsize=8.5)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(short_name(name))


def learning_curve(curve: LearningCurve, look: Look) -> Figure:
    """Draw the mean score of each learner by training size; bands are one standard error."""
    figure, axes = canvas(look, 4.0)
    x = np.asarray(curve.n_train, dtype=np.float64)
    for row, name in enumerate(curve.names):
        points = curve.points(name)
        y = np.array([point.estimate for point in points])
        spread = np.array([point.stderr or 0.0 for point in points])
        drawn = _drawn(row, look)
        axes.fill_between(x, y - spread, y + spread, color=drawn["color"], alpha=0.14, lw=0)
        axes.plot(x, y, **drawn, ms=4.5, lw=1.6, label=name)
    if x.size > 1 and x.max() / x.min() >= 8:
        axes.set_xscale("log")
        axes.set_xticks(x, [f"{size:,.0f}" for size in x], minor=False)
        axes.minorticks_off()
    grid(axes, look, "y")
    axes.set_xlabel("training items")
    axes.set_ylabel(short_name(curve.metric), parse_math=False)
    _legend(axes, curve.names, look)
    return figure


def draw_study(
    study: Any,
    kind: str | None = None,
    *,
    method: str | None = None,
    alpha: float = 0.05,
    rates: Any = None,
    theme: str = "light",
) -> Figure:
    """Draw a study: "rates" for one effect, "power" for several, "pvalues", or "qq" of a method.

    `rates` are drawn in place of those that the study gives for Δ = 0.
    """
    asked = kind or ("power" if len(study.effects) > 1 else "rates")
    validation.choice(asked, "kind", STUDY_KINDS)
    shape = look(theme, 0.95, None)
    with quiet():
        if asked == "rates":
            first = study.effects[0]
            rows = [row for row in (rates or study.rates(alpha)) if row.effect == first]
            shown = [(row.method, row.rate, row.low, row.high) for row in rows]
            return dots(shown, shape, xlabel=f"rejected at α = {alpha:g}", level=alpha)
        if asked == "power":
            return _power_figure(study, rates or study.rates(alpha), shape, alpha)
        if asked == "pvalues":
            return _pvalues_figure(study, shape)
        chosen = method or study.methods[0]
        return statistics(study.column(chosen, "statistic"), study.law(chosen), shape)


def draw_certificate(found: Any, *, theme: str = "light") -> Figure:
    """Draw the size of every test under every null, its bound (hollow) and its interval."""
    rows = []
    for row in found.tests:
        method, _, design = row.label.rpartition(" ")
        rows.append((f"{method}\n{design}, {row.null}", row.size, *row.interval))
    bounds = [row.size_high for row in found.tests]
    with quiet():
        shape = look(theme, 0.95, None)
        label = "true null hypotheses rejected at α = 0.05 (hollow: bound for new data)"
        return dots(rows, shape, xlabel=label, level=0.05, bounds=bounds)


def _power_figure(study: Any, found: Any, shape: Look, alpha: float) -> Figure:
    series = {}
    for name in study.methods:
        rows = [row for row in found if row.method == name]
        series[name] = Curve(*zip(*((r.effect, r.rate, r.low, r.high) for r in rows), strict=True))
    ylabel = f"rejected at α = {alpha:g}"
    return curves(series, shape, xlabel="effect", ylabel=ylabel, level=alpha)


def _pvalues_figure(study: Any, shape: Look) -> Figure:
    """Draw the share of p-values up to x: the diagonal is what a test of the right size gives."""
    grid = np.linspace(0, 1, 101)
    series = {}
    for name in study.methods:
        p = np.sort(study.column(name))
        share = np.searchsorted(p, grid, side="right") / p.size
        series[name] = Curve(grid.tolist(), share.tolist())
    figure = curves(series, shape, xlabel="p-value", ylabel="share of experiments up to it")
    axes = figure.axes[0]
    for line in axes.lines:
        line.set_marker("")
    axes.plot([0, 1], [0, 1], color=shape["muted"], lw=0.9, ls=(0, (4, 3)), zorder=1)
    return figure
