"""Figures of pairs: differences in order, with their intervals and what they decide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError, MethodError
from ...numerics.exact_sums import Array
from ..formatting import Row, decimals_for, estimate_text, p_number, turned
from ..sentences import interval_heading
from .canvas import INCHES, MOST, Look, best, canvas, grid, named, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.comparison import Comparison
    from ...results.result import Result


EM = 0.58
"""Width of a letter, in units of its height."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One row: first minus second, oriented so that positive means the first is better."""

    first: str
    second: str
    estimate: float
    low: float | None
    high: float | None
    verdict: str

    @property
    def token(self) -> str:
        """Return the colour of what was decided."""
        return {"outperforms": "first", "outperformed": "second"}.get(self.verdict, "open")


def all_of(comparison: Comparison, level: float) -> list[Difference]:
    """Return every pair, turned so that the one with the better estimate comes first."""
    rows = comparison.rows(level=level, alpha=1 - level)
    return [_of(turned(row) if (row["estimate"] or 0) < 0 else row) for row in rows]


def against(comparison: Comparison, reference: str, level: float) -> dict[str, Difference]:
    """Return each other learner minus the reference, by its name."""
    rows = [
        row for row in comparison.rows(level=level, alpha=1 - level) if reference in row["names"]
    ]
    found = [_of(turned(row) if row["names"][0] == reference else row) for row in rows]
    return {one.first: one for one in found}


def _of(row: Row) -> Difference:
    first, second = row["names"]
    if row["estimate"] is None or not math.isfinite(row["estimate"]):
        raise DataError(
            f"{first!r} and {second!r} have no finite difference to draw; read the comparison "
            "as text: print(comparison)"
        )
    low, high = ends_of(row["low"], row["high"])
    return Difference(first, second, row["estimate"], low, high, row["verdict"])


def centre_of(shown: Any) -> str:
    """Return the label of estimates that are not means."""
    centre = shown.method.centre
    return f",\n{centre}" if centre else ""


