"""`outperform race`: two finished logs in random order, until the answer is known."""

from __future__ import annotations

from typing import Any

import click

from ._judgement import ALPHA, JSON
from ._logs import reading_logs
from ._output import answer
from ._program import verb


@verb(
    "race",
    examples="""
    outperform race samples_a.jsonl samples_b.jsonl
    outperform race a.jsonl b.jsonl --rope 0.01 --seed 7
    outperform race a.jsonl b.jsonl --population these --figure race.png
    """,
)
@click.argument("log_a", metavar="LOG_A")
@click.argument("log_b", metavar="LOG_B")
@click.option("--rope", type=float, metavar="D", help="Differences below D do not matter.")
@click.option(
    "--method",
    type=click.Choice(["auto", "e-process", "betting", "asymptotic"]),
    default="auto",
    help="How the sequence is made: by the kind of scores, unless named.",
)
@click.option("--seed", type=int, default=0, help="Seed of the random order of items: 0.")
@click.option("--figure", metavar="FILE", help="Write a figure of the sequence (.png or .svg).")
@click.option("--force", is_flag=True, help="Overwrite the figure if it exists.")
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
    force: bool,
    alpha: float,
    as_json: bool,
    **read: Any,
) -> int:
    """Race two models through the items of their logs, in random order.

    Stops as soon as one is better, both are equivalent within --rope, or no decision is possible
    any more. The error rate holds however often one looks. The seed of the order is printed.
    """
    from pathlib import Path

    from ..errors import DataError, argument
    from ..scores.items import Items
    from ..verbs.race import race

    if figure is not None and Path(figure).exists() and not force:
        raise DataError(f"{figure} already exists. Use {argument(force=True)} to overwrite it.")
    population = read.pop("population") or "new"
    given = {name: value for name, value in read.items() if value}
    items = Items.read(log_a, log_b, **given)
    found = race(
        items, alpha=alpha, rope=rope, method=method, population=population, random_state=seed
    )
    if figure is not None:
        found.plot().savefig(figure, dpi=200)
    if as_json:
        click.echo(found.to_json())
    else:
        answer(str(found))
    return 0
