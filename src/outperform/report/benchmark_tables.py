"""Tables of papers: learners by datasets in LaTeX and Markdown, and the rank diagram in TikZ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import counted
from ..numerics.exact_sums import Array
from ..results.dataset_verdicts import tied_for_best
from ..results.rank_order import benchmark_of, counting, rank_order, rank_sets_of
from . import benchmark_text, scope
from .formatting import decimals_for, fixed, terminal
from .paper_escapes import booktabs, escape_latex, escape_markdown
from .sentences import percent

if TYPE_CHECKING:
    from ..results.comparison import Comparison


WIDE = 6.8
"""Centimetres of the axis of ranks, less where a column of text does not hold it and the names."""
LETTER = 0.16
"""Centimetres of a letter of a name, on average."""
MOST_NUMBERS = 8
"""Ranks that have their number on the axis, of more learners only some."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """The score of a learner on a dataset, or a summary below them."""

    text: str
    best: bool = False
    tied: bool = False
    """Not significantly different from the best, or of the same score."""
    worse: bool = False
    """Significantly worse than the best on this dataset, by its own splits."""


@dataclass(frozen=True, slots=True)
class BenchmarkTable:
    """Rows of cells under the learners, then the summaries."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ScoreCell, ...]], ...]
    summaries: tuple[tuple[str, tuple[ScoreCell, ...]], ...]
    about: tuple[str, ...]


def scores_of_datasets(
    shown: Comparison, alpha: float = 0.05, rope: float | None = None
) -> BenchmarkTable:
    """Return the scores of every learner on every dataset, with their marks and summaries."""
    return _table(shown, alpha, rope)


def latex(
    shown: Comparison,
    alpha: float = 0.05,
    label: str | None = None,
    rope: float | None = None,
) -> str:
    """Return a booktabs table, a row for each dataset and a column for each learner."""
    table = _table(shown, alpha, rope)
    columns = "l" + "r" * len(table.heads)
    heads = ["Dataset", *map(escape_latex, table.heads)]
    rows = [_latex_row(name, cells) for name, cells in table.rows]
    last = [_latex_row(name, cells) for name, cells in table.summaries]
    body = [*rows[:-1], f"{rows[-1]} \\\\\n    \\midrule\n    {last[0]}", *last[1:]]
    return booktabs(columns, heads, body, " ".join(table.about), label)


def _latex_row(name: str, cells: tuple[ScoreCell, ...]) -> str:
    return " & ".join([escape_latex(name), *map(_latex_cell, cells)])


def _latex_cell(cell: ScoreCell) -> str:
    text = escape_latex(cell.text)
    if cell.best:
        text = f"\\textbf{{{text}}}"
    if cell.tied:
        text = f"\\underline{{{text}}}"
    return f"{text}$^{{*}}$" if cell.worse else text


def markdown(shown: Comparison, alpha: float = 0.05, rope: float | None = None) -> str:
    """Return the table in Markdown, with its legend below."""
    table = _table(shown, alpha, rope)
    heads = " | ".join(["dataset", *map(escape_markdown, table.heads)])
    lines = [f"| {heads} |", "| --- |" + " ---: |" * len(table.heads)]
    for name, cells in (*table.rows, *table.summaries):
        lines.append(f"| {escape_markdown(name)} | {' | '.join(map(_markdown_cell, cells))} |")
    return "\n".join([*lines, "", escape_markdown(" ".join(table.about))])


def _markdown_cell(cell: ScoreCell) -> str:
    text = f"**{cell.text}**" if cell.best else cell.text
    text = f"<ins>{text}</ins>" if cell.tied else text
    return f"{text} \\*" if cell.worse else text


