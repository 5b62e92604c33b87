"""`outperform report`: one page with the verdicts, the figures and the scores themselves."""

from __future__ import annotations

from typing import Any

import click

from ._judgement import FORCE, JSON, as_dict, check_asked, compared, judging, reading, say_inferred
from ._logs import reading_logs, scores_given, split_words
from ._output import check_new, print_json
from ._program import verb


@verb(
    "report",
    examples="""
    outperform report results.db
    outperform report scores.csv -o report.html --rope 0.01
    outperform report scores.csv tree forest -o two.html --force
    outperform report a.jsonl b.jsonl --cluster subject
    """,
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("names", nargs=-1, metavar="[LEARNER]...")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="report.html",
    help="Where to write the report (default report.html).",
)
@click.option(
    "--certificate",
    metavar="FILE",
    help="Link to a page that outperform certify wrote: how far the verdict can be trusted.",
)
@judging
@reading
@reading_logs
@FORCE
@JSON
def command(
    scores_file: str,
    names: tuple[str, ...],
    output: str,
    certificate: str | None,
    method: str,
    alternative: str,
    adjust: str,
    control: str | None,
    alpha: float,
    rope: float | None,
    force: bool,
    as_json: bool,
    **read: Any,
) -> int:
    """Write an HTML report from a store, a file of scores or logs.

    The report is one file that needs no network. Up to 1 MB it contains the scores, so that
    outperform compare can read it again.
    """
    check_asked(alpha, rope)
    check_new(output, "--output", (".html",), force=force)
    files, names = split_words(scores_file, names)
    scores = scores_given(files, names, read)
    found = compared(
        scores, rope, method=method, alternative=alternative, adjust=adjust, control=control
    )
    say_inferred(found.notes, found.notes if as_json else ())
    found.report(output, force=force, alpha=alpha, rope=rope, certificate=certificate)
    if as_json:
        print_json("report", {"path": output, "result": as_dict(found, alpha=alpha, rope=rope)})
    else:
        click.echo(output)
    return 0
