"""Rank sets as a figure: for each learner a bar over the ranks it may have."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from .. import rank_text
from .canvas import MOST, canvas, grid, look, named, quiet, short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results.rank_sets import RankSets


def drawn(shown: RankSets, *, theme: str = "light") -> Figure:
    """Draw learners from best to worst; those tied for first stand out."""
    shape = look(theme, shown.level, None)
    rows = list(zip(shown.names, shown.low, shown.high, strict=True))[:MOST]
    left = len(shown.names) - len(rows)
    more = f" {left:,} further not drawn." if left else ""
    words = fill(f"{rank_text.first(shown)} {rank_text.level(shown)}{more}", 112)
    with quiet():
        figure, axes = canvas(shape, 0.27 * len(rows) + 0.9 + 0.16 * words.count("\n"))
        for y, (_, low, high) in enumerate(rows):
            token = "first" if low == 1 else "open"
            axes.plot([low, high], [y, y], color=shape[token], lw=5.0, solid_capstyle="round")
            for end in {low, high}:
                axes.plot([end], [y], "o", ms=6.5, color=shape[token])
        letters = 30
        named(
            axes.set_yticks,
            list(range(len(rows))),
            [short_name(name, letters=letters) for name, _, _ in rows],
        )
        k = len(shown.names)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0.6, k + 0.4)
        every = max(1, -(-k // 20))
        axes.set_xticks(range(1, k + 1, every))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        grid(axes, shape, "x")
        axes.set_xlabel("rank (1 is best)", fontsize=8)
        caption = {"fontsize": 8, "color": shape["muted"], "parse_math": False}
        figure.supxlabel(words, x=0.01, ha="left", multialignment="left", **caption)
    return figure
