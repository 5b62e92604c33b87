"""Dietterich's figures, drawn from findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exhibits import Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...report.figures.canvas import Look

TESTS = {
    "mcnemar": "McNemar",
    "proportions": "proportions",
    "resampled_t": "resampled t",
    "kfold_t": "10-fold t",
    "five_by_two_t": "5x2cv t",
}
RATE = "probability of a Type I error"


@contextmanager
def _panel(
    theme: str, height: float, xlabel: str, ylabel: str, *, corner: str = "best"
) -> Iterator[tuple[Figure, Any, Look]]:
    """Yield a figure, its axes and its look; label them and add the legend afterwards."""
    from ...report.figures.canvas import canvas, look, quiet

    seen = look(theme, "wide", 0.95, None)
    with quiet():
        figure, axes = canvas(seen, height)
        yield figure, axes, seen
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.legend(frameon=False, labelcolor=seen["ink"], fontsize=8.5, loc=corner)


def designed(finding: Finding, theme: str) -> Figure:
    """Figure 4: ε of both learners, point by point."""
    places = {name: np.arange(1, len(row) + 1) for name, row in finding.curves.items()}
    return _steps(finding.curves, places, theme, "point of the population", top=0.2)


def profile(finding: Finding, theme: str) -> Figure:
    """Figure 3: sorted ε(x)."""
    found = finding.curves
    series = {name: curve for name, curve in found.items() if name != "n"}
    places = {name: np.linspace(1, found["n"], len(curve)) for name, curve in series.items()}
    return _steps(series, places, theme, "point of the population, in order of ε", top=1.02)


def figure5(finding: Finding, theme: str) -> Figure:
    """Figure 5: five tests, a bar for each ε; diamonds are exact rates."""
    found = finding.curves
    groups = {label: found[name] for name, label in TESTS.items()}
    return _bars(groups, [f"ε = {e:.2f}" for e in found["epsilons"]], theme)


def figure7(finding: Finding, theme: str) -> Figure:
    """Figure 7: four tests, a bar for each task."""
    found = finding.curves["tests"]
    groups = {label: found[name] for name, label in TESTS.items() if name in found}
    return _bars(groups, finding.curves["tasks"], theme)


def figure6(finding: Finding, theme: str) -> Figure:
    """Figure 6: Type I error by the number of splits; broken lines are exact rates."""
    from ...report.figures.curves import Curve, draw_curves

    found = finding.curves
    names = {"resampled_t": "resampled t", "kfold_t": "k-fold t"}
    series = {names[k]: Curve(c["x"], c["rate"], c["low"], c["high"]) for k, c in found.items()}
    with _panel(theme, 4.4, "number of splits or folds", RATE, corner="upper left") as all_:
        figure, axes, look = all_
        for curve in found.values():
            axes.plot(curve["x"], curve["exact"], color=look["muted"], lw=1.0, ls=(0, (2, 2)))
        draw_curves(axes, series, look, level=0.05)
        axes.set_ylim(bottom=0)
        axes.set_xscale("log")
        ticks = sorted({x for curve in found.values() for x in curve["x"]} - {3, 15})
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
    return figure


def replications(finding: Finding, theme: str) -> Figure:
    """Size of r×2cv by the number of replications."""
    from ...report.figures.canvas import look, quiet
    from ...report.figures.curves import Curve, curves

    found, seen = finding.curves, look(theme, "wide", 0.95, None)
    series = {"r×2cv t, exact": Curve(found["replications"], found["size"])}
    with quiet():
        figure = curves(series, seen, xlabel="replications r", ylabel=RATE, level=0.05, marks=[5])
        figure.axes[0].set_ylim(bottom=0)
        figure.axes[0].set_xticks(found["replications"])
    return figure


def quantiles(finding: Finding, theme: str) -> Figure:
    """Figure 2: t̃ against t with 5 degrees of freedom, one panel for each population."""
    from ...report.figures.canvas import canvas, look, quiet

    seen, found = look(theme, "wide", 0.95, None), finding.curves
    dots = {"ms": 2.6, "mew": 0, "color": seen["first"], "alpha": 0.75, "zorder": 2}
    with quiet():
        figure, axes = canvas(seen, 4.3, ncols=len(found), squeeze=False, sharex=True, sharey=True)
        for panel, (name, curve) in zip(axes[0], found.items(), strict=True):
            ends = [min(curve["expected"]), max(curve["expected"])]
            panel.plot(ends, ends, color=seen["muted"], lw=0.9, zorder=1)
            panel.plot(curve["expected"], curve["observed"], "o", **dots)
            panel.set_title(name, loc="left", color=seen["ink"], parse_math=False)
            panel.set_xlabel("quantile of t with 5 degrees of freedom")
        axes[0, 0].set_ylabel("5x2cv statistic")
    return figure


def learning_curves(finding: Finding, theme: str) -> Figure:
    """Figure 8: error by training size, for C4.5 (broken line), the neighbour and those between."""
    from ...report.figures.curves import Curve, draw_curves

    sizes, errors = finding.curves["sizes"], dict(finding.curves["errors"])
    with _panel(theme, 4.4, "training items", "error rate") as (figure, axes, look):
        # Six colours are there for seven lines, and damage of λ = 0 lies upon C4.5.
        broken = {"color": look["ink"], "lw": 1.6, "ls": (0, (4, 2)), "zorder": 5}
        axes.plot(sizes, errors.pop("C4.5"), label="C4.5", **broken)
        draw_curves(axes, {name: Curve(sizes, row) for name, row in errors.items()}, look)
        axes.set_xticks(sizes)
    return figure


def power(finding: Finding, theme: str) -> Figure:
    """Figures 9 to 11: power of four tests by the difference at 300 training items."""
    from ...report.figures.canvas import look, quiet
    from ...report.figures.curves import Curve, curves

    points, tests = finding.curves["points"], finding.curves["tests"]
    series = {TESTS[n]: Curve(points, c["rate"], c["low"], c["high"]) for n, c in tests.items()}
    xlabel = "difference in percentage points, 300 training items"
    with quiet():
        seen = look(theme, "wide", 0.95, None)
        figure = curves(series, seen, xlabel=xlabel, ylabel="power", level=0.05)
        figure.axes[0].set_ylim(0, 1.0)
    return figure


def _steps(
    series: Mapping[str, Sequence[float]], places: Any, theme: str, xlabel: str, *, top: float
) -> Figure:
    with _panel(theme, 3.6, xlabel, "ε(x)") as (figure, axes, look):
        styles = ({"ls": "-", "color": look["first"]}, {"ls": (0, (4, 2)), "color": look["second"]})
        for row, (name, values) in enumerate(series.items()):
            style: Any = styles[min(row, 1)]
            axes.step(places[name], values, where="mid", lw=1.8, label=name, **style)
        axes.set_ylim(0, top)
        axes.grid(axis="y", color=look["faint"], lw=0.7)
    return figure


def _bars(groups: Mapping[str, Mapping[str, Any]], labels: Sequence[str], theme: str) -> Figure:
    """Draw a group of bars for each test, with 95% intervals, and diamonds at exact rates."""
    n, width, tests = len(labels), 0.8 / len(labels), list(groups.values())
    with _panel(theme, 4.2, "", RATE) as (figure, axes, look):
        whisker = {"fmt": "none", "ecolor": look["ink"], "elinewidth": 0.9, "capsize": 2}
        diamond = {"ms": 4, "mfc": look["paper"], "mec": look["second"], "zorder": 5}
        axes.axhline(0.05, color=look["muted"], lw=0.9, ls=(0, (4, 3)), zorder=3)
        for at, label in enumerate(labels):
            x = np.arange(len(tests)) + (at - (n - 1) / 2) * width
            rate, low, high = (
                np.array([test[key][at] for test in tests]) for key in ("rate", "low", "high")
            )
            # One colour, lighter for the first: the order of the bars is that of the legend.
            shade = {"color": look["first"], "alpha": 0.3 + 0.6 * (at + 1) / n, "zorder": 2}
            axes.bar(x, rate, width * 0.9, label=label, **shade)
            axes.errorbar(x, rate, yerr=[rate - low, high - rate], zorder=4, **whisker)
            if "exact" in tests[0]:
                last = "exact" if at == n - 1 else None
                axes.plot(x, [test["exact"][at] for test in tests], "D", label=last, **diamond)
        axes.set_xticks(np.arange(len(groups)), list(groups))
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y", color=look["faint"], lw=0.7)
        axes.set_axisbelow(True)
    return figure
