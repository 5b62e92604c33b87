"""Numbers of single items: losses or scores as given, numeric predictions, and probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..designs import Design, parse
from ..errors import DataError, argument, counted
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from ..numerics.placements import placements
from ..scores.item_losses import SplitLosses
from ..scores.item_summary import scores_of
from ..scores.items import Items
from ..scores.other_scores import OtherScores
from ..scores.split_scores import Scores
from .column_names import bare, listed, shown
from .numbering import is_whole
from .parsing import all_truths, as_numbers
from .recognition import FileLayout
from .score_table import ScoreTable

REMEDY = "Write a number for every item, or remove the item for every learner"
LOSSES: Mapping[str, Mapping[str, str]] = {
    "probabilities": {
        "roc_auc": "rocauc auc auroc rocaucscore",
        "log_loss": "logloss nll crossentropy neglogloss",
        "brier_score": "brier brierscore brierscoreloss negbrierscore",
        "accuracy": "accuracy acc",
    },
    "numbers": {
        "mean_squared_error": "mse squarederror meansquarederror negmeansquarederror l2",
        "mean_absolute_error": "mae absoluteerror meanabsoluteerror negmeanabsoluteerror l1",
    },
}
"""What predictions may be judged by, and what else that is called."""
SMALLEST = float(np.finfo(np.float64).eps)
"""Probabilities nearer to 0 and 1 are moved away before a logarithm, as by scikit-learn."""


def kind_of_predictions(table: ScoreTable, reading: FileLayout, metric: str | None) -> str | None:
    """Tell whether predictions are probabilities of class 1 or numbers; None for class labels."""
    if reading.layout != "predictions":
        return None
    truth = table.columns[reading.roles["y_true"]]
    columns = [table.columns[name] for name in reading.learners]
    if any(as_numbers(column) is None for column in (truth, *columns)):
        return None
    if metric is not None and _chosen(metric, LOSSES["numbers"]) is not None:
        return "numbers"
    fractions = not all(map(is_whole, columns))
    if all_truths(truth):
        word = _chosen(metric or "", LOSSES["probabilities"])
        if word == "roc_auc":  # whatever ranks items
            return "probabilities"
        likely = fractions or word not in (None, "accuracy")
        return "probabilities" if likely and _within(table, reading.learners) else None
    if not is_whole(truth):
        return "numbers"
    return "numbers" if fractions and not _within(table, reading.learners) else None


def _within(table: ScoreTable, names: Sequence[str]) -> bool:
    """Tell whether every cell is a number from 0 to 1; one column at a time is held as floats."""
    columns = (table.floats(name)[0] for name in names)
    return all(bool(((column >= 0) & (column <= 1)).all()) for column in columns)


def predicted(
    table: ScoreTable,
    reading: FileLayout,
    kind: str,
    metric: str | None,
    plan: Design | None,
    said: list[str],
) -> Scores:
    """Return the losses of predictions that are numbers or probabilities."""
    truth, names = reading.roles["y_true"], reading.learners
    known = LOSSES[kind]
    chosen = next(iter(known)) if metric is None else _chosen(metric, known)
    if chosen is None:
        choices = [argument(metric=name) for name in known]
        at_half = " (at a threshold of 1/2)" * (kind == "probabilities")
        raise DataError(
            f"{metric!r} cannot be computed from the predicted {kind} in columns {listed(names)} "
            f"and the true values in column {shown(truth)}. Pass {', '.join(choices[:-1])} or "
            f"{choices[-1]}{at_half}"
        )
    y = table.numbers(truth, REMEDY)
    columns = np.stack([table.numbers(name, REMEDY) for name in names])
    if kind == "probabilities":
        return _by_probabilities(names, columns, y, chosen, metric is None, plan, said)
    if metric is None:
        other = argument(metric="mean_absolute_error")
        said.append(f"Metric {chosen} was used; for absolute errors pass {other}.")
    off = columns - y
    losses = np.abs(off) if chosen == "mean_absolute_error" else np.square(off)
    return of_items(names, losses, chosen, plan, said, lower=True)


def _by_probabilities(
    names: Sequence[str],
    columns: Array,
    y: Array,
    chosen: str,
    unasked: bool,
    plan: Design | None,
    said: list[str],
) -> Scores:
    """Return scores by every metric that probabilities of class 1 have, one of them first."""
    positive = y == 1
    n1, n = int(positive.sum()), positive.size
    within = bool(((columns >= 0) & (columns <= 1)).all())
    known = [name for name in LOSSES["probabilities"] if within or name == "roc_auc"]
    if min(n1, n - n1) < 2:  # of an area the variance is estimated from both classes
        if chosen == "roc_auc" and not unasked:
            raise DataError(
                f"roc_auc needs at least 2 items of each class, got {min(n1, n - n1)} of one. Pass "
                f"{argument(metric='log_loss')} or {argument(metric='brier_score')}"
            )
        known.remove("roc_auc")
        chosen = known[0] if unasked else chosen
    if unasked:
        others = ", ".join(argument(metric=name) for name in known if name != chosen)
        said.append(f"Judged by {chosen}, since no metric was given; for another pass {others}.")
    made = {
        name: _judged(name, columns, positive, said if name == chosen else []) for name in known
    }
    first = made.pop(chosen)
    scores = of_items(names, columns, chosen, plan, said, lower=not first.greater_is_better)
    return replace(
        scores,
        values=first.values,
        items=first.items,
        more=tuple(made.values()),
        target=positive.astype(np.int64),
        probabilities=columns,
    )


def _judged(name: str, columns: Array, positive: Any, said: list[str]) -> OtherScores:
    """Return what one metric says of probabilities of class 1."""
    n = positive.size
    if name == "roc_auc":
        n1 = int(positive.sum())
        twice = placements(positive, columns)[:, positive].sum(axis=1)  # whole numbers: exact
        return OtherScores(name, True, (twice / (2 * n1 * (n - n1)))[:, None])
    if name == "accuracy":
        said.append("Probabilities of at least 1/2 were read as class 1.")
        right = Scores.from_correct(
            [str(at) for at in range(len(columns))], (columns >= 0.5) == positive
        )
        return OtherScores(name, True, right.values, right.items)
    if name == "log_loss":
        odd = int(((columns < SMALLEST) | (columns > 1 - SMALLEST)).sum())
        if odd:
            said.append(
                f"{counted(odd, 'probability', 'probabilities')} of 0 or 1 clipped to "
                f"{SMALLEST:.1e} from 0 or 1, as in scikit-learn's log_loss."
            )
        clipped = np.clip(columns, SMALLEST, 1 - SMALLEST)
        losses = -np.where(positive, np.log(clipped), np.log1p(-clipped))
    else:
        losses = np.square(columns - positive)
    means = np.array([[exact_sums.mean(row)] for row in losses])
    one_split = np.broadcast_to(np.int64(0), (n,))
    items = SplitLosses("given", losses, one_split, np.arange(n, dtype=np.int64))
    return OtherScores(name, False, means, items)


def of_items(
    names: Sequence[str],
    values: Array,
    metric: str,
    plan: Design | None,
    said: Sequence[str],
    *,
    lower: bool,
) -> Scores:
    """Return scores of one test set from a number for every learner and item."""
    n = values.shape[1]
    if plan is not None and plan.kind not in ("holdout", "leave-one-out"):
        raise DataError(
            f"design {plan} has several splits, but the rows were read as items of one test set. "
            f"Provide one score per split, or pass {argument(design='loo')}"
        )
    one_split = np.broadcast_to(np.int64(0), (n,))
    items = SplitLosses(
        "given", values if lower else -values, one_split, np.arange(n, dtype=np.int64)
    )
    return Scores(
        tuple(names),
        np.array([[exact_sums.mean(row)] for row in values], dtype=np.float64),
        np.zeros((1, 3), dtype=np.int64),
        n_test=np.array([float(n)]),
        metric=metric,
        greater_is_better=not lower,
        design=parse(f"holdout@{n}") if plan is None else plan,
        items=items,
        notes=tuple(Note("OP001", sentence) for sentence in said if sentence),
    )


def of_errors(
    names: Sequence[str], values: Array, metric: str, plan: Design | None, said: Sequence[str]
) -> Scores:
    """Return scores of one test set from 1 where a learner was wrong and 0 where it was right."""
    given = dict(zip(names, values, strict=True))
    scores = scores_of(Items.from_arrays(given, metric=metric, lower_is_better=True))
    notes = tuple(Note("OP001", sentence) for sentence in said if sentence)
    return replace(scores, design=scores.design if plan is None else plan, notes=notes)


def _chosen(metric: str, known: Mapping[str, str]) -> str | None:
    word = bare(metric)
    return next((name for name, others in known.items() if word in others.split()), None)
