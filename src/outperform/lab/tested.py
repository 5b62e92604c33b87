"""A test measured with a design: its hypothesis, its p-values, and the counts of what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..designs import (
    CalibratedKFold,
    Design,
    DisjointTrainSets,
    Holdout,
    KFold,
    PairedHalves,
    Partitions,
    RepeatedKFold,
    Resampled,
)
from ..errors import DataError, MethodError
from ..numerics.exact_sums import Array
from ..registry import get
from ..views import Contingency
from .scenarios import reading

COLUMNS = (
    *("experiments", "undefined", "at_5", "at_1", "shifted", "power_1", "power_2", "power_3"),
    *("pairs", "same_0", "same_2"),
)
"""What is counted: experiments; those without a p-value; rejections at 5 % and 1 %; tests of a
hypothesis that is off by 1, 2 and 3 units either way, and rejections of each; datasets that were
partitioned twice, and equal verdicts on them at the null and, either way, 2 units off."""
UNITS = (1, 2, 3)
PAIRED = 4
"""Every so many blocks the same datasets are partitioned again."""
SECOND = 0x5EC0
"""The word of the seed of another partition of the same datasets."""


class Mean(NamedTuple):
    """A mean over datasets and its standard error."""

    mean: float
    stderr: float


def mean_of(values: Array) -> Mean:
    """Return the mean over datasets with its standard error."""
    return Mean(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)))


ONE_BY_ONE = (Resampled, Holdout, PairedHalves, DisjointTrainSets)
"""Designs whose splits are not the folds of a cross-validation: each is a row of its own."""
MOST_FOLDS = 127
"""Labels of folds are bytes."""
SUPPORTED = (KFold, RepeatedKFold, CalibratedKFold, *ONE_BY_ONE)


class Tested(NamedTuple):
    """A method, the design and options it is measured with."""

    method: str
    design: str
    options: tuple[tuple[str, Any], ...] = ()
    half: bool = False
    """It applies to training on the last, not on the first of its design's training sizes."""
    costly: bool = False
    """Not measured on trees, which are trained split by split."""
    least: int = 0
    """Not measured on fewer items, which its design would cut too small."""

    @property
    def label(self) -> str:
        words = [name if value is True else str(value) for name, value in self.options]
        return " ".join([self.method, *words, self.design])


@dataclass
class CountedTest:
    """What was counted of one test on one case, and in which blocks."""

    blocks: set[int] = field(default_factory=set)
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(COLUMNS), np.int64))

    def __getitem__(self, name: str) -> int:
        return int(self.counts[COLUMNS.index(name)])

    def add(self, block: int, counts: npt.NDArray[np.int64]) -> None:
        if block in self.blocks:
            raise DataError(f"Block {block} was counted already; each block counts once")
        self.blocks.add(block)
        self.counts = self.counts + counts


def labelled(design: Design) -> Any:
    """Return a design, or that of each of several partitions; refuse one without fold labels."""
    of = design.of if isinstance(design, Partitions) else design
    if not isinstance(of, SUPPORTED) or of.stratified or of.grouped:
        raise MethodError(
            f"{design} cannot be measured here. Use a design such as '5x5cv+20halves', "
            "'10x10cv' or '30xresampled@1/3'"
        )
    if getattr(of, "folds", 2) > MOST_FOLDS:
        raise MethodError(
            f"{design} has more than {MOST_FOLDS} folds, which cannot be measured here. Use a "
            "design such as '10cv'"
        )
    return of


def n_train(one: Tested, n: int) -> int:
    """Return on how many items the models are trained that a test is about."""
    return int(reading(one.method, one.design).design.sizes(n).n_train[-1 if one.half else 0])


def repartitioned(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed of another partition of the datasets of a seed."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, SECOND))


def evidence_at(one: Tested, view: Any, null: float) -> Any:
    """Apply a test to a hypothesis; tests of counts know one null alone."""
    asked = view if isinstance(view, Contingency) else replace(view, null=null)
    return get(one.method).on(asked, **dict(one.options))


def pvalues(one: Tested, view: Any, null: float, apart: Sequence[float]) -> Array:
    """Return p-values at the null, and at hypotheses so far off, either way.

    The shape is (7, experiments) for three differences, and (1, experiments) of a test that knows
    one null alone.
    """
    nulls = [null]
    if not isinstance(view, Contingency):
        nulls += [null + side * by for by in apart for side in (1, -1)]
    return np.stack([evidence_at(one, view, mu).pvalue() for mu in nulls])


def tallied(p: Sequence[Array]) -> npt.NDArray[np.int64]:
    """Count what p-values say, of one partition or of two of the same datasets."""
    rejects = p[0] < 0.05
    by_units = [int(rejects[at : at + 2].sum()) for at in (1, 3, 5)]
    same = [0, 0]
    if len(p) > 1:
        agree = rejects == (p[1] < 0.05)
        same = [int(agree[0].sum()), int(agree[3:5].sum())]
    n = p[0].shape[1]
    return np.array(
        [
            n,
            int(np.isnan(p[0][0]).sum()),
            int(rejects[0].sum()),
            int((p[0][0] < 0.01).sum()),
            2 * n if len(p[0]) > 1 else 0,
            *by_units,
            n if len(p) > 1 else 0,
            *same,
        ],
        dtype=np.int64,
    )
