"""Tables of papers: learners by datasets in LaTeX and Markdown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import counted
from ..numerics.exact_sums import Array
from ..results.dataset_verdicts import tied_for_best
from ..results.rank_order import benchmark_of, counting, rank_order, rank_sets_of
from . import scope
from .formatting import decimals_for, fixed, terminal
from .paper_escapes import booktabs, escape_latex, escape_markdown
from .sentences import percent

if TYPE_CHECKING:
    from ..results.comparison import Comparison


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
