"""Learning curves: the mean score of each learner by training size, with its standard error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError
from .canvas import Look, canvas, short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["learning_curve"]

# Okabe & Ito, those that stand out on white and on black alike; markers tell them apart in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "osD^vP"


def learning_curve(
    sizes: Any, means: Any, stderrs: Any, names: Sequence[str], look: Look, *, metric: str = "score"
) -> Figure:
    """Draw (learners, sizes) arrays of means; bars are one standard error each way."""
    x, y = np.asarray(sizes, dtype=np.float64), np.atleast_2d(np.asarray(means, dtype=np.float64))
    spread = np.zeros_like(y) if stderrs is None else np.atleast_2d(np.asarray(stderrs, np.float64))
    if y.shape != (len(names), x.size) or spread.shape != y.shape:
        raise DataError(
            f"means have shape {y.shape} and stderrs {spread.shape}; {(len(names), x.size)} is "
            "needed: one row for each learner, one column for each size"
        )
    figure, axes = canvas(look, 3.4 if look.narrow else 4.0)
    for row, name in enumerate(names):
        colour = (look["first"], look["second"])[row] if row < 2 else COLOURS[row % len(COLOURS)]
        axes.fill_between(
            x, y[row] - spread[row], y[row] + spread[row], color=colour, alpha=0.14, lw=0
        )
        axes.plot(x, y[row], marker=MARKERS[row % len(MARKERS)], ms=4.5, lw=1.6, color=colour,
                  label=name)  # fmt: skip
    if x.size > 1 and x.min() > 0 and x.max() / x.min() >= 8:
        axes.set_xscale("log")
        axes.set_xticks(x, [f"{size:,.0f}" for size in x], minor=False)
        axes.minorticks_off()
    axes.grid(axis="y", color=look["faint"], lw=0.7)
    axes.set_axisbelow(True)
    axes.set_xlabel("training items")
    axes.set_ylabel(short_name(metric, look), parse_math=False)
    legend = axes.legend(frameon=False, labelcolor=look["ink"], fontsize=8.5)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(short_name(name, look))
    return figure
