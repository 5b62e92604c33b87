"""`compare`: learners or scores in, every pair judged by one method and adjusted as a family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from . import inputs, pairs, registry
from .adjustments import ADJUSTMENTS
from .errors import DataError, MethodError
from .evidence import ALTERNATIVES, Evidence
from .families import Comparison, all_pairs
from .notes import Note
from .registry import Method
from .scores import Scores
from .views import Crossed, Differences, Halves, difference_view

__all__ = ["compare"]


def compare(
    learners_or_scores: Any,
    X: Any = None,
    y: Any = None,
    *,
    design: Any = "10x10cv",
    method: str = "auto",
    scoring: Any = None,
    alternative: str = "two-sided",
    adjust: str = "holm",
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
    groups: Any = None,
    time_limit: float | None = None,
    on_error: str = "record",
) -> Comparison:
    """Run the learners over the design, unless `Scores` are given, and judge every pair.

    `method="auto"` is a look-up by design, made before any score is seen. p-values are adjusted
    for the family of all pairs; the simultaneous intervals beside them are Bonferroni's.
    """
    inputs.choice(adjust, "adjust", ADJUSTMENTS)
    side: Any = inputs.choice(alternative, "alternative", ALTERNATIVES)
    if method != "auto":
        registry.get(method)
    if isinstance(learners_or_scores, Scores):
        scores = learners_or_scores
    else:
        from .engine import run

        scores = run(
            learners_or_scores, X, y, design=design, scoring=scoring, random_state=random_state,
            n_jobs=n_jobs, store=store, groups=groups, time_limit=time_limit, on_error=on_error,
        )  # fmt: skip
    if len(scores.names) < 2:
        raise DataError(
            f"{len(scores.names)} learner was given; at least 2 are needed to compare. To test one "
            "against a value, use corrected_t(scores, mu0=…)"
        )
    chosen = registry.get(_auto(scores) if method == "auto" else method)
    if chosen.view == "Contingency":
        found = all_pairs(scores, adjust=adjust, alternative=side)
        if scores.design is not None:
            chosen.check_design(scores.design)
        return replace(found, design=scores.design, seed=scores.seed,
                       notes=(*scores.notes, *found.notes))  # fmt: skip
    evidence, n = _judged(chosen, scores)
    return Comparison(
        scores.names,
        chosen,
        evidence,
        adjust,
        n=n,
        metric=scores.metric,
        design=scores.design,
        alternative=side,
        seed=scores.seed,
        notes=(*scores.notes, *_about(chosen)),
    )


def _auto(scores: Scores) -> str:
    """Return the method for scores by their design, datasets and kind of loss alone."""
    if len(set(scores.datasets or ())) > 1:
        return registry.default_method("datasets")
    if scores.design is None:
        raise MethodError(
            "the design of these scores is unknown, and the method is chosen by it. Pass design= "
            'when they are built or read, or name a method, as in method="corrected_t"'
        )
    default = registry.default_method(scores.design)
    losses = scores.items is not None and scores.items.loss != "zero-one"
    return "paired_t" if default == "mcnemar" and losses else default


def _judged(method: Method, scores: Scores) -> tuple[Evidence, int]:
    """Judge all pairs in one call: pairs are the leading axis of the view."""
    if len(set(scores.datasets or ())) > 1:
        method.check_kind("datasets")
    elif scores.design is not None:
        method.check_design(scores.design)
    i, j = pairs.upper(len(scores.names))
    names = [(scores.names[a], scores.names[b]) for a, b in zip(i, j, strict=True)]
    views: list[Any]
    if method.view == "Halves":
        views = [scores.halves(*pair) for pair in names]
        view: Any = Halves(*_stacked(views, "whole", "halves", "scale"))
        return method.on(view), views[0].whole.size
    if method.view == "Crossed":
        views = [scores.crossed(*pair) for pair in names]
        view = Crossed(*_stacked(views, "values", "scale"))
        return method.on(view), views[0].values.size
    if method.view != "Differences":
        raise MethodError(
            f"{method.name} judges all learners at once, or no scores; call it itself: "
            f"outperform.{method.name}(…)"
        )
    if method.layout == "items":
        table = scores.item_losses().values.T
        grids = [side.reshape(i.size, 1, 1, -1) for side in (table[i], table[j])]
        view = difference_view(grids[0], grids[1])
    elif method.layout == "datasets":
        views = [scores.over_datasets(*pair) for pair in names]
        view = Differences(*_stacked(views, "values", "first", "second"))
    else:
        one = scores.differences(*names[0])
        shape = (i.size, *one.values.shape)
        view = difference_view(
            scores.values[i].reshape(shape),
            scores.values[j].reshape(shape),
            lower_is_better=not scores.greater_is_better,
            ratio=one.test_train_ratio,
            n_test=one.n_test,
        )
    return method.on(view), view.n_splits


def _stacked(views: list[Any], *names: str) -> list[Any]:
    return [np.stack([getattr(view, name) for view in views]) for name in names]


def _about(method: Method) -> list[Note]:
    """Return what is said of the method whatever the data."""
    said: Mapping[str, bool] = {
        method.note or "": method.note is not None,
        "OP403": not method.has_interval,
        "OP402": method.has_interval and not method.interval_inverts,
    }
    return [Note(code) for code, true in said.items() if true]
