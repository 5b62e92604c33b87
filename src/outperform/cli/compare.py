"""`outperform compare`: judge the learners of a file of scores or predictions, or of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ._judgement import as_dict, as_text, check_asked, compared, outcomes, say_inferred
from ._options import FORCE, JSON, judging, reading
from ._output import GATE, answer, check_new, say
from ._verbs import verb

if TYPE_CHECKING:
    from ..families import Comparison

OUTCOMES = ("outperforms", "outperformed", "equivalent", "no decision")


@verb(
    "compare",
    examples="""
    outperform compare scores.csv
    outperform compare results.db tree nb --rope 0.01
    outperform compare scores.csv --control baseline
    outperform compare scores.csv new old --design 10x10cv --require outperforms
    outperform compare predictions.parquet --report report.html
    """,
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("names", nargs=-1, metavar="[LEARNER]...")
@judging
@click.option("--require", type=click.Choice(OUTCOMES),
              help="Exit with 1 unless this is the verdict: on the first of two learners, or on "
              "every learner against the control.")  # fmt: skip
@reading
@click.option("--latex", is_flag=True, help="Print a LaTeX table.")
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@click.option("--report", metavar="FILE", help="Write a page with figures, in .html.")
@FORCE
@JSON
def command(
    scores_file: str, names: tuple[str, ...], method: str, alternative: str, adjust: str,
    control: str | None, alpha: float, rope: float | None, require: str | None,
    latex: bool, markdown: bool, report: str | None, force: bool, as_json: bool, **read: Any,
) -> int:  # fmt: skip
    """Judge the learners of a store, or of a file of scores or predictions.

    SCORES is a CSV or Parquet file, a store or a report. Two learners give one result; more give
    all pairs, adjusted as a family.
    """
    from ._scores import read_scores

    check_asked(alpha, rope, require)
    if len(names) == 1:
        raise click.UsageError("Name two or more learners, or none for all")
    if latex + markdown + as_json > 1:
        raise click.UsageError("--json, --latex and --markdown are three answers; ask for one")
    check_new(report, "--report", (".html",), force=force)
    scores = read_scores(scores_file, names, **read)
    asked: dict[str, Any] = {
        "method": method, "alternative": alternative, "adjust": adjust, "control": control,
    }  # fmt: skip
    if require is not None and control is None and len(scores.names) > 2:
        raise click.UsageError(
            f"--require speaks of two learners, and {len(scores.names)} came; name the two, or "
            "say --control LEARNER to ask it of every other against that one"
        )
    found = compared(scores, **asked)
    say_inferred(found.notes, shown=not (as_json or latex or markdown))
    if as_json:
        import json

        click.echo(json.dumps(as_dict(found, alpha=alpha, rope=rope), allow_nan=False))
    elif latex or markdown:
        table = found.to_latex if latex else found.to_markdown
        click.echo(table(alpha=alpha, rope=rope))
    else:
        answer(as_text(found, alpha=alpha, rope=rope))
    if report is not None:
        found.report(report, force=force, alpha=alpha, rope=rope)
        say(f"report written to {report}")
    return _gate(found, require, alpha, rope)


def _gate(found: Comparison, require: str | None, alpha: float, rope: float | None) -> int:
    """Return the status of a gate, met only where every verdict is the one required."""
    if require is None:
        return 0
    came = set(outcomes(found, alpha, rope))
    if came == {require}:
        return 0
    say(f"required: {require}; the verdict is: {', '.join(sorted(came))}")
    return GATE
