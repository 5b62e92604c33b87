"""The critical-difference diagram: learners on an axis of mean ranks, bars over who is alike."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from ...results.rank_order import rank_order
from .. import benchmark_text
from .canvas import INCHES, Look, canvas, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.comparison import Comparison


LEVEL, BAR = 0.27, 0.16
"""Inches between two names, and between two bars."""


def rank_diagram(comparison: Comparison, look: Look) -> Figure:
    """Draw mean ranks with the best at the left, names half at each side, bars below the axis.

    Where significance is no interval in rank order, bars would mislead: the matrix is drawn.
    """
    alpha = 1 - look.level
    found = rank_order(comparison, alpha, look.rope)
    if not found.is_interval:
        from .benchmark_figures import comparison_matrix

        return comparison_matrix(comparison, look, benchmark_text.no_interval(found))
    k = len(found.names)
    bars = stacked(found.runs)
    half = math.ceil(k / 2)
    critical = benchmark_text.critical_difference(comparison, alpha)
    deep = 0.16 + BAR * (max(bars.values(), default=-1) + 1)
    words = fill(benchmark_text.diagram_caption(comparison, alpha), 118)
    below = 0.17 * (words.count("\n") + 1)
    top = 0.62 if critical else 0.4
    height = top + deep + LEVEL * half + 0.2 + below
    figure, axes = canvas(look, height)
    letters = 24
    shown = [short_name(name, letters=letters) for name in found.names]
    size = float(min(9.5, 11.5 - 0.18 * k))
    longest = max(len(name) for name in shown) + 6  # with the rank beside it
    wing = float(np.clip((0.0088 * size * longest + 0.25) / INCHES, 0.12, 0.38))
    left, right = -wing * (k - 1) / (1 - 2 * wing), (k - 1) * (1 + wing / (1 - 2 * wing))
    axes.set_xlim(left, right)
    axes.set_ylim(-(height - top), top)
    axes.set_axis_off()
    _axis(axes, k, look)
    for place, (name, rank) in enumerate(zip(found.names, found.ranks, strict=True)):
        is_left = place < half
        y = -(deep + LEVEL * (0.5 + (place if is_left else k - 1 - place)))
        x = rank - 1
        out = 0.015 * (right - left)
        end = min(-out, x - out) if is_left else max(k - 1 + out, x + out)
        token = _token(comparison, name, alpha, look.rope)
        axes.plot([x, x, end], [0, y, y], color=look[token], lw=0.8, solid_joinstyle="miter")
        text = f"{shown[place]}  {rank:.2f}" if is_left else f"{rank:.2f}  {shown[place]}"
        axes.text(
            end + (-0.012 if is_left else 0.012) * (right - left),
            y,
            text,
            ha="right" if is_left else "left",
            va="center",
            fontsize=size,
            color=look[token],
            parse_math=False,
        )
    for (first, last), level in bars.items():
        y = -0.16 - BAR * level
        ends = [found.ranks[first] - 1 - 0.03, found.ranks[last] - 1 + 0.03]
        axes.plot(ends, [y, y], color=look["first"], lw=4.0, solid_capstyle="round", zorder=3)
    if critical:
        _critical(axes, critical, look)
    axes.text(
        left,
        -(height - top) + 0.02,
        words,
        ha="left",
        va="bottom",
        fontsize=7.8,
        color=look["muted"],
        parse_math=False,
        linespacing=1.35,
    )
    return figure


def stacked(runs: tuple[tuple[int, int], ...]) -> dict[tuple[int, int], int]:
    """Return the level of each bar, so that no two on one level touch."""
    found: dict[tuple[int, int], int] = {}
    for first, last in runs:
        if first == last:
            continue
        taken = {level for (_, end), level in found.items() if end >= first}
        found[first, last] = min(set(range(len(found) + 1)) - taken)
    return found


def _axis(axes: Axes, k: int, look: Look) -> None:
    axes.plot([0, k - 1], [0, 0], color=look["ink"], lw=1.1, solid_capstyle="butt")
    every = math.ceil(k / 13)
    for rank in range(1, k + 1):
        axes.plot([rank - 1] * 2, [0, 0.08], color=look["ink"], lw=0.9)
        if rank == k or ((rank - 1) % every == 0 and k - rank >= every):  # none beside the last
            axes.text(
                rank - 1, 0.13, str(rank), ha="center", va="bottom", fontsize=8.5, color=look["ink"]
            )


def _critical(axes: Axes, size: float, look: Look) -> None:
    """Draw Nemenyi's critical difference as a bar above the axis."""
    y = 0.46
    axes.plot([0, size], [y, y], color=look["ink"], lw=1.1)
    for x in (0, size):
        axes.plot([x, x], [y - 0.04, y + 0.04], color=look["ink"], lw=1.1)
    axes.text(size, y, f"  CD = {size:.2f}", ha="left", va="center", fontsize=8, color=look["ink"])


def _token(comparison: Comparison, name: str, alpha: float, rope: float | None) -> str:
    """Return the colour of a learner: beside a control, that of being better, worse or neither."""
    if comparison.control is None:
        return "ink"
    if name == comparison.control:
        return "ink"
    better = comparison.against_control(alpha, rope)
    return "first" if name in better["better"] else "second" if name in better["worse"] else "open"
