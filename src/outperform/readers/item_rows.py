"""Rows that are items of one test set: right and wrong answers, predicted and true labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..designs import Design
from ..errors import DataError
from ..notes import Note
from ..scores.split_scores import Scores
from .assembly import learner_names
from .column_names import ADDRESS, listed, may_number_splits, names_items, role_of, shown
from .parsing import all_truths, as_truths, is_missing
from .recognition import FileLayout
from .score_table import ScoreTable
from .split_grid import MOST_COUNTED

ITEMS = (
    "names items, and only right (1) and wrong (0) are read item by item; the items of one test "
    "set are no splits. Compare two learners on them: "
)
LOOKED_AT = 1_000_000
"""Predictions looked at: of larger files, those of the first items."""
NAMED = 3


def item_column(table: ScoreTable, reading: FileLayout) -> str | None:
    """Return the column of a long frame that names the items of a test set, if no split is told."""
    roles, counted = reading.roles, reading.roles.get("fold") if reading.counted else None
    if reading.layout != "long" or "learner" not in roles:
        return None
    if {*ADDRESS, "seed"} & roles.keys() - ({"fold"} if counted else set()):
        return None
    known = [roles[role] for role in ("learner", "dataset", "metric") if role in roles]
    for name in filter(names_items, (counted or "", *reading.unread)):
        few = table.columns[name].n_unique() <= MOST_COUNTED and name == counted
        if few and not all_truths(table.columns[roles["score"]]):
            continue  # so few may well be the folds
        if table.has_doubles(known) and table.has_doubles([name]):
            return name
    return None


def refuse_scores_of_items(table: ScoreTable, reading: FileLayout) -> None:
    """Refuse a wide frame whose rows are named as items, and hold no right and wrong answers."""
    if reading.layout != "wide" or {*ADDRESS} & reading.roles.keys() or len(reading.learners) < 2:
        return
    for name in filter(names_items, reading.unread):
        if not may_number_splits(name, long=True) and not table.has_doubles([name]):
            first, second = reading.learners[:2]
            raise DataError(
                f"column {shown(name)} {ITEMS}outperform.paired_t(frame[{first!r}], "
                f"frame[{second!r}]). If every row is a split, say how they were made: "
                f"design='{len(table)}xresampled@1/3'"
            )


def answers_apart(
    table: ScoreTable,
    reading: FileLayout,
    item: str,
    said: list[str],
    *,
    drop: bool,
    wrong: bool,
) -> tuple[ScoreTable, FileLayout, str]:
    """Give each learner a column of right and wrong answers, a row for each item.

    With `wrong`, 1 says that an answer was wrong. What was dropped is returned too.
    """
    learner, score = reading.roles["learner"], reading.roles["score"]
    dataset = reading.roles.get("dataset")
    if dataset is not None and table.columns[dataset].n_unique() > 1:
        raise DataError(
            f"column {shown(item)} names items of several datasets; the items of one are read, or "
            f"the mean score on each. For the means: frame.groupby([{learner!r}, {dataset!r}], "
            f"as_index=False)[{score!r}].mean().to_csv('scores.csv', index=False)"
        )
    names, _ = table.codes(learner, sort=False)
    if not all_truths(table.columns[score]):
        split = f"; if it numbers splits, say so: fold={item!r}"
        raise DataError(
            f"column {shown(item)} {ITEMS}wide = frame.pivot(index={item!r}, "
            f"columns={learner!r}, values={score!r}); outperform.paired_t(wide[{names[0]!r}], "
            f"wide[{names[-1]!r}])" + (split if may_number_splits(item, long=True) else "")
        )
    table = table.keep(np.flatnonzero(~is_missing(table.columns[score]).to_numpy()))
    (names, who), (labels, what) = (table.codes(n, sort=False) for n in (learner, item))
    rows = np.full((len(names), len(labels)), -1)
    rows[who, what] = np.arange(len(table))
    again = np.flatnonzero(rows[who, what] != np.arange(len(table)))
    if again.size:
        first = int(again[0])
        raise DataError(
            f"{table.place(first)} and {table.place(int(rows[who[first], what[first]]))} are both "
            f"{shown(names[who[first]])} on item {shown(labels[what[first]])}; one answer is "
            "needed. Keep one row for each learner and item"
        )
    dropped = ""
    lacking = (rows < 0).any(axis=0)
    if lacking.any():
        at = int(lacking.argmax())
        whose = names[int(rows[:, at].argmin())]
        what_lacks = f"{int(lacking.sum())} of {len(labels)} items lack an answer of some learner"
        if not drop or lacking.all():
            raise DataError(
                f"incomplete: {what_lacks}, such as {shown(whose)} on {shown(labels[at])}. Every "
                "learner needs every item"
                + ("" if lacking.all() else ": leave the others out with drop_incomplete=True")
            )
        dropped = f"{what_lacks} and were left out for all."
    kept = np.flatnonzero(~lacking)
    said.append(
        f"Columns {shown(learner)}, {shown(item)} and {shown(score)} read as learner, item and "
        f"whether it was {'wrong' if wrong else 'right'}."
    )
    answers = 1 - as_truths(table.columns[score]) if wrong else table.columns[score]
    columns = {n: answers.gather(rows[i, kept]) for i, n in enumerate(names)}
    unread = tuple(n for n in table.columns if n not in (learner, item, score, dataset))
    layout = replace(reading, layout="correct", roles={}, learners=tuple(names), unread=unread)
    return ScoreTable(columns, lambda row: f"item {shown(labels[kept[row]])}"), layout, dropped


def one_test_set(
    table: ScoreTable, reading: FileLayout, plan: Design | None, said: list[str]
) -> Scores:
    """Read who was right on each item, told as such or by predicted and true labels."""
    several = [name for name in reading.unread if role_of(name) in ADDRESS]
    if several or (plan is not None and plan.kind not in ("holdout", "leave-one-out")):
        cause = f"column {listed(several)}" if several else f"design {plan}"
        raise DataError(
            f"{cause} speaks of several splits, but predicted labels are read as those of one test "
            "set. Give the score of each split, or leave the column out and say design='loo'"
        )
    said.append(f"Design read as a holdout of {len(table):,} items." if plan is None else "")
    names = list(reading.learners)
    odd = ""
    if reading.layout == "correct":
        right = table.right_wrong(names)
    else:
        right = table.agreement(reading.roles["y_true"], names)
        odd = _unseen_labels(table, reading.roles["y_true"], names)
    scores = Scores.from_bits(learner_names(names, said), right, design=plan)
    notes = [Note("OP001", sentence) for sentence in said if sentence]
    return replace(scores, notes=(*notes, *([Note("OP005", odd)] if odd else [])))


def _unseen_labels(table: ScoreTable, truth: str, names: list[str]) -> str:
    """Say which predicted labels never occur among the true ones, and by whom; "" if none."""
    true = table._labels(truth)
    known = true.unique().implode()  # of all items: one beyond those looked at may have the label
    rows = max(LOOKED_AT // len(names), 1)
    found: dict[str, list[str]] = {}
    for name in names:
        predicted = table._labels(name, like=true).head(rows).unique(maintain_order=True)
        for label in predicted.filter(~predicted.is_in(known)).to_list():
            found.setdefault(str(label), []).append(name)
    if not found:
        return ""
    said = [f"{shown(label)} (by {listed(by)})" for label, by in list(found.items())[:NAMED]]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return (
        f"Predicted labels that never occur in {shown(truth)}: {', '.join(said)}{more}. They count "
        "as wrong; check the spelling."
    )
