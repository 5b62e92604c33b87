"""`outperform rank`: the ranks that each learner may have, and who is tied for first."""

from __future__ import annotations

from typing import Any

import click

from ._judgement import ALPHA, JSON, reading
from ._output import answer
from ._program import verb


@verb(
    "rank",
    examples="""
    outperform rank benchmark.csv
    outperform rank benchmark.csv tree forest knn --alpha 0.1
    outperform rank scores.csv --json
    """,
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("names", nargs=-1, metavar="[LEARNER]...")
@ALPHA
@reading
@click.option("--seed", type=int, default=0, help="Seed of the bootstrap over datasets.")
@click.option("--latex", is_flag=True, help="Print a LaTeX table.")
@JSON
def command(
    scores_file: str,
    names: tuple[str, ...],
    alpha: float,
    seed: int,
    latex: bool,
    as_json: bool,
    **read: Any,
) -> int:
    """Print the ranks that each learner may have, and who is tied for first.

    SCORES is a file of scores or predictions, a benchmark over several datasets, or a results
    store. Together, all rank sets cover the true ranks with confidence 1 − alpha: they follow from
    simultaneous intervals of all pairs.
    """
    from ..verbs.rank import rank
    from ._judgement import say_inferred
    from ._scores import read_scores

    if latex and as_json:
        raise click.UsageError("--json and --latex exclude each other; use one of them")
    if len(names) == 1:
        raise click.UsageError("Name at least two learners, or none to rank all")
    scores = read_scores(scores_file, names, **read)
    found = rank(scores, level=1 - alpha, random_state=seed)
    say_inferred(scores.notes, found.notes)
    if as_json:
        click.echo(found.to_json())
    elif latex:
        click.echo(found.to_latex())
    else:
        answer(str(found))
    return 0
