"""Records: both learners' scores on every split of many datasets, kept to be asked later.

A `study` keeps what tests said of a difference. Where the same fits are to answer for each learner
alone and for their difference (N-27), or for fewer resamples and halvings than were run (N-31), the
scores themselves are kept: nothing is fitted twice.

Implements B-05, B-06, B-07, B-12, B-14, B-15, B-16, B-17, B-18, B-19,
B-20, R-04, R-07, R-08, R-17, R-19 and R-22.
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
from ..errors import DataError, MethodError, argument, counted
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
    """The scores of every split by every plan, as `record` returns them.

    Attributes
    ----------
    plans : dict
        Design and number of items of each plan.
    n_reps : int
        Number of datasets.
    store : StudyStore
        Where the scores are kept.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
    >>> found = op.lab.record(contest, {"folds": "3cv"}, n_reps=2, random_state=0, progress=False)
    >>> found["folds"].first.shape
    (2, 3)
    """

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
    """Run both learners of a contest on datasets by every plan and keep all scores.

    Losses must be right or wrong. The same seed gives the same bits whatever `n_jobs` is.

    Parameters
    ----------
    contest : Contest
        Source and learners.
    plans : mapping
        Names mapped to a design, or to a pair of a design and how many items of each dataset it
        uses.
    n_reps : int
        Number of datasets.
    random_state : int
        Seed.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        Keeps the results; a run that was stopped goes on from there.
    progress : bool or callable, optional
        Progress as for `run`.

    Returns
    -------
    Records
        Scores of all plans.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> contest = op.lab.Contest(op.lab.SixClasses(), DummyClassifier(), DummyClassifier(), 30)
    >>> op.lab.record(contest, {"folds": "3cv"}, n_reps=2, random_state=0, progress=False).n_reps
    2
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
    """The t values of one comparison on many partitions, as `partition_study` returns them.

    Attributes
    ----------
    names : tuple[str, str]
        The two learners.
    design : Partitions
        The design.
    df : float
        Degrees of freedom of the single test.
    t_values : ndarray
        t value of each partition; 0 if no fold shows a difference, and if t is infinite.
    endless : ndarray
        1 or −1 where all folds show the same difference, for the first side or the second: t is
        infinite, and the partition rejects. 0 elsewhere.
    mean_first : float
        Mean score of the first learner.
    mean_second : float
        Mean score of the second learner.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> found = op.lab.partition_study(scores, "a", "b")
    >>> found.conclusions(), found.conclusion(), found.group()
    (Conclusions(second_better=0, no_decision=2, first_better=1), 'no decision', '2')
    >>> round(found.averaged().estimate, 3), round(found.averaged_p(), 4)
    (2.504, 0.0332)
    >>> found.sufficiency().n_partitions, found.normal_fit().n
    (3, 3)
    """

    names: tuple[str, str]
    design: Partitions
    df: float
    t_values: Array
    endless: Array
    mean_first: float
    mean_second: float

    @property
    def infinite(self) -> int:
        """Number of partitions whose t is infinite."""
        return int(np.count_nonzero(self.endless))

    @property
    def finite_t(self) -> Array:
        """The t values that have a mean and a spread."""
        return np.asarray(self.t_values[self.endless == 0])

    @property
    def signed_p(self) -> Array:
        """Signed one-tailed p-value of each partition; ±0 if t is infinite."""
        p = signed_significance(self.t_values, self.df)
        return np.where(self.endless == 0, p, np.copysign(0.0, self.endless))

    @property
    def sorted_p(self) -> Array:
        """The signed p-values as in sorted-significance plots, best for the first side first."""
        t = np.where(self.endless == 0, self.t_values, np.copysign(np.inf, self.endless))
        return self.signed_p[np.argsort(-t, kind="stable")]

    def conclusions(self, alpha: float = 0.05) -> Conclusions:
        """Count what single partitions conclude.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        Conclusions
            Number of partitions by conclusion.
        """
        return conclusions(self.signed_p, alpha)

    def group(self, alpha: float = 0.05) -> Group:
        """Return what the choice of partition does to the conclusion; see `partition_group`.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        str
            The group.
        """
        return partition_group(self.signed_p, alpha=alpha)

    def averaged(self) -> Result:
        """Judge the mean of the finite t values.

        Returns
        -------
        Result
            The estimate is the mean t.
        """
        return averaged_from_t(self.finite_t, df=self.df)

    def averaged_p(self) -> float:
        """Return the signed one-tailed p-value of the mean t.

        Returns
        -------
        float
            The p-value, as in Table 2 of Bradford and Brodley (2001).
        """
        return float(signed_significance(self.averaged().estimate, self.df))

    def conclusion(self, alpha: float = 0.05) -> str:
        """Return what the mean t concludes.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        str
            "second better", "no decision" or "first better".
        """
        return conclusion(self.averaged_p(), alpha)

    def sufficiency(self, alpha: float = 0.05) -> Sufficiency:
        """Return whether these partitions suffice, and how many would.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        Sufficiency
            The finding.
        """
        return sufficiency(self.finite_t, df=self.df, alpha=alpha)

    def normal_fit(self) -> NormalFit:
        """Fit a normal curve to the t values.

        Returns
        -------
        NormalFit
            The fit.
        """
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
    """Read the partitions of scores, each by the test of its design.

    Parameters
    ----------
    scores : Scores
        Scores of a design with partitions, such as "55*10cv".
    first : str
        Name of the first learner.
    second : str
        Name of the second learner.
    ordinary : bool, default=False
        Whether to judge each partition by the ordinary paired t over all its differences, such as
        the ten of 5x2cv, instead of by the test of its design.

    Returns
    -------
    PartitionStudy
        The t values of all partitions.

    Notes
    -----
    Bradford and Brodley (2001).

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> op.lab.partition_study(scores, "a", "b").t_values.size
    3
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
    """Count right and wrong conclusions of single partitions against the averaged one.

    Parameters
    ----------
    studies : mapping
        Names mapped to partition studies.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    Tally
        Correct and incorrect conclusions.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> sum(op.lab.tally({"data": op.lab.partition_study(scores, "a", "b")}))
    3
    """
    counts = [study.conclusions(alpha) for study in studies.values()]
    reference = [study.conclusion(alpha) for study in studies.values()]
    return against_reference(counts, reference)


Undefined = Literal["accept", "reject"]


@dataclass(frozen=True, eq=False, slots=True)
class Repetitions:
    """The p-values of one test, repeated on each of several datasets.

    Attributes
    ----------
    method : str
        Name of the method.
    names : tuple[str, str]
        The two learners.
    runs : int or None
        Number of repeats or resamples of each partition that the test used; None: all.
    datasets : tuple of str
        The datasets.
    pvalues : ndarray
        Shape (datasets, repetitions); NaN where there is none.
    sides : ndarray
        1 where the first side is favoured, −1 where the second.
    undefined : {"accept", "reject"}
        How a repetition without a p-value counts. In the papers t is infinite there, and rejects.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> found = op.lab.repetitions(scores, "kfold_t", "a", "b")
    >>> found.n, found.rejected().shape, found.rejections()
    (3, (1, 3), array([1]))
    >>> type(found.replicability()).__name__, type(found.direction_flips()).__name__
    ('Replicability', 'DirectionFlips')
    >>> type(found.seed_shopping()).__name__
    'SeedShopping'
    """

    method: str
    names: tuple[str, str]
    runs: int | None
    datasets: tuple[str, ...]
    pvalues: Array
    sides: npt.NDArray[np.int64]
    undefined: Undefined = "accept"

    @property
    def n(self) -> int:
        """Number of repetitions."""
        return int(self.pvalues.shape[1])

    def rejected(self, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
        """Return which repetitions reject.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        ndarray of bool, shape (datasets, repetitions)
            The rejections.
        """
        with np.errstate(invalid="ignore"):
            found = np.asarray(self.pvalues < validation.fraction(alpha, "alpha"))
        return found | np.isnan(self.pvalues) if self.undefined == "reject" else found

    def rejections(self, alpha: float = 0.05) -> npt.NDArray[np.int64]:
        """Return how many repetitions reject on each dataset.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        ndarray of int
            Numbers of rejections.
        """
        return np.asarray(np.count_nonzero(self.rejected(alpha), axis=1), dtype=np.int64)

    def replicability(self, alpha: float = 0.05) -> again.Replicability:
        """Return consistency and replicability over the datasets.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        Replicability
            As `outperform.replicability` returns it.
        """
        return again.replicability(self.rejections(alpha), self.n)

    def direction_flips(self, alpha: float = 0.05) -> again.DirectionFlips:
        """Return the datasets on which the favoured side changes between rejections.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        DirectionFlips
            The datasets.
        """
        return again.direction_flips(np.where(self.rejected(alpha), self.sides, 0))

    def seed_shopping(self, alpha: float = 0.05) -> again.SeedShopping:
        """Return on how many datasets some seed rejects, some seed does not, and both.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        SeedShopping
            The numbers of datasets.
        """
        return again.seed_shopping(self.rejections(alpha), self.n)

    def __str__(self) -> str:
        read = "" if self.runs is None else f", {counted(self.runs, 'run')}"
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

    McNemar's test and that of two proportions are repeated on the test sets of "10*holdout@1/3".

    Parameters
    ----------
    scores : Scores or mapping of str to Scores
        Scores of a design with partitions, by dataset.
    method : str
        Name of the method.
    first : str
        Name of the first learner.
    second : str
        Name of the second learner.
    runs : int, optional
        Use only the first so many repeats or resamples of each partition.
    undefined : {"accept", "reject"}, default='accept'
        How a repetition without a p-value (constant non-zero differences) counts. In the papers t
        is infinite there, and rejects.
    **options : object
        Options of the method.

    Returns
    -------
    Repetitions
        p-values of all repetitions.

    Notes
    -----
    Bouckaert and Frank (2004).

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> op.lab.repetitions(scores, "kfold_t", "a", "b").pvalues.shape
    (1, 3)
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
    """Run learners over independent partitions of a design.

    Parameters
    ----------
    learners : mapping, list or learner
        Learners as for `run`.
    X : array-like, sparse matrix or data frame
        Features, one row for each item.
    y : array-like or str
        Target of each row, or the name of a column of X.
    design : str or Design, default='10x10cv'
        The design of each partition.
    n : int, default=10
        Number of partitions.
    scoring : str or callable, optional
        Metric as for `run`.
    random_state : int, optional
        Seed. If None, one is drawn and kept with the scores.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    store : path, optional
        Keeps every result; the same call again resumes.

    Returns
    -------
    Scores
        Scores of all partitions.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> str(op.lab.replicate(GaussianNB(), X, y, design="3cv", n=2, random_state=0).design)
    '2*3cv'
    """
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
