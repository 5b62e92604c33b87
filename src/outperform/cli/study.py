"""`outperform study`: how often tests reject what is true, on your data or in a population."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Literal

import click

from ..errors import OutperformError, counted
from ._judgement import FORCE, JSON
from ._output import INCOMPLETE, answer, check_new, say
from ._program import verb

if TYPE_CHECKING:
    from ..lab.study_results import Rate
    from ._experiments import RunInputs

BUILT_IN = ("designed", "mirror")


@verb(
    "study",
    examples="""
    outperform study experiment.py
    outperform study experiment.py --null damaged --n 200 --reps 1000 --store study.db --jobs -1
    outperform study experiment.py --methods "corrected_t 10x10cv, kfold_t"
    outperform study designed --epsilon 0.1 --exact
    outperform study mirror --learner neighbor --report study.html
    outperform study mirror --learner selector --reps 2000
    """,
)
@click.argument("scenario", metavar="EXPERIMENT.py|designed|mirror")
@click.option(
    "--null",
    type=click.Choice(["shift", "damaged"]),
    help="shift (the default): the null hypothesis is the true difference in your data; damaged: "
    "degrade the better learner until both are equal.",
)
@click.option(
    "--methods",
    metavar="LIST",
    help="Method names separated by commas, each with a design unless it is the published one: "
    "'corrected_t 10x10cv, mcnemar'.",
)
@click.option(
    "--learner",
    "learners",
    multiple=True,
    metavar="NAME",
    help="Which two learners, if there are more; for mirror: bayes (the default), neighbor, "
    "selector or stump.",
)
@click.option(
    "--population",
    type=click.Choice(["A", "B", "C"]),
    help="For mirror: A has few informative features (default for bayes and neighbor), B many "
    "weakly informative ones (default for selector and stump), C many and a rare class.",
)
@click.option(
    "--n",
    type=click.IntRange(min=10),
    metavar="N",
    help="Items per dataset (default 300; mirror 200).",
)
@click.option(
    "--reps", type=click.IntRange(min=1), metavar="N", help="Number of experiments (default 500)."
)
@click.option(
    "--epsilon",
    type=float,
    metavar="E",
    help="Error rate in the designed population (default 0.1).",
)
@click.option("--exact", is_flag=True, help="For designed: exact rates, without simulation.")
@click.option("--alpha", type=float, default=0.05, help="Significance level (default 0.05).")
@click.option(
    "--undefined",
    type=click.Choice(["accept", "reject"]),
    default="accept",
    help="How differences that are all the same, but not 0, count: t is infinite (default accept).",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Random seed (default 0).")
@click.option("--jobs", type=int, metavar="N", help="Number of workers; -1 for one per core.")
@click.option(
    "--store", metavar="PATH", help="Keep every p-value in this file; the same command resumes."
)
@click.option("--report", metavar="FILE", help="Write an HTML report to this file.")
@FORCE
@JSON
def command(
    scenario: str,
    null: str | None,
    methods: str | None,
    learners: tuple[str, ...],
    population: str | None,
    n: int | None,
    reps: int | None,
    epsilon: float | None,
    exact: bool,
    alpha: float,
    undefined: Literal["accept", "reject"],
    seed: int | None,
    jobs: int | None,
    store: str | None,
    report: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Measure how often tests reject a true null hypothesis.

    With an experiment (a Python file that defines learners, X and y), its items serve as the
    population: datasets are drawn from them, two learners are run, and each test is applied to a
    null hypothesis that is known to be true. designed is Dietterich's population of simulated
    errors; mirror gives two copies of a learner exchangeable features.
    """
    _check(scenario, null, learners, population, epsilon, exact=exact)
    if exact:
        drawn = {
            "--reps": reps,
            "--seed": seed,
            "--jobs": jobs,
            "--store": store,
            "--report": report,
        }
        _check_exact([option for option, value in drawn.items() if value is not None])
    check_new(report, "--report", (".html",), force=force)
    how = {"n_reps": 500 if reps is None else reps, "n_jobs": jobs, "store": store}
    asked = None if methods is None else [_method(one) for one in methods.split(",")]
    try:
        if scenario in BUILT_IN:
            how["random_state"] = seed or 0
            if scenario == "designed":
                found, said = _designed(asked, n, epsilon, exact, how)
            else:
                found, said = _mirror(asked, learners, population, n, how)
            own = None
        else:
            own = _own(scenario, null or "shift", asked, learners, n, seed, how)
            found, said = own.study, own.sentences()
    except OutperformError:
        raise
    except Exception as error:
        if not _is_foreign(error):
            raise
        return _learner_failed(error)
    except KeyboardInterrupt:
        kept = "" if store is None else f" Run the same command again to resume from {store}."
        say(f"Stopped.{kept}")
        raise SystemExit(128 + signal.SIGINT) from None
    rows = (found if own is None else own).rates(alpha, undefined=undefined)
    if as_json:
        import json

        whole = (found if own is None else own).to_dict(alpha=alpha, undefined=undefined)
        click.echo(json.dumps(whole, allow_nan=False))
    else:
        answer(_text(found, list(rows), alpha, said))
    if report is not None:
        _write(found, rows, report, alpha, said, force=force)
        say(f"Report written to {report}.")
    return 0


