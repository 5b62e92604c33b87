"""Figures of a study: rates of rejection by method or effect, p-values, quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from .figures.canvas import Look, Width, look, quiet
from .figures.curves import Curve, curves, dots
from .figures.quantiles import statistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["KINDS", "draw"]

KINDS = ("rates", "power", "pvalues", "qq")


def draw(
    study: Any,
    kind: str | None = None,
    *,
    method: str | None = None,
    alpha: float = 0.05,
    rates: Any = None,
    theme: str = "light",
    width: Width = "wide",
) -> Figure:
    """Draw a study: "rates" for one effect, "power" for several, "pvalues", or "qq" of a method.

    `rates` are drawn in place of those that the study gives for Δ = 0.
    """
    asked = kind or ("power" if len(study.effects) > 1 else "rates")
    validation.choice(asked, "kind", KINDS)
    shape = look(theme, width, 0.95, None)
    with quiet():
        if asked == "rates":
            first = study.effects[0]
            rows = [row for row in (rates or study.rates(alpha)) if row.effect == first]
            shown = [(row.method, row.rate, row.low, row.high) for row in rows]
            return dots(shown, shape, xlabel=f"rejected at α = {alpha:g}", level=alpha)
        if asked == "power":
            return _power(study, rates or study.rates(alpha), shape, alpha)
        if asked == "pvalues":
            return _pvalues(study, shape)
        chosen = method or study.methods[0]
        return statistics(study.column(chosen, "statistic"), study.law(chosen), shape)


def _power(study: Any, found: Any, shape: Look, alpha: float) -> Figure:
    series = {}
    for name in study.methods:
        rows = [row for row in found if row.method == name]
        series[name] = Curve(*zip(*((r.effect, r.rate, r.low, r.high) for r in rows), strict=True))
    ylabel = f"rejected at α = {alpha:g}"
    return curves(series, shape, xlabel="effect", ylabel=ylabel, level=alpha)


def _pvalues(study: Any, shape: Look) -> Figure:
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
