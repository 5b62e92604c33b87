"""What is said of a run: its means, what failed in it, where its scores went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._output import INCOMPLETE, print_json, say

if TYPE_CHECKING:
    from ..errors import RunFailed
    from ..scores.split_scores import Scores


def means_table(scores: Scores) -> str:
    """Return the mean score of every learner, with its spread over splits."""
    from ..report.formatting import decimals_for, fixed, terminal

    names = [terminal(name) for name in scores.names]
    width = max(map(len, names))
    design = "" if scores.design is None else f"{scores.design.describe()}, "
    metric = terminal(scores.metric)
    rows = [f"mean {metric} ({design}{scores.n_splits} splits, seed {scores.seed})"]
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
        "n": scores.n_splits,
        "scores": [
            {"name": name, "mean": mean, "sd": sd}
            for name, (mean, sd) in zip(scores.names, _means(scores), strict=True)
        ],
        "notes": [{"code": note.code, "text": note.text} for note in scores.notes],
        "seed": scores.seed,
        "store": store,
        "failures": [],
    }


def _means(scores: Scores) -> list[tuple[float, float | None]]:
    from ..numerics import exact_sums

    several = scores.n_splits > 1
    return [
        (float(exact_sums.mean(row)), float(row.std(ddof=1)) if several else None)
        for row in scores.values
    ]


def failed(error: RunFailed, store: str | None, *, as_json: bool) -> int:
    """Name the learners whose cells failed, with one traceback; there is no verdict."""
    groups = [problem(one) for one in error.failures]
    if as_json:
        about: dict[str, Any] = {"failures": groups, "result": None, "store": store}
        if error.scores is not None:
            about = facts(error.scores, store) | about
        print_json("run", about)
    n_bad = sum(group["count"] for group in groups)
    say(f"incomplete: {n_bad} cells have no score, so there is no verdict")
    say(*map(problem_line, groups))
    example = next((p.example for p in error.failures if p.example), "")
    say(*(f"    {line}" for line in example.rstrip().splitlines()))
    kept = "nothing is kept; add --store results.db to keep what succeeds"
    if store is not None:
        kept = f"what succeeded is kept in {store}; to try the failed cells again add --retry"
    say(f"Fix or remove what failed, then run again; {kept}")
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
    words = {"timeout": "ran out of time", "killed": "killed their process"}
    status = words.get(group["status"], group["status"])
    where = f" (first at {tuple(group['address'])})" if group["address"] else ""
    line = f": {group['line']}" if group["line"] else ""
    return f"{group['learner']!r}: {group['count']} {status}{where}{line}"


def export_scores(store: str, to: str, *, force: bool, incomplete: bool = False) -> None:
    from ..storage import export

    export(store, to, force=force, incomplete=incomplete)
    say(f"scores written to {to}")
