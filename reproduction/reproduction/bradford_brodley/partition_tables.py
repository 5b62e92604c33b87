"""Tables 1 to 4, and where single partitions err."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from outperform.numerics.distributions import T
from outperform.numerics.exact_sums import Array
from outperform.procedures.sufficiency import CONCLUSIONS
from outperform.results.partitions import Conclusions, one_sided

from ..exhibits import (
    Finding,
    Scale,
    Statement,
    Value,
    binomial,
    global_fit,
    printed,
    published,
    remarks,
    settled,
    share_error,
)
from ..partitions import against_reference, conclusion
from .shared_runs import (
    COLUMNS,
    LEARNERS,
    LEARNERS_DIFFER,
    PAPER,
    PARTITIONS,
    READINGS,
    REASONS,
    SEED,
    JudgedBy,
    accuracy_value,
    at_datasets,
    datasets,
    partitions,
    run_of,
    studies_of,
)
from .tree_variants import accuracies, explained, mean_ts, shares

if TYPE_CHECKING:
    from ..partition_studies import PartitionStudy


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


ALL_EQUAL = "all folds are 100% for both, so .50 by the paper's own rule (E-B14)"


def table2(scale: Scale) -> Finding:
    """Compare the significance of the averaged t (B-15, B-16) on the scale through .5 (B-11)."""
    found: dict[JudgedBy, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
    values, rows = [], []
    for name in datasets(scale):
        row = [name]
        for at, column in enumerate(COLUMNS):
            study = found["ordinary"][name, column]
            value = _significance(name, at, study)
            if value.agreement == "differs" and value.reason != ALL_EQUAL:
                law, t = T(study.df), study.t_values.mean()
                moved = mean_ts(name, column, scale)
                value = explained(value, {v: float(law.sf(t + by)) for v, by in moved.items()})
            values.append(value)
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
    return f"Claims of our averaged t that remain after Bonferroni's adjustment: {'; '.join(told)}."


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
            "the winners according to the averaged t win again",
            binomial(again, n, "above", 0.5),
            f"same winner on {again} of {n}, without ties; sign test",
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
            reason = "the 5x2cv t is less significant, as the text says (E-B11, E-B12)"
            what = f"datasets of {m} on which 5x2 is more significant, {other}, {reading}"
            reason = LEARNERS_DIFFER if reading == "ordinary" else reason
            values.append(Value(what, said, ours, error=error, reason=reason))
    return values


def table3(scale: Scale) -> Finding:
    """Compare how often single partitions conclude what (B-19), as shares of the partitions."""
    found: dict[JudgedBy, Any] = {reading: studies_of(scale, reading) for reading in READINGS}
    values, rows = [], []
    counts: list[tuple[Conclusions, Conclusions]] = []
    for name in datasets(scale):
        row = [name]
        for at, column in enumerate(COLUMNS):
            there = told_counts(name, at)
            ours = found["ordinary"][name, column].conclusions()
            counts.append((ours, there))
            for side, value in zip((0, 2), _shares(label(name, column), there, ours), strict=True):
                moved = shares(name, column, side, scale) if value.agreement == "differs" else {}
                inside = {v: min(max(value.ours + by, 0.0), 1.0) for v, by in moved.items()}
                values.append(explained(value, inside))
            other = found["5x2cv t"][name, column].conclusions()
            more = "" if column[1] == "1x10" else f" ({_triple(other)})"
            row.append(f"{_triple(there)} → {_triple(ours)}{more}")
        rows.append(tuple(row))
    return Finding(
        values=tuple(values),
        header=("dataset", *(" ".join(column) for column in COLUMNS)),
        rows=tuple(rows),
        fit=global_fit(
            np.array([ours for ours, _ in counts]), np.array([p for _, p in counts]), SEED
        ),
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
            value = accuracy_value(name, column, text, ours[column])
            moved = accuracies(name, column, scale) if value.agreement == "differs" else {}
            values.append(explained(value, {v: value.ours + by for v, by in moved.items()}))
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
                "points lost by 5x2 relative to 1x10, mean over the learners",
            ),
        ),
        header=("dataset", *told["accuracy_columns"]),
        rows=tuple(rows),
        remarks=(
            *remarks(PAPER, "table1"),
            f"{near} of {len(gaps)} means lie within 2 points of the printed ones; the mean "
            f"deviation is {np.mean(gaps):+.2f} points, the mean absolute deviation "
            f"{np.mean(np.abs(gaps)):.2f}.",
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
            reason="near ties may go either way",
        ),
    ], lost.tolist()


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
    from ..partition_studies import tally

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
            f"The printed count is the number expected from {n} of the 55 partitions of Table 3. "
            "Its error and ours are those of drawing new partitions with the shares of Table 3, "
            "with a third of a partition added to each conclusion.",
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
        f"signs of Table 2: in {others} of {unequal} unequal cells it counts where the other is "
        "better",
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
        f"Table 2 at .025, one-tailed, shows otherwise for {'; '.join(wrong)}",
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
            "Section 4: on monk1 (Figure 1) the partition has close to no effect",
            monk.no_decision == PARTITIONS,
            f"Table 3: significant on {PARTITIONS - monk.no_decision} of 55 partitions",
            reason="an error in the text (E-B17)",
        ),
        Statement(
            "Figure 3: the better algorithm changes on horse-colic and soybean-large",
            all(name in flips for name in said),
            f"Table 3: on {', '.join(flips)} (E-B15)",
        ),
        Statement(
            "Figure 4: naive Bayes is better on tic-tac-toe (caption)",
            toe[0] > toe[2],
            f"Table 3: TDDT-1 is, on {toe[2]} of 55 partitions",
            reason="an error in the caption: in Table 1 TDDT-1 is better, too (E-B10)",
        ),
    )
