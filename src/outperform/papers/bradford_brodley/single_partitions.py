"""Table 4 and the groups: how often single partitions err, and where the conclusion changes.

The printed tables are read again, too: Table 4 from Tables 2 and 3, captions, groups, claims.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...numerics.distributions import T
from ...results.partitions import CONCLUSIONS, Conclusions, against_reference
from ..exhibits import Finding, Scale, Statement, Value, printed, published, remarks
from .partition_tables import (
    COLUMNS,
    PAPER,
    PARTITIONS,
    READINGS,
    REASONS,
    JudgedBy,
    at_datasets,
    datasets,
    group_of,
    label,
    partitions,
    studies_of,
    told_conclusion,
    told_counts,
    told_p,
)

if TYPE_CHECKING:
    from ...lab.score_records import PartitionStudy

__all__ = ["groups", "recounted", "table4"]


def table4(scale: Scale) -> Finding:
    """Count wrong conclusions of single partitions in our runs (B-20)."""
    values, rows = _our_share(scale)
    return Finding(
        values=tuple(values),
        statements=(_stable(scale),),
        header=("column", "correct accept", "correct reject", "Type I", "Type II"),
        rows=tuple(rows),
        remarks=remarks(PAPER, "table4"),
    )


def _our_share(scale: Scale) -> tuple[list[Value], list[tuple[str, ...]]]:
    from ...lab.score_records import tally

    values, rows = [], []
    names = datasets(scale)
    theirs = [
        sum(
            against_reference(told_counts(n, at), told_conclusion(n, at)).incorrect
            for at in range(len(COLUMNS))
        )
        / (len(COLUMNS) * PARTITIONS)
        for n in names
    ]
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
            Value(
                f"wrong conclusions on {len(names)} datasets, %, 5x2 by {reading}",
                100 * float(np.mean(theirs)),
                100 * float(np.mean(ours)),
                error=error,
                reason=REASONS[reading],
            )
        )
    return values, rows


def _stable(scale: Scale) -> Statement:
    """Ask whether two averages agree more often than two single partitions do (B-29)."""
    found = studies_of(scale, "ordinary")
    gains = []
    for name in datasets(scale):
        gain = [_gain(found[name, column]) for column in COLUMNS]
        gains.append(float(np.mean(gain)))
    return at_datasets(
        "averaging t over partitions is more stable than a single partition",
        gains,
        "agreement of the averages of two halves of the partitions, minus that of two partitions",
    )


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
    found: dict[JudgedBy, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
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
            *remarks(PAPER, "groups"),
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


def recounted(_: Scale) -> Finding:
    """Count Table 4 again from Tables 2 and 3 with both readings of Table 3 (B-20, E-B5)."""
    told = published(PAPER)
    names = told["datasets"]
    values, rows = [], []
    by_p = by_bold = 0
    for at, column in enumerate(COLUMNS):
        counts = [told_counts(name, at) for name in names]
        right = against_reference(counts, [told_conclusion(name, at) for name in names])
        bold = against_reference(counts, [CONCLUSIONS[one["bold"][at]] for one in names.values()])
        by_p, by_bold = by_p + right.incorrect, by_bold + bold.incorrect
        stated = told["table4"][" ".join(column)]
        for kind, there, ours in zip(right._fields, stated, right, strict=True):
            values.append(Value(f"{' '.join(column)}, {kind.replace('_', ' ')}", there, ours))
        rows.append((" ".join(column), "printed", *map(str, stated)))
        rows.append((" ".join(column), "by Table 2", *map(str, right)))
        rows.append((" ".join(column), "by the bold entries", *map(str, bold)))
    share = printed(told["share"])
    values += [
        Value("wrong conclusions by Table 2", told["incorrect"], by_p),
        Value(
            "wrong conclusions by the bold entries",
            told["incorrect"],
            by_bold,
            reason="two cells of Table 3 are bold in the wrong place (E-B5)",
        ),
        Value("wrong conclusions, %", share.value, 100 * by_p / told["tests"], share.half_unit),
    ]
    return Finding(
        values=(*values, *_groups()),
        statements=(_caption(), _bold(), _less_significant(), *_panels()),
        header=("column", "reading", "correct accept", "correct reject", "Type I", "Type II"),
        rows=tuple(rows),
    )


def _groups() -> list[Value]:
    """Sort the datasets of the first column again (B-12 to B-14)."""
    stated = published(PAPER)["groups"]
    merged = {"1": stated["1"], "2": stated["2"], "3 or 4": stated["3"] + stated["4"]}
    again = {name: group_of(told_counts(name, 0)) for name in published(PAPER)["datasets"]}
    return [
        Value(
            f"TDDT-2 1x10, datasets in group {group}",
            len(members),
            sum(again[name] == group for name in members),
        )
        for group, members in merged.items()
    ]


def _caption() -> Statement:
    """Read Table 3 against the signs of Table 2 (E-B4)."""
    unequal = others = 0
    for name in published(PAPER)["datasets"]:
        for at in range(len(COLUMNS)):
            counts = told_counts(name, at)
            if counts[0] != counts[2]:
                unequal += 1
                others += (counts[0] > counts[2]) == told_p(name, at).startswith("-")
    return Statement(
        "the first number in a cell of Table 3 counts where TDDT-1 is better (caption)",
        others < unequal / 2,
        f"signs of Table 2: in {others} of {unequal} unequal cells it counts the other's",
        reason="the caption is reversed (E-B4)",
    )


def _bold() -> Statement:
    """Read the bold entries of Table 3 against Table 2 (E-B5)."""
    wrong = [
        label(name, column)
        for name, told in published(PAPER)["datasets"].items()
        for at, column in enumerate(COLUMNS)
        if CONCLUSIONS[told["bold"][at]] != told_conclusion(name, at)
    ]
    return Statement(
        "the bold number in a cell of Table 3 is the conclusion of the averaged t",
        not wrong,
        f"Table 2 at .025 one-tailed says otherwise for {'; '.join(wrong)}",
        reason="two cells are bold in the wrong place (E-B5)",
    )


def _less_significant() -> Statement:
    """Count significant partitions and smaller p-values by design (E-B11)."""
    names = published(PAPER)["datasets"]
    by_design = [
        sum(PARTITIONS - told_counts(name, at).no_decision for name in names for at in pair)
        for pair in ((0, 2), (1, 3))
    ]
    smaller = [
        sum(abs(float(told_p(n, at + 1))) < abs(float(told_p(n, at))) for n in names)
        for at in (0, 2)
    ]
    return Statement(
        "5x2CV is generally less significant than 1x10CV",
        by_design[1] < by_design[0],
        f"Table 3: {by_design[1]} significant partitions against {by_design[0]}; Table 2: smaller "
        f"p on {smaller[0]} and {smaller[1]} of 23 datasets",
        reason="the tables show the opposite (E-B11), as an ordinary paired t would (E-B12)",
    )


def _panels() -> tuple[Statement, ...]:
    """Judge what captions and text say of single datasets by Table 3."""
    names = published(PAPER)["datasets"]
    monk, toe = told_counts("monk1-full", 0), told_counts("tic-tac-toe", 3)
    flips = [n for n in names if all(told_counts(n, 1)[side] for side in (0, 2))]
    said = ["horse-colic", "soybean-large"]
    return (
        Statement(
            "Figure 1: monk1 is close to no effect of the partition",
            monk.no_decision == PARTITIONS,
            f"Table 3: significant on {PARTITIONS - monk.no_decision} of 55 partitions",
            reason="a slip of the caption (E-B17)",
        ),
        Statement(
            "Figure 3: the better algorithm changes on horse-colic and soybean-large",
            all(name in flips for name in said),
            f"Table 3: on {', '.join(flips)} (E-B15)",
        ),
        Statement(
            "Figure 4: naive Bayes is the better on tic-tac-toe (caption)",
            toe[0] > toe[2],
            f"Table 3: TDDT-1 is, on {toe[2]} of 55 partitions",
            reason="a slip of the caption: Table 1 has TDDT-1 ahead too (E-B10)",
        ),
    )
