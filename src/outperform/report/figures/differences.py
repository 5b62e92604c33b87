"""What the figures say of differences: rows in order, their intervals and what they decide."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError
from ...numerics.exact_sums import Array
from .canvas import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...results.comparison import Comparison

__all__ = [
    "Difference",
    "against",
    "all_of",
    "centre_of",
    "draw_rows",
    "ends_of",
    "reach",
    "zero_line",
]


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
    found = []
    for row in comparison.rows(level=level, alpha=1 - level):
        one = _of(row, turned=row["estimate"] is not None and row["estimate"] < 0)
        found.append(one)
    return found


def against(comparison: Comparison, reference: str, level: float) -> dict[str, Difference]:
    """Return each other learner minus the reference, by its name."""
    found = {}
    for row in comparison.rows(level=level, alpha=1 - level):
        if reference in row["names"]:
            one = _of(row, turned=row["names"][0] == reference)
            found[one.first] = one
    return found


def _of(row: dict[str, Any], *, turned: bool) -> Difference:
    first, second = row["names"]
    estimate, low, high = (
        None if row[key] is None else float(row[key]) for key in ("estimate", "low", "high")
    )
    if estimate is None or not math.isfinite(estimate):
        raise DataError(
            f"{first!r} and {second!r} have no finite difference to draw; read the comparison "
            "as text: print(comparison)"
        )
    low, high = ends_of(low, high)
    if not turned:
        return Difference(first, second, estimate, low, high, row["verdict"])
    swap = {"outperforms": "outperformed", "outperformed": "outperforms"}
    low, high = (None if high is None else -high), (None if low is None else -low)
    return Difference(second, first, -estimate, low, high, swap.get(row["verdict"], row["verdict"]))


def centre_of(shown: Any) -> str:
    """Return the label of estimates that are not means."""
    centre = shown.method.centre
    return f",\n{centre}" if centre else ""


def ends_of(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """Return the ends of an interval; one that has a single end is open on the other side."""
    if (low is None) == (high is None):
        return low, high
    return (-math.inf if low is None else low), (math.inf if high is None else high)


def reach(rows: list[Difference], rope: float | None = None) -> tuple[float, float]:
    """Return limits that hold every finite end and zero, with some air."""
    ends = [0.0, *(row.estimate for row in rows)]
    ends += [end for row in rows for end in (row.low, row.high) if end is not None]
    if rope is not None:
        ends += [-rope, rope]
    kept = [end for end in ends if math.isfinite(end)]
    low, high = min(kept), max(kept)
    air = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - air, high + air


def zero_line(axes: Axes, look: Look, *, vertical: bool = True) -> None:
    """Draw where there is no difference, and the region of equivalence if one was asked."""
    line, span = (axes.axvline, axes.axvspan) if vertical else (axes.axhline, axes.axhspan)
    if look.rope is not None:
        span(-look.rope, look.rope, color=look["open"], alpha=0.14, lw=0, zorder=0)
    line(0, color=look["muted"], lw=0.9, zorder=1)


def draw_rows(axes: Axes, look: Look, places: Array, rows: list[Difference]) -> None:
    """Draw interval and estimate of each row; a hollow mark is a pair that was not decided."""
    limits = reach(rows, look.rope)
    axes.set_xlim(*limits)
    for place, row in zip(np.asarray(places).tolist(), rows, strict=True):
        colour = look[row.token]
        if row.low is not None and row.high is not None:
            ends = np.clip([row.low, row.high], *limits)
            axes.plot(ends, [place] * 2, color=colour, lw=2.0, solid_capstyle="round", zorder=3)
        decided = row.token != "open"
        axes.plot(
            [row.estimate], [place], "o", ms=5.6, mec=colour, mew=1.4, zorder=4,
            mfc=colour if decided else look["paper"],
        )  # fmt: skip
