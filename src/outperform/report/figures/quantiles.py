"""Quantile plots: values against the law they should follow (D-31)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...numerics.distributions import Normal
from ...numerics.exact_sums import Array
from .canvas import Look, canvas, fewer, short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...scores.split_scores import Scores

__all__ = ["PANELS", "differences_of", "quantiles", "statistics"]

PANELS = 6


def quantiles(scores: Scores, look: Look, pairs: Sequence[tuple[str, str]]) -> Figure:
    """Draw each pair's differences, standardised, against the normal law."""
    shown = list(pairs)[:PANELS]
    columns = min(len(shown), 2 if look.narrow else 3)
    n_rows = math.ceil(len(shown) / columns)
    height = 3.3 if len(shown) == 1 else 2.15 * n_rows + 0.4
    figure, axes = canvas(look, height, nrows=n_rows, ncols=columns, squeeze=False)
    panels = axes.ravel()
    for panel, (first, second) in zip(panels, shown, strict=False):
        found = differences_of(scores, first, second)
        spread = float(found.std(ddof=1)) if found.size > 1 else 0.0
        centred = (found - found.mean()) / spread if spread else np.zeros_like(found)
        _panel(panel, centred, Normal(), look)
        letters = None if columns == 1 else 11
        names = " − ".join(short_name(name, look, letters=letters) for name in (first, second))
        panel.set_title(names, loc="left", parse_math=False, fontsize=8.5,
                        color=look["ink"])  # fmt: skip
    for panel in panels[len(shown) :]:
        panel.set_axis_off()
    figure.supxlabel("normal quantile", color=look["ink"], fontsize=9)
    figure.supylabel("difference, standardised", color=look["ink"], fontsize=9)
    return figure


def statistics(values: Any, dist: Any, look: Look) -> Figure:
    """Draw simulated statistics against their law, as Dietterich's figure 2 does (D-31, E-D4)."""
    figure, axes = canvas(look, 3.4 if look.narrow else 4.4)
    _panel(axes, np.asarray(values, dtype=np.float64).ravel(), dist, look)
    axes.set_xlabel(f"quantile of {dist.label}", parse_math=False)
    axes.set_ylabel("statistic")
    return figure


def differences_of(scores: Scores, first: str, second: str) -> Array:
    """Return differences split by split, positive where the first is better."""
    turn = 1.0 if scores.greater_is_better else -1.0
    first_scores, second_scores = (scores.values[scores.index(n)] for n in (first, second))
    return np.asarray(turn * (first_scores - second_scores))


def _panel(axes: Axes, values: Array, dist: Any, look: Look) -> None:
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
