"""Scores as the command line gets them, and what is said of a run that made some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import counted, did_you_mean
from ._output import INCOMPLETE, print_json, say

if TYPE_CHECKING:
    from ..errors import RunFailed
    from ..scores.split_scores import Scores


ROLES = (
    "learner",
    "score",
    "dataset",
    "partition",
    "repeat",
    "fold",
    "y_true",
    "n_train",
    "n_test",
    "seed",
)
ROLES_OF_LOGS = ("item", "learner", "score", "sample")
SIZES = {"n_train", "n_test", "seed"}
"""Roles that may be numbers: the same for every split."""


def read_scores(
    path: str,
    names: Sequence[str] = (),
    *,
    design: str | None = None,
    metric: str | None = None,
    layout: str | None = None,
    lower_is_better: bool | None = None,
    drop_incomplete: bool = False,
    missing: str | None = None,
    family: str | None = None,
    columns: Sequence[str] = (),
    limits: Sequence[str] = (),
    separator: str | None = None,
    sheet: str | None = None,
) -> Scores:
    """Read `Scores` of the learners named, or of all, from whatever the file holds."""
    from ..validation import is_benchmark, is_store

    if is_benchmark(path):
        from ..scores.benchmark import Benchmark

        return only(Benchmark.read(path).to_scores(missing), names)
    asked = assignments(columns, "--column", ROLES)
    for name in SIZES & asked.keys():
        if asked[name].isdecimal():
            asked[name] = int(asked[name])
    if not is_store(path):
        from ..scores.split_scores import Scores

        options: dict[str, Any] = {
            "design": design,
            "metric": metric,
            "layout": layout,
            "lower_is_better": lower_is_better,
            "drop_incomplete": drop_incomplete or None,
            "missing": missing,
            "family": family,
            "limits": bounds(limits),
            "separator": separator,
            "sheet": sheet,
            **asked,
        }
        given = {name: value for name, value in options.items() if value is not None}
        return only(Scores.read(path, **given), names)
    tableonly = (layout, lower_is_better, separator, sheet, drop_incomplete, missing, family)
    if asked or any(tableonly):
        raise click.UsageError(
            "--column, --layout, --separator, --sheet, --lower-is-better, --missing, --family and "
            f"--drop-incomplete are for files of scores; {path!r} is a results store, which "
            "records all of that"
        )
    found = _from_store(path, names, design)
    if metric is not None:
        from ..engine.rescoring import for_metric

        return for_metric(found, metric)
    return found


def _from_store(path: str, names: Sequence[str], design: str | None) -> Scores:
    from ..storage import Store

    with Store.open(path, mode="read") as store:
        return store.scores(names or None, design=design)


def only(scores: Scores, names: Sequence[str]) -> Scores:
    """Keep the learners named, in the order they are named."""
    if not names or tuple(names) == scores.names:
        return scores
    twice = {name for name in names if list(names).count(name) > 1}
    if twice:
        raise click.UsageError(
            f"{sorted(twice)[0]!r} is named more than once; name each learner once"
        )
    return scores.of(names)


def assignments(given: Sequence[str], option: str, known: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE words; a learner named several times is a list of columns."""
    found: dict[str, Any] = {}
    for word in given:
        name, equals, value = word.partition("=")
        name = name.replace("-", "_")
        if not equals or name not in known:
            raise click.UsageError(f"{option} {word!r}: {did_you_mean(name, known)}")
        if name in found:
            before = found[name]
            found[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            found[name] = value
    several = [name for name, value in found.items() if isinstance(value, list)]
    if several and several != ["learner"]:
        raise click.UsageError(
            f"{option} {several[0]} was given more than once; only learner may be repeated"
        )
    return found


def bounds(limits: Sequence[str]) -> dict[str, int] | None:
    """Read NAME=N words that raise limits on files; None without any."""
    if not limits:
        return None
    from ..readers import LIMITS

    words = assignments(limits, "--limit", tuple(LIMITS))
    for name, value in words.items():
        if not str(value).replace("_", "").isdecimal():
            raise click.UsageError(
                f"The '--limit' option must be NAME=N with an integer N, got {name}={value}"
            )
    return {name: int(value) for name, value in words.items()}


def means_table(scores: Scores) -> str:
    """Return the mean score of every learner, with its spread over splits."""
    from ..report.formatting import decimals_for, fixed, terminal

    names = [terminal(name) for name in scores.names]
    width = max(map(len, names))
    design = "" if scores.design is None else f"{scores.design.describe()}, "
    metric = terminal(scores.metric)
    splits = counted(_n_splits(scores), "split")
    rows = [f"mean {metric} ({design}{splits}, seed {scores.seed})"]
    if scores.seed is None and scores.n_test is not None:  # fitted models: nothing was split
        rows = [f"{metric} of fitted models (one test set of {scores.n_test[0]:.0f} items)"]
    means = _means(scores)
    digits = max(3, *(decimals_for(sd, mean) for mean, sd in means))
    for name, (mean, sd) in zip(names, means, strict=True):
        spread = "" if sd is None else f"  (standard deviation over splits {fixed(sd, digits)})"
        rows.append(f"  {name:<{width}}  {fixed(mean, digits)}{spread}")
    return "\n".join(rows)


def facts(scores: Scores, store: str | None) -> dict[str, Any]:
    """Return what a run measured, in the vocabulary of --json."""
    return {
        "names": list(scores.names),
        "metric": scores.metric,
        "design": str(scores.design),
        "n": _n_splits(scores),
        "scores": [
            {"name": name, "mean": mean, "sd": sd}
            for name, (mean, sd) in zip(scores.names, _means(scores), strict=True)
        ],
        "notes": [{"code": note.code, "text": note.text} for note in scores.notes],
        "seed": scores.seed,
        "store": store,
        "failures": [],
    }


def _n_splits(scores: Scores) -> int:
    """Return the number of splits of all data, as texts count them: halves come on top."""
    from ..scores.performance import whole_data

    return int(scores.addresses[whole_data(scores)].shape[0])


def _means(scores: Scores) -> list[tuple[float, float | None]]:
    import numpy as np

    from ..numerics import exact_sums
    from ..scores.performance import whole_data

    on_all = whole_data(scores)
    rows = [row[~np.isnan(row)] for row in scores.values[:, on_all]]
    return [
        (float(exact_sums.mean(row)), float(row.std(ddof=1)) if row.size > 1 else None)
        for row in rows
    ]


def failed(error: RunFailed, store: str | None, *, as_json: bool) -> int:
    """Name the learners whose fits failed, with one traceback; there is no verdict."""
    groups = [problem(one) for one in error.failures]
    if as_json:
        about: dict[str, Any] = {"failures": groups, "result": None, "store": store}
        if error.scores is not None:
            about = facts(error.scores, store) | about
        print_json("run", about)
    n_bad = sum(group["count"] for group in groups)
    has = "has" if n_bad == 1 else "have"
    say(f"Incomplete: {counted(n_bad, 'fit')} {has} no score, so there is no verdict.")
    say(*map(problem_line, groups))
    example = next((p.example for p in error.failures if p.example), "")
    say(*(f"    {line}" for line in example.rstrip().splitlines()))
    kept = "Nothing was kept; add --store results.db to keep finished fits."
    if store is not None:
        kept = f"Finished fits are kept in {store}; add --retry to rerun the failed ones."
    say(f"Fix or remove the learner that failed, then run again. {kept}")
    return INCOMPLETE


def problem(found: Any) -> dict[str, Any]:
    """Return a group of cells without a score, in the vocabulary of --json."""
    return {
        "learner": found.learner,
        "status": found.status,
        "count": found.count,
        "line": found.line,
        "address": None if found.address is None else list(found.address),
    }


def problem_line(group: dict[str, Any]) -> str:
    words = {"timeout": "timed out", "killed": "crashed"}
    status = words.get(group["status"], group["status"])
    where = f" (first at {tuple(group['address'])})" if group["address"] else ""
    line = f": {group['line']}" if group["line"] else ""
    return f"{group['learner']!r}: {group['count']} {status}{where}{line}"


def export_scores(store: str, to: str, *, force: bool, incomplete: bool = False) -> None:
    from ..storage import export

    export(store, to, force=force, incomplete=incomplete)
    say(f"Scores written to {to}.")
