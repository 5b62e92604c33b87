"""The p-values of one test, repeated on each of several datasets: Bouckaert & Frank.

Implements R-04, R-07, R-08, R-17, R-19 and R-22.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from outperform import validation
from outperform.designs import Partitions, RepeatedKFold, Resampled, parse, parse_drawn
from outperform.engine import run
from outperform.errors import DataError, MethodError, argument, counted
from outperform.numerics.exact_sums import Array
from outperform.procedures import replicability as again
from outperform.registry import get
from outperform.results.evidence import favours
from outperform.scores.item_losses import BitItems
from outperform.scores.split_scores import Scores
from outperform.views import Contingency, Differences

from . import seed_choice

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
    >>> from reproduction.repetitions import repetitions
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> found = repetitions(scores, "kfold_t", "a", "b")
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

    def direction_flips(self, alpha: float = 0.05) -> seed_choice.DirectionFlips:
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
        return seed_choice.direction_flips(np.where(self.rejected(alpha), self.sides, 0))

    def seed_shopping(self, alpha: float = 0.05) -> seed_choice.SeedShopping:
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
        return seed_choice.seed_shopping(self.rejections(alpha), self.n)

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
    >>> from reproduction.repetitions import repetitions
    >>> noise = np.random.default_rng(0).normal(0, 0.02, (2, 15))
    >>> scores = op.Scores.from_arrays({"a": 0.83 + noise[0], "b": 0.80 + noise[1]}, design="3*5cv")
    >>> repetitions(scores, "kfold_t", "a", "b").pvalues.shape
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
    >>> from reproduction.repetitions import replicate
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> str(replicate(GaussianNB(), X, y, design="3cv", n=2, random_state=0).design)
    '2*3cv'
    """
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
