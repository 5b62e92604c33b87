"""Plans, races, ranks, estimates, curves, certificates, records, advice and explanations."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import outperform as op

from . import inputs

ADVISED: tuple[dict[str, Any], ...] = (
    {"domains": "one", "about": "algorithm", "aim": "compare", "n": 300, "learners": 2},
    {"domains": "one", "about": "algorithm", "aim": "compare", "n": 100_000, "learners": 2},
    {"domains": "one", "about": "algorithm", "aim": "compare", "n": 300, "fits": 1},
    {"domains": "one", "about": "algorithm", "aim": "compare", "n": 300, "fits": 10},
    {"domains": "one", "about": "classifier", "aim": "compare", "n": 1000, "learners": 2},
    {"domains": "one", "about": "classifier", "aim": "compare", "n": 1000, "learners": 5},
    {"domains": "one", "about": "classifier", "aim": "estimate", "n": 1000},
    {"domains": "several", "results": "table", "learners": 4},
    {"domains": "several", "results": "splits", "learners": 2},
)


def calls() -> dict[str, Callable[[], Any]]:
    return _advice() | _plans() | _ranks() | _races() | _of_models() | _records()


def _advice() -> dict[str, Callable[[], Any]]:
    return {
        "advise " + " ".join(str(answer) for answer in answers.values()): lambda a=answers: (
            op.advise(**a)
        )
        for answers in ADVISED
    }


def _plans() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    for source in ("run 10x10cv", "run 5x5cv+20halves", "typed 10x10cv", "graded", "datasets"):
        make = inputs.sources()[source]
        for difference in (0.01, 0.05):
            table[f"plan {difference} of {source}"] = lambda make=make, difference=difference: (
                op.plan(make(), difference, pair=tuple(sorted(make().names)[:2]))
            )
    return table


def _ranks() -> dict[str, Callable[[], Any]]:
    return {
        f"rank {source}": lambda make=make: op.rank(make())
        for source, make in inputs.sources().items()
    }


def _races() -> dict[str, Callable[[], Any]]:
    labels, graded = inputs.right_wrong(), inputs.graded()
    new, old = labels["new"], labels["old"]

    def race(first: Any, second: Any, n: int, **how: Any) -> Any:
        return op.race(lambda i: float(first[i]), lambda i: float(second[i]), range(n), **how)

    a, b = (1 / (1 + np.exp(-graded[name])) for name in ("new", "old"))
    return {
        "race labels": lambda: race(new, old, 240),
        "race labels alpha": lambda: race(new, old, 240, alpha=0.2),
        "race labels seed": lambda: race(new, old, 240, random_state=5),
        "race labels margin": lambda: race(new, old, 240, rope=0.2),
        "race labels betting": lambda: race(new, old, 240, method="betting"),
        "race labels asymptotic": lambda: race(new, old, 240, method="asymptotic"),
        "race labels these": lambda: race(new, old, 240, population="these"),
        "race graded": lambda: race(a, b, 90),
        "race graded asymptotic": lambda: race(a, b, 90, method="asymptotic"),
        "race far apart": lambda: race(np.ones(100), np.zeros(100), 100),
    }


def _of_models() -> dict[str, Callable[[], Any]]:
    X, y, _groups = inputs.classes()
    models = inputs.classifiers()
    two = {name: models[name] for name in ("bayes", "tree")}
    quiet: dict[str, Any] = {"random_state": 0}
    table: dict[str, Callable[[], Any]] = {
        f"estimate {design}": lambda design=design: op.estimate(
            models["bayes"], X, y, design=design, random_state=0
        )
        for design in ("holdout@1/3", "10cv", "10x10cv", "loo")
    }
    return table | {
        "estimate of scores": lambda: op.estimate(inputs.run("10x10cv"), learner="bayes"),
        "learning_curve": lambda: op.learning_curve(two, X, y, sizes=(0.2, 0.6), **quiet),
        "certify": lambda: op.certify(
            two, X, y, methods=["corrected_t"], n=40, n_reps=8, n_truth=10, random_state=0
        ),
    }


def _records() -> dict[str, Callable[[], Any]]:
    def recorded(source: str) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "record.outperform.json")
            op.compare(inputs.sources()[source]()).record(path)
            return op.verify(path)

    return {
        f"record of {source}": lambda source=source: recorded(source)
        for source in ("typed 10x10cv", "run 5x5cv+20halves", "graded", "datasets", "clustered")
    }
