"""Table 1: mean accuracies of three learners by two designs (B-10, B-27)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...sums import Array
from ..exhibits import Finding, Scale, Value
from ..judging import share_error
from ..printed import printed, published
from .runs import PAPER, PARTITIONS, at_datasets, datasets, partitions, run_of

__all__ = ["table1"]

LEARNERS = ("TDDT-1", "TDDT-2", "naive-bayes")
OTHER = {
    "TDDT-1": "MLC++'s tree is not C4.5: it has its own splits and its own choice of the factor",
    "TDDT-2": "MLC++'s tree is not C4.5, whose pruning it borrows",
    "naive-bayes": "MLC++ discretises and smooths in its own way",
}


def table1(scale: Scale) -> Finding:
    """Compare mean accuracies over partitions; their error is that of two such means (B-10)."""
    found = {name: _by_partition(name, scale) for name in datasets(scale)}
    told = published(PAPER)
    values, rows, gaps = [], [], []
    for name, ours in found.items():
        row = [name]
        for text, column in zip(
            told["datasets"][name]["accuracy"], told["accuracy_columns"], strict=True
        ):
            value = _value(name, column, text, ours[column])
            values.append(value)
            gaps.append(value.ours - printed(text).value)
            row.append(f"{text} → {value.ours:.1f}")
        rows.append(tuple(row))
    near = sum(abs(gap) <= 2 for gap in gaps)
    counted, lost = _half(found)
    return Finding(
        values=(*values, *counted),
        statements=(
            at_datasets("training on half of the data costs accuracy", lost,
                        "points lost by 5x2 against 1x10, mean of the learners"),
        ),
        header=("dataset", *told["accuracy_columns"]),
        rows=tuple(rows),
        remarks=(
            "Printed → ours. The error of a difference is √(1/55 + 1/n) standard deviations over "
            "partitions: what the same learners would differ by.",
            f"{near} of {len(gaps)} means lie within 2 points of the printed ones; on average "
            f"ours are {np.mean(gaps):+.2f} points off, {np.mean(np.abs(gaps)):.2f} in size.",
        ),
    )  # fmt: skip


def _by_partition(name: str, scale: Scale) -> dict[str, Array]:
    """Return the accuracy (%) of each partition by column."""
    found = {}
    for design in ("1x10", "5x2"):
        scores = run_of(name, design, scale)
        flat = scores.values.reshape(len(scores.names), partitions(scale), -1).mean(axis=-1)
        for learner in LEARNERS:
            found[f"{learner} {design}"] = 100 * flat[scores.index(learner)]
    return found


def _value(name: str, column: str, text: str, ours: Array) -> Value:
    there = printed(text)
    error = float(ours.std(ddof=1)) * math.sqrt(1 / PARTITIONS + 1 / ours.size)
    reason = OTHER[column.partition(" ")[0]]
    return Value(
        f"{name}, {column}", there.value, float(ours.mean()), there.half_unit, error, reason
    )


def _half(found: Mapping[str, Mapping[str, Array]]) -> tuple[list[Value], list[float]]:
    """Count where half of the data did better, here and in print (B-27)."""
    import outperform as op

    keys = [(name, learner) for name in found for learner in LEARNERS]
    full = [float(found[name][f"{learner} 1x10"].mean()) for name, learner in keys]
    half = [float(found[name][f"{learner} 5x2"].mean()) for name, learner in keys]
    ours = op.accuracy_lost(full, half)
    told = published(PAPER)
    columns = told["accuracy_columns"]
    again = [
        [float(told["datasets"][name]["accuracy"][columns.index(f"{learner} {design}")])
         for name, learner in keys]
        for design in ("1x10", "5x2")
    ]  # fmt: skip
    recount = op.accuracy_lost(*again)
    stated = sum(tuple(pair) in keys for pair in told["half_better"])
    n = len(keys)
    error = n * math.hypot(share_error(stated / n, n), share_error(ours.half_better / n, n))
    lost = np.asarray(ours.lost).reshape(-1, len(LEARNERS)).mean(axis=1)
    return [
        Value(f"5x2 above 1x10, of {n}: recounted in the printed table", stated,
              recount.half_better),
        Value(f"5x2 above 1x10, of {n}: our runs", stated, ours.half_better, error=error,
              reason="near ties fall either way"),
    ], lost.tolist()  # fmt: skip
