"""Curves and dots with error bars: rates of tests by effect, size or method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .canvas import Look, canvas, short_name
from .learning_curve import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Curve", "curves", "dots", "panels"]


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
    figure, axes = canvas(look, 3.6 if look.narrow else 4.4)
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
    across = 1 if look.narrow else min(len(groups), 3)
    down = -(-len(groups) // across)
    figure, axes = canvas(
        look, 2.7 * down + 0.5, nrows=down, ncols=across, squeeze=False, sharey=True
    )
    for panel, (title, series) in zip(axes.ravel(), groups.items(), strict=False):
        draw_curves(panel, series, look, level=level)
        panel.set_title(short_name(title, look), loc="left", parse_math=False, color=look["ink"])
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
    axes.grid(axis="y", color=look["faint"], lw=0.7)
    axes.set_axisbelow(True)
    if level is not None:
        axes.axhline(level, color=look["muted"], lw=0.9, ls=(0, (4, 3)), zorder=1)
    for mark in marks:
        axes.axvline(mark, color=look["muted"], lw=0.9, ls=(0, (1, 2)), zorder=1)
    for row, (name, curve) in enumerate(series.items()):
        colour = (look["first"], look["second"])[row] if row < 2 else COLOURS[row % len(COLOURS)]
        axes.errorbar(
            curve.x, curve.y, yerr=_reach(curve), marker=MARKERS[row % len(MARKERS)], ms=4.5,
            lw=1.5, elinewidth=0.9, capsize=0, color=colour, label=name, zorder=2,
        )  # fmt: skip


def dots(
    rows: Sequence[tuple[str, float, float, float]],
    look: Look,
    *,
    xlabel: str,
    level: float | None = None,
) -> Figure:
    """Draw one dot with its interval for each row: name, value, low, high."""
    figure, axes = canvas(look, 0.42 * len(rows) + 1.1)
    places = np.arange(len(rows))[::-1]
    if level is not None:
        axes.axvline(level, color=look["muted"], lw=0.9, ls=(0, (4, 3)), zorder=1)
    for place, (_, value, low, high) in zip(places, rows, strict=True):
        axes.plot([low, high], [place, place], color=look["first"], lw=2.2, zorder=2)
        axes.plot(value, place, "o", ms=6, color=look["first"], mec=look["paper"], zorder=3)
    names = [short_name(name, look) for name, *_ in rows]
    axes.set_yticks(places, names, parse_math=False)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(left=0)
    axes.grid(axis="x", color=look["faint"], lw=0.7)
    axes.set_axisbelow(True)
    axes.set_xlabel(xlabel, parse_math=False)
    return figure


def _reach(curve: Curve) -> Any:
    if curve.low is None or curve.high is None:
        return None
    y = np.asarray(curve.y, dtype=np.float64)
    return np.abs(np.stack([y - np.asarray(curve.low), np.asarray(curve.high) - y]))


def _legend(axes: Axes, names: Sequence[str], look: Look) -> None:
    legend = axes.legend(frameon=False, labelcolor=look["ink"], fontsize=8.5)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(short_name(name, look))
