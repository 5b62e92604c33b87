"""Frames: rows of scores or predictions, in any layout, become `Scores`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import columns, validation
from ..columns import ADDRESS, listed, nearest, shown
from ..designs import Design, parse
from ..errors import DataError
from ..notes import Note
from ..scores.split_scores import Scores
from .beside import refuse_mixed_signs, sorted_out
from .counting import look
from .kinds import has_decimal_commas, has_percent_signs
from .native import from_native
from .numbering import with_seeds
from .recognition import Reading, recognise
from .splits import learner_names, measured
from .summaries import without_summaries
from .tables import Table
from .unseen import unseen_labels

__all__ = ["from_frame"]

SAID = {
    "long": "Read as long: one row for each learner and split.",
    "wide": "Read as wide: rows are splits, and the learners are {}.",
    "predictions": "Read as predicted labels of one test set, by {}.",
    "correct": "Read as right (1) and wrong (0) answers on one test set, by {}.",
}


def from_frame(
    frame: Any,
    *,
    layout: str | None = None,
    learner: str | Sequence[str] | None = None,
    score: str | None = None,
    metric: str | None = None,
    dataset: str | None = None,
    partition: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    y_true: str | None = None,
    n_train: str | int | None = None,
    n_test: str | int | None = None,
    seed: str | int | None = None,
    design: Any = None,
    lower_is_better: bool | None = None,
    drop_incomplete: bool = False,
) -> Scores:
    """Build `Scores` from any data frame.

    A *long* frame has a row for each learner and split, with columns learner and score; a *wide*
    one has a row for each split and a column for each learner; one of *predictions* has the true
    labels (y_true) and a column of predicted labels for each learner; one that is *correct* has a
    row for each item, and tells of each learner whether it was right. Columns that say which split
    a row is (dataset, partition, repeat, fold) and how large it was (n_train, n_test) are known by
    their usual names, or by counting 0, 1, 2 …; summary rows, times, deviations and identifiers
    are left out. Whatever was inferred or left out is in `notes`.

    Each keyword names the column to use; `learner` may also list the learners' own columns, and
    `n_train`, `n_test`, `seed` may be numbers. `metric` picks one of several metrics, or names the
    only one. `drop_incomplete` leaves out, for every learner, the splits that lack a score of some
    learner; without it they are refused. Learners and datasets keep the order in which they first
    come; nothing else depends on the order of rows or columns.
    """
    table = frame if isinstance(frame, Table) else from_native(frame)
    if layout is not None:
        validation.choice(layout, "layout", columns.LAYOUTS)
    plan = None if design is None else parse(design)
    asked: dict[str, Any] = {
        "learner": learner, "score": score, "dataset": dataset, "partition": partition,
        "repeat": repeat, "fold": fold, "y_true": y_true,
    }  # fmt: skip
    numbers = {"n_train": n_train, "n_test": n_test, "seed": seed}
    asked |= {role: value for role, value in numbers.items() if isinstance(value, str)}
    table, summaries = without_summaries(table, asked)
    cells = look(table, asked)
    reading = recognise(list(table.columns), cells, asked, layout=layout, metric=metric)
    if reading.layout == "long" or (
        reading.layout == "wide" and not table.may_be_right_wrong(reading.learners)
    ):
        table.check_scores(reading.learners)  # before cells are looked at one by one
    if reading.layout in ("wide", "correct") and learner is None:
        one_set = plan is None or plan.kind in ("holdout", "leave-one-out")
        items = layout is None and one_set and metric is None and not lower_is_better
        items = items and {*reading.roles.values()} <= {*cells.counters}
        reading = sorted_out(table, reading, items=items)
    seeds = ""
    if reading.layout in ("long", "wide"):
        reading, seeds = with_seeds(table, reading, plan)
    said = [SAID[reading.layout].format(listed(reading.learners))] if layout is None else []
    said += [summaries, *reading.notes, seeds]
    if reading.layout in ("predictions", "correct"):
        if metric not in (None, "accuracy") or lower_is_better:
            raise DataError(
                f"metric={metric!r}, lower_is_better={lower_is_better!r} were given, but predicted "
                "labels give accuracy. Leave them out, or give scores for each split"
            )
        return _one_test_set(table, reading, plan, said)
    said += _written(table, reading.learners or (reading.roles["score"],))
    table, name = _one_metric(table, reading, metric)
    if metric is None and len(reading.learners) > 1:
        name = columns.shared_metric(reading.learners) or name
    lower = columns.lower_is_better(name) if lower_is_better is None else lower_is_better
    if lower_is_better is None and lower:
        said.append(f"Lower is better was read from the name of metric {shown(name)}.")
    elif lower is None:
        said.append(f"Greater is better was assumed for metric {shown(name)}.")
    scores = measured(table, reading, plan, numbers, said, drop=drop_incomplete)
    notes = (*(Note("OP001", sentence) for sentence in said if sentence), *scores.notes)
    return replace(scores, metric=name, greater_is_better=not lower, notes=notes)


def _written(table: Table, names: Sequence[str]) -> list[str]:
    """Say where decimal commas and percent signs were read; refuse signs in some columns only."""
    refuse_mixed_signs(table, names)
    commas = [name for name in names if has_decimal_commas(table.columns[name])]
    percents = [name for name in names if has_percent_signs(table.columns[name])]
    said = [f"Decimal commas read in column {shown(name)}." for name in commas]
    if percents:
        said.append(f"Percent signs read in {listed(percents)}: 98.2% as 0.982.")
    return said


def _one_metric(table: Table, reading: Reading, metric: str | None) -> tuple[Table, str]:
    """Return the rows of one metric, and its name."""
    column = reading.roles.get("metric")
    if column is None:
        score = reading.roles.get("score", "score")
        own = "score" if columns.role_of(score) == "score" else score
        return table, metric or columns.metric_named(own)
    labels, codes = table.codes(column, sort=False)
    if metric is None and len(labels) > 1:
        raise DataError(
            f"column {shown(column)} holds {len(labels)} metrics ({listed(labels)}); one is "
            f"needed. Pass the one you mean: metric={labels[0]!r}"
        )
    name = labels[0] if metric is None else metric
    if name not in labels:
        raise DataError(f"there is no metric {shown(name)}; {nearest(name, labels)}")
    return table.keep(np.flatnonzero(codes == labels.index(name))), name


def _one_test_set(table: Table, reading: Reading, plan: Design | None, said: list[str]) -> Scores:
    """Read who was right on each item, told as such or by predicted and true labels."""
    several = [name for name in reading.unread if columns.role_of(name) in ADDRESS]
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
        odd = unseen_labels(table, reading.roles["y_true"], names)
    scores = Scores.from_bits(learner_names(names, said), right, design=plan)
    notes = [Note("OP001", sentence) for sentence in said if sentence]
    return replace(scores, notes=(*notes, *([Note("OP005", odd)] if odd else [])))
