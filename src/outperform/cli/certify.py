"""`outperform certify`: how far a verdict can be trusted for your learners and data."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import click

from ..errors import OutperformError
from ._judgement import FORCE, JSON
from ._output import INCOMPLETE, answer, check_new, print_json, say
from ._program import verb

if TYPE_CHECKING:
    from ._experiments import RunInputs


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

    check_new(report, "--report", (".html",), force=force)
    asked, named = _experiment(experiment, methods)
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


def _experiment(path: str, methods: Any) -> tuple[RunInputs, dict[str, Any]]:
    """Return an experiment whose items are a population, and its learners by name.

    What would not be done as the experiment says is refused, or said.
    """
    from ..engine.estimators import read_learners
    from . import _experiments

    asked = _experiments.from_file(path)
    if asked.groups is not None:
        raise click.UsageError(
            f"{path!r} defines groups, but a certificate draws single items, which would split "
            "groups. Remove groups to measure the tests as if items were independent"
        )
    if asked.params or asked.fitted:
        given = "fitted" if asked.fitted else "params"
        raise click.UsageError(
            f"{path!r} defines {given}, but a certificate fits the learners to each drawn dataset "
            f"and ignores {given}. Remove {given} to measure the tests without it"
        )
    if asked.design is not None and methods is None:
        own = _method_on(asked.design)
        say(
            f"The design {asked.design} of {path} is ignored: each method is measured with its own."
            + (f" To use it, add --methods '{own}'." if own else "")
        )
    return asked, {one.name: one.prototype for one in read_learners(asked.learners)}


def _method_on(design: Any) -> str:
    """Return the usual method for a design and the design, if both can be measured; else ""."""
    from ..designs import parse
    from ..errors import OutperformError
    from ..lab.scenarios import reading
    from ..lab.tested import labelled
    from ..registry import default_method
    from ..views import Contingency

    try:
        plan = parse(design)
        labelled(plan)
        method = default_method(plan)
        if reading(method, plan).view is Contingency:  # it only knows 0/1 loss
            method = "paired_t"
        return f"{method} {reading(method, plan).design}"
    except OutperformError:
        return ""


def _method(words: str) -> tuple[str, str | None]:
    parts = words.split()
    if not 1 <= len(parts) <= 2:
        raise click.UsageError(
            "--methods takes names, each with a design if need be, as in 'corrected_t "
            "10x10cv'; got "
            f"{words.strip()!r}"
        )
    return parts[0], parts[1] if len(parts) == 2 else None


def _is_foreign(error: BaseException) -> bool:
    """Tell whether an error was raised in a learner, or whatever it calls, and not in this code."""
    import traceback
    from pathlib import Path

    ours = Path(__file__).parents[1].resolve()
    frames = traceback.extract_tb(error.__traceback__)
    inner = Path(frames[-1].filename).resolve() if frames else ours
    return ours not in inner.parents


def _learner_failed(error: Exception) -> int:
    """Show what a learner raised; without all its fits there are no rates."""
    import traceback

    said = "".join(traceback.format_exception(error, limit=-1, chain=False))
    say("Incomplete: a learner failed, so there are no rates.")
    say(*(f"    {line}" for line in said.rstrip().splitlines()))
    where = "where" if getattr(error, "__notes__", []) else "which one failed, and where"
    say(f"Fix the learner, then run again; outperform run EXPERIMENT.py shows {where}.")
    return INCOMPLETE
