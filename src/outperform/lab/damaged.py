"""A learner made worse: a share of its predictions exchanged for other classes (D-43)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

__all__ = ["Damaged"]


class Damaged(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A classifier of which each prediction is, with probability `rate`, any other class."""

    def __init__(self, learner: Any, rate: float = 0.0, random_state: int | None = None) -> None:
        self.learner = learner
        self.rate = rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Damaged:
        """Fit the learner that is to be damaged."""
        self.learner_ = clone(self.learner).fit(X, y)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X: Any) -> Any:
        """Predict, then damage; the same draws serve every rate, so that more of it is worse."""
        found = np.asarray(self.learner_.predict(X))
        k = self.classes_.size
        if k < 2 or self.rate == 0:
            return found
        rng = np.random.default_rng(self.random_state)
        hit = rng.random(found.size) < self.rate
        other = rng.integers(1, k, found.size)
        at = np.searchsorted(self.classes_, found)
        return np.where(hit, self.classes_[(at + other) % k], found)
