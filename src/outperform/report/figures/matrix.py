"""The matrix of pairs: row minus column, coloured by size, with what was decided as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..numbers import decimals_for, pvalue
from ..pair_table import estimate
from .canvas import Look, best, canvas, named, short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results.comparison import Comparison

__all__ = ["matrix"]


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
    cell = look.inches / (k + (2.2 if look.narrow else 3.0))
    words = cell > 0.46
    figure, axes = canvas(look, min(cell, 0.85) * k + (0.85 if look.narrow else 0.75))
    size = float(np.clip(cell * 13, 4.0, 8.5))
    for row in rows:
        for turn in (1, -1):
            first, second = row["names"][::turn]
            y, x = place[first], place[second]
            value = turn * row["estimate"]
            token = "first" if value > 0 else "second"
            axes.add_patch(
                Rectangle(
                    (x - 0.47, y - 0.47), 0.94, 0.94, lw=0,
                    color=look[token], alpha=0.06 + 0.44 * abs(value) / largest,
                )
            )  # fmt: skip
            decided = row["verdict"] in ("outperforms", "outperformed")
            arrow = ("▲ " if value > 0 else "▼ ") if decided else ""
            number = estimate({**row, "estimate": value}, digits)
            said = f"{arrow}{number}" if words else arrow.strip()
            if words:
                said += "\n" + pvalue(row["adjusted"], None)
            axes.text(
                x, y, said, ha="center", va="center", fontsize=size, color=look["ink"],
                weight="bold" if decided else "normal",
            )  # fmt: skip
    for rank in range(k):
        axes.plot([rank - 0.2, rank + 0.2], [rank] * 2, color=look["faint"], lw=1.2)
    axes.set_xlim(-0.5, k - 0.5)
    axes.set_ylim(k - 0.5, -0.5)
    axes.set_aspect("equal" if k > 4 else "auto")
    names = [short_name(comparison.names[index], look) for index in order]
    above = names
    if k > 4:  # numbers stand above the columns: there is no room for names
        above = [str(rank + 1) for rank in range(k)]
        names = [f"{name}  {rank}" for name, rank in zip(names, above, strict=True)]
    axes.xaxis.tick_top()
    named(axes.set_xticks, list(range(k)), above)
    named(axes.set_yticks, list(range(k)), names)
    axes.tick_params(length=0)
    if look.narrow and k > 10:
        axes.tick_params(labelsize=5.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    between = "\n" if look.narrow else " "
    what = f" ({comparison.method.centre})" if comparison.method.centre else ""
    said = f"row minus column{what};{between}▲ row outperforms, ▼ is outperformed"
    if left_out:
        said += f"\n({left_out:,} learners left out)"
    axes.set_xlabel(said, fontsize=8)
    return figure
