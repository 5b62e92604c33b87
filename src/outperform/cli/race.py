"""`outperform race`: two finished logs in random order, until the answer is known."""

from __future__ import annotations

from typing import Any

import click

from ._judgement import ALPHA, COLUMN, FORCE, JSON, LIMIT, LOWER, METRIC, RECORD, say_inferred
from ._logs import NAMES, read_items, reading_logs, split_words
from ._output import answer, check_new, say
from ._program import verb


@verb(
    "race",
    examples="""
    outperform race samples_a.jsonl samples_b.jsonl
    outperform race a.jsonl b.jsonl --rope 0.01 --seed 7
    outperform race a.jsonl b.jsonl --population these --figure race.png
    outperform race a.jsonl b.jsonl --record race.outperform.json
    outperform race all.csv new old --bounds 1 10
    """,
)
@click.argument("log_a", metavar="LOG_A")
@click.argument("words", nargs=-1, metavar="[LOG_B] [MODEL MODEL]")
@click.option("--rope", type=float, metavar="D", help="Differences within ±D count as equivalent.")
@click.option(
    "--method",
    type=click.Choice(["auto", "e-process", "betting", "asymptotic"]),
    default="auto",
    help="Method of the confidence sequence (default: by the kind of scores).",
)
@click.option(
    "--bounds",
    nargs=2,
    type=float,
    default=(0.0, 1.0),
    metavar="LOW HIGH",
    help="Smallest and largest possible score (default 0 1).",
)
@click.option("--seed", type=int, default=0, help="Seed of the random order of items (default 0).")
@click.option("--figure", metavar="FILE", help="Write a figure of the race (.pdf, .png or .svg).")
@RECORD
@FORCE
@reading_logs
@METRIC
@LOWER
@COLUMN
@LIMIT
@ALPHA
@JSON
def command(
    log_a: str,
    words: tuple[str, ...],
    rope: float | None,
    method: str,
    bounds: tuple[float, float],
    seed: int,
    figure: str | None,
    record: str | None,
    force: bool,
    alpha: float,
    as_json: bool,
    **read: Any,
) -> int:
    """Compare two models item by item, and stop when it is decided.

    One log may contain both models; if there are more, name two. Items are taken in random order,
    until one model is better, both are equivalent within --rope, or no decision can be reached with
    the remaining items. The error rate is at most alpha, however often results are checked. The
    seed of the order is printed.
    """
    import shlex

    from ..verbs.race import race

    check_new(figure, "--figure", (".pdf", ".png", ".svg"), force=force)
    check_new(record, "--record", (".outperform.json",), force=force)
    files, models = split_words(log_a, words)
    if len(models) not in (0, 2):
        raise click.UsageError("Name the two models to race, or none if there are two")
    population = read.pop("population") or "new"
    items = read_items(files, {name: read.pop(name, None) for name in NAMES}, read)
    say_inferred(items.notes)
    found = race(
        items,
        alpha=alpha,
        rope=rope,
        method=method,
        population=population,
        bounds=bounds,
        names=(models[0], models[1]) if models else None,
        random_state=seed,
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
