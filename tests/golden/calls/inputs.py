"""Inputs of the calls: the same data, models and scores in every replay."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import outperform as op

DESIGNS = (
    "holdout@1/3",
    "10cv",
    "10cv/stratified",
    "5cv/grouped",
    "10x10cv",
    "3x5cv/stratified",
    "5x2cv",
    "loo",
    "30xresampled@1/3",
    "20xresampled@1/10/stratified",
    "10x3halves@1/10",
    "6disjoint@20",
    "5*10cv",
    "5x5cv+20halves",
    "3x4cv+10halves/stratified",
    "12seeds@1/3",
    "5forward",
)
METRICS = ("accuracy", "neg_log_loss")


@cache
def classes(n: int = 160) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 4))
    X[:, 0] += 1.2 * y
    X[:, 1] += 0.5 * y
    return X, y, np.repeat(np.arange(n // 4), 4)


@cache
def numbers_to_predict(n: int = 120) -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 3))
    return X, 3 * X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n)


def classifiers() -> dict[str, Any]:
    return {
        "bayes": GaussianNB(),
        "knn": KNeighborsClassifier(3),
        "tree": DecisionTreeClassifier(max_depth=3),
    }


def regressors() -> dict[str, Any]:
    return {
        "knn": KNeighborsRegressor(5),
        "ridge": Ridge(),
        "tree": DecisionTreeRegressor(max_depth=3),
    }


@cache
def run(design: str) -> Any:
    X, y, groups = classes()
    return op.run(
        classifiers(),
        X,
        y,
        design=design,
        scoring=list(METRICS),
        random_state=0,
        progress=False,
        groups=groups if "grouped" in design else None,
    )


@cache
def folds(seed: int = 0, n: int = 10, models: tuple[str, ...] = ("a", "b", "c")) -> dict[str, Any]:
    """Fold scores of models of which each is a little worse than the one before."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 0.03, n)
    return {
        name: 0.85 - 0.012 * i + hard + rng.normal(0, 0.012, n) for i, name in enumerate(models)
    }


def split_scores(design: str, n: int, **how: Any) -> Any:
    return op.Scores.from_arrays(folds(3, n), design=design, **how)


@cache
def right_wrong(n: int = 240) -> dict[str, Any]:
    rng = np.random.default_rng(4)
    hard = rng.normal(size=n)
    return {
        name: (rng.normal(size=n) + skill > hard).astype(float)
        for name, skill in (("new", 0.6), ("old", 0.3), ("tiny", -0.4))
    }


@cache
def graded(n: int = 90) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    hard = rng.normal(size=n)
    return {name: hard + rng.normal(s, 0.7, n) for name, s in (("new", 0.3), ("old", 0.0))}


@cache
def sampled(n: int = 60, k: int = 4) -> dict[str, Any]:
    rng = np.random.default_rng(6)
    hard = rng.normal(size=(n, 1))
    return {
        name: (rng.normal(size=(n, k)) + skill > hard).astype(float)
        for name, skill in (("new", 0.5), ("old", 0.1))
    }


def clusters(n: int, size: int = 6) -> Any:
    return np.arange(n) // size


@cache
def ranked(n: int = 150) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(7)
    y = (rng.random(n) < 0.4).astype(int)
    return y, {
        name: 1 / (1 + np.exp(-(s * (2 * y - 1) + rng.normal(size=n))))
        for name, s in (("new", 0.9), ("old", 0.6), ("tiny", 0.2))
    }


@cache
def benchmark(n: int = 14, models: tuple[str, ...] = ("A", "B", "C", "D")) -> Any:
    rng = np.random.default_rng(8)
    level = rng.uniform(0.6, 0.95, n)
    columns = {name: level - 0.008 * i + rng.normal(0, 0.012, n) for i, name in enumerate(models)}
    return {"dataset": [f"d{i:02d}" for i in range(n)]} | columns


def benchmark_of_folds() -> list[dict[str, Any]]:
    rng = np.random.default_rng(9)
    return [
        {"dataset": f"d{d}", "model": model, "fold": fold, "score": level + rng.normal(0, 0.02)}
        for d in range(8)
        for model, level in (("A", 0.83 + 0.01 * d), ("B", 0.81 + 0.01 * d))
        for fold in range(10)
    ]


