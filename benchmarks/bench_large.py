"""Large data: what designs cost and detect beside one hold-out, by number of rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits
from timing import Row, Table

import outperform as op

SIZES = (2_000, 10_000, 50_000)
DESIGNS = ("holdout@1/3", "10cv", "5x5cv+20halves")
LEARNERS: dict[str, Any] = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=6, random_state=0),
}
SLOW: dict[str, Any] = {
    "boosting": HistGradientBoostingClassifier(early_stopping=False, random_state=0),
    "forest": RandomForestClassifier(random_state=0),
}
POWER = 2.8
"""Standard errors that are detected with 80 % power at α = 0.05: 1.96 + 0.84."""


def measure() -> list[Row | Table]:
    with threadpool_limits(1):
        return list(_measured())


def _measured() -> Iterator[Row | Table]:
    lines, found = [], {}
    for n in SIZES:
        X, y = _drawn(n)
        for design in DESIGNS:
            began = time.process_time()
            pair = op.compare(LEARNERS, X, y, design=design, random_state=1)["bayes", "tree"]
            seconds = time.process_time() - began
            low, high = pair.interval(0.95)
            stderr = (high - low) / 2 / 1.96
            found[n, design] = seconds, stderr
            least = f"{POWER * stderr:.4f}"
            lines.append((f"{n:,}", design, f"{seconds:.2f}", f"{stderr:.4f}", least))
    columns = ("rows", "design", "CPU seconds", "standard error", "smallest detectable difference")
    yield Table("Two cheap learners on data of one kind, by rows and design", columns, tuple(lines))
    n, once, default = SIZES[-1], DESIGNS[0], DESIGNS[-1]
    time_ratio = found[n, default][0] / found[n, once][0]
    error_ratio = found[n, once][1] / found[n, default][1]
    yield Row(f"{default} vs. {once}, {n:,} rows: time", time_ratio, 50)
    name = f"{once} vs. {default}, {n:,} rows: standard error"
    yield Row(name, error_ratio, 2, floor=False)
    name = f"{once}, {n:,} rows: smallest detectable difference in accuracy"
    yield Row(name, POWER * found[n, once][1], 0.01, floor=False)
    yield _hours()


def _hours() -> Table:
    """Return what the default design takes with slower learners, from one fit of each size."""
    lines = []
    for name, learner in SLOW.items():
        for n, more in pairwise((*SIZES[1:], 100_000)):
            fits = [_fit_seconds(learner, rows) for rows in (n, more)]
            power = np.log(fits[1] / fits[0]) / np.log(more / n)
            design = op.parse(DESIGNS[-1])
            rows = design.sizes(more).n_train
            whole = fits[1] * float(((rows / more) ** power).sum())
            once = fits[1] * (2 / 3) ** power
            lines.append((name, f"{more:,}", f"{fits[1]:.2f}", f"{once:.1f}", f"{whole / 60:.1f}"))
    columns = ("learner", "rows", "seconds of a fit", f"seconds of {DESIGNS[0]}")
    columns += (f"minutes of {DESIGNS[-1]}",)
    return Table("One slower learner, from the CPU time of single fits", columns, tuple(lines))


def _fit_seconds(learner: Any, n: int) -> float:
    X, y = _drawn(n)
    began = time.process_time()
    learner.fit(X, y)
    return time.process_time() - began


def _drawn(n: int) -> tuple[Any, Any]:
    """Return rows of two classes that no cheap learner separates."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 12))
    signal = X[:, 0] + 0.7 * X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3]) + rng.normal(size=n)
    return X, (signal > np.median(signal)).astype(np.int64)
