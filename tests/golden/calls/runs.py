"""Runs of models: digests of the scores of every design, at one and two workers, kept or not."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import outperform as op

from . import inputs

SPLITTERS = {
    "KFold": KFold(5),
    "KFold shuffled": KFold(5, shuffle=True, random_state=0),
    "StratifiedKFold": StratifiedKFold(4),
    "ShuffleSplit": ShuffleSplit(6, test_size=0.25, random_state=0),
    "TimeSeriesSplit": TimeSeriesSplit(4),
}


def calls() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    for design in inputs.DESIGNS:
        for metric in inputs.METRICS:
            table[f"{design} {metric}"] = lambda design=design, metric=metric: inputs.run(
                design
            ).for_metric(metric)
    for name, splitter in SPLITTERS.items():
        table[name] = lambda splitter=splitter: _run(splitter)
    return table | _of_kinds() | _kept()


def _run(design: Any, **how: Any) -> Any:
    X, y, _groups = inputs.classes()
    how = {"random_state": 0, "progress": False} | how
    return op.run(inputs.classifiers(), X, y, design=design, **how)


def _of_kinds() -> dict[str, Callable[[], Any]]:
    X, y, groups = inputs.classes()
    frame = pd.DataFrame(X, columns=list("pqrs")).assign(label=y)
    text = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    pipelines = {
        name: make_pipeline(StandardScaler(), model) for name, model in inputs.classifiers().items()
    }
    models = inputs.classifiers()
    fitted = {name: model.fit(X[:80], y[:80]) for name, model in inputs.classifiers().items()}
    quiet: dict[str, Any] = {"progress": False}
    numbers = inputs.numbers_to_predict()
    return {
        "two workers": lambda: _run("10cv", n_jobs=2),
        "another seed": lambda: _run("10cv", random_state=7),
        "frame and column": lambda: op.run(models, frame, "label", design="5cv", random_state=0),
        "frame": lambda: op.run(models, text, y, design="5cv", random_state=0, **quiet),
        "pipelines": lambda: op.run(pipelines, X, y, design="5cv", random_state=0, **quiet),
        "list of models": lambda: op.run(
            list(models.values()), X, y, design="5cv", random_state=0, **quiet
        ),
        "groups": lambda: op.run(
            models, X, y, design="5cv/grouped", groups=groups, random_state=0, **quiet
        ),
        "weights": lambda: op.run(
            {"bayes": models["bayes"], "tree": models["tree"]},
            X,
            y,
            design="5cv",
            params={"sample_weight": 1.0 + (groups % 3)},
            random_state=0,
            **quiet,
        ),
        "fitted": lambda: op.run(fitted, X[80:], y[80:], fitted=True, **quiet),
        "compare fitted": lambda: op.compare(fitted, X[80:], y[80:], fitted=True),
        "compare models": lambda: op.compare(models, X, y, design="5x5cv+20halves", random_state=0),
        "roc_auc": lambda: _run("5cv", scoring="roc_auc"),
        "f1": lambda: _run("5cv", scoring="f1"),
        "regression": lambda: op.run(
            inputs.regressors(), *numbers, design="10cv", random_state=0, **quiet
        ),
        "compare regression": lambda: op.compare(
            inputs.regressors(), *numbers, design="10x10cv", random_state=0
        ),
        "neg_root_mean_squared_error": lambda: op.run(
            inputs.regressors(),
            *numbers,
            design="10cv",
            scoring="neg_root_mean_squared_error",
            random_state=0,
            **quiet,
        ),
        "regression calibrated": lambda: op.compare(
            inputs.regressors(), *numbers, design="5x5cv+20halves", random_state=0
        ),
        "benchmark": lambda: op.compare(
            op.benchmark(
                models, {"one": (X, y), "two": (X[:100], y[:100])}, design="3cv", random_state=0
            ),
            method="dataset_t",
        ),
    }


def _kept() -> dict[str, Callable[[], Any]]:
    def stored(*designs: str, read: Any = None) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder, "run.db")
            for design in designs:
                scores = _run(design, store=store)
            return read(store) if read else scores

    return {
        "stored": lambda: stored("10cv"),
        "stored twice": lambda: stored("10cv", "10cv"),
        "grown": lambda: stored("2x5cv", "4x5cv"),
        "grown halves": lambda: stored("2x5cv+5halves", "4x5cv+10halves"),
        "another design": lambda: stored("10cv", "5cv"),
        "compare a store": lambda: stored("10x10cv", read=op.compare),
        "compare a calibrated store": lambda: stored("5x5cv+20halves", read=op.compare),
        "another metric of a store": lambda: stored(
            "10cv", read=lambda store: op.compare(store, metric="f1_macro")
        ),
        "scores of a store": lambda: stored("10cv", read=op.Scores.read),
    }
