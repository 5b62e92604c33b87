"""A learner whose every fit is written down, in a module that worker processes can import."""

from __future__ import annotations

import os
import time
from hashlib import sha256
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Counted(ClassifierMixin, BaseEstimator):
    """The nearest class mean, which takes its time and writes each fit into the file $FITS."""

    def __init__(self, scale: float = 1.0, seconds: float = 0.01) -> None:
        self.scale, self.seconds = scale, seconds

    def fit(self, X: Any, y: Any) -> Counted:
        began = time.time()
        cell = sha256(X.tobytes() + repr(self.scale).encode()).hexdigest()[:16]
        line = f"{began:.6f} {os.getpid()} {cell}\n".encode()
        target = os.open(os.environ["FITS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(target, line)
        os.close(target)
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == c].mean(axis=0) for c in self.classes_]) * self.scale
        time.sleep(self.seconds)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)]