def _check(
    scenario: str,
    null: str | None,
    learners: tuple[str, ...],
    population: str | None,
    epsilon: float | None,
    *,
    exact: bool,
) -> None:
    if scenario not in BUILT_IN and not scenario.endswith(".py"):
        from ..errors import did_you_mean

        raise click.UsageError(
            f"{scenario!r} is neither a Python file nor a scenario; "
            f"{did_you_mean(scenario, BUILT_IN)}"
        )
    if scenario in BUILT_IN and null is not None:
        raise click.UsageError(
            "--null is for experiments; in a built-in population the null is true"
        )
    if scenario != "designed" and (exact or epsilon is not None):
        raise click.UsageError("--exact and --epsilon are for designed only")
    if scenario != "mirror" and population is not None:
        raise click.UsageError("--population is for mirror only")
    if scenario == "designed" and learners:
        raise click.UsageError("designed simulates errors without learners; leave --learner out")


def _check_exact(given: list[str]) -> None:
    if given:
        raise click.UsageError(
            f"--exact computes rates without simulation, so {' and '.join(given)} would have no "
            f"effect; leave {'it' if len(given) == 1 else 'them'} out, or leave out --exact"
        )


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


def _method(words: str) -> tuple[str, str | None]:
    parts = words.split()
    if not 1 <= len(parts) <= 2:
        raise click.UsageError(
            "--methods takes names, each with a design if need be, as in 'corrected_t "
            "10x10cv'; got "
            f"{words.strip()!r}"
        )
    return parts[0], parts[1] if len(parts) == 2 else None


def _designed(
    methods: Any, n: int | None, epsilon: float | None, exact: bool, how: dict[str, Any]
) -> tuple[Any, tuple[str, ...]]:
    from ..lab.exact import FIVE
    from ..lab.populations import DesignedPopulation
    from ..lab.studies import study

    population = DesignedPopulation(0.1 if epsilon is None else epsilon, n=n or 300)
    said = (
        "Both learners of this population have the same error rate: every rejection is an error.",
    )
    if exact:
        return study(methods or FIVE, population, exact=True), said
    return study(methods or FIVE, population, **how), said


IN_BATCHES = (
    ("repeated_kfold_t", "10x10cv"),
    ("corrected_t", "10x10cv"),
    ("calibrated_t", "5x5cv+20halves"),
)
"""What is asked of learners in batches, unless the user says."""


