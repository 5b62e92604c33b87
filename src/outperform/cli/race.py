"""`outperform race`: two finished logs in random order, until the answer is known."""

from __future__ import annotations

from typing import Any

import click

from ._judgement import ALPHA, FORCE, JSON, RECORD
from ._logs import reading_logs
from ._output import answer, check_new, say
from ._program import verb


@verb(
    "race",
    examples="""
    outperform race samples_a.jsonl samples_b.jsonl
    outperform race a.jsonl b.jsonl --rope 0.01 --seed 7
    outperform race a.jsonl b.jsonl --population these --figure race.png
    outperform race a.jsonl b.jsonl --record race.outperform.json
    """,
)
@click.argument("log_a", metavar="LOG_A")
@click.argument("log_b", metavar="LOG_B")
@click.option("--rope", type=float, metavar="D", help="Differences within ±D count as equivalent.")
@click.option(
    "--method",
    type=click.Choice(["auto", "e-process", "betting", "asymptotic"]),
    default="auto",
    help="Method of the confidence sequence (default: by the kind of scores).",
)
@click.option("--seed", type=int, default=0, help="Seed of the random order of items (default 0).")
@click.option("--figure", metavar="FILE", help="Write a figure of the race (.pdf, .png or .svg).")
@RECORD
@FORCE
@reading_logs
@ALPHA
@JSON
def command(
    log_a: str,
    log_b: str,
    rope: float | None,
    method: str,
    seed: int,
    figure: str | None,
    record: str | None,
    force: bool,
    alpha: float,
    as_json: bool,
    **read: Any,
) -> int:
    """Race two models through the items of their logs, in random order.

    Stops as soon as one is better, both are equivalent within --rope, or no decision can be reached
    with the remaining items. The error rate is at most alpha, however often results are checked.
    The seed of the order is printed.
    """
    import shlex

    from ..scores.items import Items
    from ..verbs.race import race

    check_new(figure, "--figure", (".pdf", ".png", ".svg"), force=force)
    check_new(record, "--record", (".outperform.json",), force=force)
    population = read.pop("population") or "new"
    given = {name: value for name, value in read.items() if value}
    items = Items.read(log_a, log_b, **given)
    found = race(
        items, alpha=alpha, rope=rope, method=method, population=population, random_state=seed
    )
    if record is not None:
        sha256 = found.record(record, force=force)
        say(
            f"Record written to {record} (sha256 {sha256[:12]}).",
            f"Check it: outperform verify {shlex.quote(record)}",
        )
    if figure is not None:
        found.plot().savefig(figure, dpi=200)
    if as_json:
        click.echo(found.to_json())
    else:
        answer(str(found))
    return 0
