"""Records: both learners' scores on every split of many datasets, kept to be asked later.

A `study` keeps what tests said of a difference. Where the same fits are to answer for each learner
alone and for their difference (N-27), or for fewer resamples and halvings than were run (N-31), the
scores themselves are kept: nothing is fitted twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Design, Partitions, RepeatedKFold, Resampled, parse, parse_drawn
from ..designs.splitting import whole
from ..errors import DataError, MethodError, argument
from ..numerics.distributions import T
from ..numerics.exact_sums import Array
from ..procedures import replicability as again
from ..procedures.averaged_t import single_test
from ..procedures.paired_t import paired_t
from ..registry import get
from ..results.evidence import Pivot, favours
from ..results.partitions import (
    Conclusions,
    Group,
    NormalFit,
    Sufficiency,
    Tally,
    against_reference,
    averaged_from_t,
    conclusion,
    conclusions,
    normal_fit,
    partition_group,
    signed_significance,
    sufficiency,
)
from ..results.result import Result
from ..scores.item_losses import BitItems
from ..scores.split_scores import Scores
from ..storage.study_store import BlockNumbers, BlockPlace, StudyStore
from ..views import Contingency, Differences
from .contests import Contest
from .scenarios import SAMPLE, Dataset, Reading, block_seed, stream, take_rows
from .studies import fill, fingerprint


@dataclass(frozen=True, slots=True)
class RecordPlan:
    """A design, run on the first `n` items of each dataset; the others are thrown out (N-28)."""

    design: Design
    n: int

    def __str__(self) -> str:
        return f"{self.design} of {self.n}"


@dataclass(frozen=True, eq=False)
class Recorded:
    """What one plan gave, shape (datasets, splits), splits in the order of their addresses."""

    plan: RecordPlan
    first: Array
    """Scores of the first learner."""
    second: Array
    discordant: Array
    """The share of test items that just one of the two had right."""

    @property
    def n_train(self) -> int:
        return int(self.plan.design.sizes(self.plan.n).n_train[0])

    @property
    def n_test(self) -> int:
        return int(self.plan.design.sizes(self.plan.n).n_test[0])


@dataclass(frozen=True, eq=False)
class Records:
    """What every plan gave; all plans saw the same datasets."""

    plans: dict[str, RecordPlan]
    n_reps: int
    store: StudyStore

    @cached_property
    def _numbers(self) -> Array:
        shape = 3, sum(plan.design.n_splits() for plan in self.plans.values())
        return np.concatenate(list(self.store.blocks(0, shape)), axis=-1)

    def __getitem__(self, name: str) -> Recorded:
        if name not in self.plans:
            raise DataError(f"{name!r} was not recorded; use one of {', '.join(self.plans)}")
        begin = 0
        for other, plan in self.plans.items():
            end = begin + plan.design.n_splits()
            if other == name:
                first, second, discordant = self._numbers[:, begin:end].transpose(0, 2, 1)
                return Recorded(plan, first, second, discordant)
            begin = end
        raise AssertionError


def record(
    contest: Contest,
    plans: Mapping[str, Any],
    *,
    n_reps: int,
    random_state: int,
    n_jobs: int | None = None,
    store: Any = None,
    progress: Any = None,
) -> Records:
    """Run both learners on `n_reps` datasets by every plan and keep the score of every split.

    A plan is a design, or a pair of a design and how many items of each dataset it sees. Losses
    must be right or wrong. With a `store` a stopped run goes on; the same seed gives the same bits
    whatever `n_jobs` is.
    """
    planned = {name: _planned(plan, contest.n) for name, plan in plans.items()}
    n_reps, seed = whole(n_reps, "n_reps", 1), whole(random_state, "random_state", 0)
    about = {
        "scenario": fingerprint(contest),
        "effects": [0.0],
        "n_reps": n_reps,
        "seed": seed,
        "block": contest.block,
        "plans": [[name, str(plan)] for name, plan in planned.items()],
    }
    splits = sum(plan.design.n_splits() for plan in planned.values())
    kept = StudyStore(store, about, 8 * 3 * splits * n_reps)
    fill(kept, _RecordBlocks(contest, planned, seed), n_reps, n_jobs, progress)
    return Records(planned, n_reps, kept)


def _planned(plan: Any, n: int) -> RecordPlan:
    design, items = plan if isinstance(plan, tuple) else (plan, n)
    if not 2 <= whole(items, "the items of a plan", 2) <= n:
        raise DataError(f"a plan needs {items} items, but only {n} are available")
    return RecordPlan(parse_drawn(design, "a study"), items)


@dataclass(frozen=True, slots=True)
class _RecordBlocks:
    """What a worker needs to fill any block."""

    scenario: Contest
    plans: dict[str, RecordPlan]
    seed: int
    effects: tuple[float, ...] = (0.0,)

    def block(self, place: BlockPlace, size: int) -> tuple[BlockNumbers, list[Any]]:
        """Draw datasets and run both learners on each, plan by plan."""
        seed = block_seed(self.seed, *place)
        found = []
        for experiment in range(size):
            data = self.scenario.dataset(stream(seed, SAMPLE, experiment))
            parts = []
            for plan in self.plans.values():
                key = Reading(Differences, plan.design).key
                own = int(stream(seed, key, experiment).integers(1 << 31))
                parts.append(self._splits(data, plan, own))
            found.append(np.concatenate(parts, axis=1))
        return np.stack(found, axis=-1), []

    def _splits(self, data: Dataset, plan: RecordPlan, random_state: int) -> Array:
        """Return first, second, discordant × splits."""
        rows = np.arange(plan.n)
        X, y = (take_rows(part, rows) for part in (data.X, data.y))
        second = None if data.X_second is None else take_rows(data.X_second, rows)
        scores = self.scenario.scores(Dataset(X, y, second), plan.design, random_state)
        items = scores.items
        if items is None or items.loss != "zero-one":
            raise DataError("records need losses of 0 and 1; leave out `scoring`")
        differs = np.asarray(items.values[0] != items.values[1], dtype=np.float64)
        n_test = np.bincount(items.split, minlength=scores.n_splits)
        share = np.bincount(items.split, differs, minlength=scores.n_splits) / n_test
        return np.stack([scores.values[0], scores.values[1], share])


@dataclass(frozen=True, eq=False, slots=True)
class PartitionStudy:
    """The t values of one comparison on many partitions, and what they say together."""

    names: tuple[str, str]
    design: Partitions
    df: float
    t_values: Array
    """0 where no fold shows a difference (B-06), and where t is infinite."""
    endless: Array
    """1 or −1 where all folds show the same difference, for the first side or the second: t is
    infinite, and the partition rejects. 0 elsewhere."""
    mean_first: float
    mean_second: float

    @property
    def infinite(self) -> int:
        """Partitions whose t is infinite."""
        return int(np.count_nonzero(self.endless))

    @property
    def finite_t(self) -> Array:
        """The t values that have a mean and a spread."""
        return np.asarray(self.t_values[self.endless == 0])

    @property
    def signed_p(self) -> Array:
        """One-tailed p of each partition with the winner's sign (B-05); ±0 of an infinite t."""
        p = signed_significance(self.t_values, self.df)
        return np.where(self.endless == 0, p, np.copysign(0.0, self.endless))

    @property
    def sorted_p(self) -> Array:
        """The signed p in the order of the sorted-significance plots: first side's best first."""
        t = np.where(self.endless == 0, self.t_values, np.copysign(np.inf, self.endless))
        return self.signed_p[np.argsort(-t, kind="stable")]

    def conclusions(self, alpha: float = 0.05) -> Conclusions:
        """Count what single partitions conclude (B-19)."""
        return conclusions(self.signed_p, alpha)

    def group(self, alpha: float = 0.05) -> Group:
        """Return the group of the dataset (B-12 to B-14)."""
        return partition_group(self.signed_p, alpha=alpha)

    def averaged(self) -> Result:
        """Judge the mean of the t values that are finite (B-15)."""
        return averaged_from_t(self.finite_t, df=self.df)

    def averaged_p(self) -> float:
        """Return the signed one-tailed p of that mean, as Table 2 prints it (B-16)."""
        return float(signed_significance(self.averaged().estimate, self.df))

    def conclusion(self, alpha: float = 0.05) -> str:
        """Return what the mean t concludes."""
        return conclusion(self.averaged_p(), alpha)

    def sufficiency(self, alpha: float = 0.05) -> Sufficiency:
        """Ask whether these partitions suffice, and how many would (B-17)."""
        return sufficiency(self.finite_t, df=self.df, alpha=alpha)

    def normal_fit(self) -> NormalFit:
        """Fit a normal curve to the t values (B-18)."""
        return normal_fit(self.finite_t)

    def _endless(self) -> tuple[str, ...]:
        if not self.infinite:
            return ()
        return (
            f"  On {self.infinite} partitions the difference is the same in all folds: t is "
            "infinite there, which counts as a rejection; the mean t is that of the other "
            "partitions.",
        )

    def __str__(self) -> str:
        first, second = self.names
        return "\n".join(
            (
                f"{first} vs. {second} on {self.t_values.size} partitions of {self.design.of}",
                f"  {self.conclusions()} Group {self.group()}.",
                *self._endless(),
                f"  {self.sufficiency()}",
            )
        )


