"""`outperform plan`: what a pilot says can be detected, and the cheapest design that is enough."""

from __future__ import annotations

from typing import Any

import click

from ._judgement import ALPHA, JSON, reading
from ._output import answer
from ._program import verb


@verb(
    "plan",
    examples="""
    outperform plan results.db
    outperform plan results.db --difference 0.01 --power 0.9
    outperform plan scores.csv tree forest --difference 0.02 --json
    """,
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("names", nargs=-1, metavar="[LEARNER LEARNER]")
@click.option("--difference", type=float, metavar="D", help="The difference to be detected.")
@click.option("--power", type=float, default=0.8, help="How often it should be detected: 0.8.")
@ALPHA
@reading
@JSON
def command(
    scores_file: str,
    names: tuple[str, ...],
    difference: float | None,
    power: float,
    alpha: float,
    as_json: bool,
    **read: Any,
) -> int:
    """Plan a comparison from a pilot: the store of a run, or a file of scores.

    Prints the smallest difference that each design can detect, its cost in fits, how more items
    would help, and, with --difference, the cheapest design that is enough.
    """
    from ..validation import is_store
    from ..verbs.plan import plan
    from ._scores import read_scores

    scores = read_scores(scores_file, names, **read)
    seconds = None
    if is_store(scores_file):
        from ..storage import seconds_of_fits

        seconds = seconds_of_fits(scores_file)
    found = plan(scores, difference, power=power, alpha=alpha, seconds_per_fit=seconds)
    if as_json:
        click.echo(found.to_json())
    else:
        answer(str(found))
    return 0
