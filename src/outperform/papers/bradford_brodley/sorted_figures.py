"""Figures 1 to 5: sorted significance of 55 partitions, and normal curves through t values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...numerics.exact_sums import Array
from ...results.partitions import normal_fit, one_sided
from ..exhibits import Finding, Scale, Statement, Value
from .partition_tables import (
    COLUMNS,
    PARTITIONS,
    READINGS,
    REASONS,
    TINY,
    JudgedBy,
    at_datasets,
    datasets,
    studies_of,
    told_counts,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...lab.score_records import PartitionStudy

__all__ = ["draw_fits", "draw_sorted", "figure5", "sorted_figure"]

EDGE = 0.0005
"""Smaller p-values are missing in the paper's figures (B-11); here they stand at the edge."""
FITTED = ("crx", "heart", "labor-neg", "mushroom")
SAMPLES = 20_000


def sorted_figure(at: int) -> Callable[[Scale], Finding]:
    """Return the runner of the figure of one column: a comparison by one design (B-11)."""
    column = COLUMNS[at]

    def run(scale: Scale) -> Finding:
        readings = READINGS if column[1] == "5x2" else READINGS[:1]
        found = {reading: studies_of(scale, reading, [column]) for reading in readings}
        names = datasets(scale)
        curves = {
            name: {reading: found[reading][name, column].sorted_p.tolist() for reading in readings}
            for name in names
        }
        values = [
            _significant(at, reading, {n: found[reading][n, column] for n in names})
            for reading in readings
        ]
        first = found[readings[0]]
        missing = [
            f"{name} {count} of {study.t_values.size}"
            for (name, _), study in first.items()
            if (count := int(np.sum(np.abs(study.signed_p) < EDGE)))
        ]
        return Finding(
            values=tuple(values),
            remarks=(
                f"Partitions with p < .0005, at the edge: {'; '.join(missing) or 'none'}.",
                "TDDT-1 is the better above the middle line, where p = .5; between the dotted "
                "lines nothing is significant at .05, two-tailed.",
            ),
            curves=curves,
        )

    return run


def _significant(at: int, reading: JudgedBy, found: dict[str, PartitionStudy]) -> Value:
    """Compare the share of significant partitions with that of Table 3 on the same datasets."""
    there = [1 - told_counts(name, at).no_decision / PARTITIONS for name in found]
    ours = [1 - s.conclusions().no_decision / s.t_values.size for s in found.values()]
    gaps = 100 * np.subtract(ours, there)
    error = max(float(gaps.std(ddof=1)), 1.0) / math.sqrt(len(there))
    way = f", {reading}" if COLUMNS[at][1] == "5x2" else ""
    return Value(
        f"significant partitions, %{way}",
        100 * float(np.mean(there)),
        100 * float(np.mean(ours)),
        error=error,
        reason=REASONS[reading],
    )


def figure5(scale: Scale) -> Finding:
    """Fit normal curves to t values, and to p-values, which they fit worse (B-18)."""
    column = COLUMNS[0]
    found = studies_of(scale, "ordinary")
    chosen = [name for name in FITTED if name in datasets(scale)]
    rows, statements = [], []
    for name in chosen:
        study = found[name, column]
        fit, poor = study.normal_fit(), normal_fit(one_sided(study.signed_p))
        for what, one in (("t", fit), ("p", poor)):
            told = (
                ("–", "–")
                if one.distance is None
                else (f"{one.distance:.3f}", f"{one.correlation:.3f}")
            )
            rows.append((name, what, f"{one.mean:.3f}", f"{one.sd:.3f}", *told))
        if fit.distance is not None:
            p = _lilliefors(fit.distance, fit.n)
            statements.append(
                Statement(
                    f"t values of {name} follow a normal curve",
                    p >= TINY,
                    f"largest gap {fit.distance:.3f} among {SAMPLES} normal samples, "
                    f"p = {p:.2g}, at {TINY}",
                    reason=f"{np.unique(study.t_values).size} different values among "
                    f"{fit.n} partitions: the accuracies of folds are coarse",
                )
            )
    gains = [_better_for_t([found[name, c] for c in COLUMNS]) for name in datasets(scale)]
    statements.append(
        at_datasets(
            "a normal curve fits t values better than p-values",
            gains,
            "QQ correlation of t minus that of p, mean of the columns",
        )
    )
    return Finding(
        statements=tuple(statements),
        header=("dataset", "of", "mean", "sd", "largest gap", "QQ correlation"),
        rows=tuple(rows),
        remarks=("On mushroom no fold differs from another in the paper: a vertical line at 0.",),
        curves={
            name: {
                "t": np.sort(found[name, column].t_values)[::-1].tolist(),
                "p": found[name, column].sorted_p.tolist(),
                "df": found[name, column].df,
            }
            for name in chosen
        },
    )


