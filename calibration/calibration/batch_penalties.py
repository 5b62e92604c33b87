"""Linear classifiers with a penalty, trained on every split of many datasets at once.

What they predict is what scikit-learn's learners of the same settings predict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from outperform.numerics.exact_sums import Array

from .batch_learners import Predictions, at_each_item
from .batch_linear import descended
from .fold_labels import FoldLabels

STEPS, HALVINGS = 50, 20
"""Newton's steps, and halvings of a step that would make a fit worse, at most."""
CONVERGED = 1e-7
"""Change of a coefficient, relative to the largest, below which iteration ends."""


@dataclass(frozen=True, slots=True)
class BatchSVM:
    """A linear support vector machine: squared hinge loss, and ½‖w‖² with the intercept in it."""

    cost: float = 0.1
    name: ClassVar[str] = "linear SVM"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        columns, products, rows = _prepared(X, folds)
        sign = (2 * y - 1)[:, None]

        def lacking(beta: Array) -> Array:
            return np.asarray(rows * np.maximum(1 - sign * _at(beta, columns), 0))

        def objective(beta: Array) -> Array:
            lost = self.cost * (lacking(beta) ** 2).sum(axis=-1)
            return np.asarray((beta**2).sum(axis=-1) / 2 + lost)

        def newton(beta: Array) -> Array:
            within = (lacking(beta) > 0) * 1.0
            curve = 2 * self.cost * np.matmul(within, products)
            curve = curve.reshape(*beta.shape, beta.shape[-1]) + np.eye(beta.shape[-1])
            slope = 2 * self.cost * np.matmul(within * sign, columns)
            return np.asarray(np.linalg.solve(curve, slope[..., None])[..., 0])

        return _minimized(X, folds, objective, newton)


@dataclass(frozen=True, slots=True)
class BatchL1:
    """Logistic regression with an L1 penalty of 1.2·√n on n training items, intercept included."""

    strength: float = 1.2
    name: ClassVar[str] = "L1 logistic"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        columns, products, rows = _prepared(X, folds)
        penalty = self.strength * np.sqrt(rows.sum(axis=-1, keepdims=True))
        sign = (2 * y - 1)[:, None]

        def objective(beta: Array) -> Array:
            lost = rows * np.logaddexp(0, -sign * _at(beta, columns))
            return np.asarray(lost.sum(axis=-1) + (penalty * np.abs(beta)).sum(axis=-1))

        def newton(beta: Array) -> Array:
            chance = 1 / (1 + np.exp(-_at(beta, columns)))
            curve = np.matmul(rows * chance * (1 - chance), products)
            curve = curve.reshape(*beta.shape, beta.shape[-1])
            slope = np.matmul(rows * (y[:, None] - chance), columns)
            target = np.matmul(curve, beta[..., None])[..., 0] + slope
            return descended(curve, target, penalty[..., 0], beta)

        return _minimized(X, folds, objective, newton)


@dataclass(frozen=True, slots=True)
class BatchTunedRidge:
    """A ridge classifier whose penalty has the least squared error, each item left out in turn."""

    penalties: tuple[float, ...] = tuple(np.logspace(-1, 3, 9).tolist())
    name: ClassVar[str] = "ridge classifier, penalty tuned inside"

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        columns, products, rows = _prepared(X, folds)
        e, s, width = len(X), rows.shape[1], columns.shape[-1]
        sign = 2 * y - 1
        sums = np.matmul(rows, products).reshape(e, s, width, width)
        target = np.matmul(rows * sign[:, None], columns)
        no_intercept = np.diag(np.r_[0.0, np.ones(width - 1)])
        least, beta = np.full((e, s), np.inf), np.zeros((e, s, width))
        for penalty in self.penalties:
            inverse = np.linalg.inv(sums + penalty * no_intercept)
            found = np.matmul(inverse, target[..., None])[..., 0]
            # Two products of matrices, not one of three: a row of the hat matrix for each item.
            leverage = np.matmul(inverse.reshape(e, s, -1), products.transpose(0, 2, 1))
            left_out = (sign[:, None] - _at(found, columns)) / (1 - leverage)
            error = (rows * left_out**2).sum(axis=-1)
            better = error < least
            least = np.where(better, error, least)
            beta = np.where(better[..., None], found, beta)
        return np.asarray(at_each_item(beta[..., 0], beta[..., 1:], X, folds) > 0)


def _prepared(X: Array, folds: FoldLabels) -> tuple[Array, Array, Array]:
    """Return 1 and the features of each item, their products, and the items of each training set.

    Shapes are (E, n, 1 + p), (E, n, (1 + p)²) and (E, splits, n).
    """
    e, n, _ = X.shape
    columns = np.concatenate([np.ones((e, n, 1)), X], axis=-1)
    products = (columns[..., :, None] * columns[..., None, :]).reshape(e, n, -1)
    rows = np.repeat(folds.members, folds.n_folds, axis=1) - folds.tested
    return columns, products, np.broadcast_to(rows, (e, *rows.shape[1:]))


def _at(beta: Array, columns: Array) -> Array:
    return np.asarray(np.matmul(beta, columns.transpose(0, 2, 1)))


def _minimized(
    X: Array,
    folds: FoldLabels,
    objective: Callable[[Array], Array],
    newton: Callable[[Array], Array],
) -> Predictions:
    """Return predictions of coefficients that no step of Newton's method makes better."""
    beta = np.zeros((len(X), folds.tested.shape[1], X.shape[-1] + 1))
    now = objective(beta)
    for _ in range(STEPS):
        step = newton(beta) - beta
        for _ in range(HALVINGS):
            after = objective(beta + step)
            worse = after > now + 1e-12 * np.abs(now)
            if not worse.any():
                break
            step = np.where(worse[..., None], step / 2, step)
        beta, now = beta + step, after
        if np.abs(step).max() <= CONVERGED * np.abs(beta).max():
            break
    return np.asarray(at_each_item(beta[..., 0], beta[..., 1:], X, folds) > 0)
