"""Intervals: every pair with its simultaneous interval, or one result at every confidence level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import MethodError
from . import differences as diff
from .canvas import MOST, Look, canvas, named, short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results.comparison import Comparison
    from ...results.result import Result

__all__ = ["confidence", "intervals"]


def intervals(comparison: Comparison, look: Look) -> Figure:
    """Draw pairs, the largest differences first, with their intervals."""
    rows = sorted(diff.all_of(comparison, look.level), key=lambda row: -row.estimate)
    left_out, rows = len(rows) - MOST, rows[:MOST]
    figure, axes = canvas(look, 0.27 * len(rows) + 0.95)
    places = np.arange(len(rows), dtype=np.float64)
    diff.draw_rows(axes, look, places, rows)
    diff.zero_line(axes, look)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    letters = 11 if look.narrow else 22
    names = [
        " − ".join(short_name(name, look, letters=letters) for name in (row.first, row.second))
        for row in rows
    ]
    named(axes.set_yticks, places.tolist(), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=look["faint"], lw=0.7)
    axes.set_axisbelow(True)
    axes.locator_params(axis="x", nbins=4 if look.narrow else 7)
    held = any(row.low is not None for row in rows)
    together = ", hold together" if len(rows) > 1 and comparison.adjust != "none" else ""
    shown = f"{100 * look.level:.4g} % intervals{together}" if held else "no intervals"
    tail = f"; {left_out} smaller ones left out" if left_out > 0 else ""
    axes.set_xlabel(
        f"difference in {short_name(comparison.metric, look)}{diff.centre_of(comparison)}\n"
        f"({shown}{tail})",
        parse_math=False,
    )
    return figure


def confidence(result: Result, look: Look) -> Figure:
    """Draw one result as the interval at every level: what remains possible, and how firmly."""
    interval = result.interval(look.level)
    if interval is None:
        raise MethodError(
            f"{result.method.name} gives no interval, so there is nothing to draw; read it as "
            "text: print(result)"
        )
    levels = np.concatenate([np.linspace(0, 0.9, 46)[1:], np.linspace(0.905, 0.995, 19)])
    held = [(p, *found) for p in levels if (found := result.interval(float(p))) is not None]
    levels, ends = np.array(held)[:, 0], np.array(held)[:, 1:]
    figure, axes = canvas(look, 2.9)
    zero = result.null if np.isfinite(result.null) else None
    outside = zero is not None and zero not in interval
    token = "open" if not outside else ("first" if result.estimate > (zero or 0) else "second")
    colour = look[token]
    finite = [e for e in [*ends.ravel(), result.estimate, zero or 0.0] if np.isfinite(e)]
    air = 0.05 * (max(finite) - min(finite)) or 1.0
    limits = min(finite) - air, max(finite) + air
    low, high = np.clip(ends.T, *limits)
    axes.fill_betweenx(levels, low, high, color=colour, alpha=0.16, lw=0)
    axes.plot(np.concatenate([low[::-1], high]), np.concatenate([levels[::-1], levels]),
              color=colour, lw=1.3)  # fmt: skip
    shown = np.clip(list(interval), *limits)
    axes.plot(shown, [look.level] * 2, color=colour, lw=2.4, solid_capstyle="round")
    axes.plot([result.estimate], [look.level], "o", ms=6.5, color=colour)
    if zero is not None:
        axes.axvline(zero, color=look["muted"], lw=0.9)
    axes.set_xlim(*limits)
    axes.set_ylim(0, 1.03)
    axes.set_yticks([0, 0.5, look.level], ["0", "50 %", f"{100 * look.level:.4g} %"])
    axes.grid(axis="x", color=look["faint"], lw=0.7)
    axes.set_axisbelow(True)
    axes.set_ylabel("confidence")
    first, second = result.names
    letters = 14 if look.narrow else 26
    what = short_name(first, look, letters=letters)
    if second is not None:
        what += " − " + short_name(second, look, letters=letters)
    axes.set_xlabel(f"{what}, {short_name(result.metric, look)}{diff.centre_of(result)}",
                    parse_math=False)  # fmt: skip
    return figure
