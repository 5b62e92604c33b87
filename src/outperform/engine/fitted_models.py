"""Fitted models: scored as they are, by their answers to the items of one test set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..designs import parse
from ..errors import DataError, argument
from ..notes import Note
from ..numerics.exact_sums import Array
from ..numerics.placements import areas_of, placements
from ..scores.split_scores import OtherScores, Scores, SplitLosses
from .estimators import named_learners
from .fitting import attempt, described, lone_failure
from .learning_data import Data, named_columns, read_data
from .scoring import AREA, Metric, bind, bind_all

T = TypeVar("T")


def score_fitted(
    models: Any, X: Any, y: Any, *, scoring: Any = None, groups: Any = None, **options: Any
) -> Scores:
    """Score models as they are; regressors by their squared errors unless something else is asked.

    `options` are those of a run that trains: none of them may be set.
    """
    _refuse_options(groups, options)
    named = named_learners(models, needs=("predict",))
    X, y, _, taken = named_columns(X, y, None)
    data = read_data(X, y, None)
    n = data.table.n
    (metric, *others), notes = bind_all(scoring, named, data.y, n)
    if scoring is None and metric.name == "r2":  # of a whole test set: no item has one
        metric, notes = bind("neg_mean_squared_error", named, data.y, n)
    if metric.loss is None and not metric.is_area(data.y):
        raise DataError(
            f"{metric.name} of y is one number for the whole test set, but fitted models are "
            f"compared item by item. For one target pass {argument(scoring='accuracy')}, "
            "'neg_log_loss', 'neg_mean_squared_error' or 'neg_mean_absolute_error'; for two "
            "classes 'roc_auc'"
        )
    told = [*taken, *data.notes, *notes]
    areas, ranked = None, None
    if any(one.is_area(data.y) for one in (metric, *others)):
        classes = np.unique(data.y)
        positive = data.y == classes[1]
        each = [_asked(*one, data, told, _ranking(classes, n)) for one in named.items()]
        ranked = np.stack(each)
        areas = OtherScores(AREA, True, areas_of(positive, placements(positive, ranked))[:, None])

    def by(one: Metric) -> OtherScores:
        if areas is not None and one.is_area(data.y):
            return areas
        truth = one.truth(data.y)
        measured = [
            _asked(*model, data, told, lambda who, X: one.measure(who, X, data.y, truth))
            for model in named.items()
        ]
        values = np.array([[score] for score, _ in measured])
        return OtherScores(
            one.title, True, values, _one_test_set(one, [each for _, each in measured])
        )

    first, *more = map(by, (metric, *others))
    scores = Scores(
        tuple(named),
        first.values,
        np.zeros((1, 3), dtype=np.int64),
        None,
        np.array([float(n)]),
        first.metric,
        True,
        parse(f"holdout@{n}"),
        items=first.items,
        notes=tuple(dict.fromkeys(told)),
        more=tuple(more),
        target=data.y,
    )
    return scores if ranked is None else replace(scores, probabilities=ranked)


def _ranking(classes: npt.NDArray[Any], n: int) -> Callable[[Any, Any], Array]:
    """Return what asks a model for the numbers by which it ranks items, greater for class two."""

    def ask(model: Any, X: Any) -> Array:
        known = np.asarray(getattr(model, "classes_", classes))
        if known.shape != (2,) or (known != classes).any():
            raise DataError(
                f"{AREA} needs a model of the two classes of y, {classes.tolist()}, but it was "
                f"fitted to {known.tolist()}"
            )
        for name in ("decision_function", "predict_proba"):  # in scikit-learn's order
            if hasattr(model, name):
                given = np.asarray(getattr(model, name)(X))
                ranked = given[:, -1] if given.ndim == 2 else given
                if ranked.shape != (n,) or not np.isfinite(ranked.astype(float)).all():
                    raise DataError(f"{name} must return a finite number for each test item")
                return ranked.astype(np.float64)
        raise DataError(f"{AREA} needs decision_function or predict_proba; it has neither")

    return ask


def _one_test_set(metric: Metric, losses: list[Any]) -> SplitLosses | None:
    """Return the losses of models on one test set."""
    if metric.loss is None:
        return None
    table = np.stack(losses)
    table = table.view(np.uint8) if table.dtype == np.bool_ else table
    n = table.shape[1]
    return SplitLosses(
        metric.loss, table, np.zeros(n, dtype=np.int64), np.arange(n, dtype=np.int64)
    )


def _refuse_options(groups: Any, options: dict[str, Any]) -> None:
    if groups is not None:
        raise DataError(
            f"The 'groups' parameter cannot be used with {argument(fitted=True)}: the tests of "
            "fitted models take items to be independent. Leave groups out if they are, or test on "
            "one item of each group"
        )
    unset = (None, False)
    given = [repr(name) for name, value in options.items() if all(value is not u for u in unset)]
    if given:
        raise DataError(
            f"{', '.join(given)} cannot be used with {argument(fitted=True)}: each model predicts "
            "once, and nothing is trained, split or stored. Leave "
            f"{'it' if len(given) == 1 else 'them'} out, or leave "
            f"{argument(fitted=True)} out to train clones on the splits of a design"
        )


def _asked(name: str, model: Any, data: Data, told: list[Note], ask: Callable[[Any, Any], T]) -> T:
    """Ask a model about all rows."""
    from sklearn.exceptions import NotFittedError

    table = data.table
    try:
        found, notes = attempt(
            name, lambda given: ask(model, given(table.take(np.arange(table.n))))
        )
    except NotFittedError:
        raise DataError(
            f"{name!r} is not fitted. Fit it on other items than these, or leave "
            f"{argument(fitted=True)} out to have clones of it trained on the splits of a design"
        ) from None
    except Exception as error:
        raise lone_failure(name, "failed", described(error)) from error
    told += [Note(*note) for note in notes]
    return found
