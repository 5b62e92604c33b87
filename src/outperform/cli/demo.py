"""`outperform demo`: a whole comparison, from learners to a report, in under a minute."""

from __future__ import annotations

import signal
import sys
from typing import Any

import click

from ._judgement import DEFAULTS, JSON, RECORD, as_dict, as_text, compared
from ._output import answer, check_new, print_json, say
from ._program import verb
from ._scores import facts

SEED = 1


@verb("demo", examples="outperform demo\noutperform demo -o somewhere.html --design 5x2cv")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="report.html",
    help="Where to write the report (default report.html, overwritten).",
)
@click.option(
    "--design",
    metavar="DESIGN",
    default="5x5cv+20halves",
    help="How to split the data (default 5x5cv+20halves).",
)
@click.option(
    "--jobs", type=int, metavar="N", default=-1, help="Number of workers (default one per core)."
)
@RECORD
@JSON
def command(output: str, design: str, jobs: int, record: str | None, as_json: bool) -> int:
    """Compare two learners on example data and write report.html."""
    check_new(output, "--output", (".html",), force=True)
    check_new(record, "--record", (".outperform.json",), force=True)
    learners, X, y = _experiment()
    say(f"Logistic regression vs. random forest, breast cancer data ({len(y)} items), {design}.")
    from ..engine import run

    try:
        scores = run(learners, X, y, design=design, random_state=SEED, n_jobs=jobs)
    except KeyboardInterrupt:  # the engine has said that it was stopped
        raise SystemExit(128 + signal.SIGINT) from None
    found = compared(scores, **DEFAULTS)
    if as_json:
        shown = as_dict(found, alpha=0.05, rope=None)
        print_json("demo", facts(scores, None), result=shown, path=output)
    else:
        answer(as_text(found, alpha=0.05, rope=None))
    sys.stdout.flush()
    found.report(output, force=True)
    say(f"Report written to {output}; open it in a browser.")
    if record is not None:
        found.record(record, force=True)
        say(f"Record written to {record}.")
    return 0


def _experiment() -> tuple[dict[str, Any], Any, Any]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    return {"logistic": logistic, "forest": RandomForestClassifier()}, X, y