def _table(shown: Comparison, alpha: float, rope: float | None) -> BenchmarkTable:
    benchmark = benchmark_of(shown)
    order = rank_order(shown, alpha, rope)
    ranks = dict(zip(order.names, order.ranks, strict=True))
    means, names = counting(benchmark).mean(), order.names
    values = benchmark.values[[benchmark.names.index(name) for name in names]]
    turn = 1 if benchmark.greater_is_better else -1
    digits = _digits(values)
    rows = []
    for at, dataset in enumerate(benchmark.datasets):
        tied, worse = tied_for_best(benchmark, dataset, alpha)
        column = values[:, at]
        top = turn * np.nanmax(turn * column)
        near = np.abs(column - top) <= 1e-12 * abs(top)
        cells = [
            ScoreCell(
                "--" if math.isnan(value) else fixed(value, digits),
                bool(is_top),
                name in tied and len(tied) > 1,
                name in worse,
            )
            for name, value, is_top in zip(names, column, near, strict=True)
        ]
        rows.append((terminal(dataset), tuple(cells)))
    summaries = _summaries(shown, names, means, ranks, digits, alpha, rope)
    heads = tuple(map(terminal, names))
    return BenchmarkTable(heads, tuple(rows), summaries, _about(shown, names[0], alpha, rows))


def _summaries(
    shown: Comparison,
    names: tuple[str, ...],
    means: dict[str, float],
    ranks: dict[str, float],
    digits: int,
    alpha: float,
    rope: float | None,
) -> tuple[tuple[str, tuple[ScoreCell, ...]], ...]:
    benchmark = counting(benchmark_of(shown))
    reference = shown.control or names[0]
    apart = shown.told_apart(alpha, rope)[shown.names.index(reference)]
    tied = {name for name, is_apart in zip(shown.names, apart, strict=True) if not is_apart}
    top = max(means.values()) if benchmark.greater_is_better else min(means.values())
    won = [
        "--" if name == reference else "/".join(map(str, benchmark.wins(name, reference)))
        for name in names
    ]
    same = not benchmark.missing  # means over different datasets have no best
    mean = tuple(ScoreCell(fixed(means[n], digits), same and means[n] == top) for n in names)
    least = min(ranks.values())
    rank = tuple(
        ScoreCell(f"{ranks[n]:.2f}", ranks[n] == least, n in tied and len(tied) > 1) for n in names
    )
    sets, rows = rank_sets_of(shown, alpha), [("Mean", mean), ("Mean rank", rank)]
    if sets is not None:
        first = set(sets.tied_for_first)
        ends = [dict.fromkeys(sets[n]) for n in names]
        ranks_of = zip(names, ends, strict=True)
        rows.append(
            ("Ranks", tuple(ScoreCell("–".join(map(str, e)), tied=n in first) for n, e in ranks_of))
        )
    return (*rows, ("Win/tie/loss", tuple(ScoreCell(text) for text in won)))


def _about(
    shown: Comparison, best: str, alpha: float, rows: list[tuple[str, tuple[ScoreCell, ...]]]
) -> tuple[str, ...]:
    """Say what the marks of the table mean, as many as it has."""
    benchmark = benchmark_of(shown)
    reference = terminal(shown.control or best)
    cells = [cell for _, row in rows for cell in row]
    said = [
        f"{terminal(shown.metric)} of {counted(len(benchmark.names), 'learner')} on "
        f"{counted(len(benchmark.datasets), 'dataset')}, best in bold."
    ]
    if any(cell.worse or cell.tied for cell in cells):
        said.append(
            "On single datasets, underlined: not significantly different from the best; *: "
            f"significantly worse (Holm's method on each dataset, α = {alpha:g})."
        )
    said.append(
        f"Mean ranks, underlined: not significantly different from {reference} over datasets "
        f"({shown.method.title}, {scope.adjustment(shown)}, α = {alpha:g})."
    )
    if rank_sets_of(shown, alpha) is not None:
        said.append(
            "Ranks: those that each learner may have, tied for first underlined (by their means, "
            f"simultaneous {percent(1 - alpha)} intervals)."
        )
    what = "datasets" if benchmark.families is None else "families"
    said.append(f"Win/tie/loss: {what} vs. {reference}.")
    return tuple(said)


