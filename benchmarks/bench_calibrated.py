"""The default design beside 10x10cv: what it costs where the time of a fit is linear in n."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from timing import Row, Table, interleaved

import outperform as op

N, ROUNDS = 400, 2
PER_ROW = 130e-6
"""Seconds of a fit for each training row: 21 ms for the 160 rows of a half's training folds."""
LIMIT = 1.25
"""Times the cost of 10x10cv; by rows trained on it is 100 / 90."""
DESIGNS = {"10x10cv": "10x10cv", "the default": None}


class Linear(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Computes for as long as its training rows ask for, then answers by the class means."""

    def fit(self, X: Any, y: Any) -> Linear:
        until = time.process_time() + PER_ROW * len(y)
        while time.process_time() < until:
            np.sort(X, axis=0)
        self.classes_ = np.unique(y)
        self.middle_ = (X[y == 0].mean() + X[y == 1].mean()) / 2
        return self

    def predict(self, X: Any) -> Any:
        return (X.mean(axis=1) > self.middle_).astype(int)


def measure() -> list[Row | Table]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    X = rng.normal(size=(N, 5)) + y[:, None]

    def work(design: str | None) -> Any:
        return lambda: op.run(
            {"linear": Linear()}, X, y, design=design, random_state=1, n_jobs=1, progress=False
        )

    spent = interleaved([*map(work, DESIGNS.values())], budget=0, rounds=(ROUNDS, ROUNDS))
    plain, default = np.median(spent, axis=0)
    about = f"one learner, {N} rows, {1e6 * PER_ROW:.0f} µs of computing for each row trained on"
    lines = tuple((name, f"{s:.2f}") for name, s in zip(DESIGNS, (plain, default), strict=True))
    return [
        Row("the default design vs. 10x10cv", default / plain, LIMIT, floor=False, note=about),
        Table("CPU seconds of a run, by design", ("design", "seconds"), lines),
    ]
