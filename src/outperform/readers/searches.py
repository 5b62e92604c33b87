"""Fitted searches of scikit-learn: their candidates, and the design of their splits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..designs import Design
from ..engine.given_splits import read_given
from ..errors import DataError
from ..scores.split_scores import Scores
from .frames import from_frame


def from_search(search: Any, X: Any = None, y: Any = None, **options: Any) -> Scores:
    """Read the candidates of a fitted search as learners.

    `cv_results_` has no sizes and does not say how the splits were made; the search's `cv` does,
    and X and y, the data it was fitted on, give the sizes as well.
    """
    results = getattr(search, "cv_results_", None)
    if results is None:
        raise DataError(
            f"{type(search).__name__} has no cv_results_, because it is not fitted. Fit it: "
            "search.fit(X, y)"
        )
    if X is None and y is None:
        design = options.get("design") or _by_its_splitter(search)
        return from_frame(results, **options | {"design": design})
    pairs = _splits(search, X, y)
    n = len(y) if y is not None else len(X)
    plan = read_given(pairs, X, y, None, None, n, 0)
    of: Design = getattr(plan.design, "of", plan.design)
    scores = from_frame(results, **{"design": of, **options})
    if scores.n_splits != len(pairs):
        return scores
    n_train, n_test = (np.array([float(len(pair[side])) for pair in pairs]) for side in (0, 1))
    return replace(scores, n_train=n_train, n_test=n_test)


def _splits(search: Any, X: Any, y: Any) -> list[Any]:
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    splitter = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    rows = np.zeros(len(y)) if X is None else X
    return list(splitter.split(rows, y))


def _by_its_splitter(search: Any) -> str | None:
    """Return the design that a splitter is known to make; None leaves k folds to be assumed."""
    from sklearn.model_selection import BaseShuffleSplit, GroupKFold, KFold, StratifiedKFold

    cv, n = search.cv, int(search.n_splits_)
    repeats = getattr(cv, "n_repeats", None)
    if isinstance(repeats, int) and repeats > 1 and n % repeats == 0:
        return f"{repeats}x{n // repeats}cv"
    if cv is None or isinstance(cv, int | KFold | StratifiedKFold | GroupKFold):
        return f"{n}cv"
    test = getattr(cv, "test_size", None)
    if isinstance(cv, BaseShuffleSplit) and isinstance(test, float):
        return f"{n}xresampled@{Fraction(test).limit_denominator(1000)}"
    return None
