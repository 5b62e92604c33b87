"""Scoring: a metric bound once, so that scoring a split is a few array operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from textwrap import shorten
from traceback import walk_tb
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import DataError, MethodError, argument, did_you_mean
from ..notes import Note
from ..numerics.exact_sums import Array
from ..readers.column_names import lower_is_better, normal
from ..scores.split_scores import Loss

Reads = Literal["labels", "numbers", "probabilities", "model"]
Measured = tuple[float, npt.NDArray[Any] | None]

# What can be scored from plain arrays, and the loss of each item that a later method can read. The
# signs are scikit-learn's: greater is better, so errors are negative.
QUICK: dict[str, tuple[Reads, Loss]] = {
    "accuracy": ("labels", "zero-one"),
    "r2": ("numbers", "squared"),
    "neg_mean_squared_error": ("numbers", "squared"),
    "neg_root_mean_squared_error": ("numbers", "squared"),
    "neg_mean_absolute_error": ("numbers", "absolute"),
    "neg_log_loss": ("probabilities", "log"),
}


AREA = "roc_auc"
ERRORS = {
    "mse": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "mae": "neg_mean_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "meansquarederror": "neg_mean_squared_error",
    "rootmeansquarederror": "neg_root_mean_squared_error",
    "meanabsoluteerror": "neg_mean_absolute_error",
    "logloss": "neg_log_loss",
    "brier": "neg_brier_score",
    "auc": "roc_auc",
}
"""Usual names that scikit-learn has under another one."""


@dataclass(frozen=True, eq=False, slots=True)
class Metric:
    """How a fitted model is scored on a test set; greater is better."""

    name: str
    reads: Reads
    loss: Loss | None = None
    scorer: Callable[..., Any] | None = None
    classes: npt.NDArray[Any] | None = None
    """All classes, in the order of their codes, where labels are read as codes."""
    is_own: bool = False
    """Whether the scorer is the caller's own."""
    label: str = ""
    """What the caller calls it, if not by its name."""

    @property
    def title(self) -> str:
        return self.label or self.name

    def is_area(self, y: npt.NDArray[Any]) -> bool:
        """Tell whether it is the area under the ROC curve of two classes, which DeLong's test has.

        It is of a whole test set, and has a test of its own by how models rank the items.
        """
        return self.title == AREA and not self.is_own and y.ndim == 1 and np.unique(y).size == 2

    def truth(self, y: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the targets in the form that `measure` compares with."""
        if self.reads == "numbers":
            return y.astype(np.float64)
        if self.reads == "probabilities":
            assert self.classes is not None
            return np.searchsorted(self.classes, y)
        return y

    def measure(self, model: Any, X: Any, y: Any, truth: npt.NDArray[Any]) -> Measured:
        """Return the score of a fitted model and the loss of each test item, or refuse them."""
        if self.reads == "probabilities":
            return self._probabilities(model, X, truth)
        if self.scorer is None:
            return self.compare(model.predict(X), truth)
        try:
            value = self.scorer(model, X, y)
        except Exception as error:
            if _raised_by(model, error):
                raise
            raise DataError(
                f"The scorer {self.name!r} raised {type(error).__name__}: {error}"
            ) from error
        return _one_number(value, self.name), None

    def compare(self, predictions: Any, truth: npt.NDArray[Any]) -> Measured:
        """Score predictions."""
        predictions = _shaped(predictions, truth.shape)
        if self.reads == "labels":
            wrong = _labels(predictions, truth) != truth
            n_right = wrong.size - int(np.count_nonzero(wrong))
            return n_right / wrong.size, wrong
        off = truth - _numbers(predictions)
        losses = np.abs(off) if self.loss == "absolute" else np.square(off)
        return _finite(self._summary(losses, truth), self.name), losses

    def _summary(self, losses: Array, truth: Array) -> float:
        if self.name == "r2":
            total = float(np.square(truth - truth.mean()).sum())
            missed = float(losses.sum())
            # scikit-learn's convention where the targets do not vary.
            return 1 - missed / total if total else float(missed == 0)
        mean = float(losses.mean())
        return -(mean**0.5) if self.name == "neg_root_mean_squared_error" else -mean

    def _probabilities(self, model: Any, X: Any, codes: npt.NDArray[Any]) -> Measured:
        """Score by log loss; a class the model has not met has probability 0, clipped."""
        assert self.classes is not None
        given = np.asarray(model.predict_proba(X))
        met = np.asarray(getattr(model, "classes_", self.classes))
        if given.shape != (codes.size, met.size) or given.dtype.kind != "f":
            raise DataError(
                f"predict_proba returned {_seen(given)}; expected probabilities of {met.size} "
                f"classes for {codes.size} test items"
            )
        # Not-a-number fails both comparisons.
        if not ((given >= 0) & (given <= 1)).all() or not (abs(given.sum(axis=1) - 1) < 1e-3).all():
            raise DataError(
                "predict_proba returned rows that are not probabilities; each row must be numbers "
                "between 0 and 1 that sum to 1"
            )
        column = np.searchsorted(met, self.classes)
        known = column < met.size
        known[known] = met[column[known]] == self.classes[known]
        spread = np.zeros((codes.size, self.classes.size), dtype=given.dtype)
        spread[:, known] = given[:, column[known]]
        eps = np.finfo(given.dtype).eps  # as in sklearn.metrics.log_loss
        chosen = np.clip(spread[np.arange(codes.size), codes], eps, 1 - eps)
        losses = -np.log(chosen.astype(np.float64))
        return -float(losses.mean()), losses


def bind(
    scoring: Any,
    learners: Mapping[str, Any],
    y: npt.NDArray[Any],
    smallest: int,
    label: str = "",
) -> tuple[Metric, tuple[Note, ...]]:
    """Return the metric for these learners and targets; `smallest` is the smallest test set."""
    kinds = {name: kind_of(learner) for name, learner in learners.items()}
    notes: tuple[Note, ...] = ()
    if scoring is None:
        scoring, notes = _default(kinds, y, smallest)
    metric = _named(scoring) if isinstance(scoring, str) else _callable(scoring, label)
    if metric.is_own and not hasattr(scoring, "_score_func"):
        said = f"Greater values of the scorer {label or metric.name!r} were taken to be better."
        notes = (Note("OP001", said),)
    if metric.reads == "labels" or metric.name == "neg_log_loss":
        for name, kind in kinds.items():
            if kind == "regressor":
                raise DataError(
                    f"{name!r} is a regressor, but {metric.name!r} scores classes; use "
                    f"{argument(scoring='r2')}, or a classifier"
                )
    if metric.reads == "labels" and y.ndim == 1:
        validation.no_fractions(y, "y", f"For numbers pass {argument(scoring='r2')}")
    if metric.name == "r2" and smallest < 2:
        raise DataError(
            f"r2 needs at least 2 items in every test set, but the smallest has {smallest}; use "
            f"{argument(scoring='neg_mean_squared_error')}, or larger test sets"
        )
    if y.ndim > 1:  # several targets: scikit-learn's own scorer knows how to weigh them
        return _whole_model(metric), notes
    if metric.reads == "numbers" and y.dtype.kind not in "biuf":
        raise DataError(f"{metric.name} needs numbers in y, got {y.dtype}")
    return (replace(metric, classes=np.unique(y)) if metric.loss == "log" else metric), notes


def bind_all(
    scoring: Any, learners: Mapping[str, Any], y: npt.NDArray[Any], smallest: int
) -> tuple[list[Metric], tuple[Note, ...]]:
    """Return the metrics that are asked for, the primary one first; one unless they are listed."""
    if isinstance(scoring, Mapping):
        asked = [(str(label), one) for label, one in scoring.items()]
    elif isinstance(scoring, list | tuple | set | frozenset):
        asked = [("", one) for one in (sorted(scoring) if isinstance(scoring, set) else scoring)]
    else:
        metric, notes = bind(scoring, learners, y, smallest)
        return [metric], notes
    if not asked:
        raise MethodError(
            "The 'scoring' parameter must name at least one metric, got none. Use "
            f"{argument(scoring='accuracy')}, or leave it out"
        )
    metrics, notes = [], ()
    for label, one in asked:
        metric, said = bind(one, learners, y, smallest, label)
        metrics.append(replace(metric, label=label))
        notes += said
    titles = [metric.title for metric in metrics]
    twice = [title for title in titles if titles.count(title) > 1]
    if twice:
        raise MethodError(
            f"The 'scoring' parameter must name each metric once, got {twice[0]!r} twice. Give "
            "them different names: scoring={'first': …, 'second': …}"
        )
    return metrics, tuple(dict.fromkeys(notes))


def kind_of(learner: Any) -> str | None:
    """Return 'classifier', 'regressor', or None for a learner that does not say."""
    from sklearn.base import is_classifier, is_regressor

    try:
        if is_classifier(learner):
            return "classifier"
        if is_regressor(learner):
            return "regressor"
    except Exception:  # not a scikit-learn class: fit and predict are all it has
        return getattr(learner, "_estimator_type", None)
    return None


def _default(
    kinds: Mapping[str, str | None], y: npt.NDArray[Any], smallest: int
) -> tuple[str, tuple[Note, ...]]:
    said = {kind for kind in kinds.values() if kind is not None}
    notes: tuple[Note, ...] = ()
    if len(said) > 1:
        one, other = (
            next(n for n, k in kinds.items() if k == kind) for kind in ("classifier", "regressor")
        )
        raise DataError(
            f"{one!r} is a classifier and {other!r} a regressor; no score compares them by default."
            " Leave one out, or pass scoring"
        )
    if not said:
        from sklearn.utils.multiclass import type_of_target

        said = {"regressor" if str(type_of_target(y)).startswith("contin") else "classifier"}
        detail = (
            f"No learner declares its type; judging by y, all were treated as {next(iter(said))}s."
        )
        notes = (Note("OP001", f"{detail} Pass scoring to change this."),)
    if said == {"classifier"}:
        return "accuracy", notes
    if smallest >= 2:
        return "r2", notes
    return "neg_mean_squared_error", (*notes, Note("OP503"))


def _named(name: str) -> Metric:
    if name in QUICK:
        reads, loss = QUICK[name]
        return Metric(name, reads, loss)
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        usual = ERRORS.get(normal(name).removeprefix("neg"))
        known = [n for n in get_scorer_names() if n == usual] or get_scorer_names()
        hint = did_you_mean(name if usual is None else usual, known)
        raise MethodError(f"Unknown scoring {name!r}: scikit-learn has no such score; {hint}")
    return Metric(name, "model", scorer=get_scorer(name))


def _callable(scoring: Any, label: str) -> Metric:
    if not callable(scoring) or isinstance(scoring, type):
        raise MethodError(
            "The 'scoring' parameter must be a name such as 'accuracy', a callable "
            f"(model, X, y) -> float, or several of them in a list, got {type(scoring).__name__}"
        )
    inner = getattr(scoring, "_score_func", scoring)
    name = getattr(inner, "__name__", type(scoring).__name__)
    _refuse_error(scoring, inner, str(label or name))
    return Metric(str(name), "model", scorer=scoring, is_own=True)


def _refuse_error(scoring: Any, inner: Any, name: str) -> None:
    """Refuse a scorer that is named as an error: the worst model would win."""
    if getattr(scoring, "_sign", 1) < 0 or not lower_is_better(name):
        return
    own = getattr(inner, "__name__", "scorer")
    if scoring is not inner or str(getattr(inner, "__module__", "")).startswith("sklearn.metrics"):
        raise MethodError(
            f"The scorer {name!r} has the name of an error, but greater scores are taken to be "
            f"better. Pass scoring=make_scorer({own}, greater_is_better=False)"
        )
    raise MethodError(
        f"The scorer {name!r} has the name of an error, but greater scores are taken to be better. "
        f"Pass scoring={{'neg_{name}': lambda model, X, y: -{own}(model, X, y)}}; if it returns "
        f"the negative already, pass scoring={{'neg_{name}': {own}}}"
    )


def _whole_model(metric: Metric) -> Metric:
    if metric.scorer is not None:
        return metric
    from sklearn.metrics import get_scorer

    return Metric(metric.name, "model", scorer=get_scorer(metric.name))


def _shaped(predictions: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return predictions as an array with one entry per test item."""
    array = np.asarray(predictions)
    if array.shape == shape:
        return array
    if array.shape == (*shape, 1):
        return array[:, 0]
    raise DataError(
        f"predict returned {_seen(array)}; expected one prediction for each of {shape[0]} test "
        "items"
    )


def _labels(predictions: npt.NDArray[Any], truth: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if predictions.dtype == truth.dtype and truth.dtype.kind in "biuU":
        return predictions
    if predictions.dtype.kind in "biuf" and truth.dtype.kind in "biuf":
        checked = _numbers(predictions)
    else:
        checked = validation.labels(predictions, "predictions")
        if checked.dtype.kind not in "biufUO" or (checked.dtype == object and _odd(checked)):
            raise DataError(f"predict returned {_seen(checked)}; expected labels like those in y")
        if validation.label_kind(checked) != validation.label_kind(truth):
            raise DataError(
                f"predict returned {validation.label_kind(checked)} labels, but y has "
                f"{validation.label_kind(truth)} labels, so no prediction could be correct"
            )
    advice = (
        "Return classes from predict, such as (probability >= 0.5).astype(int); if it predicts "
        f"numbers, pass {argument(scoring='r2')}"
    )
    validation.no_fractions(checked, "what predict returned", advice)
    return checked


def _odd(labels: npt.NDArray[Any]) -> bool:
    return not all(isinstance(label, str | int | float | np.generic) for label in labels.tolist())


def _numbers(predictions: npt.NDArray[Any]) -> Array:
    if predictions.dtype.kind not in "biuf":
        raise DataError(f"predict returned {_seen(predictions)}; expected numbers")
    wide = predictions.astype(np.float64, copy=False)
    if not np.isfinite(wide).all():
        at = int(np.flatnonzero(~np.isfinite(wide))[0])
        raise DataError(f"predict returned {wide[at]} for test item {at}; expected finite numbers")
    return wide


def _raised_by(model: Any, error: Exception) -> bool:
    """Tell whether an error comes from a method of the model, which the scorer has called."""
    frames = (frame for frame, _ in walk_tb(error.__traceback__))
    return any(frame.f_locals.get("self") is model for frame in frames)


def _one_number(value: Any, name: str) -> float:
    """Return what a scorer says; scikit-learn, too, takes an array that holds one number."""
    if hasattr(value, "item"):
        with suppress(ValueError, TypeError):  # more than one
            value = value.item()
    if not isinstance(value, Real | Decimal):
        shown = shorten(repr(value), 60, placeholder="…")
        raise DataError(
            f"The scorer {name!r} must return one number, got {shown} ({type(value).__name__}). "
            "Return a float where greater is better."
        )
    return _finite(float(value), name)


def _finite(number: float, name: str) -> float:
    if not np.isfinite(number):
        raise DataError(f"{name} is {number} on this test set; scores must be finite")
    return float(number)


def _seen(array: npt.NDArray[Any]) -> str:
    return f"an array of {array.dtype} with shape {array.shape}"
