"""Table 4 and the groups: how often single partitions err, and where the conclusion changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dists import T
from ...partitions import Conclusions, against_reference
from ..exhibits import Finding, Scale, Statement, Value
from ..printed import published
from .recounted import group_of, told_conclusion, told_counts
from .runs import (
    COLUMNS,
    PAPER,
    PARTITIONS,
    READINGS,
    REASONS,
    Reading,
    at_datasets,
    datasets,
    partitions,
    studies_of,
)

if TYPE_CHECKING:
    from ...lab.partition_studies import PartitionStudy

__all__ = ["groups", "table4"]


def table4(scale: Scale) -> Finding:
    """Count wrong conclusions of single partitions in our runs (B-20)."""
    values, rows = _our_share(scale)
    return Finding(
        values=tuple(values),
        statements=(_stable(scale),),
        header=("column", "correct accept", "correct reject", "Type I", "Type II"),
        rows=tuple(rows),
        remarks=(
            "Our share stands beside that of the printed Table 3 on the same datasets; its error "
            "is that of the mean of paired differences over datasets, each at least a point.",
        ),
    )


def _our_share(scale: Scale) -> tuple[list[Value], list[tuple[str, ...]]]:
    from ...lab.partition_studies import tally

    values, rows = [], []
    names = datasets(scale)
    theirs = [
        sum(against_reference(told_counts(n, at), told_conclusion(n, at)).incorrect
            for at in range(len(COLUMNS))) / (len(COLUMNS) * PARTITIONS)
        for n in names
    ]  # fmt: skip
    for reading in READINGS:
        found = studies_of(scale, reading)
        for column in COLUMNS:
            if reading == "ordinary" or column[1] == "5x2":
                counts = tally({k: s for k, s in found.items() if k[1] == column})
                way = f", {reading}" if column[1] == "5x2" else ""
                rows.append((f"{' '.join(column)}, our runs{way}", *map(str, counts)))
        ours = []
        for name in names:
            one = tally({k: s for k, s in found.items() if k[0] == name})
            ours.append(one.incorrect / sum(one))
        gaps = 100 * (np.asarray(ours) - theirs)
        error = max(float(gaps.std(ddof=1)), 1.0) / math.sqrt(len(names))
        values.append(
            Value(f"wrong conclusions on {len(names)} datasets, %, 5x2 by {reading}",
                  100 * float(np.mean(theirs)), 100 * float(np.mean(ours)), error=error,
                  reason=REASONS[reading])
        )  # fmt: skip
    return values, rows


def _stable(scale: Scale) -> Statement:
    """Ask whether two averages agree more often than two single partitions do (B-29)."""
    found = studies_of(scale, "ordinary")
    gains = []
    for name in datasets(scale):
        gain = [_gain(found[name, column]) for column in COLUMNS]
        gains.append(float(np.mean(gain)))
    return at_datasets(
        "averaging t over partitions is more stable than a single partition", gains,
        "agreement of the averages of two halves of the partitions, minus that of two partitions",
    )  # fmt: skip


def _gain(study: PartitionStudy, halvings: int = 50) -> float:
    """Return how much oftener averages of two halves agree than two single partitions."""
    n = study.t_values.size
    counts = np.array(study.conclusions())
    alone = float((counts * (counts - 1)).sum()) / (n * (n - 1))
    rng = np.random.default_rng(n)
    order = rng.permuted(np.tile(study.t_values, (halvings, 1)), axis=1)
    half = n // 2
    limit = float(T(study.df).isf(published(PAPER)["alpha"] / 2))
    means = order[:, : 2 * half].reshape(halvings, 2, half).mean(axis=-1)
    sides = np.sign(means) * (np.abs(means) > limit)
    return float(np.mean(sides[:, 0] == sides[:, 1])) - alone


def groups(scale: Scale) -> Finding:
    """Sort datasets by what the choice of partition does to the conclusion (B-12 to B-14)."""
    names, n = datasets(scale), partitions(scale)
    found: dict[Reading, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
    values = []
    for at, column in enumerate(COLUMNS):
        cells = [told_counts(name, at) for name in names]
        there = sum(_changes(counts, n) for counts in cells)
        chances = [_changes_again(counts, n) for counts in cells]
        error = math.sqrt(2 * sum(p * (1 - p) for p in chances))
        for reading in READINGS if column[1] == "5x2" else READINGS[:1]:
            ours = sum(found[reading][name, column].group() in ("1", "2") for name in names)
            way = f", {reading}" if column[1] == "5x2" else ""
            what = f"{' '.join(column)}{way}, datasets of {len(names)} whose conclusion changes"
            values.append(Value(what, there, ours, error=error, reason=REASONS[reading]))
    stated = {name: g for g, members in published(PAPER)["groups"].items() for name in members}
    rows = []
    for name in names:
        row = [name]
        for at, column in enumerate(COLUMNS):
            said = group_of(told_counts(name, at)) if at else stated[name]
            both = [found[reading][name, column].group() for reading in READINGS]
            told = both[0] if column[1] == "1x10" else f"{both[0]} ({both[1]})"
            row.append(f"{said} → {told}")
        rows.append(tuple(row))
    return Finding(
        values=tuple(values),
        header=("dataset", *(" ".join(column) for column in COLUMNS)),
        rows=tuple(rows),
        remarks=(
            "1: either algorithm wins on some partition; 2: significance comes and goes; 3: p "
            "varies but is never significant; 4: p does not vary; always: significant throughout. "
            "Printed → ours, in brackets by the 5x2cv t. The paper names groups for the first "
            "column only; the others are read from Table 3, whose counts cannot tell 3 from 4.",
            f"The printed count is what {n} of the 55 partitions of Table 3 lead one to expect. "
            "Its error, and that of ours, is that of drawing partitions anew with the shares of "
            "Table 3, a third of a partition added to each conclusion.",
        ),
    )


def _changes(counts: Conclusions, n: int) -> float:
    """Return the chance that n of the printed partitions do not all conclude the same."""
    return 1 - sum(math.comb(count, n) for count in counts) / math.comb(sum(counts), n)


def _changes_again(counts: Conclusions, n: int) -> float:
    """Return the chance that n new partitions do not all conclude the same."""
    return 1 - sum(((count + 1 / 3) / (sum(counts) + 1)) ** n for count in counts)