def item_sources() -> dict[str, Callable[[], Any]]:
    """Items and the scores of fixed splits, by what they hold."""
    y, probabilities = ranked()
    n = len(right_wrong()["new"])
    return {
        "right-wrong": lambda: op.Items.from_arrays(right_wrong()),
        "right-wrong these": lambda: op.Items.from_arrays(right_wrong(), population="these"),
        "sampled these": lambda: op.Items.from_arrays(sampled(), population="these"),
        "clustered": lambda: op.Items.from_arrays(right_wrong(), clusters=clusters(n)),
        "strata": lambda: op.Items.from_arrays(graded(), strata=np.arange(90) % 3),
        "graded": lambda: op.Items.from_arrays(graded()),
        "graded lower": lambda: op.Items.from_arrays(graded(), metric="mae", lower_is_better=True),
        "graded clustered": lambda: op.Items.from_arrays(graded(), clusters=clusters(90)),
        "ordered": lambda: op.Items.from_arrays(graded(), order=np.arange(90)),
        "sampled": lambda: op.Items.from_arrays(sampled()),
        "sampled clustered": lambda: op.Items.from_arrays(sampled(), clusters=clusters(60)),
        "probabilities log_loss": lambda: op.Items.from_probabilities(y, probabilities),
        "probabilities brier": lambda: op.Items.from_probabilities(
            y, probabilities, metric="brier_score"
        ),
        "probabilities auc": lambda: op.Items.from_probabilities(
            y, probabilities, metric="roc_auc"
        ),
        "predictions": lambda: op.Scores.from_predictions(
            y, {name: (p > 0.5).astype(int) for name, p in probabilities.items()}
        ),
    }


def split_sources() -> dict[str, Callable[[], Any]]:
    """Scores of splits, typed in and run, by design."""
    typed = {
        "10cv": 10,
        "10x10cv": 100,
        "5x2cv": 10,
        "30xresampled@1/3": 30,
        "20xresampled@1/10": 20,
        "5*10cv": 50,
        "12seeds": 12,
    }
    sources: dict[str, Callable[[], Any]] = {
        f"typed {design}": lambda design=design, n=n: split_scores(design, n)
        for design, n in typed.items()
    }
    sources["typed sizes"] = lambda: split_scores(None, 12, n_train=90, n_test=10)
    sources["typed seeds of splits"] = lambda: split_scores("3seeds*5cv", 15)
    sources["typed lower"] = lambda: split_scores("10cv", 10, metric="rmse", lower_is_better=True)
    for design in DESIGNS:
        sources[f"run {design}"] = lambda design=design: run(design)
    return sources


def dataset_sources() -> dict[str, Callable[[], Any]]:
    import pandas as pd

    two = {k: v for k, v in benchmark().items() if k in ("dataset", "A", "B")}
    return {
        "datasets": lambda: op.Benchmark.from_frame(pd.DataFrame(benchmark())),
        "two on datasets": lambda: op.Benchmark.from_frame(pd.DataFrame(two)),
        "folds of datasets": lambda: op.Benchmark.from_frame(pd.DataFrame(benchmark_of_folds())),
    }


def sources() -> dict[str, Callable[[], Any]]:
    return split_sources() | item_sources() | dataset_sources()


def write_files(folder: Path) -> None:
    """Write the files that commands read."""
    import pandas as pd

    rows = [
        {"model": model, "fold": i, "score": float(x)}
        for model, scores in folds().items()
        for i, x in enumerate(scores)
    ]
    pd.DataFrame(rows).to_csv(folder / "folds.csv", index=False)
    repeated = [
        {"model": model, "repeat": i // 10, "fold": i % 10, "rmse": float(x)}
        for model, scores in folds(3, 100).items()
        for i, x in enumerate(scores)
    ]
    pd.DataFrame(repeated).to_csv(folder / "repeated.csv", index=False)
    pd.DataFrame(folds()).to_csv(folder / "wide.csv", index=False)
    pd.DataFrame(benchmark()).to_csv(folder / "benchmark.csv", index=False)
    pd.DataFrame(benchmark_of_folds()).to_csv(folder / "dataset_folds.csv", index=False)
    _write_logs(folder, right_wrong())
    y, probabilities = ranked()
    pd.DataFrame({"y_true": y} | probabilities).to_csv(folder / "probabilities.csv", index=False)
    labels = {name: (p > 0.5).astype(int) for name, p in probabilities.items()}
    pd.DataFrame({"y_true": y} | labels).to_csv(folder / "predictions.csv", index=False)
    X, target, _groups = classes()
    frame = pd.DataFrame(X, columns=list("pqrs"))
    frame["kind"] = np.where(X[:, 2] > 0, "wet", "dry")
    frame.assign(target=target).to_csv(folder / "data.csv", index=False)
    draws = np.random.default_rng(10).choice(["new", "old", "tie"], size=120, p=[0.45, 0.35, 0.2])
    judged = {"question": range(120), "model_a": "new", "model_b": "old", "winner": draws}
    pd.DataFrame(judged).to_csv(folder / "judged.csv", index=False)


def _write_logs(folder: Path, models: Mapping[str, Any]) -> None:
    for name, scores in models.items():
        lines = (
            json.dumps({"item": f"q{i}", "model": name, "correct": int(x), "subject": f"s{i // 6}"})
            for i, x in enumerate(scores)
        )
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
