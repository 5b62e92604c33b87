"""A learner whose every fit is written down, in a module that worker processes can import."""

from __future__ import annotations

import os
import time
from hashlib import sha256
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


def name_of(X: Any, scale: float) -> str:
    """Return what a cell is called in the log, by what is trained on and the learner."""
    return sha256(X.tobytes() + repr(scale).encode()).hexdigest()[:16]


def _wait_for_team(n_processes: int) -> None:
    """Wait until so many processes have begun a fit: the work is shared, however slow a start."""
    while n_processes > 1:
        with open(os.environ["FITS"], encoding="ascii") as log:
            if len({line.split()[0] for line in log}) >= n_processes:
                return
        time.sleep(0.01)


class Counted(ClassifierMixin, BaseEstimator):
    """The nearest class mean, which takes its time and writes each fit into the file $FITS."""

    def __init__(self, scale: float = 1.0, seconds: float = 0.01) -> None:
        self.scale, self.seconds = scale, seconds

    def fit(self, X: Any, y: Any) -> Counted:
        line = f"{os.getpid()} {name_of(X, self.scale)}\n".encode()
        target = os.open(os.environ["FITS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(target, line)
        os.close(target)
        _wait_for_team(int(os.environ.get("TEAM", "1")))
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == c].mean(axis=0) for c in self.classes_]) * self.scale
        time.sleep(self.seconds)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]
