"""Linear learners that are trained on every split of many datasets at once, from sums of products.

What they predict is what scikit-learn's learners of the same settings predict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from outperform.numerics.exact_sums import Array

from .batch_learners import Predictions, at_each_item
from .fold_labels import FoldLabels

SWEEPS, STEPS = 1000, 25
"""Rounds of coordinate descent, and of Newton's method, at most."""
CONVERGED = 1e-9
"""Change of a coefficient, relative to the largest, below which iteration ends."""


@dataclass(frozen=True, slots=True)
class BatchLDA:
    """Linear discriminant analysis for many datasets at once.

    It uses class means, one covariance matrix for both classes (divided by the number of training
    items), and the shares of the classes as prior probabilities.

    Attributes
    ----------
    name : str
        A few words for tables.
    """

    name: ClassVar[str] = "LDA"

    def log_odds(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the log odds of class 1."""
        count, mean, product = _moments(X, folds)
        of_one, mean_one, _ = _moments(X, folds, y)
        of_other = count - of_one
        mean_other = (mean * count - mean_one * of_one) / of_other
        within = product - sum(
            each[..., None] * share[..., None] * each[..., None, :]
            for each, share in ((mean_one, of_one), (mean_other, of_other))
        )
        gap = mean_one - mean_other
        weights = np.asarray(
            np.linalg.solve(within / count[..., None], gap[..., None])[..., 0], dtype=np.float64
        )
        middle = (weights * (mean_one + mean_other)).sum(axis=-1) / 2
        constant = np.log(of_one / of_other)[..., 0] - middle
        return at_each_item(constant, weights, X, folds)

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        return np.asarray(self.log_odds(X, y, folds) > 0)


@dataclass(frozen=True, slots=True)
class BatchLogistic:
    """Logistic regression with an L2 penalty for many datasets at once.

    The penalty is ½‖w‖² (C = 1 in scikit-learn) and leaves out the intercept; the fit is by
    Newton's method.

    Attributes
    ----------
    name : str
        A few words for tables.
    """

    name: ClassVar[str] = "L2 logistic"

    def log_odds(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the log odds of class 1."""
        e, n, p = X.shape
        rows = np.repeat(folds.members, folds.n_folds, axis=1) - folds.tested
        columns = np.concatenate([np.ones((e, n, 1)), X], axis=-1)
        products = (columns[..., :, None] * columns[..., None, :]).reshape(e, n, -1)
        penalty = np.eye(p + 1)
        penalty[0, 0] = 0
        beta = np.zeros((e, rows.shape[1], p + 1))
        for _ in range(STEPS):
            chance = 1 / (1 + np.exp(-np.matmul(beta, columns.transpose(0, 2, 1))))
            slope = np.matmul(rows * (y[:, None] - chance), columns) - beta @ penalty
            curve = np.matmul(rows * chance * (1 - chance), products)
            curve = curve.reshape(*beta.shape, p + 1) + penalty
            step = np.linalg.solve(curve, slope[..., None])[..., 0]
            beta += step
            if np.abs(step).max() <= CONVERGED * np.abs(beta).max():
                break
        return at_each_item(beta[..., 0], beta[..., 1:], X, folds)

    def predict(self, X: Array, y: Array, folds: FoldLabels) -> Predictions:
        """Return which items are assigned to class 1, each by the model not trained on it."""
        return np.asarray(self.log_odds(X, y, folds) > 0)


@dataclass(frozen=True, slots=True)
class BatchLinear:
    """Least squares with an intercept, or the lasso, for many datasets at once.

    Attributes
    ----------
    penalty : float
        Penalty of the lasso, which minimizes ½ mean squared error + penalty·‖w‖₁; 0 for least
        squares.
    """

    penalty: float = 0.0

    @property
    def name(self) -> str:
        """A few words for tables."""
        return "lasso" if self.penalty else "linear regression"

    def values(self, X: Array, y: Array, folds: FoldLabels) -> Array:
        """Return the predicted value of each item."""
        both = np.concatenate([X, y[..., None]], axis=-1)
        count, mean, product = _moments(both, folds)
        spread = product / count[..., None] - mean[..., :, None] * mean[..., None, :]
        gram, target = spread[..., :-1, :-1], spread[..., :-1, -1]
        if self.penalty:
            weights = descended(gram, target, self.penalty)
        else:
            solved = np.linalg.solve(gram, target[..., None])[..., 0]
            weights = np.asarray(solved, dtype=np.float64)
        constant = mean[..., -1] - (weights * mean[..., :-1]).sum(axis=-1)
        return at_each_item(constant, weights, X, folds)


def _moments(X: Array, folds: FoldLabels, marks: Array | None = None) -> tuple[Array, Array, Array]:
    """Return how many training items each fold has, (E, B·K, 1), their means and summed products.

    With `marks`, only marked items count.
    """
    e, n, p = X.shape
    products = (X[..., :, None] * X[..., None, :]).reshape(e, n, -1)
    columns = np.concatenate([np.ones((e, n, 1)), X, products], axis=-1)
    sums = folds.training_sums(columns if marks is None else columns * marks[..., None])
    count = sums[..., :1]
    return count, sums[..., 1 : 1 + p] / count, sums[..., 1 + p :].reshape(*sums.shape[:2], p, p)


def descended(
    gram: Array, target: Array, penalty: float | Array, start: Array | None = None
) -> Array:
    """Return the lasso's weights, one coordinate after the other, of all splits at once."""
    weights = np.zeros_like(target) if start is None else start.copy()
    for _ in range(SWEEPS):
        moved = 0.0
        for at in range(target.shape[-1]):
            rest = target[..., at] - (gram[..., at, :] * weights).sum(axis=-1)
            rest += gram[..., at, at] * weights[..., at]
            new = np.sign(rest) * np.maximum(np.abs(rest) - penalty, 0) / gram[..., at, at]
            moved = max(moved, float(np.abs(new - weights[..., at]).max()))
            weights[..., at] = new
        if moved <= CONVERGED * float(np.abs(weights).max()):
            break
    return weights
