"""`outperform plan`: what a pilot says can be detected, and the cheapest design that is enough."""

from __future__ import annotations

from typing import Any

import click

from ._judgement import ALPHA, FORCE, JSON, reading
from ._logs import reading_logs, scores_given, split_words
from ._output import answer, check_new, say
from ._program import verb


@verb(
    "plan",
    examples="""
    outperform plan results.db
    outperform plan results.db --difference 0.01 --power 0.9
    outperform plan results.db --difference 0.01 --figure plan.svg
    outperform plan scores.csv tree forest --difference 0.02 --json
    outperform plan a.jsonl b.jsonl --difference 0.02 --item-cost 5 --sample-cost 1
    """,
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("names", nargs=-1, metavar="[LEARNER LEARNER]")
@click.option(
    "--difference", type=float, metavar="D", help="Difference to detect, in units of the score."
)
@click.option("--power", type=float, default=0.8, help="Probability of detecting it (default 0.8).")
@click.option(
    "--item-cost",
    type=float,
    metavar="C",
    help="Cost of a new item without its samples, for logs with several samples per item.",
)
@click.option(
    "--sample-cost",
    type=float,
    metavar="C",
    help="Cost of one more sample of an item, for logs with several samples per item.",
)
@click.option(
    "--figure",
    metavar="FILE",
    help="Write a figure (.pdf, .png or .svg) of the detectable difference by number of items.",
)
@FORCE
@ALPHA
@reading
@reading_logs
@JSON
def command(
    scores_file: str,
    names: tuple[str, ...],
    difference: float | None,
    power: float,
    item_cost: float | None,
    sample_cost: float | None,
    figure: str | None,
    force: bool,
    alpha: float,
    as_json: bool,
    **read: Any,
) -> int:
    """Plan a comparison from a pilot: a store, scores or logs.

    Prints the smallest difference that each design can detect, its cost in fits and, for a store,
    in time, and how more items would help; with --difference, also the cheapest design that is
    enough. For logs of evaluations it prints how many items, and how many samples of each, a
    difference needs.
    """
    from ..validation import is_store
    from ..verbs.plan import ComparisonPlan, plan
    from ._files import FORMATS

    check_new(figure, "--figure", FORMATS, force=force)
    files, names = split_words(scores_file, names)
    scores = scores_given(files, names, read)
    seconds = None
    if is_store(scores_file):
        from ..storage import seconds_of_fits

        seconds = seconds_of_fits(scores_file)
    found = plan(
        scores,
        difference,
        power=power,
        alpha=alpha,
        seconds_per_fit=seconds,
        item_cost=item_cost,
        sample_cost=sample_cost,
    )
    if figure is not None:
        if not isinstance(found, ComparisonPlan):
            raise click.UsageError("--figure is for a pilot on one dataset; leave it out")
        found.plot().savefig(figure, dpi=200)
        say(f"Figure written to {figure}.")
    if as_json:
        click.echo(found.to_json())
    else:
        answer(str(found))
    return 0
