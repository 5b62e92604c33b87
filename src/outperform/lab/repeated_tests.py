"""A test repeated on the same data with new random partitions: does it say the same again?

Bouckaert & Frank's protocol (R-03): partitions of a design are its repetitions. Scores of a run
over `10*10x10cv` hold ten repetitions of every test that reads 10x10cv, and of those that read its
first few runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Partitions, RepeatedKFold, Resampled, parse, parse_drawn
from ..errors import DataError, MethodError
from ..numerics.exact_sums import Array
from ..procedures import replicability as again
from ..registry import get
from ..results.evidence import favours
from ..scores.item_losses import BitItems
from ..scores.split_scores import Scores
from ..views import Contingency, Differences

__all__ = ["Repetitions", "repetitions", "replicate"]

Undefined = Literal["accept", "reject"]


@dataclass(frozen=True, eq=False, slots=True)
class Repetitions:
    """The p-values of one test, repeated on each of several datasets."""

    method: str
    names: tuple[str, str]
    runs: int | None
    """How many runs of the design the test read; None: all."""
    datasets: tuple[str, ...]
    pvalues: Array
    """Shape (datasets, repetitions); NaN where there is none."""
    sides: npt.NDArray[np.int64]
    """1 where the first side is favoured, −1 where the second."""
    undefined: Undefined = "accept"
    """How a repetition without a p-value counts; an infinite t rejects in the papers."""

    @property
    def n(self) -> int:
        return int(self.pvalues.shape[1])

    def rejected(self, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
        """Return which repetitions reject at α."""
        with np.errstate(invalid="ignore"):
            found = np.asarray(self.pvalues < validation.fraction(alpha, "alpha"))
        return found | np.isnan(self.pvalues) if self.undefined == "reject" else found

    def rejections(self, alpha: float = 0.05) -> npt.NDArray[np.int64]:
        """Return how many repetitions reject on each dataset."""
        return np.asarray(np.count_nonzero(self.rejected(alpha), axis=1), dtype=np.int64)

    def replicability(self, alpha: float = 0.05) -> again.Replicability:
        """Return consistency and R over the datasets (R-04 to R-07)."""
        return again.replicability(self.rejections(alpha), self.n)

    def direction_flips(self, alpha: float = 0.05) -> again.DirectionFlips:
        """Return the datasets whose winner changes between rejections (R-08)."""
        return again.direction_flips(np.where(self.rejected(alpha), self.sides, 0))

    def seed_shopping(self, alpha: float = 0.05) -> again.SeedShopping:
        """Return on how many datasets a choice of seed could claim either (R-22)."""
        return again.seed_shopping(self.rejections(alpha), self.n)

    def __str__(self) -> str:
        read = "" if self.runs is None else f", {self.runs} runs"
        head = f"{get(self.method).title}{read}: {self.names[0]} v {self.names[1]}"
        return f"{head}\n  {self.replicability()}\n  {self.direction_flips()}"


def repetitions(
    scores: Scores | Mapping[str, Scores],
    method: str,
    first: str,
    second: str,
    *,
    runs: int | None = None,
    undefined: Undefined = "accept",
    **options: Any,
) -> Repetitions:
    """Judge every partition of one or several datasets on its own, by one method.

    `runs` reads only the first so many repeats or resamples of each partition: 10 of the 100
    resamples of `10*100xresampled@1/10`, or 1, 2 or 5 of the ten runs of `10*10x10cv` (R-17, R-19).
    McNemar's test and that of two proportions are repeated on the test sets of `10*holdout@1/3`.
    """
    asked = get(method)
    tables = asked.view.type is Contingency
    if not tables and asked.view.type is not Differences:
        raise MethodError(
            f"{method} reads neither the scores of splits nor right and wrong on a test set; use "
            "for example kfold_t"
        )
    many = {"data": scores} if isinstance(scores, Scores) else dict(scores)
    rows, sides = [], []
    for name, one in many.items():
        if not isinstance(one.design, Partitions):
            raise DataError(
                f"the scores of {name!r} have the design {one.design}; partitions of a design are "
                "its repetitions, as in design='10*10x10cv'"
            )
        asked.check_design(_read(one.design, runs))
        view = (
            _tables(one, one.design.count, first, second)
            if tables
            else _batch(Differences.of(one, first, second), runs)
        )
        evidence = asked.on(view, **options)
        n = one.design.count
        rows.append(np.broadcast_to(np.asarray(evidence.pvalue(), dtype=np.float64), (n,)))
        sides.append(np.broadcast_to(np.asarray(favours(evidence)), (n,)))
    return Repetitions(
        method,
        (first, second),
        runs,
        tuple(many),
        np.stack(rows),
        np.stack(sides).astype(np.int64),
        undefined,
    )


def replicate(
    learners: Any,
    X: Any,
    y: Any,
    *,
    design: Any = "10x10cv",
    n: int = 10,
    scoring: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    store: Any = None,
) -> Scores:
    """Run learners over `n` independent partitions of a design: the scores of `n` repetitions."""
    from ..engine import run

    plan = Partitions(n, parse_drawn(design, "a repetition"))
    return run(
        learners,
        X,
        y,
        design=plan,
        scoring=scoring,
        random_state=random_state,
        n_jobs=n_jobs,
        store=store,
    )


def _read(design: Partitions, runs: int | None) -> Any:
    """Return the design that a test of the first runs reads."""
    of = design.of
    if runs is None:
        return of
    if isinstance(of, RepeatedKFold) and 1 <= runs <= of.repeats:
        if runs == 1:
            return parse(f"{of.folds}cv{'/stratified' if of.stratified else ''}")
        return replace(of, repeats=runs)
    if isinstance(of, Resampled) and 2 <= runs <= of.repeats:
        return replace(of, repeats=runs)
    raise DataError(f"{runs} runs were asked of {of}, which has no such number of them")


def _tables(scores: Scores, n: int, first: str, second: str) -> Contingency:
    """Return who was right on how many items, in each of n partitions."""
    items = scores.items
    if items is None or isinstance(items, BitItems) or items.loss != "zero-one":
        raise DataError(
            "the scores do not tell right from wrong on each item; run them anew with "
            "scoring='accuracy'"
        )
    one, two = (np.asarray(items.values[scores.index(side)] > 0) for side in (first, second))
    partition = items.split // (scores.n_splits // n)
    counts: list[Any] = [
        np.bincount(partition[wrong], minlength=n).astype(np.float64)
        for wrong in (one & two, one & ~two, ~one & two, ~one & ~two)
    ]
    return Contingency(*counts)


def _batch(d: Differences, runs: int | None) -> Differences:
    """Return partitions as experiments: shape (partitions, 1, runs, folds)."""
    cut = slice(None, runs)
    shape = (d.values.shape[0], 1, -1, d.values.shape[2])
    second = None if d.second is None else d.second[:, cut].reshape(shape)
    return Differences(
        d.values[:, cut].reshape(shape),
        d.first[:, cut].reshape(shape),
        second,
        d.null,
        None,
        d.test_train_ratio,
        d.n_test,
    )
