"""What Section 3 says of stratification, of the spread of 5x2CV, and of single datasets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from outperform.numerics.exact_sums import Array
from outperform.results.partitions import one_sided

from ..exhibits import (
    Finding,
    Scale,
    Statement,
    Value,
    binomial,
    mean,
    printed,
    published,
    remarks,
    settled,
    share_error,
)
from ..partition_studies import PartitionStudy, partition_study
from .shared_runs import (
    COLUMNS,
    LEARNERS_DIFFER,
    PAPER,
    PARTITIONS,
    at_datasets,
    datasets,
    partitions,
    run_of,
    studies_of,
    table_of,
)

SMALL = 500
"""Datasets of fewer items are run with stratification: the others would take most of the time."""


def stratified(scale: Scale) -> Finding:
    """Compare significance with and without stratification, dataset by dataset (B-31)."""
    names = [name for name in datasets(scale) if len(table_of(name)[1]) < SMALL]
    rows, statements = [], []
    for column in COLUMNS:
        other, design = column
        gaps: dict[str, list[float]] = {"mean |t|": [], "sd of t": []}
        for name in names:
            plain, strata = (
                partition_study(
                    run_of(name, design, scale, both),
                    "TDDT-1",
                    other,
                    ordinary=design == "5x2",
                ).t_values
                for both in (False, True)
            )
            gaps["mean |t|"].append(float(np.abs(strata.mean()) - np.abs(plain.mean())))
            gaps["sd of t"].append(float(strata.std(ddof=1) - plain.std(ddof=1)))
        for what, found in gaps.items():
            rows.append(_row(column, what, found))
            statements.append(_neither(column, what, found))
    return Finding(
        statements=tuple(statements),
        header=("comparison", "of", "larger when stratified", "smaller", "mean change"),
        rows=tuple(rows),
        remarks=(
            f"{len(names)} datasets of fewer than {SMALL} items, {partitions(scale)} partitions.",
            *remarks(PAPER, "stratified"),
        ),
    )


def _row(column: tuple[str, str], what: str, found: list[float]) -> tuple[str, ...]:
    more, less = (sum(sign * gap > 0 for gap in found) for sign in (1, -1))
    return " ".join(column), what, str(more), str(less), str(mean(np.asarray(found)))


def _neither(column: tuple[str, str], what: str, found: list[float]) -> Statement:
    """Ask whether one side prevails: then it is consistent, against the paper."""
    more, less = (sum(sign * gap > 0 for gap in found) for sign in (1, -1))
    few = binomial(min(more, less), more + less, "above", 0.5)
    return settled(
        f"stratification does not consistently change the {what} of {' '.join(column)}",
        few._replace(contrary=1.0, claim=min(1.0, 2 * few.claim)),
        f"larger on {more} datasets, smaller on {less}, sign test",
        LEARNERS_DIFFER,
    )


def in_the_text(scale: Scale) -> Finding:
    """Judge the spread of 5x2CV and the ranges that the text quotes (B-32, B-33)."""
    found = studies_of(scale, "ordinary")
    told = published(PAPER)["ranges"]
    names = datasets(scale)
    spreads = {
        key: float(np.std(one_sided(study.signed_p), ddof=1)) for key, study in found.items()
    }
    gains = [
        float(
            np.mean(
                [
                    spreads[name, (other, "1x10")] - spreads[name, (other, "5x2")]
                    for other in ("TDDT-2", "naive-bayes")
                ]
            )
        )
        for name in names
    ]
    values, rows, statements = [], [], []
    for one in told:
        key = one["dataset"], ("TDDT-2", one["design"])
        if key[0] in names:
            study = found[key]
            values += _ends(one, study)
            rows.append(
                (
                    f"{key[0]}, {one['design']}",
                    _shown(map(float, one["ends"])),
                    _shown(study.sorted_p[[0, -1]].tolist()),
                    str(study.t_values.size - study.conclusions().no_decision),
                )
            )
    if "tic-tac-toe" in names:
        values.append(_significant("tic-tac-toe", found["tic-tac-toe", ("TDDT-2", "5x2")]))
    for name in ("monk3-full", "mushroom"):
        if name in names:
            statements += _folds(name, scale)
    return Finding(
        values=tuple(values),
        statements=(
            at_datasets(
                "5x2CV results in a slightly smaller variation of the significance values",
                gains,
                "standard deviation over partitions of the one-tailed p by 1x10 minus that by 5x2, "
                "mean of the comparisons",
            ),
            *statements,
        ),
        header=("dataset", "printed range", "our range", "significant partitions of ours"),
        rows=tuple(rows),
        remarks=remarks(PAPER, "text"),
    )


def _shown(ends: Any) -> str:
    first, last = (
        f"{'TDDT-2' if math.copysign(1, end) < 0 else 'TDDT-1'} at {abs(end):.3g}" for end in ends
    )
    return f"{first} to {last}"


def _ends(told: dict[str, Any], study: PartitionStudy) -> list[Value]:
    """Compare both ends of a range by one-tailed p through .5; errors by new partitions."""
    rng = np.random.default_rng(PARTITIONS)
    tails = np.asarray(one_sided(study.signed_p))
    drawn = tails[rng.integers(0, tails.size, (400, tails.size))]
    ends = ((0, drawn.min(axis=1), tails.min()), (1, drawn.max(axis=1), tails.max()))
    return [
        Value(
            f"{told['dataset']} {told['design']}, {'best for TDDT-1' if not at else 'for TDDT-2'}",
            float(one_sided(printed(told["ends"][at]).value)),
            float(ours),
            half_unit=printed(told["ends"][at]).half_unit,
            error=math.sqrt(2) * max(float(again.std(ddof=1)), _step(tails, at)),
            reason=LEARNERS_DIFFER,
        )
        for at, again, ours in ends
    ]


def _step(tails: Array, at: int) -> float:
    """Return the distance from an end to its neighbour: an extreme is no surer than that."""
    ordered = np.sort(np.unique(tails))
    if ordered.size < 2:
        return 0.0
    return float(ordered[1] - ordered[0] if at == 0 else ordered[-1] - ordered[-2])


def _significant(name: str, study: PartitionStudy) -> Value:
    """Compare how many partitions of 5x2CV are significant, where the text says none."""
    counts = study.conclusions()
    n, hits = sum(counts), sum(counts) - counts.no_decision
    return Value(
        f"{name} 5x2, share of significant partitions",
        0.0,
        hits / n,
        error=math.hypot(share_error(0, PARTITIONS), share_error(hits / n, n)),
        reason=LEARNERS_DIFFER,
    )


def _folds(name: str, scale: Scale) -> list[Statement]:
    """Judge that all folds of 1x10CV are 100 %, and that some of 5x2CV are not."""
    trees = ("TDDT-1", "TDDT-2")
    least = {}
    for design in ("1x10", "5x2"):
        run = run_of(name, design, scale)
        least[design] = 100 * min(float(run.values[run.index(tree)].min()) for tree in trees)
    return [
        Statement(
            f"on {name} every fold of 1x10CV yields 100 % with both trees",
            least["1x10"] == 100,
            f"the lowest fold of ours has {least['1x10']:.1f} %",
            reason=LEARNERS_DIFFER,
        ),
        Statement(
            f"on {name} some folds of 5x2CV yield less than 100 %, as low as 95 % on one of both",
            least["5x2"] < 100,
            f"the lowest fold of ours has {least['5x2']:.1f} %",
            reason=LEARNERS_DIFFER,
        ),
    ]
