"""Averaged t over partitions: Bradford & Brodley (B-15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import DataError, MethodError, argument, counted
from ..notes import Note
from ..numerics.distributions import T
from ..numerics.exact_sums import mean
from ..registry import Method, method
from ..results.evidence import Evidence, Pivot
from ..views import Differences
from .corrected_t import corrected_t
from .five_by_two_t import five_by_two_t
from .kfold_t import kfold_t
from .sufficiency import sufficiency


def test_of(d: Differences) -> Method:
    """Return what judges one partition: k-fold t, 5x2cv t, or corrected t for other designs."""
    *_, repeats, folds = d.values.shape
    if repeats == 1 and folds > 1:
        return kfold_t
    if folds == 2:
        return five_by_two_t
    if d.test_train_ratio is not None:
        return corrected_t
    raise MethodError(
        "The sizes of the training and test sets are unknown; averaging over partitions of this "
        f"design needs them. Pass {argument(design='55*10x10cv')} (or your design)."
    )


def single_test(d: Differences) -> Pivot:
    """Judge every partition on its own."""
    *lead, partitions, repeats, folds = d.values.shape
    test = test_of(d)
    if lead:
        return _pivot(test.on(d.partition(d.values.reshape(*lead, partitions, 1, repeats, folds))))
    # One by one, so that the order of folds cannot change the last bit.
    each = [_pivot(test.on(d.only(i))) for i in range(partitions)]
    estimate, stderr, identical = (
        np.array([getattr(one, name) for one in each])
        for name in ("estimate", "stderr", "identical")
    )
    return Pivot(estimate, stderr, each[0].dist, d.null, identical=identical)


def _pivot(evidence: Evidence) -> Pivot:
    if not isinstance(evidence, Pivot):
        raise DataError("The test of one partition must be a t-test.")
    return evidence


def flat_partitions(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    """Say when some partitions have no spread of their own, all folds being equal (B-06)."""
    one = single_test(d)
    flat, total = int(np.sum(one.stderr == 0)), d.values.shape[-3]
    if 0 < flat < total and not np.any(one.undefined):
        has = "has" if flat == 1 else "have"
        yield Note("OP306", f"{flat} of {total} partitions {has} identical folds: t = 0.")


def more_partitions(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    """Say when more partitions are needed before the verdict is secure (B-17)."""
    one = single_test(d)
    if d.values.shape[-3] < 2 or np.any(one.undefined):
        return
    law = one.dist
    if not isinstance(law, T):
        return
    found = sufficiency(np.asarray(one.statistic), df=float(law.df))
    if not found.sufficient and found.still_needed is not None:
        yield Note(
            "OP307",
            f"{counted(found.still_needed, 'more partition is', 'more partitions are')} needed "
            "for a stable verdict at α = 0.05.",
        )


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
    advice="Never report a single partition: average t over several. Like corrected_t, it rejects "
    "too often in most cases measured.",
    undefined_note="OP306",
    checks=(flat_partitions, more_partitions),
)
def averaged_t(d: Differences) -> Pivot:
    """The mean of the t values of all partitions, tested like the t of a single partition.

    t̄ = (1/n) Σ tᵢ is compared with t with the degrees of freedom of the single test, 9 for 1×10CV
    and 5 for 5×2CV (Bradford & Brodley, 2001). A partition whose folds are all equal counts as t =
    0. As a function of the hypothesized difference, t̄ is a pivot, so estimate and interval weight
    the partitions by 1/se.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [[0.81, 0.79, 0.84, 0.80, ], [0.80, 0.76, 0.80, 0.78, ]]
    >>> bayes = [[0.80, 0.76, 0.80, 0.78, ], [0.78, 0.76, 0.78, 0.78,]]
    >>> found = op.averaged_t(tree, bayes, design="2*4cv")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.017, 0.0677)
    """
    one = single_test(d)
    stderr, estimate = np.asarray(one.stderr), np.asarray(one.estimate)
    varies = np.where(stderr > 0, stderr, np.inf)
    least = np.min(varies, axis=-1)
    none = np.isinf(least)
    unit = np.where(none, 1.0, least)
    weight = unit[..., None] / varies
    safe = np.where(none, 1.0, mean(weight))
    pooled = np.where(none, mean(estimate), mean(estimate * weight) / safe)
    lost = np.any((stderr == 0) & ~np.asarray(one.identical), axis=-1)
    return Pivot(
        pooled,
        np.where(none | lost, 0.0, unit / safe),
        one.dist,
        details={"t_values": np.asarray(one.statistic)},
    )
