"""Reports of skore, by what they offer: splits, predictions and metrics of each learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import validation
from ..engine.given_splits import read_given
from ..errors import DataError, argument
from ..notes import Note
from ..numerics.exact_sums import Array
from ..scores.item_losses import SplitLosses
from ..scores.split_scores import Scores
from .column_names import lower_is_better, shown

USUAL = {True: "accuracy", False: "r2"}
"""The metric that scikit-learn's estimators have, of classifiers and of regressors."""


def is_report(given: Any) -> bool:
    """Tell whether an object is a report of skore, or a comparison of several."""
    return hasattr(given, "get_predictions") or isinstance(
        getattr(given, "reports_", None), Mapping
    )


def from_report(report: Any, *, metric: str | None = None) -> Scores:
    """Read one report, or those of a comparison, by one metric."""
    found = getattr(report, "reports_", None)
    reports = dict(found) if isinstance(found, Mapping) else {report.estimator_name_: report}
    names = tuple(map(str, reports))
    parts = list(reports.values())
    if not all(hasattr(one, "split_indices") for one in parts):
        return _one_test_set(names, parts, metric)
    splits = [(np.asarray(a), np.asarray(b)) for a, b in parts[0].split_indices]
    for name, one in zip(names[1:], parts[1:], strict=True):
        if not _same(splits, one.split_indices):
            raise DataError(
                f"reports of {shown(names[0])} and {shown(name)} have different splits; learners "
                "must be compared on the same splits. Use the same splitter for every report, "
                "with a random_state if it shuffles"
            )
    classes = "classification" in str(parts[0].ml_task)
    chosen = metric or USUAL[classes]
    values = np.stack([_values(one, name, chosen) for name, one in zip(names, parts, strict=True)])
    n = 1 + max(int(max(a.max(), b.max())) for a, b in splits)
    plan = read_given(splits, None, None, None, None, n, 0)
    said = f"Read as a skore report, using {chosen}."
    if metric is None:
        said += f" For another metric pass {argument(metric=...)}."
    repeats, folds = plan.design.shape[1:] if plan.design.shape else (1, len(splits))
    grid = np.unravel_index(np.arange(len(splits)), (1, repeats, folds))
    return Scores(
        names,
        values,
        np.stack(grid, axis=1).astype(np.int64),
        np.array([float(a.size) for a, _ in splits]),
        np.array([float(b.size) for _, b in splits]),
        chosen,
        not lower_is_better(chosen),
        plan.design,
        items=_items(parts, splits, classes),
        notes=(Note("OP001", said), *plan.notes),
    )


def _same(splits: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(splits) == len(others) and all(
        np.array_equal(a, c) and np.array_equal(b, d)
        for (a, b), (c, d) in zip(splits, others, strict=True)
    )


def _values(report: Any, name: str, metric: str) -> Array:
    """Return the metric on each split of one report."""
    offered = getattr(report.metrics, metric, None)
    if offered is None:
        raise DataError(
            f"the report of {shown(name)} has no metric {shown(metric)}. Use one that it has: "
            "report.metrics.help()"
        )
    values = np.asarray(offered(aggregate=None), dtype=np.float64)
    if values.shape[0] != 1:
        raise DataError(
            f"{metric} has {values.shape[0]} values for each split, one for each class; a single "
            f"value is required. Use another metric, such as {argument(metric='accuracy')}"
        )
    return np.asarray(values[0])


def _items(parts: Sequence[Any], splits: Sequence[Any], classes: bool) -> SplitLosses | None:
    """Return what each learner lost on every test item; None where the truth is not there."""
    if any(getattr(one, "y", None) is None for one in parts):
        return None
    y = np.asarray(parts[0].y)
    rows = np.concatenate([test for _, test in splits]).astype(np.int64)
    truth = y[rows]
    losses = []
    for one in parts:
        found = np.concatenate([np.asarray(p) for p in one.get_predictions(data_source="test")])
        if found.shape != truth.shape:
            return None
        if classes:
            validation.no_fractions(found, "a report", "Return classes from predict")
        losses.append((found != truth) * 1.0 if classes else np.square(found - truth))
    split = np.repeat(np.arange(len(splits)), [test.size for _, test in splits])
    return SplitLosses("zero-one" if classes else "squared", np.stack(losses), split, rows)


def _one_test_set(names: tuple[str, ...], parts: Sequence[Any], metric: str | None) -> Scores:
    if metric not in (None, "accuracy") or not all(
        "classification" in str(one.ml_task) for one in parts
    ):
        raise DataError(
            "reports on one test set are read as predicted labels and scored by accuracy; for "
            "other metrics use reports of a cross-validation: skore.CrossValidationReport"
        )
    y = np.asarray(parts[0].y_test)
    found = {
        name: np.asarray(one.get_predictions(data_source="test"))
        for name, one in zip(names, parts, strict=True)
    }
    if any(not np.array_equal(np.asarray(one.y_test), y) for one in parts):
        raise DataError(
            "the reports have different test sets; models must be compared on the same items. Use "
            "the same X_test and y_test"
        )
    return Scores.from_predictions(y, found)