def ends_of(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """Return the ends of an interval; one that has a single end is open on the other side."""
    if (low is None) == (high is None):
        return low, high
    return (-math.inf if low is None else low), (math.inf if high is None else high)


def _reach(rows: list[Difference], rope: float | None = None) -> tuple[float, float]:
    """Return limits that hold every finite end and zero, with some air."""
    ends = [0.0, *(row.estimate for row in rows)]
    ends += [end for row in rows for end in (row.low, row.high) if end is not None]
    if rope is not None:
        ends += [-rope, rope]
    kept = [end for end in ends if math.isfinite(end)]
    low, high = min(kept), max(kept)
    air = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - air, high + air


def zero_line(axes: Axes, look: Look) -> None:
    """Draw where there is no difference, and the region of equivalence if one was asked."""
    if look.rope is not None:
        axes.axvspan(-look.rope, look.rope, color=look["open"], alpha=0.14, lw=0, zorder=0)
    axes.axvline(0, color=look["muted"], lw=0.9, zorder=1)


def draw_rows(axes: Axes, look: Look, places: Array, rows: list[Difference]) -> None:
    """Draw interval and estimate of each row; a hollow mark is a pair that was not decided."""
    limits = _reach(rows, look.rope)
    axes.set_xlim(*limits)
    for place, row in zip(np.asarray(places).tolist(), rows, strict=True):
        colour = look[row.token]
        if row.low is not None and row.high is not None:
            ends = np.clip([row.low, row.high], *limits)
            axes.plot(ends, [place] * 2, color=colour, lw=2.0, solid_capstyle="round", zorder=3)
        decided = row.token != "open"
        axes.plot(
            [row.estimate],
            [place],
            "o",
            ms=5.6,
            mec=colour,
            mew=1.4,
            zorder=4,
            mfc=colour if decided else look["paper"],
        )


def intervals(comparison: Comparison, look: Look) -> Figure:
    """Draw pairs, the largest differences first, with their intervals."""
    rows = sorted(all_of(comparison, look.level), key=lambda row: -row.estimate)
    left_out, rows = len(rows) - MOST, rows[:MOST]
    figure, axes = canvas(look, 0.27 * len(rows) + 0.95)
    places = np.arange(len(rows), dtype=np.float64)
    draw_rows(axes, look, places, rows)
    zero_line(axes, look)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    letters = 22
    names = [
        " − ".join(short_name(name, letters=letters) for name in (row.first, row.second))
        for row in rows
    ]
    named(axes.set_yticks, places.tolist(), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    grid(axes, look, "x")
    axes.locator_params(axis="x", nbins=7)
    held = any(row.low is not None for row in rows)
    shown = interval_heading(comparison, look.level, many=True) if held else "no intervals"
    tail = f"; {left_out} smaller ones left out" if left_out > 0 else ""
    axes.set_xlabel(
        f"difference in {short_name(comparison.metric)}{centre_of(comparison)}\n({shown}{tail})",
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
    axes.plot(
        np.concatenate([low[::-1], high]),
        np.concatenate([levels[::-1], levels]),
        color=colour,
        lw=1.3,
    )
    shown = np.clip(list(interval), *limits)
    axes.plot(shown, [look.level] * 2, color=colour, lw=2.4, solid_capstyle="round")
    axes.plot([result.estimate], [look.level], "o", ms=6.5, color=colour)
    if zero is not None:
        axes.axvline(zero, color=look["muted"], lw=0.9)
    axes.set_xlim(*limits)
    axes.set_ylim(0, 1.03)
    axes.set_yticks([0, 0.5, look.level], ["0", "50 %", f"{100 * look.level:.4g} %"])
    grid(axes, look, "x")
    axes.set_ylabel("confidence")
    first, second = result.names
    letters = 26
    what = short_name(first, letters=letters)
    if second is not None:
        what += " − " + short_name(second, letters=letters)
    axes.set_xlabel(f"{what}, {short_name(result.metric)}{centre_of(result)}", parse_math=False)
    return figure


def matrix(comparison: Comparison, look: Look) -> Figure:
    """Draw every pair once above and once below the diagonal, best learner first.

    A shade is the size of the difference; bold with an arrow was decided, the rest was not.
    """
    from matplotlib.patches import Rectangle

    order, left_out = best(comparison, beside=comparison.control)
    k = len(order)
    place = {comparison.names[index]: rank for rank, index in enumerate(order)}
    rows = [
        row
        for row in comparison.rows(level=look.level, alpha=1 - look.level)
        if all(name in place for name in row["names"])
    ]
    largest = max((abs(row["estimate"] or 0.0) for row in rows), default=0.0) or 1.0
    spread = [row["stderr"] for row in rows if row["stderr"]]
    digits = min(decimals_for(float(np.median(spread)) if spread else largest), 4)
    names = [short_name(comparison.names[index]) for index in order]
    label = 8.5
    widest = max(map(len, names)) + 4
    cell = (INCHES - widest * label * EM / 72) / k
    words = cell > 0.4
    figure, axes = canvas(look, min(cell, 0.85) * k + 0.75)
    size = float(np.clip(cell * 13, 4.0, 8.5))
    for row in rows:
        for turn in (1, -1):
            first, second = row["names"][::turn]
            y, x = place[first], place[second]
            value = turn * row["estimate"]
            token = "first" if value > 0 else "second"
            axes.add_patch(
                Rectangle(
                    (x - 0.47, y - 0.47),
                    0.94,
                    0.94,
                    lw=0,
                    color=look[token],
                    alpha=0.06 + 0.44 * abs(value) / largest,
                )
            )
            decided = row["verdict"] in ("outperforms", "outperformed")
            lines = ["▲" if value > 0 else "▼"] if decided else []
            if words:
                number = estimate_text({**row, "estimate": value}, digits)
                lines += [number, p_number(row["adjusted"])]
            axes.text(
                x,
                y,
                "\n".join(lines),
                ha="center",
                va="center",
                fontsize=size,
                color=look["ink"],
                weight="bold" if decided else "normal",
            )
    for rank in range(k):
        axes.plot([rank - 0.2, rank + 0.2], [rank] * 2, color=look["faint"], lw=1.2)
    axes.set_xlim(-0.5, k - 0.5)
    axes.set_ylim(k - 0.5, -0.5)
    axes.set_aspect("equal" if k > 4 else "auto")
    above = names
    if k > 4:  # numbers stand above the columns: there is no room for names
        above = [str(rank + 1) for rank in range(k)]
        names = [f"{name}  {rank}" for name, rank in zip(names, above, strict=True)]
    axes.xaxis.tick_top()
    named(axes.set_xticks, list(range(k)), above)
    named(axes.set_yticks, list(range(k)), names)
    axes.tick_params(length=0, labelsize=label)
    for spine in axes.spines.values():
        spine.set_visible(False)
    what = f" ({comparison.method.centre})" if comparison.method.centre else ""
    said = f"row minus column{what}{' and p' if words else ''}; "
    said += "▲ row outperforms, ▼ is outperformed"
    if left_out:
        said += f"\n({left_out:,} learners left out)"
    axes.set_xlabel(said, fontsize=8)
    return figure