def _digits(values: Array) -> int:
    """Return the decimals that the scores themselves have, three to four at most."""
    known = values[~np.isnan(values)]
    largest = float(np.max(np.abs(known))) or 1.0
    most = 1 if largest > 10 else 4
    for digits in range(1, most):
        if np.allclose(known, np.round(known, digits), rtol=0, atol=1e-9 * largest):
            return digits
    return min(most, max(decimals_for(largest / 1000), 1))


def tikz_figure(shown: Comparison, alpha: float = 0.05, rope: float | None = None) -> str:
    """Return the diagram in a figure environment, under its caption."""
    caption = escape_latex(benchmark_text.diagram_caption(shown, alpha))
    drawn = tikz(shown, alpha, rope)
    return "\n".join(
        [r"\begin{figure}", r"\centering", drawn, rf"\caption{{{caption}}}", r"\end{figure}"]
    )


def tikz(shown: Comparison, alpha: float = 0.05, rope: float | None = None) -> str:
    """Return the critical-difference diagram as a tikzpicture; it needs the tikz package alone.

    Where significance is no interval in rank order there are no bars, and a comment says so.
    """
    from .figures.rank_diagram import stacked

    found = rank_order(shown, alpha, rope)
    k = len(found.names)
    half, step = math.ceil(k / 2), WIDE / max(k - 1, 1)
    bars = stacked(found.runs) if found.is_interval else {}
    deep = 0.35 + 0.3 * (max(bars.values(), default=-1) + 1)

    def x(rank: float) -> str:
        return f"{step * (rank - 1):.3f}"

    caption = benchmark_text.diagram_caption(shown, alpha)
    wide = [max((len(name) for name in side), default=0) for side in _halves(found.names, half)]
    names = LETTER * (sum(wide) + len("1.00 ") * 2) + 0.4
    unit = rf"{{min(1cm, max(0.3cm, (\columnwidth - {names:.1f}cm)/{WIDE + 0.6:.1f}))}}"
    lines = [f"% {_comment(caption)}", rf"\begin{{tikzpicture}}[font=\small, x={unit}]"]
    if not found.is_interval:
        lines.insert(1, f"% {_comment(benchmark_text.no_interval(found))}")
    lines.append(f"  \\draw ({x(1)},0) -- ({x(k)},0);")
    every = math.ceil(k / MOST_NUMBERS)
    for tick in range(1, k + 1):
        label = "" if (tick - 1) % every else f" node[above] {{{tick}}}"
        lines.append(f"  \\draw ({x(tick)},0) -- ({x(tick)},0.1){label};")
    for place, (name, rank) in enumerate(zip(found.names, found.ranks, strict=True)):
        is_left = place < half
        y = -(deep + 0.45 * (0.5 + (place if is_left else k - 1 - place)))
        end, side = ("-0.3", "left") if is_left else (f"{WIDE + 0.3:.1f}", "right")
        text = escape_latex(terminal(name))
        words = f"{text} {rank:.2f}" if is_left else f"{rank:.2f} {text}"
        lines.append(
            f"  \\draw ({x(rank)},0) -- ({x(rank)},{y:.3f}) -- ({end},{y:.3f}) "
            f"node[{side}] {{{words}}};"
        )
    for (first, last), level in bars.items():
        height = -0.3 - 0.3 * level
        low, high = step * (found.ranks[first] - 1) - 0.06, step * (found.ranks[last] - 1) + 0.06
        lines.append(
            f"  \\draw[line width=2.5pt, line cap=round] ({low:.3f},{height:.3f}) -- "
            f"({high:.3f},{height:.3f});"
        )
    critical = benchmark_text.critical_difference(shown, alpha)
    if critical is not None:
        lines.append(
            f"  \\draw[|-|] (0,0.9) -- ({step * critical:.3f},0.9) node[right] "
            f"{{CD = {critical:.2f}}};"
        )
    return "\n".join([*lines, r"\end{tikzpicture}"])


def _halves(names: Sequence[str], half: int) -> tuple[Sequence[str], Sequence[str]]:
    return names[:half], names[half:]


def _comment(text: str) -> str:
    """Return words on one line, of which none can end a comment."""
    return " ".join(text.split())
