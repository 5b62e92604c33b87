"""`outperform run` over several datasets: a benchmark, in one folder of stores."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ._judgement import DEFAULTS, as_dict, as_text, compared, graded, say_inferred
from ._output import INCOMPLETE, answer, check_new, print_json, say

if TYPE_CHECKING:
    from ..verbs.run_benchmark import DatasetRun


NEEDED = (
    "Data files need --target COLUMN and --learner, as in --target class --learner tree --learner "
    "nb"
)


def run_several(
    sources: Sequence[str],
    table: tuple[str | None, str | None, str | None, Sequence[str], Mapping[str, int] | None],
    *,
    unused: Sequence[str],
    method: str,
    store: str | None,
    report: str | None,
    force: bool,
    as_json: bool,
    grade: str | None,
    how: Mapping[str, Any],
) -> int:
    """Run the learners on every dataset, and judge them over datasets."""
    check_new(report, "--report", (".html",), force=force)
    if any(source.endswith(".py") for source in sources):
        raise click.UsageError("Several sources must be data files; run one .py file at a time")
    if table[0] is None or not table[3]:
        raise click.UsageError(NEEDED)
    if unused:
        raise click.UsageError(
            f"{unused[0]} is for one dataset; leave it out, or run one data file at a time"
        )
    from ..errors import RunFailed
    from ..verbs.run_benchmark import run_tasks

    place = None if report is None else os.path.abspath(report)
    tasks = _tasks(sources, table)
    method = "wilcoxon" if method == "auto" else method
    try:
        found = run_tasks(
            tasks,
            store=store,
            begin=lambda at, name: say(f"Dataset {at + 1} of {len(tasks)}: {name}."),
            **how,
        )
    except RunFailed as error:
        say(*str(error).splitlines())
        return INCOMPLETE
    except KeyboardInterrupt:  # the engine has said how to resume
        raise SystemExit(128 + signal.SIGINT) from None
    judged = compared(found.scores, **{**DEFAULTS, "method": method})
    say_inferred(found.notes, judged.notes)
    if as_json:
        about = {"datasets": list(found.datasets), "means": found.mean(), "store": store}
        print_json("benchmark", about, result=as_dict(judged, alpha=0.05, rope=None))
    else:
        answer(as_text(judged, alpha=0.05, rope=None))
        if store is not None:
            few = any(note.code == "OP340" for note in judged.notes)  # not judged unasked
            again = f"{store} --method {judged.method.name}" if few else store
            say(f"Results are kept in the folder {store}; compare it: outperform compare {again}")
    if place is not None:
        judged.report(place, force=force)
        say(f"Report written to {report}.")
    return graded(judged, grade)


def _tasks(sources: Sequence[str], table: tuple[Any, ...]) -> dict[str, DatasetRun]:
    """Read every source."""
    from ..verbs.run_benchmark import DatasetRun
    from . import _experiments

    target, group, task, learners, limits = table
    stems = [os.path.splitext(os.path.basename(source))[0] for source in sources]
    names = stems if len(set(stems)) == len(stems) else list(sources)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise click.UsageError(f"{twice!r} is named more than once; name each dataset once")
    tasks = {}
    for name, source in zip(names, sources, strict=True):
        asked = _experiments.from_table(
            source, target, learners, task=task, group=group, limits=limits
        )
        say(*(f"{name}: {line}" for line in asked.inferred))
        tasks[name] = DatasetRun(asked.learners, asked.X, asked.y, asked.groups)
    return tasks
