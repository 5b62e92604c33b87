"""Tables 2 and 3: what the average of the partitions says, and what each of them says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dists import T
from ...partitions import Conclusions, one_sided
from ..exhibits import Finding, Scale, Statement, Value
from ..judging import binomial, settled, share_error
from ..printed import printed, published
from .recounted import label, told_conclusion, told_counts, told_p
from .runs import (
    COLUMNS,
    LEARNERS_DIFFER,
    PAPER,
    PARTITIONS,
    READINGS,
    Reading,
    datasets,
    studies_of,
)

if TYPE_CHECKING:
    from ...lab.partition_studies import PartitionStudy

__all__ = ["table2", "table3"]

ALL_EQUAL = "all folds are 100% for both, so .50 by the paper's own rule (E-B14)"


def table2(scale: Scale) -> Finding:
    """Compare the significance of the averaged t (B-15, B-16) on the scale through .5 (B-11)."""
    found: dict[Reading, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
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
        remarks=(
            "Printed → ours; in brackets by the 5x2cv t of the paper's text, else by the ordinary "
            "paired t that the printed 5x2 columns look like (E-B12). The sign is the winner's: "
            "positive for TDDT-1. Values are compared as one-tailed p through .5, 1 − |p| where "
            "the other side wins; the error is that of two means of t.",
            _adjusted(found["ordinary"]),
        ),
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
        label(name, COLUMNS[at]), float(one_sided(signed)), float(law.sf(t.mean())),
        there.half_unit, reach, reason=ALL_EQUAL if equal else LEARNERS_DIFFER,
    )  # fmt: skip


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
        settled("the winners that the averaged t declares win again",
                binomial(again, n, "above", 0.5),
                f"same side on {again} of {n}, ties left out, sign test", LEARNERS_DIFFER),
    )  # fmt: skip


def _smaller(scale: Scale, found: Any) -> list[Value]:
    """Count where 5x2 is more significant than 1x10, against what the text says (E-B11)."""
    names = datasets(scale)
    values = []
    for first in (0, 2):
        other = COLUMNS[first][0]
        said = sum(
            abs(float(told_p(n, first + 1))) < abs(float(told_p(n, first))) for n in names
        )  # fmt: skip
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
    found: dict[Reading, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
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
        remarks=(
            "Printed → ours: the other algorithm better / no difference / TDDT-1 better; in "
            "brackets by the 5x2cv t. Partitions are independent draws, so the error is that of "
            "two shares.",
        ),
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
