"""Other readings of the paper's learners, run to see whether they move a value to print (B-34).

MLC++'s tree is lost. What its public descriptions leave open is tried one by one: subtree raising,
edges for unknown values, the least number of items, Laplace's correction in leaves, "?" as missing,
and how naive Bayes weighs classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from outperform.numerics.distributions import T
from outperform.numerics.exact_sums import Array

from ..exhibits import Finding, Scale, Value, published, remarks
from ..learners import C45, NaiveBayes
from .shared_runs import (
    DESIGNS,
    LEARNERS,
    PAPER,
    QUESTION_MARKS,
    SEED,
    accuracy_value,
    at_datasets,
    datasets,
    learners_of,
    partitions,
    plain_table,
    question_marks,
    run_of,
    table_of,
)

TINY_SPREAD = 1e-12
PARTS = 5
"""Partitions of a variant: its shift against the same partitions of the main run is what counts."""


class LaplaceTree(C45):
    """A tree whose leaves answer by counts with one item more of each class."""

    def predict_proba(self, X: Any) -> Any:
        """Return the corrected shares; they matter where an item reaches several leaves."""
        kept, counts = self.tree_, self.tree_.counts
        held = counts.sum(axis=1, keepdims=True) > 0
        self.tree_ = replace(kept, counts=counts + held)
        try:
            return super().predict_proba(X)
        finally:
            self.tree_ = kept


@dataclass(frozen=True)
class Variant:
    """A reading: its learners by name, and the data it is about."""

    learners: Callable[[], dict[str, Any]]
    table: Callable[[str], tuple[Any, Any]] = table_of
    applies: Callable[[str], bool] = lambda name: True


def _trees(kind: Any = C45, **settings: Any) -> Callable[[], dict[str, Any]]:
    return lambda: {
        "TDDT-1": kind(pruning="mansour", **settings),
        "TDDT-2": kind(pruning="pessimistic", subtree_raising=False, **settings),
    }


def _edges(name: str) -> tuple[Any, Any]:
    X, y = plain_table(name)
    return question_marks(X), y


def _missing(name: str) -> bool:
    return bool(table_of(name)[0].null_count().sum_horizontal()[0])


VARIANTS: Mapping[str, Variant] = {
    "subtree raising": Variant(lambda: {"TDDT-2": C45(pruning="pessimistic")}),
    "at least 1 item in a branch": Variant(_trees(min_items=1)),
    "edges for unknown values": Variant(
        _trees(),
        _edges,
        lambda name: question_marks(table_of(name)[0]).schema != table_of(name)[0].schema,
    ),
    "Laplace's correction in leaves": Variant(_trees(LaplaceTree), applies=_missing),
    '"?" as missing': Variant(learners_of, plain_table, lambda name: name in QUESTION_MARKS),
    "classes weighed n/N": Variant(
        lambda: {"naive-bayes": NaiveBayes(variant="gaussian", discretize=True)}
    ),
}


@lru_cache(maxsize=1000)
def tried(name: str, design: str, variant: str, scale: Scale) -> dict[str, Array] | None:
    """Return scores by learner, (partitions, folds), where a variant applies; None elsewhere."""
    import outperform as op

    one = VARIANTS[variant]
    if not one.applies(name):
        return None
    X, y = one.table(name)
    parts, at = min(scale.of(PARTS, 2), partitions(scale)), list(VARIANTS).index(variant)
    found = op.run(
        one.learners(),
        X,
        y,
        design=f"{parts}*{DESIGNS[design]}{'/stratified' if scale.stratified else ''}",
        random_state=scale.seeded(SEED),
        n_jobs=scale.n_jobs,
        store=scale.store(f"bradford-variant{at}-{name}-{design}"),
        progress=False,
    )
    return {
        learner: found.values[found.index(learner)].reshape(parts, -1) for learner in found.names
    }


def base(name: str, design: str, scale: Scale) -> dict[str, Array]:
    """Return the same partitions of the main run."""
    found = run_of(name, design, scale)
    parts = min(scale.of(PARTS, 2), partitions(scale))
    flat = found.values.reshape(len(found.names), -1, 10)[:, :parts]
    return {learner: flat[found.index(learner)] for learner in found.names}


def accuracies(name: str, column: str, scale: Scale) -> dict[str, float]:
    """Return by how many points each variant that applies moves a mean of Table 1."""
    learner, _, design = column.partition(" ")
    before = base(name, design, scale)[learner]
    found = {}
    for variant in VARIANTS:
        now = tried(name, design, variant, scale)
        if now is not None and learner in now:
            found[variant] = 100 * float((now[learner] - before).mean())
    return found


def mean_ts(name: str, column: tuple[str, str], scale: Scale) -> dict[str, float]:
    """Return by how much each variant that applies moves the mean t of a comparison."""
    return _moved(name, column, scale, lambda t: t)


def shares(name: str, column: tuple[str, str], side: int, scale: Scale) -> dict[str, float]:
    """Return by how much it moves the share of partitions on which one side (0 or 2) is better."""
    limit = float(T(9).isf(published(PAPER)["alpha"] / 2))
    return _moved(name, column, scale, lambda t: (t if side else -t) > limit)


def _moved(
    name: str, column: tuple[str, str], scale: Scale, read: Callable[[Array], Any]
) -> dict[str, float]:
    other, design = column
    before = base(name, design, scale)
    then = np.mean(read(_t(before["TDDT-1"], before[other])))
    found = {}
    for variant in VARIANTS:
        now = tried(name, design, variant, scale)
        if now is not None and now.keys() & {"TDDT-1", other}:
            both = before | now
            found[variant] = float(np.mean(read(_t(both["TDDT-1"], both[other]))) - then)
    return found


def _t(one: Array, other: Array) -> Array:
    """Return the ordinary t of each partition; 0 where folds do not differ or differ alike."""
    gaps = one - other
    spread = gaps.std(axis=1, ddof=1)
    t = np.zeros(len(gaps))
    np.divide(gaps.mean(axis=1), spread / np.sqrt(gaps.shape[1]), out=t, where=spread > TINY_SPREAD)
    return t


def explained(value: Value, predicted: Mapping[str, float]) -> Value:
    """Return a value with what each variant would make of it, where it differs from print."""
    if value.agreement != "differs" or not predicted:
        return value
    told = {variant: f"{variant} {ours:.3g}" for variant, ours in predicted.items()}
    reached = [
        v for v, ours in predicted.items() if replace(value, ours=ours).agreement == "agrees"
    ]
    missed = ", ".join(told[v] for v in predicted if v not in reached)
    reason = f"reached with {', '.join(told[v] for v in reached)}" if reached else ""
    if missed:
        reason += f"{'; not with' if reached else 'reached by no variant tried:'} {missed}"
    return replace(value, reason=reason)


def variants(scale: Scale) -> Finding:
    """Count the means of Table 1 that agree with print under each variant."""
    told = published(PAPER)
    names = datasets(scale)
    rows = [_row("as run", names, scale, told, None)]
    gains = []
    for variant in VARIANTS:
        scale.say(f"  {variant}")
        rows.append(_row(variant, names, scale, told, variant))
    for name in names:
        gaps = []
        for column in ("TDDT-2 1x10", "TDDT-2 5x2"):
            value = _mean(name, column, scale, told)
            raised = value.ours + accuracies(name, column, scale)["subtree raising"]
            gaps.append(abs(raised - value.published) - abs(value.ours - value.published))
        gains.append(float(np.mean(gaps)))
    return Finding(
        statements=(
            at_datasets(
                "TDDT-2 differs from TDDT-1 in its pruning decision only (no subtree is raised)",
                gains,
                "distance to the printed mean in points with subtree raising, minus that without",
            ),
        ),
        header=("variant", "datasets", *(f"{one}: agree, mean distance" for one in LEARNERS)),
        rows=tuple(rows),
        remarks=remarks(PAPER, "tree-variants"),
    )


def _mean(name: str, column: str, scale: Scale, told: Any) -> Any:
    run = run_of(name, column.partition(" ")[2], scale)
    flat = run.values.reshape(len(run.names), -1, 10).mean(axis=-1)
    text = told["datasets"][name]["accuracy"][told["accuracy_columns"].index(column)]
    return accuracy_value(name, column, text, 100 * flat[run.index(column.partition(" ")[0])])


def _row(
    words: str, names: tuple[str, ...], scale: Scale, told: Any, variant: str | None
) -> tuple[str, ...]:
    cells, about = [], set()
    for learner in LEARNERS:
        agree, gaps = 0, []
        for name in names:
            for design in DESIGNS:
                value = _mean(name, f"{learner} {design}", scale, told)
                moved = accuracies(name, f"{learner} {design}", scale) if variant else {}
                if variant in moved:
                    about.add(name)
                    value = replace(value, ours=value.ours + moved[variant])
                agree += value.agreement == "agrees"
                gaps.append(abs(value.ours - value.published))
        cells.append(f"{agree} of {len(gaps)}, {np.mean(gaps):.2f}")
    return words, str(len(about) if variant else len(names)), *cells
