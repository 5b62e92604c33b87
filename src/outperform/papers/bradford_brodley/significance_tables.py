"""Tables 1 to 3: mean accuracies, what the average of the partitions says, and what each says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dists import T
from ...partitions import Conclusions, one_sided
from ...sums import Array
from ..claim_tests import binomial, settled, share_error
from ..exhibits import Finding, Scale, Statement, Value, printed, published, remarks
from .partition_runs import (
    COLUMNS,
    LEARNERS_DIFFER,
    PAPER,
    PARTITIONS,
    READINGS,
    JudgedBy,
    at_datasets,
    datasets,
    label,
    partitions,
    run_of,
    studies_of,
    told_conclusion,
    told_counts,
    told_p,
)

if TYPE_CHECKING:
    from ...lab.partition_studies import PartitionStudy

__all__ = ["table1", "table2", "table3"]

ALL_EQUAL = "all folds are 100% for both, so .50 by the paper's own rule (E-B14)"
LEARNERS = ("TDDT-1", "TDDT-2", "naive-bayes")
OTHER = {
    "TDDT-1": "MLC++'s tree is not C4.5: it has its own splits and its own choice of the factor",
    "TDDT-2": "MLC++'s tree is not C4.5, whose pruning it borrows",
    "naive-bayes": "MLC++ discretises and smooths in its own way",
}


def table2(scale: Scale) -> Finding:
    """Compare the significance of the averaged t (B-15, B-16) on the scale through .5 (B-11)."""
    found: dict[JudgedBy, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
    values, rows = [], []
    for name in datasets(scale):
        row = [name]
        for at, column in enumerate(COLUMNS):
            study = found["ordinary"][name, column]
            values.append(_significance(name, at, study))
            both = [f"{found[reading][name, column].averaged_p():.2g}" for reading in READINGS]
            ours = both[0] if column[1] == "1x10" else f"{both[0]} ({both[1]})"
            row.append(f"{told_p(name, at)} → {ours}")
        rows.append(tuple(row))
    return Finding(
        values=(*values, *_smaller(scale, found)),
        statements=_same_side(found["ordinary"]),
        header=("dataset", *(" ".join(column) for column in COLUMNS)),
        rows=tuple(rows),
        remarks=(*remarks(PAPER, "table2"), _adjusted(found["ordinary"])),
    )


def _significance(name: str, at: int, study: PartitionStudy) -> Value:
    there = printed(told_p(name, at))
    t, n = study.t_values, study.t_values.size
    error = float(t.std(ddof=1)) * math.sqrt(1 / n + 1 / PARTITIONS)
    law = T(study.df)
    reach = float(law.sf(t.mean() - error) - law.sf(t.mean() + error)) / 2
    equal = (name, at) == ("monk3-full", 0)
    signed = math.copysign(abs(there.value), -1 if told_p(name, at).startswith("-") else 1)
    return Value(
        label(name, COLUMNS[at]),
        float(one_sided(signed)),
        float(law.sf(t.mean())),
        there.half_unit,
        reach,
        reason=ALL_EQUAL if equal else LEARNERS_DIFFER,
    )


def _adjusted(found: Any) -> str:
    """Say what Bonferroni leaves of our claims (B-26)."""
    import outperform as op

    alpha = published(PAPER)["alpha"]
    told = []
    for column in COLUMNS:
        p = np.array([2 * abs(s.averaged_p()) for (_, c), s in found.items() if c == column])
        kept = int((np.asarray(op.bonferroni(p)) < alpha).sum())
        told.append(f"{' '.join(column)} {kept} of {int((p < alpha).sum())}")
    return f"Claims of our averaged t that Bonferroni leaves: {'; '.join(told)}."


def _same_side(found: Any) -> tuple[Statement, ...]:
    """Ask whether ours points the same way wherever the printed average is significant."""
    sides = []
    for (name, column), study in found.items():
        said = told_conclusion(name, COLUMNS.index(column))
        if said != "no decision":
            sides.append((1 if said == "first better" else -1) * np.sign(study.t_values.mean()))
    again, n = sum(side > 0 for side in sides), sum(side != 0 for side in sides)
    if not n:
        return ()
    return (
        settled(
            "the winners that the averaged t declares win again",
            binomial(again, n, "above", 0.5),
            f"same side on {again} of {n}, ties left out, sign test",
            LEARNERS_DIFFER,
        ),
    )


def _smaller(scale: Scale, found: Any) -> list[Value]:
    """Count where 5x2 is more significant than 1x10, against what the text says (E-B11)."""
    names = datasets(scale)
    values = []
    for first in (0, 2):
        other = COLUMNS[first][0]
        said = sum(abs(float(told_p(n, first + 1))) < abs(float(told_p(n, first))) for n in names)
        for reading in READINGS:
            ours = sum(
                abs(found[reading][n, COLUMNS[first + 1]].averaged_p())
                < abs(found[reading][n, COLUMNS[first]].averaged_p())
                for n in names
            )
            m = len(names)
            error = m * math.hypot(share_error(said / m, m), share_error(ours / m, m))
            reason = "5x2cv t is the less significant, as the text says (E-B11, E-B12)"
            what = f"datasets of {m} with 5x2 the more significant, {other}, {reading}"
            reason = LEARNERS_DIFFER if reading == "ordinary" else reason
            values.append(Value(what, said, ours, error=error, reason=reason))
    return values


def table3(scale: Scale) -> Finding:
    """Compare how often single partitions conclude what (B-19), as shares of the partitions."""
    found: dict[JudgedBy, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
    values, rows = [], []
    for name in datasets(scale):
        row = [name]
        for at, column in enumerate(COLUMNS):
            there = told_counts(name, at)
            ours = found["ordinary"][name, column].conclusions()
            values += _shares(label(name, column), there, ours)
            other = found["5x2cv t"][name, column].conclusions()
            more = "" if column[1] == "1x10" else f" ({_triple(other)})"
            row.append(f"{_triple(there)} → {_triple(ours)}{more}")
        rows.append(tuple(row))
    return Finding(
        values=tuple(values),
        header=("dataset", *(" ".join(column) for column in COLUMNS)),
        rows=tuple(rows),
        remarks=remarks(PAPER, "table3"),
    )


def _triple(counts: Sequence[int]) -> str:
    return "/".join(map(str, counts))


def _shares(name: str, there: Conclusions, ours: Conclusions) -> list[Value]:
    values = []
    for side, word in ((0, "other better"), (2, "TDDT-1 better")):
        p, q = there[side] / sum(there), ours[side] / sum(ours)
        error = math.hypot(share_error(p, sum(there)), share_error(q, sum(ours)))
        values.append(Value(f"{name}, {word}", p, q, error=error, reason=LEARNERS_DIFFER))
    return values


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
            at_datasets(
                "training on half of the data costs accuracy",
                lost,
                "points lost by 5x2 against 1x10, mean of the learners",
            ),
        ),
        header=("dataset", *told["accuracy_columns"]),
        rows=tuple(rows),
        remarks=(
            *remarks(PAPER, "table1"),
            f"{near} of {len(gaps)} means lie within 2 points of the printed ones; on average "
            f"ours are {np.mean(gaps):+.2f} points off, {np.mean(np.abs(gaps)):.2f} in size.",
        ),
    )


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
        [
            float(told["datasets"][name]["accuracy"][columns.index(f"{learner} {design}")])
            for name, learner in keys
        ]
        for design in ("1x10", "5x2")
    ]
    recount = op.accuracy_lost(*again)
    stated = sum(tuple(pair) in keys for pair in told["half_better"])
    n = len(keys)
    error = n * math.hypot(share_error(stated / n, n), share_error(ours.half_better / n, n))
    lost = np.asarray(ours.lost).reshape(-1, len(LEARNERS)).mean(axis=1)
    return [
        Value(
            f"5x2 above 1x10, of {n}: recounted in the printed table", stated, recount.half_better
        ),
        Value(
            f"5x2 above 1x10, of {n}: our runs",
            stated,
            ours.half_better,
            error=error,
            reason="near ties fall either way",
        ),
    ], lost.tolist()
