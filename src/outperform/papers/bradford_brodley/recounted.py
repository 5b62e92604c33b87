"""The printed tables read again: Table 4 from Tables 2 and 3, captions, groups, claims."""

from __future__ import annotations

from ...partitions import CONCLUSIONS, Conclusions, against_reference, conclusion
from ..exhibits import Finding, Scale, Statement, Value
from ..printed import printed, published
from .runs import COLUMNS, PAPER, PARTITIONS

__all__ = ["group_of", "label", "recounted", "told_conclusion", "told_counts", "told_p"]


def told_p(name: str, at: int) -> str:
    """Return a cell of Table 2 as printed."""
    return str(published(PAPER)["datasets"][name]["p"][at])


def told_counts(name: str, at: int) -> Conclusions:
    """Return a cell of Table 3 in its true order (E-B4)."""
    return Conclusions(*published(PAPER)["datasets"][name]["counts"][at])


def told_conclusion(name: str, at: int) -> str:
    """Return the averaged conclusion that Table 2 prints."""
    return conclusion(float(told_p(name, at)), published(PAPER)["alpha"])


def label(name: str, column: tuple[str, str]) -> str:
    return f"{name}, {column[0]} {column[1]}"


def group_of(counts: Conclusions) -> str:
    """Return the group of a dataset as far as counts tell: 3 and 4 look alike."""
    second, none, first = counts
    if second and first:
        return "1"
    if second or first:
        return "2" if none else "always"
    return "3 or 4"


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
        Value("wrong conclusions by the bold entries", told["incorrect"], by_bold,
              reason="two cells of Table 3 are bold in the wrong place (E-B5)"),
        Value("wrong conclusions, %", share.value, 100 * by_p / told["tests"], share.half_unit),
    ]  # fmt: skip
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
        Value(f"TDDT-2 1x10, datasets in group {group}", len(members),
              sum(again[name] == group for name in members))
        for group, members in merged.items()
    ]  # fmt: skip


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
        "the bold number in a cell of Table 3 is the conclusion of the averaged t", not wrong,
        f"Table 2 at .025 one-tailed says otherwise for {'; '.join(wrong)}",
        reason="two cells are bold in the wrong place (E-B5)",
    )  # fmt: skip


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
        "5x2CV is generally less significant than 1x10CV", by_design[1] < by_design[0],
        f"Table 3: {by_design[1]} significant partitions against {by_design[0]}; Table 2: smaller "
        f"p on {smaller[0]} and {smaller[1]} of 23 datasets",
        reason="the tables show the opposite (E-B11), as an ordinary paired t would (E-B12)",
    )  # fmt: skip


def _panels() -> tuple[Statement, ...]:
    """Judge what captions and text say of single datasets by Table 3."""
    names = published(PAPER)["datasets"]
    monk, toe = told_counts("monk1-full", 0), told_counts("tic-tac-toe", 3)
    flips = [n for n in names if all(told_counts(n, 1)[side] for side in (0, 2))]
    said = ["horse-colic", "soybean-large"]
    return (
        Statement("Figure 1: monk1 is close to no effect of the partition",
                  monk.no_decision == PARTITIONS,
                  f"Table 3: significant on {PARTITIONS - monk.no_decision} of 55 partitions",
                  reason="a slip of the caption (E-B17)"),
        Statement("Figure 3: the better algorithm changes on horse-colic and soybean-large",
                  all(name in flips for name in said), f"Table 3: on {', '.join(flips)} (E-B15)"),
        Statement("Figure 4: naive Bayes is the better on tic-tac-toe (caption)", toe[0] > toe[2],
                  f"Table 3: TDDT-1 is, on {toe[2]} of 55 partitions",
                  reason="a slip of the caption: Table 1 has TDDT-1 ahead too (E-B10)"),
    )  # fmt: skip
