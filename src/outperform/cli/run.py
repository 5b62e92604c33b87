"""`outperform run`: fit learners over the splits of a design, keep the results, judge them."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import counted
from . import _judgement
from ._judgement import (
    DEFAULTS,
    FORCE,
    GRADE,
    JSON,
    LIMIT,
    METHOD,
    as_dict,
    as_text,
    compared,
    graded,
    say_inferred,
)
from ._output import answer, check_new, print_json, say
from ._program import verb
from ._scores import bounds, export_scores, facts, failed, means_table

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..scores.split_scores import Scores


def _not_zero(_: Any, __: Any, number: int | None) -> int | None:
    if number == 0:
        raise click.BadParameter("must be a non-zero integer, got 0; use 1, or -1 for one per core")
    return number


@verb(
    "run",
    examples="""
    outperform run experiment.py
    outperform run experiment.py --design 5x2cv --store results.db --jobs 4
    outperform run data.csv --target species --learner tree --learner nb --seed 0
    outperform run data.csv --target y --learner forest --learner mine=package.module:make_model
    outperform run a.csv b.csv c.csv --target class --learner tree --learner nb --store benchmark
    """,
)
@click.argument("sources", nargs=-1, required=True, metavar="EXPERIMENT.py|DATA...")
@click.option("--target", metavar="COLUMN", help="Column of DATA to predict.")
@click.option(
    "--task",
    type=click.Choice(["classes", "numbers"]),
    help="Whether the target holds classes or numbers, if ambiguous.",
)
@click.option(
    "--group",
    metavar="COLUMN",
    help="Column of DATA that groups rows (e.g. patients); groups are never split.",
)
@click.option(
    "--learner",
    "learners",
    multiple=True,
    metavar="[NAME=]LEARNER",
    help="Built-in learner (forest, knn, linear, logistic, nb, tree) or module:object (an "
    "estimator, its class, or a function that returns one). Repeat for each learner.",
)
@click.option(
    "--design",
    metavar="DESIGN",
    shell_complete=_judgement.designs,
    help="How to split the data, if the experiment does not say (default 5x5cv+20halves).",
)
@METHOD
@click.option(
    "--scoring",
    multiple=True,
    metavar="NAME",
    help="scikit-learn scorer, such as accuracy or roc_auc; once for each, the primary one first.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Random seed of the run.")
@click.option(
    "--jobs",
    type=int,
    metavar="N",
    callback=_not_zero,
    help="Number of workers; -1 for one per core.",
)
@click.option(
    "--store", metavar="PATH", help="Keep results in this file; the same command resumes."
)
@click.option("--retry", is_flag=True, help="Rerun the fits that failed in the store.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Time limit of each fit.")
@click.option(
    "--fitted", is_flag=True, help="Learners are already fitted: predict only, train nothing."
)
@click.option("--isolate", is_flag=True, help="Run fits in separate processes.")
@click.option("--dask", metavar="ADDRESS", help="Run on the workers of this Dask scheduler.")
@click.option("--confirm-large", is_flag=True, help="Allow more than ten million fits.")
@click.option("--export", metavar="FILE", help="Write scores to a .csv or .parquet file.")
@click.option("--report", metavar="FILE", help="Write an HTML report to this file.")
@GRADE
@LIMIT
@FORCE
@JSON
def command(
    sources: tuple[str, ...],
    target: str | None,
    task: str | None,
    learners: tuple[str, ...],
    limits: tuple[str, ...],
    design: str | None,
    method: str,
    scoring: tuple[str, ...],
    seed: int | None,
    store: str | None,
    retry: bool,
    dask: str | None,
    export: str | None,
    report: str | None,
    grade: str | None,
    force: bool,
    as_json: bool,
    jobs: int | None,
    group: str | None,
    fitted: bool,
    **how: Any,
) -> int:
    """Fit learners on every split of a design and compare them.

    An experiment is a Python file that defines learners (a mapping), X and y, and optionally
    design, scoring, groups, params (of fit), random_state and fitted. The design may be a
    scikit-learn splitter or a list of (train, test) row numbers, which are used exactly as given.

    DATA is a CSV or Parquet file with one row per item. Built-in learners include their
    preprocessing: missing numbers are imputed, numbers are scaled where it matters, and text
    columns are one-hot encoded. Several data files are the datasets of a benchmark; --store then
    names a folder.
    """
    table_only = (target, group, task)
    if len(sources) > 1:
        from ._several import run_several

        unused = {"--export": export, "--retry": retry, "--dask": dask, "--fitted": fitted}
        return run_several(
            sources,
            (target, group, task, learners, bounds(limits)),
            unused=[option for option, given in unused.items() if given],
            method=method,
            store=store,
            report=report,
            force=force,
            as_json=as_json,
            grade=grade,
            how={
                "design": design,
                "scoring": _metrics(scoring),
                "random_state": seed,
                "n_jobs": jobs,
                **how,
            },
        )
    source = sources[0]
    _check_options(source, table_only, learners, store, retry=retry, export=export)
    check_new(export, "--export", (".csv", ".parquet"), force=force)
    check_new(report, "--report", (".html",), force=force)
    place = None if report is None else os.path.abspath(report)  # learners may change the folder
    from .. import registry
    from ..engine.estimators import named_learners
    from ..engine.running import run_admitted
    from ..errors import RunFailed
    from . import _experiments

    if source.endswith(".py"):
        asked = _experiments.from_file(source)
    else:
        asked = _experiments.from_table(
            source, target or "", learners, task=task, group=group, limits=bounds(limits)
        )
    say(*asked.inferred)
    plan = asked.design if design is None else design
    fitted |= asked.fitted
    judge, usual = registry.judging(method)
    named = named_learners(asked.learners, needs=("predict",) if fitted else ("fit", "predict"))

    told: list[Any] = []

    def admit(chosen: Any) -> None:
        if plan is None and not told:
            told.append(chosen)
            say(f"Using the default design, {chosen}.")
        if len(named) > 1:
            judge(chosen)

    if store is None:
        _check_number(len(named), "results.db", "Add --store results.db, then compare")
    if retry and store is not None:
        _forget_failed(store)
    with _experiments.cluster(dask):
        try:
            scores = run_admitted(
                named,
                asked.X,
                asked.y,
                design=plan,
                scoring=_metrics(scoring) or asked.scoring,
                random_state=asked.random_state if seed is None and not fitted else seed,
                n_jobs=jobs,
                store=store,
                groups=asked.groups,
                params=asked.params,
                fitted=fitted,
                admit=admit,
                usual=usual,
                **how,
            )
        except RunFailed as error:
            return failed(error, store, as_json=as_json)
        except KeyboardInterrupt:  # the engine has said how to resume
            raise SystemExit(128 + signal.SIGINT) from None
    if export is not None and store is not None:
        export_scores(store, export, force=force)
    found = _judged(scores, method, store)
    if found is None:
        say(*map(str, scores.notes))
    else:
        say_inferred(scores.notes, found.notes)
    if as_json:
        shown = None if found is None else as_dict(found, alpha=0.05, rope=None)
        print_json("run", facts(scores, store), result=shown)
    elif found is None:
        answer(means_table(scores))
    else:
        answer(as_text(found, alpha=0.05, rope=None))
        if scores.seed is not None:
            say(f"Random seed: {scores.seed}.")
    if report is not None and found is not None:
        found.report(place, force=force)
        say(f"Report written to {report}.")
    return 0 if found is None else graded(found, grade)


def _metrics(scoring: Sequence[str]) -> str | list[str] | None:
    """Return one metric by its name, several in a list."""
    return scoring[0] if len(scoring) == 1 else list(scoring) or None


def _check_options(
    source: str,
    table_only: Sequence[str | None],
    learners: Sequence[str],
    store: str | None,
    *,
    retry: bool,
    export: str | None,
) -> None:
    if source.endswith(".py") and (learners or any(word is not None for word in table_only)):
        raise click.UsageError(
            "--target, --group, --task and --learner are for data files; a .py file defines "
            "learners, X, y and groups itself"
        )
    if not source.endswith(".py") and (table_only[0] is None or not learners):
        raise click.UsageError(
            "A data file needs --target COLUMN and --learner, as in --target species --learner "
            "tree --learner nb; an experiment is a .py file"
        )
    if store is None and (retry or export is not None):
        raise click.UsageError("--retry and --export need a store; add --store results.db")


def _forget_failed(store: str) -> None:
    from ..storage import Store

    if os.path.exists(store):
        with Store.open(store, mode="write") as kept:
            say(f"Rerunning {counted(kept.forget_failed(), 'failed fit')}.")


def _check_number(count: int, store: str, remedy: str) -> None:
    """Refuse so many learners that all pairs cannot be compared, as is done here."""
    from ..numerics.pair_counts import check_number

    command = shlex.join(["outperform", "compare", store, "--control", "NAME"])
    check_number(count, remedy=f"{remedy} each with one of them: {command}")


def _judged(scores: Scores, method: str, store: str | None) -> Comparison | None:
    """Judge the learners; say why where that cannot be."""
    from ..errors import OutperformError

    if len(scores.names) < 2:
        return None
    try:
        _check_number(len(scores.names), store or "", "Compare")
        return compared(scores, **{**DEFAULTS, "method": method})
    except OutperformError as error:
        say(f"No verdict: {error}")
        return None
