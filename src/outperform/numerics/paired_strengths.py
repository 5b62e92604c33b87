"""Strengths of models from who won against whom: Bradley and Terry's model, many draws at once."""

from __future__ import annotations

import numpy as np

from .exact_sums import Array

_STEPS = 100
RIDGE = 1e-9
"""Keeps the sum of strengths at 0; far below what moves an estimate."""
SEPARATED = 0.05
"""The ridge of draws in which a model won or lost against all: their strengths are infinite."""


def strengths(wins: Array) -> Array:
    """Return log strengths with sum 0 from wins (..., k, k); ties count half for each.

    P(i beats j) = 1/(1 + exp(θ_j − θ_i)), by Newton's method on the penalised likelihood. Where the
    maximum does not exist (a group of models never lost to the rest), a larger ridge gives a
    finite answer.
    """
    n = wins + np.swapaxes(wins, -1, -2)
    k = wins.shape[-1]
    ridge = np.where(is_connected(wins), RIDGE, SEPARATED)[..., None]
    theta = np.zeros(wins.shape[:-1])
    eye = np.eye(k)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(np.clip(theta[..., None, :] - theta[..., :, None], -700, 700)))
        gradient = np.sum(wins - n * p, axis=-1) - ridge * theta
        weight = n * p * (1 - p)
        hessian = np.sum(weight, axis=-1)[..., None] * eye - weight
        # The ones fix the direction in which all strengths rise together.
        solved = np.linalg.solve(hessian + ridge[..., None] * eye + 1.0 / k, gradient[..., None])
        step = np.clip(solved[..., 0], -2.0, 2.0)
        theta = theta + step
        theta = theta - np.mean(theta, axis=-1, keepdims=True)
        if np.max(np.abs(step)) < 1e-12:
            break
    return theta


def is_connected(wins: Array) -> np.ndarray:
    """Tell whether every model can be reached from every other by wins (Ford, 1957)."""
    k = wins.shape[-1]
    reach = (wins > 0) | np.eye(k, dtype=bool)
    for _ in range(max(1, int(np.ceil(np.log2(max(k, 2)))))):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return np.asarray(reach.all(axis=(-2, -1)))
