"""The datasets of a comparison: mean ranks, the matrix, single datasets, all scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import counted
from ...results.rank_order import rank_order, rank_sets_of
from .. import benchmark_text, rank_text
from ..benchmark_tables import scores_of_datasets
from ..figures import rank_set_figure
from ..figures.svg import Sheet, figure_of, framed
from ..formatting import sentence, terminal
from . import PageOptions

if TYPE_CHECKING:
    from ...results.comparison import Comparison


MOST_SCORES = 5_000
"""Scores in the table: beyond, a page is too large to read."""
MOST_LEARNERS = 25
"""Learners drawn; of more, the figures say too little for their size."""


def dataset_section(shown: Comparison, options: PageOptions, sheet: Sheet) -> dict[str, Any] | None:
    """Return words, figures and the table of a comparison over datasets; None of one dataset."""
    benchmark = shown.benchmark
    if benchmark is None:
        return None
    alpha = options.alpha
    lines = [
        text
        for name, text in benchmark_text.lines(shown, alpha, options.rope)
        if text and name != "counts"
    ]
    omnibus = benchmark_text.omnibus(shown)
    ranks = benchmark_text.mean_ranks(shown)
    figures = []
    if ranks is not None and len(ranks) <= MOST_LEARNERS and len(shown.names) > 2:
        order = sorted(ranks, key=lambda name: ranks[name])
        spoken = ", ".join(f"{terminal(name)} {ranks[name]:.2f}" for name in order)
        if rank_order(shown, alpha, options.rope).is_interval:  # else it would be the matrix
            figures.append(
                figure_of(
                    shown,
                    "cd",
                    f"Mean ranks: {spoken}.",
                    "Mean ranks over datasets, best at the left.",
                    sheet,
                    level=1 - alpha,
                    rope=options.rope,
                )
            )
        if shown.control is None:
            figures.append(
                figure_of(
                    shown,
                    "matrix",
                    "Mean difference, wins, ties and losses, and adjusted p of each pair; the "
                    "numbers are in the table of pairs.",
                    "Every pair of learners.",
                    sheet,
                    level=1 - alpha,
                )
            )
    sets = rank_sets_of(shown, alpha)
    if sets is not None and len(sets.names) <= MOST_LEARNERS:
        figures.append(
            framed(
                rank_set_figure.drawn(sets, theme="page"),
                sheet,
                "ranks",
                sentence(rank_text.first(sets)),
                "The ranks that each learner may have.",
            )
        )
    first, second = map(terminal, benchmark_text.best_two(shown))
    if not shown.method.has_pvalue:
        figures.append(
            figure_of(
                shown,
                "posterior",
                f"The posterior of {first} and {second}; the numbers are in the table of pairs.",
                f"The posterior of {first} and {second}.",
                sheet,
                level=1 - alpha,
                rope=options.rope,
            )
        )
    figures.append(
        figure_of(
            shown,
            "datasets",
            f"The difference between {first} and {second} on each dataset.",
            f"{first} and {second} on each dataset.",
            sheet,
            level=1 - alpha,
            rope=options.rope,
        )
    )
    table = None
    if benchmark.values.size <= MOST_SCORES:
        table = scores_of_datasets(shown, alpha, options.rope)
    return {
        "title": f"{counted(len(benchmark.datasets), 'dataset')}",
        "words": [f"{omnibus}." if omnibus else "", *lines],
        "figures": figures,
        "table": table,
    }
