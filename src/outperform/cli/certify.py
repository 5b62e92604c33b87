"""`outperform certify`: how far a verdict can be trusted for your learners and data."""

from __future__ import annotations

import signal
from typing import Any

import click

from ..errors import OutperformError
from ._judgement import FORCE, JSON
from ._output import answer, check_new, print_json, say
from ._program import verb


@verb(
    "certify",
    examples="""
    outperform certify experiment.py --minutes 10
    outperform certify experiment.py --methods "corrected_t 10x10cv" --report trust.html
    outperform report results.db --certificate trust.html
    """,
)
@click.argument("experiment", metavar="EXPERIMENT.py")
@click.option(
    "--minutes",
    type=float,
    metavar="M",
    help="Stop after M minutes (default 10), but not before the first four experiments.",
)
@click.option(
    "--methods",
    metavar="LIST",
    help="Method names separated by commas, each with a design unless it is the published one.",
)
@click.option(
    "--learner",
    "chosen",
    multiple=True,
    metavar="NAME",
    help="Learner to compare; name two, if there are more.",
)
@click.option("--n", type=click.IntRange(min=10), metavar="N", help="Items per dataset.")
@click.option(
    "--reps",
    type=click.IntRange(min=1),
    default=1000,
    metavar="N",
    help="Maximum number of experiments, rounded up to a multiple of 4 (default 1000).",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Random seed (default: random_state of the experiment, or 0).",
)
@click.option("--report", metavar="FILE", help="Write an HTML page to this file.")
@FORCE
@JSON
def command(
    experiment: str,
    minutes: float | None,
    methods: str | None,
    chosen: tuple[str, ...],
    n: int | None,
    reps: int,
    seed: int | None,
    report: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Measure how reliable a verdict on your learners and data is.

    The items of an experiment (a Python file that defines learners, X and y) represent the
    population: datasets are drawn from them, two learners are run on each, and each test is applied
    to null hypotheses that are known to be true. Stops when each size is found to be below 8 %,
    above 5 %, or unclear, when the time limit is reached, or after the maximum number of
    experiments.
    """
    from ..lab.certification import certify
    from .study import _is_foreign, _learner_failed, _method, own_experiment

    check_new(report, "--report", (".html",), force=force)
    asked, named = own_experiment(experiment, "a certificate", methods)
    learners = _two(named, chosen)
    given: Any = None if methods is None else [_method(one) for one in methods.split(",")]
    try:
        found = certify(
            learners,
            asked.X,
            asked.y,
            methods=given,
            scoring=asked.scoring,
            n=n,
            minutes=10.0 if minutes is None else minutes,
            n_reps=reps,
            random_state=(asked.random_state if seed is None else seed) or 0,
        )
    except OutperformError:
        raise
    except KeyboardInterrupt:
        say("Cancelled before the first four experiments were finished; there are no results.")
        raise SystemExit(128 + signal.SIGINT) from None
    except Exception as error:
        if not _is_foreign(error):
            raise
        return _learner_failed(error)
    if as_json:
        about = found.to_dict()
        about.pop("schema")
        print_json("certificate", about)
    else:
        answer(str(found))
    if report is not None:
        found.report(report, force=force)
        say(f"Report written to {report}.")
    return 128 + signal.SIGINT if found.stopped == "interrupted" else 0


def _two(learners: dict[str, Any], chosen: tuple[str, ...]) -> dict[str, Any]:
    """Return the two learners that are compared."""
    from ..errors import did_you_mean

    for name in chosen:
        if name not in learners:
            raise click.UsageError(f"--learner {name!r}: {did_you_mean(name, tuple(learners))}")
    kept = {name: learners[name] for name in chosen} if chosen else learners
    if len(kept) != 2:
        raise click.UsageError(
            f"A certificate needs exactly two learners, got {len(kept)}; name two: --learner A "
            "--learner B"
        )
    return kept