def _better_for_t(studies: list[PartitionStudy]) -> float:
    gains = [0.0]
    for study in studies:
        t, p = study.normal_fit(), normal_fit(one_sided(study.signed_p))
        if t.correlation is not None and p.correlation is not None:
            gains.append(t.correlation - p.correlation)
    return float(np.mean(gains[1:] or gains))


def _lilliefors(distance: float, n: int) -> float:
    """Return the share of normal samples that lie as far from their own normal curve."""
    from ...numerics.distributions import Normal

    rng = np.random.default_rng(n)
    z = np.sort(rng.standard_normal((SAMPLES, n)), axis=1)
    z = (z - z.mean(axis=1, keepdims=True)) / z.std(axis=1, ddof=1, keepdims=True)
    below, rank = np.asarray(Normal().cdf(z)), np.arange(1, n + 1)
    gap = np.maximum(rank / n - below, below - (rank - 1) / n).max(axis=1)
    return float((1 + np.count_nonzero(gap >= distance)) / (1 + SAMPLES))


def draw_sorted(finding: Finding, theme: str) -> Figure:
    """Draw a small panel for each dataset."""
    from ...report.figures.canvas import canvas, look, quiet

    with quiet():
        view = look(theme, "wide", 0.95, None)
        across = min(6, len(finding.curves))
        down = -(-len(finding.curves) // across)
        figure, axes = canvas(
            view,
            1.5 * down + 0.9,
            nrows=down,
            ncols=across,
            squeeze=False,
            sharex=True,
            sharey=True,
        )
        for panel, (name, series) in zip(axes.ravel(), finding.curves.items(), strict=False):
            _sorted_panel(panel, view)
            panel.set_title(name, loc="left", color=view["ink"], fontsize=8)
            for token, (reading, p) in zip(("first", "second"), series.items(), strict=False):
                y = _height(np.asarray(p))
                panel.plot(
                    np.arange(1, y.size + 1),
                    y,
                    "o",
                    ms=2.4,
                    mew=0,
                    color=view[token],
                    label=reading,
                )
        for panel in axes.ravel()[len(finding.curves) :]:
            panel.set_axis_off()
        if len(next(iter(finding.curves.values()))) > 1:
            marks, names = axes[0, 0].get_legend_handles_labels()
            figure.legend(
                marks,
                names,
                loc="outside upper right",
                ncols=2,
                frameon=False,
                labelcolor=view["ink"],
                fontsize=8.5,
            )
        figure.supxlabel("partitions, sorted", color=view["ink"], fontsize=9)
        figure.supylabel("one-tailed p; TDDT-1 better above", color=view["ink"], fontsize=9)
        return figure


def _sorted_panel(axes: Axes, view: Any) -> None:
    limit, top = (float(_height(np.array([p]))[0]) for p in (0.025, EDGE))
    axes.axhline(0, color=view["muted"], lw=0.8)
    for side in (-limit, limit):
        axes.axhline(side, color=view["muted"], lw=0.7, ls=(0, (1, 2)))
    places = {p: float(_height(np.array([p]))[0]) for p in (0.5, 0.025, 0.001)}
    ticks = [
        (sign * y, f"{p:g}".lstrip("0"))
        for p, y in places.items()
        for sign in ((1, -1) if y else (1,))
    ]
    axes.set_yticks([y for y, _ in ticks], [text for _, text in ticks], fontsize=7)
    axes.set_ylim(-1.08 * top, 1.08 * top)
    axes.tick_params(labelsize=7)


def _height(signed_p: Array) -> Array:
    """Return where signed p-values stand: 0 at .5, by decades up (TDDT-1) or down, to the edge."""
    tail = np.clip(np.abs(signed_p), EDGE, 0.5)
    return np.asarray(np.where(np.signbit(signed_p), 1, -1) * np.log10(2 * tail))


def draw_fits(finding: Finding, theme: str) -> Figure:
    """Draw sorted t values of each dataset with the normal curve that has their mean and sd."""
    from ...numerics.distributions import Normal
    from ...report.figures.canvas import canvas, look, quiet

    with quiet():
        view = look(theme, "wide", 0.95, None)
        n = len(finding.curves)
        figure, axes = canvas(view, 4.6, nrows=2, ncols=n, squeeze=False)
        for column, (name, one) in enumerate(finding.curves.items()):
            for row, what in enumerate(("t", "p")):
                panel = axes[row, column]
                y = np.asarray(one["t"]) if what == "t" else one_sided(np.asarray(one["p"]))
                y = np.sort(y)
                rank = np.arange(1, y.size + 1)
                z = np.negative(Normal().isf((rank - 0.5) / y.size))
                panel.plot(rank, y, "o", ms=3, mew=0, color=view["first"])
                panel.plot(rank, y.mean() + y.std(ddof=1) * z, lw=1.3, color=view["second"])
                panel.set_title(f"{name}, {what}", loc="left", color=view["ink"], fontsize=8.5)
        figure.supxlabel(
            "partitions, sorted; the line is the normal curve", color=view["ink"], fontsize=9
        )
        return figure
