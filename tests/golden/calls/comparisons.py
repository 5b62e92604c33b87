"""The default comparison of every source: families, sides, adjustments, controls, verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import outperform as op

from . import inputs

ADJUSTED = {
    "typed 10x10cv": "single-step holm hochberg bonferroni shaffer none",
    "right-wrong": "holm hochberg bonferroni shaffer none",
    "datasets": "holm hochberg bonferroni shaffer bergmann-hommel none",
    "graded clustered": "holm bonferroni",
}


def calls() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    for source, make in inputs.sources().items():
        table[f"all of {source}"] = lambda make=make: op.compare(make())
        table[f"greater of {source}"] = lambda make=make: op.compare(make(), alternative="greater")
        table[f"verdicts of {source}"] = lambda make=make: _verdicts(make())
        table[f"control of {source}"] = lambda make=make: _with_control(make())
    for source, names in ADJUSTED.items():
        for name in names.split():
            make = inputs.sources()[source]
            table[f"{name} of {source}"] = lambda make=make, name=name: op.compare(
                make(), adjust=name
            )
    return table | _of_arrays() | _of_metrics()


def _verdicts(source: Any) -> dict[str, Any]:
    """The verdict of a pair at two levels and three margins."""
    cmp = op.compare(source)
    pair = sorted(cmp.names)[:2]
    table = {}
    for alpha in (0.05, 0.01):
        for rope in (None, 0.01, 0.1):
            verdict = cmp.verdict(*pair, alpha=alpha, rope=rope)
            table[f"{alpha} {rope}"] = verdict.outcome
    return table


def _with_control(source: Any) -> Any:
    return op.compare(source, control=sorted(source.names)[0])


def _of_arrays() -> dict[str, Callable[[], Any]]:
    a, b, c = inputs.folds(20).values()
    return {
        "two arrays": lambda: op.compare({"x": a, "y": b}, design="10cv"),
        "three arrays": lambda: op.compare({"x": a, "y": b, "z": c}, design="10cv"),
        "names turned": lambda: op.compare({"y": b, "x": a}, design="10cv"),
        "design by number": lambda: op.compare({"x": a, "y": b}, design=10),
        "errors": lambda: op.compare({"x": a, "y": b}, design="10cv", metric="rmse"),
        "lower": lambda: op.compare({"x": a, "y": b}, design="10cv", lower_is_better=True),
        "no design": lambda: op.compare({"x": a, "y": b}),
        "wrong design": lambda: op.compare({"x": a, "y": b}, design="5cv"),
        "lists": lambda: op.compare({"x": list(a), "y": list(b)}, design="10cv"),
        "one model": lambda: op.compare({"x": a}, design="10cv"),
        "not a number": lambda: op.compare({"x": a, "y": np.append(b[:-1], np.nan)}, design="10cv"),
        "six models": lambda: op.compare(inputs.folds(21, 100, tuple("abcdef")), design="10x10cv"),
        "identical": lambda: op.compare({"x": a, "y": a}, design="10cv"),
        "constant": lambda: op.compare({"x": a + 0.01, "y": a}, design="10cv"),
    }


def _of_metrics() -> dict[str, Callable[[], Any]]:
    table: dict[str, Callable[[], Any]] = {}
    for design in inputs.DESIGNS:
        for metric in inputs.METRICS:
            table[f"{metric} of {design}"] = lambda design=design, metric=metric: op.compare(
                inputs.run(design), metric=metric
            )
    return table
