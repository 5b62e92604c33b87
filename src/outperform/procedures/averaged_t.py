"""Averaged t over partitions: Bradford & Brodley (B-15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import DataError, MethodError
from ..evidence import Pivot
from ..notes import Note
from ..registry import method
from ..views import Differences
from .corrected_t import corrected_t
from .five_by_two_t import five_by_two_t
from .kfold_t import kfold_t


def single_test(d: Differences) -> Pivot:
    """Judge every partition on its own: k-fold t, 5x2cv t, or corrected t for other designs."""
    *lead, partitions, repeats, folds = d.values.shape
    one = d.partition(d.values.reshape(*lead, partitions, 1, repeats, folds))
    if repeats == 1 and folds > 1:
        test = kfold_t
    elif folds == 2:
        test = five_by_two_t
    elif d.test_train_ratio is not None:
        test = corrected_t
    else:
        raise MethodError(
            "the sizes of the training and test sets are unknown; averaging over partitions of "
            'this design needs them. Pass design="55*10x10cv" (or your design)'
        )
    evidence = test.on(one)
    if not isinstance(evidence, Pivot):
        raise DataError("the test of one partition must be a t-test")
    return evidence


def flat_partitions(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    """Say when some partitions have no spread of their own (B-06)."""
    flat = int(np.sum(np.asarray(single_test(d).stderr) == 0))
    if 0 < flat < d.values.shape[-3]:
        yield Note("OP306", f"{flat} of {d.values.shape[-3]} partitions have differences that do "
                            "not vary.")  # fmt: skip


@method(
    title="Averaged t over partitions",
    paper="bradford-brodley",
    requirements=("B-15", "B-06", "B-26", "B-29", "N-24"),
    layout="partitions",
    designs=("partitions",),
    default_for=("partitions",),
    published_design="55*10cv",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="recommended",
    advice="Never report one partition: average t over several (B-29); very conservative.",
    checks=(flat_partitions,),
)
def averaged_t(d: Differences) -> Pivot:
    """The mean of the t values of all partitions, judged as one t of a single partition.

    t̄ = (1/n) Σ tᵢ against t with the single test's degrees of freedom, 9 for 1×10CV and 5 for
    5×2CV (B-15). A partition whose folds are all equal counts as t = 0 (B-06). As a function of
    the hypothesised difference t̄ is a pivot, so estimate and interval weight partitions by 1/se.
    """
    one = single_test(d)
    stderr, estimate = np.asarray(one.stderr), np.asarray(one.estimate)
    weight = np.zeros_like(stderr)
    np.divide(1.0, stderr, out=weight, where=stderr > 0)
    mean_weight = weight.mean(axis=-1)
    none = mean_weight == 0
    safe = np.where(none, 1.0, mean_weight)
    pooled = np.where(none, estimate.mean(axis=-1), (estimate * weight).mean(axis=-1) / safe)
    lost = np.any((stderr == 0) & ~np.asarray(one.identical), axis=-1)
    return Pivot(pooled, np.where(none | lost, 0.0, 1 / safe), one.dist,
                 details={"t_values": np.asarray(one.statistic)})  # fmt: skip
