"""Figures of tables of results: the comparison matrix, and the differences on each dataset."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...errors import MethodError, either
from ...results.dataset_verdicts import Within, within_datasets
from ...results.rank_order import benchmark_of, counting
from .. import scope
from ..benchmark_text import best_two
from ..formatting import decimals_for, fixed, p_number
from .canvas import INCHES, Look, canvas, grid, named, short_name, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.path import Path

    from ...results.comparison import Comparison
    from ...scores.benchmark import Benchmark


MOST = 40
"""Learners, and datasets, that are drawn; a figure of more says how many it leaves out."""


CORNERS = 0.48 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
"""Of a square of the matrix, around its centre."""
SHADES = 24
"""Depths of a colour, finer than the eye sees."""


def check_all_pairs(comparison: Comparison) -> None:
    """Refuse a matrix of learners that were compared with a control only."""
    if comparison.control is not None:
        instead = either(
            python="Leave control out, or draw plot('intervals')",
            typed="Leave --control out, or draw --plot intervals FILE",
        )
        raise MethodError(
            "A matrix shows all pairs, but every learner was compared with the control "
            f"{comparison.control!r} only. {instead}"
        )


def comparison_matrix(comparison: Comparison, look: Look, said: str = "") -> Figure:
    """Draw every pair: mean difference, wins, ties and losses, and adjusted p; best mean first."""
    from matplotlib.collections import PathCollection
    from matplotlib.colors import to_rgba

    benchmark, alpha = counting(benchmark_of(comparison)), 1 - look.level
    check_all_pairs(comparison)
    means = benchmark.mean()
    turn = 1 if benchmark.greater_is_better else -1
    order = sorted(benchmark.names, key=lambda name: -turn * means[name])
    left_out, order = order[MOST:], order[:MOST]
    place, k = {name: at for at, name in enumerate(order)}, min(len(order), MOST)
    adjusted = {
        pair: None if math.isnan(found) else found
        for pair, found in zip(
            comparison.pair_names, comparison.log_adjusted().tolist(), strict=True
        )
        if all(name in place for name in pair)
    }
    shifts = _shifts(benchmark, list(adjusted))
    largest = max(map(abs, shifts.values()), default=0.0) or 1.0
    digits = min(decimals_for(largest / 20), 4)
    letters = 22
    beside = [
        f"{short_name(name, letters=letters)}  {fixed(means[name], digits)}" for name in order
    ]
    named_at = float(np.clip(17 * INCHES / (k + 3), 5.5, 8.5))
    margin = max(map(text_width, beside)) * named_at / 72
    cell = (INCHES - margin - 0.25) / k
    lines = 3 if cell > 0.62 else 2 if cell > 0.44 else 0
    words = fill(f"{_caption(comparison, alpha, lines)} {said}".strip(), 112)
    high = min(cell, 0.8 if lines == 3 else 0.62)
    height = high * k + (0.45 if cell > 0.62 else 0.85) + 0.17 * (words.count("\n") + 2)
    figure, axes = canvas(look, height)
    size = float(np.clip(cell * (9.6 if lines else 11), 4.2, 8.2))
    squares: dict[tuple[str, int], list[tuple[int, int]]] = {}
    marks: dict[str, list[tuple[int, int]]] = {"^": [], "v": []}
    for pair, log_p in adjusted.items():
        decided = log_p is not None and math.exp(log_p) < alpha
        for way in (1, -1):
            first, second = pair[::way]
            value = way * shifts[pair]
            x, y = place[second], place[first]
            shade = "first" if value > 0 else "second", round(SHADES * abs(value) / largest)
            squares.setdefault(shade, []).append((x, y))
            if not lines:
                if decided:
                    marks["^" if value > 0 else "v"].append((x, y))
                continue
            text = [fixed(value, digits, sign=True)]
            if lines == 3:
                text.append(" / ".join(map(str, benchmark.wins(first, second))))
            text.append(_p(None if log_p is None else math.exp(log_p), log_p))
            axes.text(
                x,
                y,
                "\n".join(text),
                ha="center",
                va="center",
                fontsize=size,
                linespacing=1.25,
                color=look["ink"],
                weight="bold" if decided else "normal",
            ).set_in_layout(False)  # it lies within its square
    shaded = PathCollection(  # a path for each shade: hundreds of squares take long
        [_squares(np.array(centres)) for centres in squares.values()],
        facecolors=[to_rgba(look[c], 0.05 + 0.5 * depth / SHADES) for c, depth in squares],
        linewidths=0,
    )
    axes.add_collection(shaded, autolim=False)
    for marker, places in marks.items():
        if places:
            axes.plot(*zip(*places, strict=True), marker, ms=size, mew=0, color=look["ink"])
    axes.set_xlim(-0.5, k - 0.5)
    axes.set_ylim(k - 0.5, -0.5)
    narrow = cell < 0.62
    above = [short_name(name, letters=14 if narrow else 12) for name in order]
    plain = {"fontsize": named_at, "color": look["ink"], "parse_math": False}
    slanted = {"rotation": 60, "rotation_mode": "anchor", "ha": "left"}
    how = slanted if narrow else {"ha": "center"}
    # Measuring all names takes long: of the rows the widest matters, of the columns the ends, too.
    rows, columns = _widest(beside), _widest(above) | {0, *range(k - 4, k)}
    for at in range(k):  # as text: ticks take ten times as long
        row = axes.text(-0.62, at, beside[at], ha="right", va="center", **plain)
        column = axes.text(at, -0.62, above[at], va="bottom", **how, **plain)
        row.set_in_layout(at in rows)
        column.set_in_layout(at in columns)
    axes.set_axis_off()
    if left_out:
        words += f"\n({len(left_out):,} learners left out)"
    caption = {"fontsize": 7.6, "color": look["muted"], "parse_math": False}
    figure.supxlabel(words, x=0.01, ha="left", multialignment="left", **caption)
    return figure


def _shifts(benchmark: Benchmark, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return by how much the first of each pair is better, over the datasets that have both."""
    first, second = (
        benchmark.values[[benchmark.names.index(pair[side]) for pair in pairs]] for side in (0, 1)
    )
    better = first - second if benchmark.greater_is_better else second - first
    return dict(zip(pairs, np.nanmean(better, axis=1).tolist(), strict=True))


