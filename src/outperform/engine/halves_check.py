"""Refuse a calibrated design whose halves lack a class, or leave a metric undefined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..designs import CalibratedKFold
from ..designs.splitting import IntArray, encode
from ..errors import DesignError, argument, counted
from .split_plan import SplitPlan, draw_plan

NEEDS_ALL_CLASSES = "roc_auc"
"""How the names of metrics begin that are undefined where a test set lacks a class."""


def check_halves(
    plan: SplitPlan, y: npt.NDArray[Any], groups: IntArray | None, metric: str
) -> None:
    """Refuse halves in which a training fold lacks a class, or a metric is undefined.

    Halves are never stratified: with a learner that has not met a class they would measure
    another variance than that of the whole data. The refusal names a design that was tried.
    """
    design = plan.design
    if not isinstance(design, CalibratedKFold) or y.ndim != 1:
        return
    codes = encode(y, len(y), "y")
    n_classes, both = int(codes.max()) + 1, metric.startswith(NEEDS_ALL_CLASSES)
    trained, tested = _lacking(plan, codes, n_classes)
    if n_classes < 2 or not (trained or (tested and both)):
        return
    folds = counted(tested, "test fold")
    what = f"{metric} is undefined in {folds} of the halves, because of a missing class"
    if trained:
        many = counted(trained, "training fold lacks", "training folds lack")
        what = f"in the halves, {many} a class of y"
    for other in _nearest(design):
        try:
            tried = draw_plan(other, plan.n, plan.seed, codes if other.stratified else None, groups)
        except DesignError:
            continue
        lacks = _lacking(tried, codes, n_classes)
        if not (lacks[0] or (lacks[1] and both)):
            raise DesignError(f"{design}: {what}. Use {argument(design=str(other))}")
    rare = int(np.bincount(codes).min())
    without = "10x10cv" + "/stratified" * (not design.grouped) + "/grouped" * design.grouped
    raise DesignError(
        f"{design}: {what}, and the smallest class has {counted(rare, 'item')}, so fewer folds do "
        f"not help. Use {argument(design=without)}, or merge or remove rare classes"
    )


def _nearest(design: CalibratedKFold) -> Iterator[CalibratedKFold]:
    """Yield designs that may work: stratified folds, then the largest number of folds below."""
    for folds in range(design.folds, 1, -1):
        if folds < design.folds:
            yield replace(design, folds=folds)
        if not design.stratified:
            yield replace(design, folds=folds, stratified=True)


def _lacking(plan: SplitPlan, codes: IntArray, n_classes: int) -> tuple[int, int]:
    """Count the training and the test folds of halves that lack a class."""
    trained = tested = 0
    for at in np.flatnonzero(plan.grid[:, 0] > 0).tolist():
        train, test = plan.split(at)
        trained += bool((np.bincount(codes[train], minlength=n_classes) == 0).any())
        tested += bool((np.bincount(codes[test], minlength=n_classes) == 0).any())
    return trained, tested