def partition_study(
    scores: Scores, first: str, second: str, *, ordinary: bool = False
) -> PartitionStudy:
    """Read the partitions of scores, each by the test of its design (B-07).

    `ordinary=True` judges 5x2cv by the ordinary paired t over its ten differences, which is what
    the printed columns look like (E-B12).
    """
    design = scores.design
    if not isinstance(design, Partitions) or design.count < 2:
        raise DataError(f"the design must consist of partitions, as in '55*10cv', got {design}")
    d = Differences.of(scores, first, second)
    if ordinary:
        flat = d.values.reshape(design.count, 1, 1, -1)
        evidence = paired_t.on(d.partition(flat))
    else:
        evidence = single_test(d)
    assert isinstance(evidence, Pivot)
    gone = np.asarray(evidence.undefined)
    t = np.where(gone, 0.0, np.asarray(evidence.statistic, dtype=np.float64))
    endless = np.where(gone, np.sign(np.asarray(evidence.estimate, dtype=np.float64)), 0.0)
    df = float(evidence.dist.df) if isinstance(evidence.dist, T) else math.inf
    means = [float(scores.values[scores.index(name)].mean()) for name in (first, second)]
    return PartitionStudy((first, second), design, df, t, endless, *means)


def tally(studies: Mapping[Any, PartitionStudy], alpha: float = 0.05) -> Tally:
    """Count right and wrong conclusions of single partitions against the averaged one (B-20)."""
    counts = [study.conclusions(alpha) for study in studies.values()]
    reference = [study.conclusion(alpha) for study in studies.values()]
    return against_reference(counts, reference)


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
        head = f"{get(self.method).title}{read}: {self.names[0]} vs. {self.names[1]}"
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
            f"{method} takes neither the scores of splits nor correct and wrong predictions on a "
            "test set; use for example kfold_t"
        )
    many = {"data": scores} if isinstance(scores, Scores) else dict(scores)
    rows, sides = [], []
    for name, one in many.items():
        if not isinstance(one.design, Partitions):
            raise DataError(
                f"the scores of {name!r} have the design {one.design}; a design repeated over "
                f"partitions is required, as in {argument(design='10*10x10cv')}"
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
    raise DataError(f"{of} cannot be split into {runs} runs")


def _tables(scores: Scores, n: int, first: str, second: str) -> Contingency:
    """Return who was right on how many items, in each of n partitions."""
    items = scores.items
    if items is None or isinstance(items, BitItems) or items.loss != "zero-one":
        raise DataError(
            "the scores have no correct/wrong results for each item; rerun with "
            f"{argument(scoring='accuracy')}"
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
