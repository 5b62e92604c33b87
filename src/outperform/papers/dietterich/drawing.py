"""Dietterich's figures, drawn from findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exhibits import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...report.figures.canvas import Look

__all__ = [
    "designed", "figure5", "figure6", "figure7", "learning_curves", "power", "profile",
    "quantiles", "replications",
]  # fmt: skip

TESTS = {
    "mcnemar": "McNemar",
    "proportions": "proportions",
    "resampled_t": "resampled t",
    "kfold_t": "10-fold t",
    "five_by_two_t": "5x2cv t",
}
RATE = "probability of a Type I error"


def designed(finding: Finding, theme: str) -> Figure:
    """Figure 4: ε of both learners, point by point."""
    return _lines(finding.curves, theme, xlabel="point of the population", ylabel="ε(x)", top=0.2)


def profile(finding: Finding, theme: str) -> Figure:
    """Figure 3: sorted ε(x)."""
    found = finding.curves
    series = {name: curve for name, curve in found.items() if name != "n"}
    places = {name: np.linspace(1, found["n"], len(curve)) for name, curve in series.items()}
    return _lines(
        series, theme, xlabel="point of the population, in order of ε", ylabel="ε(x)", top=1.02,
        places=places,
    )  # fmt: skip


def figure5(finding: Finding, theme: str) -> Figure:
    """Figure 5: five tests, a bar for each ε; diamonds are exact rates."""
    found = finding.curves
    groups = {label: found[name] for name, label in TESTS.items()}
    return _bars(groups, [f"ε = {e:.2f}" for e in found["epsilons"]], theme)


def figure7(finding: Finding, theme: str) -> Figure:
    """Figure 7: four tests, a bar for each task."""
    found = finding.curves
    groups = {label: found["tests"][name] for name, label in TESTS.items()
              if name in found["tests"]}  # fmt: skip
    return _bars(groups, found["tasks"], theme)


def figure6(finding: Finding, theme: str) -> Figure:
    """Figure 6: Type I error by the number of splits; broken lines are exact rates."""
    from ...report.figures.canvas import canvas, quiet
    from ...report.figures.curves import Curve, draw_curves

    look = _look(theme)
    names = {"resampled_t": "resampled t", "kfold_t": "k-fold t"}
    with quiet():
        figure, axes = canvas(look, 4.4)
        series = {names[key]: Curve(c["x"], c["rate"], c["low"], c["high"])
                  for key, c in finding.curves.items()}  # fmt: skip
        for curve in finding.curves.values():
            axes.plot(curve["x"], curve["exact"], color=look["muted"], lw=1.0, ls=(0, (2, 2)))
        draw_curves(axes, series, look, level=0.05)
        axes.set_ylim(bottom=0)
        axes.set_xscale("log")
        ticks = sorted({x for curve in finding.curves.values() for x in curve["x"]} - {3, 15})
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("number of splits or folds")
        axes.set_ylabel(RATE)
        axes.legend(frameon=False, labelcolor=look["ink"], fontsize=8.5, loc="upper left")
    return figure


def replications(finding: Finding, theme: str) -> Figure:
    """Size of r×2cv by the number of replications."""
    from ...report.figures.canvas import quiet
    from ...report.figures.curves import Curve, curves

    found = finding.curves
    with quiet():
        figure = curves(
            {"r×2cv t, exact": Curve(found["replications"], found["size"])}, _look(theme),
            xlabel="replications r", ylabel=RATE, level=0.05, marks=[5],
        )  # fmt: skip
        figure.axes[0].set_ylim(bottom=0)
        figure.axes[0].set_xticks(found["replications"])
    return figure


def quantiles(finding: Finding, theme: str) -> Figure:
    """Figure 2: t̃ against t with 5 degrees of freedom, one panel for each population."""
    from ...report.figures.canvas import canvas, quiet

    look, found = _look(theme), finding.curves
    with quiet():
        figure, axes = canvas(look, 4.3, ncols=len(found), squeeze=False, sharex=True,
                              sharey=True)  # fmt: skip
        for panel, (name, curve) in zip(axes[0], found.items(), strict=True):
            ends = [min(curve["expected"]), max(curve["expected"])]
            panel.plot(ends, ends, color=look["muted"], lw=0.9, zorder=1)
            panel.plot(curve["expected"], curve["observed"], "o", ms=2.6, mew=0,
                       color=look["first"], alpha=0.75, zorder=2)  # fmt: skip
            panel.set_title(name, loc="left", color=look["ink"], parse_math=False)
            panel.set_xlabel("quantile of t with 5 degrees of freedom")
        axes[0, 0].set_ylabel("5x2cv statistic")
    return figure


def learning_curves(finding: Finding, theme: str) -> Figure:
    """Figure 8: error by training size, for C4.5 (broken line), the neighbour and those between."""
    from ...report.figures.canvas import canvas, quiet
    from ...report.figures.curves import Curve, draw_curves

    look, found = _look(theme), finding.curves
    errors = dict(found["errors"])
    with quiet():
        figure, axes = canvas(look, 4.4)
        # Six colours are there for seven lines, and damage of λ = 0 lies upon C4.5.
        axes.plot(found["sizes"], errors.pop("C4.5"), color=look["ink"], lw=1.6, ls=(0, (4, 2)),
                  zorder=5, label="C4.5")  # fmt: skip
        draw_curves(axes, {name: Curve(found["sizes"], row) for name, row in errors.items()}, look)
        axes.set_xticks(found["sizes"])
        axes.set_xlabel("training items")
        axes.set_ylabel("error rate")
        axes.legend(frameon=False, labelcolor=look["ink"], fontsize=8.5)
    return figure


def power(finding: Finding, theme: str) -> Figure:
    """Figures 9 to 11: power of four tests by the difference at 300 training items."""
    from ...report.figures.canvas import quiet
    from ...report.figures.curves import Curve, curves

    found = finding.curves
    series = {TESTS[name]: Curve(found["points"], c["rate"], c["low"], c["high"])
              for name, c in found["tests"].items()}  # fmt: skip
    with quiet():
        figure = curves(
            series, _look(theme), xlabel="difference in percentage points, 300 training items",
            ylabel="power", level=0.05,
        )  # fmt: skip
        figure.axes[0].set_ylim(0, 1.0)
    return figure


def _lines(
    series: Mapping[str, Sequence[float]], theme: str, *, xlabel: str, ylabel: str, top: float,
    places: Mapping[str, Any] | None = None,
) -> Figure:  # fmt: skip
    from ...report.figures.canvas import canvas, quiet

    look = _look(theme)
    with quiet():
        figure, axes = canvas(look, 3.6)
        for row, (name, values) in enumerate(series.items()):
            x = np.arange(1, len(values) + 1) if places is None else places[name]
            axes.step(x, values, where="mid", lw=1.8, ls="-" if row == 0 else (0, (4, 2)),
                      color=look["first" if row == 0 else "second"], label=name)  # fmt: skip
        axes.set_ylim(0, top)
        axes.grid(axis="y", color=look["faint"], lw=0.7)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.legend(frameon=False, labelcolor=look["ink"], fontsize=8.5)
    return figure


def _bars(groups: Mapping[str, Mapping[str, Any]], labels: Sequence[str], theme: str) -> Figure:
    """Draw a group of bars for each test, with 95% intervals, and diamonds at exact rates."""
    from ...report.figures.canvas import canvas, quiet

    look = _look(theme)
    width = 0.8 / len(labels)
    with quiet():
        figure, axes = canvas(look, 4.2)
        axes.axhline(0.05, color=look["muted"], lw=0.9, ls=(0, (4, 3)), zorder=3)
        for at, label in enumerate(labels):
            x = np.arange(len(groups)) + (at - (len(labels) - 1) / 2) * width
            _series(axes, x, at, label, list(groups.values()), look, width, len(labels))
        axes.set_xticks(np.arange(len(groups)), list(groups))
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y", color=look["faint"], lw=0.7)
        axes.set_axisbelow(True)
        axes.set_ylabel(RATE)
        axes.legend(frameon=False, labelcolor=look["ink"], fontsize=8.5)
    return figure


def _series(
    axes: Axes, x: Any, at: int, label: str, groups: Sequence[Mapping[str, Any]], look: Look,
    width: float, count: int,
) -> None:  # fmt: skip
    rate, low, high = (np.array([group[key][at] for group in groups])
                       for key in ("rate", "low", "high"))  # fmt: skip
    # One colour, lighter for the first: the order of the bars is that of the legend.
    axes.bar(x, rate, width * 0.9, color=look["first"], alpha=0.3 + 0.6 * (at + 1) / count,
             label=label, zorder=2)  # fmt: skip
    axes.errorbar(x, rate, yerr=[rate - low, high - rate], fmt="none", ecolor=look["ink"],
                  elinewidth=0.9, capsize=2, zorder=4)  # fmt: skip
    if "exact" in groups[0]:
        exact = [group["exact"][at] for group in groups]
        axes.plot(x, exact, "D", ms=4, mfc=look["paper"], mec=look["second"], zorder=5,
                  label="exact" if at == count - 1 else None)  # fmt: skip


def _look(theme: str) -> Look:
    from ...report.figures.canvas import look

    return look(theme, "wide", 0.95, None)