def _mirror(
    methods: Any,
    learners: tuple[str, ...],
    population: str | None,
    n: int | None,
    how: dict[str, Any],
) -> tuple[Any, tuple[str, ...]]:
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    from .. import lab
    from ..errors import did_you_mean
    from ..lab.own_data import METHODS

    known: dict[str, tuple[Any, Any, str, str]] = {
        "bayes": (lab.Contest, GaussianNB(), "Gaussian naive Bayes", "A"),
        "neighbor": (lab.Contest, KNeighborsClassifier(1), "nearest neighbour", "A"),
        "selector": (lab.BatchContest, lab.BatchSelector(), "a selector of one feature", "B"),
        "stump": (lab.BatchContest, lab.BatchStump(), "a decision stump", "B"),
    }
    name = learners[0] if learners else "bayes"
    if len(learners) > 1 or name not in known:
        raise click.UsageError(f"--learner {name!r}: {did_you_mean(name, tuple(known))}")
    contest, learner, kind, usual = known[name]
    scenario = contest(lab.mirror_population(population or usual), learner, learner, n=n or 200)
    asked = methods or (IN_BATCHES if contest is lab.BatchContest else METHODS)
    said = (
        f"Two copies of {kind} get exchangeable features (population {population or usual}): they "
        "are equally accurate at every training size, and every rejection is an error.",
    )
    return lab.study(asked, scenario, **how), said


def own_experiment(path: str, what: str, methods: Any) -> tuple[RunInputs, dict[str, Any]]:
    """Return an experiment whose items are a population, and its learners by name.

    What would not be done as the experiment says is refused, or said.
    """
    from ..engine.estimators import read_learners
    from . import _experiments

    asked = _experiments.from_file(path)
    if asked.groups is not None:
        raise click.UsageError(
            f"{path!r} defines groups, but {what} draws single items, which would split groups. "
            "Remove groups to measure the tests as if items were independent"
        )
    if asked.params or asked.fitted:
        given = "fitted" if asked.fitted else "params"
        raise click.UsageError(
            f"{path!r} defines {given}, but {what} fits the learners to each drawn dataset and "
            f"ignores {given}. Remove {given} to measure the tests without it"
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
    from ..lab.batch_learners import labelled
    from ..lab.scenarios import reading
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


def _own(
    path: str,
    null: Any,
    methods: Any,
    chosen: tuple[str, ...],
    n: int | None,
    seed: int | None,
    how: dict[str, Any],
) -> Any:
    from ..errors import did_you_mean
    from ..lab.own_data import METHODS, own_data_study

    asked, learners = own_experiment(path, "a study", methods)
    for name in chosen:
        if name not in learners:
            raise click.UsageError(f"--learner {name!r}: {did_you_mean(name, tuple(learners))}")
    if chosen:
        learners = {name: learners[name] for name in chosen}
    if len(learners) != 2:
        raise click.UsageError(
            f"A study compares two learners, not {len(learners)}; name two: --learner A --learner B"
        )
    if asked.scoring not in (None, "accuracy"):
        raise click.UsageError("Only accuracy can be studied; remove scoring from the experiment")
    random_state = asked.random_state if seed is None else seed
    return own_data_study(
        learners,
        asked.X,
        asked.y,
        null=null,
        methods=methods or METHODS,
        n=n,
        random_state=random_state or 0,
        **how,
    )


def _text(found: Any, rows: list[Rate], alpha: float, said: tuple[str, ...]) -> str:
    from ..report.formatting import terminal
    from ..report.wrapping import paragraphs

    width = max(len(row.method) for row in rows)
    seed = getattr(found, "seed", None)
    about = "exactly" if seed is None else f"{counted(found.n_reps, 'experiment')}, seed {seed}"
    lines = [
        f"{terminal(found.scenario.name)}: true null hypotheses rejected at α = {alpha:g} ({about})"
    ]
    for row in rows:
        ends = "" if seed is None else f"  [{row.low:.4f}, {row.high:.4f}]"
        gone = getattr(row, "undefined", 0)
        lines.append(
            f"  {row.method:<{width}}  {row.rate:.4f}{ends}"
            + (f", {gone:.1%} without a p-value" if gone else "")
        )
    below = paragraphs(" ".join(map(terminal, one.split())) for one in said)
    return "\n".join([*lines, "", *below])


def _write(
    found: Any, rates: Any, path: str, alpha: float, said: tuple[str, ...], *, force: bool
) -> None:
    from ..report.html import study_page

    study_page.write(found, path, force=force, alpha=alpha, rates=rates, sentences=said)
