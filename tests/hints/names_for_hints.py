"""What cases speak of: small data, learners, scores of several designs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin


class Known(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Errs on a fixed share of the test items of six classes, whatever it was taught."""

    def __init__(self, share: float = 0.0) -> None:
        self.share = share

    def fit(self, X: Any, y: Any) -> Known:
        import numpy as np

        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        import numpy as np

        from outperform.lab import SixClasses

        truth = SixClasses()._classified(np.asarray(X)).y
        return np.where(np.arange(len(truth)) < round(self.share * len(truth)), -1, truth)


@cache
def names() -> dict[str, Any]:
    """Return the names that the Python of every case may use."""
    import numpy as np
    import pandas as pd
    import polars as pl
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.naive_bayes import GaussianNB

    import outperform as op

    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    a, b, c = (rng.normal(mean, 0.02, 100) for mean in (0.8, 0.78, 0.7))
    models = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    right = rng.random((40, 3)) < [0.9, 0.8, 0.6]
    found: dict[str, Any] = {
        "np": np, "pd": pd, "pl": pl, "op": op, "X": X, "y": y, "a": a, "b": b, "c": c,
        "learners": models, "GaussianNB": GaussianNB, "DummyClassifier": DummyClassifier,
        "DummyRegressor": DummyRegressor, "right": right, "Scores": op.Scores,
        "Path": Path,
    }  # fmt: skip
    found["ten"] = op.Scores.from_arrays({"a": a[:10], "b": b[:10]}, design="10cv")
    found["scores"] = op.Scores.from_arrays({"a": a, "b": b}, design="10x10cv")
    found["three"] = op.Scores.from_arrays({"a": a, "b": b, "c": c}, design="10x10cv")
    found["bare"] = op.Scores.from_arrays({"a": a, "b": b})
    found["one"] = op.Scores.from_arrays({"a": a}, design="10x10cv")
    found["held_out"] = op.Scores.from_correct(["a", "b", "c"], right.T)
    return found