def _widest(texts: list[str]) -> set[int]:
    """Return the positions of the two widest texts."""
    widths = [text_width(text) for text in texts]
    return set(sorted(range(len(texts)), key=widths.__getitem__)[-2:])


def _squares(centres: npt.NDArray[np.int64]) -> Path:
    """Return one path around all of the centres."""
    from matplotlib.path import Path

    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]
    corners = (centres[:, np.newaxis] + CORNERS).reshape(-1, 2)
    return Path(corners, np.tile(codes, len(centres)))


def _caption(comparison: Comparison, alpha: float, lines: int) -> str:
    parts = {
        3: "mean difference (row minus column), wins / ties / losses of the row, adjusted p",
        2: "mean difference (row minus column) and adjusted p",
        0: "▲ row outperforms column, ▼ is outperformed",
    }
    turned = "" if comparison.greater_is_better else " Positive: the row is better."
    bold = f"; bold: p < {alpha:g}" if lines else f" (p < {alpha:g})"
    how = f"{comparison.method.title}, {scope.adjustment(comparison)}, {comparison.n} datasets"
    return f"Each square: {parts[lines]}{bold}. {how}.{turned}"


def _p(value: float | None, log_value: float | None) -> str:
    text = p_number(value, log_value)
    return f"p {text}" if text[:1] in "<>" else text if value is None else f"p = {text}"


def dataset_differences(
    comparison: Comparison, look: Look, pair: tuple[str, str] | None = None
) -> Figure:
    """Draw the difference of two learners on each dataset, with its interval where splits allow."""
    benchmark = benchmark_of(comparison)
    first, second = pair or best_two(comparison)
    rows = sorted(
        within_datasets(benchmark, first, second, alpha=1 - look.level),
        key=lambda one: one.estimate,
    )
    shown = _spread(rows)
    figure, axes = canvas(look, 0.19 * len(shown) + 1.25)
    axes.axvline(0, color=look["muted"], lw=0.9, zorder=1)
    if look.rope is not None:
        axes.axvspan(-look.rope, look.rope, color=look["open"], alpha=0.14, lw=0)
    for y, one in enumerate(shown):
        token = {"outperforms": "first", "outperformed": "second"}.get(one.verdict or "", "open")
        if one.low is not None and one.high is not None:
            axes.plot(
                [one.low, one.high], [y, y], color=look[token], lw=1.5, solid_capstyle="round"
            )
        axes.plot([one.estimate], [y], "o", ms=4.4, color=look[token], zorder=3)
    found = comparison[first, second]
    interval = found.interval(look.level)
    below = -1.6
    if interval is not None:
        axes.plot(list(interval), [below, below], color=look["ink"], lw=2.6, solid_capstyle="round")
    axes.plot([found.estimate], [below], "D", ms=6.0, color=look["ink"], zorder=4)
    letters = 30
    names = [short_name(one.dataset, letters=letters) for one in shown]
    named(axes.set_yticks, [below, *range(len(shown))], ["all datasets", *names])
    axes.tick_params(axis="y", length=0, labelsize=7.4)
    axes.set_ylim(below - 0.9, len(shown) - 0.3)
    grid(axes, look, "x")
    metric = short_name(comparison.metric)
    better = [short_name(name, letters=letters) for name in (first, second)]
    side = "" if comparison.greater_is_better else " (positive: the first is better)"
    what = f"{better[0]} − {better[1]}, {metric}{side}"
    folds = any(one.low is not None for one in shown)
    how = f"{100 * look.level:.4g} % intervals" if folds else "one score each: no intervals"
    left = f"; {len(rows) - len(shown)} datasets between them left out" if len(rows) > MOST else ""
    centre = f" {comparison.method.centre}" if comparison.method.centre else ""
    words = f"Dots: single datasets ({how}{left}). Diamond: all datasets,{centre} with interval."
    axes.set_xlabel(f"{what}\n{fill(words, 110)}", fontsize=8, parse_math=False)
    return figure


def _spread(rows: list[Within]) -> list[Within]:
    """Return at most so many datasets, evenly by the size of the difference."""
    if len(rows) <= MOST:
        return rows
    kept = np.linspace(0, len(rows) - 1, MOST).round().astype(int)
    return [rows[at] for at in kept]
