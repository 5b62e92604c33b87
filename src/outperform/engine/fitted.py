"""Fitted models: asked once for their predictions on a test set, never cloned or fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..designs import parse
from ..errors import DataError, RunFailed, naming_line
from ..notes import Note
from ..scores.split_scores import Items, Scores
from ..storage import Address, Problem
from .cells import described
from .estimators import named_learners
from .learning_data import Table, read_data
from .scoring import Measured, Metric, bind

__all__ = ["score_fitted"]


def score_fitted(
    models: Any, X: Any, y: Any, *, scoring: Any = None, groups: Any = None, **options: Any
) -> Scores:
    """Score models as they are; regressors by their squared errors unless something else is asked.

    `options` are those of a run that trains: none of them may be set.
    """
    _refuse_options(groups, options)
    named = named_learners(models, needs=("predict",))
    data = read_data(X, y, None)
    n = data.table.n
    metric, notes = bind(scoring, named, data.y, n)
    if scoring is None and metric.name == "r2":  # of a whole test set: no item has one
        metric, notes = bind("neg_mean_squared_error", named, data.y, n)
    if metric.loss is None:
        raise DataError(
            f"{metric.name} of y is one number for the whole test set, but fitted models are "
            "compared item by item. For one target pass scoring='accuracy', 'neg_log_loss', "
            "'neg_mean_squared_error' or 'neg_mean_absolute_error'"
        )
    told, truth = [*data.notes, *notes], metric.truth(data.y)
    values: list[list[float]] = []
    losses: list[Any] = []
    for name, model in named.items():
        (score, each), said = _asked(name, model, data.table, data.y, truth, metric)
        values.append([score])
        losses.append(each)
        told += said
    table = np.stack(losses)
    table = table.view(np.uint8) if table.dtype == np.bool_ else table
    items = Items(metric.loss, table, np.zeros(n, dtype=np.int64), np.arange(n, dtype=np.int64))
    return Scores(
        tuple(named), np.array(values), np.zeros((1, 3), dtype=np.int64), None,
        np.array([float(n)]), metric.name, True, parse(f"holdout@{n}"), items=items,
        notes=tuple(told),
    )  # fmt: skip


def _refuse_options(groups: Any, options: dict[str, Any]) -> None:
    if groups is not None:
        raise DataError(
            "The 'groups' parameter cannot be used with fitted=True: the tests of fitted models "
            "take items to be independent. Leave groups out if they are, or test on one item of "
            "each group"
        )
    unset = (None, False)
    given = [repr(name) for name, value in options.items() if all(value is not u for u in unset)]
    if given:
        raise DataError(
            f"{', '.join(given)} cannot be used with fitted=True: each model predicts once, and "
            f"nothing is trained, split or stored. Leave {'it' if len(given) == 1 else 'them'} out,"
            " or leave fitted=True out to train clones on the splits of a design"
        )


def _asked(
    name: str, model: Any, table: Table, y: Any, truth: Any, metric: Metric
) -> tuple[Measured, list[Note]]:
    """Let a model predict locked rows, or a copy if it writes into them."""
    from sklearn.exceptions import NotFittedError

    try:
        try:
            return metric.measure(model, _locked(table), y, truth), []
        except ValueError as error:
            if not any(word in str(error) for word in ("read-only", "WRITEABLE")):
                raise
        rows = table.take(np.arange(table.n))
        note = Note("OP505", f"{name!r} writes into what it is given.")
        return metric.measure(model, rows, y, truth), [note]
    except NotFittedError:
        raise DataError(
            f"{name!r} is not fitted. Fit it on other items than these, or leave fitted=True out "
            "to have clones of it trained on the splits of a design"
        ) from None
    except Exception as error:
        text = described(error)
        line = naming_line(text)
        failed = RunFailed(f"{name!r} failed: {line}\n{text}")
        failed.failures = (Problem(name, "failed", 1, line, text, Address(0, 0, 0)),)
        raise failed from error


def _locked(table: Table) -> Any:
    if table.kind != "array":  # which cannot be locked: a model that writes gets its own
        return table.take(np.arange(table.n))
    rows = table.rows.view()
    rows.setflags(write=False)
    return rows
