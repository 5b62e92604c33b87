"""`outperform rank`: the ranks that each learner may have, and who is tied for first."""

from __future__ import annotations

from typing import Any

import click

from ._files import FORMATS, saved
from ._judgement import ALPHA, FORCE, JSON, reading
from ._logs import reading_logs, scores_given, split_words
from ._output import answer, check_new
from ._program import verb


@verb(
    "rank",
    examples="""
    outperform rank benchmark.csv
    outperform rank benchmark.csv tree forest knn --alpha 0.1
    outperform rank scores.csv --json
    outperform rank a.jsonl b.jsonl c.jsonl
    outperform rank benchmark.csv --plot ranks.pdf
    """,
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("names", nargs=-1, metavar="[LEARNER]...")
@ALPHA
@reading
@reading_logs
@click.option(
    "--seed", type=int, default=0, help="Seed of the bootstrap over datasets (default 0)."
)
@click.option("--latex", is_flag=True, help="Print a LaTeX table.")
@click.option("--plot", metavar="FILE", help="Draw the ranks to a .pdf, .png or .svg file.")
@FORCE
@JSON
def command(
    scores_file: str,
    names: tuple[str, ...],
    alpha: float,
    seed: int,
    latex: bool,
    plot: str | None,
    force: bool,
    as_json: bool,
    **read: Any,
) -> int:
    """Print the ranks that each learner may have.

    SCORES is a file of scores or predictions, a benchmark over several datasets, a results store,
    or one of several logs of evaluations. With confidence 1 − alpha every true rank is in its set:
    the sets follow from simultaneous intervals of all pairs.
    """
    from ..verbs.rank import rank
    from ._judgement import say_inferred

    if latex and as_json:
        raise click.UsageError("--json and --latex exclude each other; use one of them")
    files, names = split_words(scores_file, names)
    if len(names) == 1:
        raise click.UsageError("Name at least two learners, or none to rank all")
    check_new(plot, "--plot", FORMATS, force=force)
    scores = scores_given(files, names, read)
    found = rank(scores, level=1 - alpha, random_state=seed)
    say_inferred(scores.notes, found.notes)
    if as_json:
        click.echo(found.to_json())
    elif latex:
        click.echo(found.to_latex())
    else:
        answer(str(found))
    if plot is not None:
        saved(found.plot(), plot)
    return 0
