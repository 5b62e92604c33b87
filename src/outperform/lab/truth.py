"""What learners really do: their errors on fresh items, and what makes estimates vary.

Implements D-28, D-47, N-05, N-06, N-12, N-13, N-16, N-17, N-18, N-20, N-25, N-27, R-01 and R-24.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import validation
from ..designs import Design, Resampled, parse, parse_drawn
from ..designs.splitting import whole
from ..engine.meaning import same_text
from ..errors import DataError, MethodError
from ..numerics import exact_sums, variance
from ..numerics.distributions import T
from ..numerics.exact_sums import Array
from ..views import Contingency, Differences, ItemDifferences
from .scenarios import (
    SAMPLE,
    Dataset,
    Reading,
    Scenario,
    Source,
    block_seed,
    blocks,
    stream,
    take_rows,
)

Keep = Callable[[str, Callable[[], Array]], Array]
"""Asked for part of the work by its name: returns what it kept, or computes and keeps it."""
PART = 1000
"""Fits in a part: what is lost, at most, when work that is kept is killed."""


class Mean(NamedTuple):
    """A mean over datasets and its standard error."""

    mean: float
    stderr: float


def true_difference(
    source: Source,
    first: Any,
    second: Any,
    *,
    n_train: int,
    n_test: int | Dataset = 10_000,
    n_datasets: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Mean:
    """Estimate the accuracy of the first learner minus that of the second at a training size.

    Parameters
    ----------
    source : Source
        Where items come from.
    first : learner
        The first learner.
    second : learner
        The second learner.
    n_train : int
        Number of training items.
    n_test : int or Dataset, default=10000
        Test items, or their number.
    n_datasets : int, default=100
        Number of datasets.
    random_state : int, default=0
        Seed.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.

    Returns
    -------
    Mean
        Mean over datasets and its standard error.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> source, learners = op.lab.SixClasses(), (GaussianNB(), DummyClassifier())
    >>> op.lab.true_difference(source, *learners, n_train=50, n_test=200, n_datasets=3).mean > 0
    True
    """
    errors = learner_errors(
        source,
        [first, second],
        sizes=(n_train,),
        test=n_test,
        n_datasets=n_datasets,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return mean_of(errors[:, 0, 1] - errors[:, 0, 0])


def mean_of(values: Array) -> Mean:
    """Return the mean over datasets with its standard error."""
    return Mean(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)))


def learner_errors(
    source: Source,
    learners: Sequence[Any],
    *,
    sizes: Sequence[int],
    test: int | Dataset,
    n_datasets: int,
    random_state: int,
    largest: int | None = None,
    n_jobs: int | None = None,
    keep: Keep | None = None,
) -> Array:
    """Return the error rate of each learner on datasets of several sizes.

    Parameters
    ----------
    source : Source
        Where items come from.
    learners : sequence of learner
        The learners.
    sizes : sequence of int
        Training sizes.
    test : int or Dataset
        Test items, or their number.
    n_datasets : int
        Number of datasets.
    random_state : int
        Seed.
    largest : int, optional
        Training items to draw; by default the largest of `sizes`.
    n_jobs : int, optional
        Number of workers; -1 uses all cores. It does not change the result.
    keep : callable, optional
        Called with a name and a function for each part that is measured; it can keep the part on
        disk.

    Returns
    -------
    ndarray of shape (datasets, sizes, learners)
        The error rates.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.dummy import DummyClassifier
    >>> op.lab.learner_errors(
    ...     op.lab.SixClasses(), [DummyClassifier()], sizes=(20, 40), test=100, n_datasets=2,
    ...     random_state=0,
    ... ).shape
    (2, 2, 1)
    """
    whole(n_datasets, "n_datasets", 2)
    if len(sizes) == 0 or len(learners) == 0:
        raise DataError("At least one training size and one learner must be passed.")
    chosen = [whole(size, "a training size", 1) for size in sizes]
    work = _ErrorRuns(
        source, tuple(learners), tuple(chosen), largest or max(chosen), test, random_state
    )
    if keep is None:
        return work.over(range(n_datasets), n_jobs)
    each = max(PART // (len(learners) * len(chosen)), 1)
    parts = [range(at, min(at + each, n_datasets)) for at in range(0, n_datasets, each)]
    return np.concatenate([keep(work.name(p), partial(work.over, p, n_jobs)) for p in parts])


class _ErrorRuns(NamedTuple):
    source: Source
    learners: tuple[Any, ...]
    sizes: tuple[int, ...]
    largest: int
    test: int | Dataset
    random_state: int

    def name(self, numbers: range) -> str:
        """Return a short name of the learners, sizes and datasets of a part."""
        about = [list(map(same_text, self.learners)), self.sizes, self.largest, numbers]
        return sha256(repr(about).encode()).hexdigest()[:16]

    def over(self, numbers: range, n_jobs: int | None) -> Array:
        """Return datasets × sizes × learners."""
        if n_jobs in (None, 1):
            return np.array([self(number) for number in numbers])
        from joblib import Parallel, delayed

        return np.array(Parallel(n_jobs=n_jobs)(delayed(self)(number) for number in numbers))

    def __call__(self, number: int) -> Array:
        """Return sizes × learners for one dataset."""
        seed = np.random.SeedSequence(self.random_state, spawn_key=(number,))
        extra = 0 if isinstance(self.test, Dataset) else self.test
        data = self.source.draw(self.largest + extra, stream(seed, SAMPLE))
        fresh = np.arange(self.largest, self.largest + extra)
        test = self.test if isinstance(self.test, Dataset) else _rows(data, fresh)
        own = int(seed.generate_state(1)[0])
        found = np.empty((len(self.sizes), len(self.learners)))
        for row, size in enumerate(self.sizes):
            train = _rows(data, np.arange(size))
            for column, learner in enumerate(self.learners):
                model = _seeded(learner, own).fit(train.X, train.y)
                found[row, column] = np.mean(np.asarray(model.predict(test.X)) != test.y)
        return found


def _rows(data: Dataset, rows: Any) -> Dataset:
    return Dataset(take_rows(data.X, rows), np.asarray(take_rows(data.y, rows)))


def _seeded(learner: Any, seed: int) -> Any:
    """Return a fresh copy whose unset random states are set."""
    from sklearn.base import clone

    model = clone(learner)
    unset: dict[str, Any] = {
        name: seed
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**unset) if unset else model


Side = Literal["difference", "first", "second"]


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The variances behind a resampled mean, each with its standard error over datasets.

    Attributes
    ----------
    sigma0 : float
        Variance of the loss of one item.
    sigma1 : float
        Variance of the mean loss of one split.
    sigma2 : float
        Covariance of the losses of items of two splits, which is that of the two mean losses.
    sigma3 : float
        Covariance of the losses of two items of one split.
    stderrs : tuple of four float
        Jackknife standard errors of the four.
    rho : float
        Correlation of the means of two splits.
    rho_stderr : float
        Standard error of ρ.
    mean : float
        Mean over splits and datasets.
    n_train : float
        Number of training items.
    n_test : float
        Number of test items.
    n_resamples : int
        Number of splits.
    n_datasets : int
        Number of datasets.

    Notes
    -----
    The symbols are those of Nadeau and Bengio (2003).

    Examples
    --------
    >>> import outperform as op
    >>> found = op.lab.anatomy(op.lab.DesignedPopulation(), design="3xresampled@1/3", n_reps=50)
    >>> found.n_resamples, found.of_mean(3) > 0, found.ratio("resampled_t") > 1
    (3, True, True)
    >>> len(found.holds()), round(found.plugin_rho, 3)
    (5, 0.333)
    """

    sigma0: float
    sigma1: float
    sigma2: float
    sigma3: float
    stderrs: tuple[float, float, float, float]
    rho: float
    rho_stderr: float
    mean: float
    n_train: float
    n_test: float
    n_resamples: int
    n_datasets: int

    @property
    def plugin_rho(self) -> float:
        """The ρ that the corrected t-test assumes, n_test / (n_train + n_test)."""
        return float(variance.plugin_rho(self.n_train, self.n_test))

    def of_mean(self, n_resamples: int, draws: float = math.inf) -> float:
        """Return the variance of the mean over splits.

        Parameters
        ----------
        n_resamples : int
            Number of splits.
        draws : float, default=inf
            Number of draws from the test set; infinite if the whole test set is used.

        Returns
        -------
        float
            The variance.
        """
        found = variance.var_resampled_mean(
            self.sigma0, self.sigma1, self.sigma2, n_resamples, draws
        )
        return float(found)

    def ratio(self, method: str) -> float:
        """Return the variance of the mean over its estimate: above 1 a method is liberal.

        Parameters
        ----------
        method : {"t-test", "resampled_t", "corrected_t"}
            Method whose estimate of the variance is taken, as in `outperform.variance.ratio`.

        Returns
        -------
        float
            The ratio.
        """
        # Estimates of what cannot be negative may be, by chance.
        sigma3, rho, resamples = max(self.sigma3, 0.0), max(self.rho, 0.0), self.n_resamples
        sizes = {"n_train": self.n_train, "n_test": self.n_test}
        known: dict[str, dict[str, Any]] = {
            "t-test": {"sigma0": self.sigma0, "sigma3": sigma3, "n_test": self.n_test},
            "resampled_t": {"n_resamples": resamples, "rho": rho},
            "corrected_t": {"n_resamples": resamples, "rho": rho, **sizes},
        }
        if method not in known:
            raise MethodError(f"no ratio for {method!r}; use one of {', '.join(known)}")
        return float(variance.ratio(method, **known[method]))

    def holds(self) -> dict[str, bool]:
        """Return whether the order of the variances holds, up to three standard errors of each.

        Returns
        -------
        dict
            Each inequality of Proposition 1 of Nadeau and Bengio (2003), and whether it holds.
        """
        zero, one, two, three = self.sigma0, self.sigma1, self.sigma2, self.sigma3
        e0, e1, e2, e3 = (3 * error for error in self.stderrs)
        return {
            "0 ≤ σ₂": two >= -e2,
            "σ₂ ≤ σ₁": two - one <= e1 + e2,
            "σ₁ ≤ σ₀": one - zero <= e0 + e1,
            "0 ≤ σ₃": three >= -e3,
            "σ₃ ≤ σ₁": three - one <= e1 + e3,
        }

    def __str__(self) -> str:
        sigmas = (self.sigma0, self.sigma1, self.sigma2, self.sigma3)
        told = [
            f"σ{'₀₁₂₃'[i]} = {s:.3g} ± {e:.2g}"
            for i, (s, e) in enumerate(zip(sigmas, self.stderrs, strict=True))
        ]
        side = "over" if self.plugin_rho > self.rho else "under"
        return (
            f"{', '.join(told)}; ρ = {self.rho:.3f} ± {self.rho_stderr:.3f}, while the corrected "
            f"t-test assumes {self.plugin_rho:.3f}: it {side}states the variance"
        )


def anatomy(
    scenario: Scenario,
    *,
    design: Any = "15xresampled@1/10",
    side: Side = "difference",
    effect: float = 0.0,
    n_reps: int = 1000,
    random_state: int = 0,
) -> Anatomy:
    """Measure the four variances of a scenario whose datasets are resampled.

    Losses are 0 or 1, or those of the metric of a `Contest`, such as squared errors with
    scoring="neg_mean_squared_error".

    Parameters
    ----------
    scenario : Scenario
        What draws the experiments.
    design : str or Design, default='15xresampled@1/10'
        Random splits.
    side : {"difference", "first", "second"}, default='difference'
        Whose losses are taken.
    effect : float, default=0.0
        Distance from the null hypothesis, 0 being the null.
    n_reps : int, default=1000
        Number of experiments.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Anatomy
        The variances.

    Notes
    -----
    Nadeau and Bengio (2003).

    Examples
    --------
    >>> import outperform as op
    >>> op.lab.anatomy(op.lab.DesignedPopulation(), design="3xresampled@1/3", n_reps=50).n_datasets
    50
    """
    plan = parse_drawn(design, "the anatomy of variance")
    validation.choice(side, "side", ("difference", "first", "second"))
    if not isinstance(plan, Resampled) or plan.repeats < 2:
        raise DataError(
            f"the design must consist of resamples, as in '15xresampled@1/10', got {plan}"
        )
    by_item = Contingency if getattr(scenario, "scoring", None) is None else ItemDifferences
    means, items = Reading(Differences, plan), Reading(by_item, _one_split(plan))
    rows, squares, firsts, ratio, n_test = [], [], [], None, None
    for number, size in blocks(whole(n_reps, "n_reps", 3), scenario.block):
        seed = block_seed(random_state, 0, number)
        views = scenario.draw([means, items], size, seed, effect)
        d, table = views[means], views[items]
        assert isinstance(d, Differences)
        assert isinstance(table, Contingency | ItemDifferences)
        rows.append(_side(d, side).reshape(size, -1))
        first, second = _item_moments(table, side)
        firsts.append(first)
        squares.append(second)
        ratio, n_test = d.test_train_ratio, d.n_test
    if ratio is None or n_test is None:
        raise DataError("The scenario does not define the sizes of training and test sets.")
    return anatomy_of(
        np.concatenate(rows),
        np.concatenate(firsts),
        np.concatenate(squares),
        n_train=n_test / ratio,
        n_test=n_test,
    )


def anatomy_of(
    values: Array, item_means: Array, item_squares: Array, *, n_train: float, n_test: float
) -> Anatomy:
    """Measure σ₀ … σ₃ from means of splits that are there, shape (datasets, resamples) (N-09).

    `item_means` and `item_squares` are the mean loss on single test items of each dataset and the
    mean of its square, shape (datasets,).
    """
    found, errors = _jackknife(values, np.stack([item_means, item_squares]), n_test)
    s0, s1, s2, s3, rho = found
    return Anatomy(
        s0,
        s1,
        s2,
        s3,
        (errors[0], errors[1], errors[2], errors[3]),
        rho,
        errors[4],
        float(values.mean()),
        n_train,
        n_test,
        values.shape[1],
        values.shape[0],
    )


def _one_split(plan: Resampled) -> Design:
    """Return one split of the same sizes, for the losses of single items."""
    if plan.train is None:
        return parse(f"holdout@{plan.test}")
    return replace(plan, repeats=1)


def _side(d: Differences, side: Side) -> Array:
    if side == "difference":
        return d.values
    if d.second is None:
        raise DataError("The scenario draws differences only; pass side='difference'")
    return d.first if side == "first" else d.second


def _item_moments(table: Contingency | ItemDifferences, side: Side) -> tuple[Array, Array]:
    """Return the mean of the items' scores and of their squares, for each dataset."""
    if isinstance(table, ItemDifferences):
        values = _side(table, side).reshape(len(table.values), -1)
        return values.mean(axis=1), (values**2).mean(axis=1)
    n = np.asarray(table.n, dtype=np.float64)
    if side == "difference":
        return (table.n10 - table.n01) / n, (table.n10 + table.n01) / n
    right = (table.n11 + (table.n10 if side == "first" else table.n01)) / n
    return right, right


def _jackknife(values: Array, moments: Array, n_test: float) -> tuple[list[float], list[float]]:
    """Return σ₀ … σ₃ and ρ, with standard errors from leaving out each dataset in turn."""
    n, j = values.shape
    row = values.mean(axis=1)
    within = values.var(axis=1, ddof=1)

    def found(total: Any, square: Any, inner: Any, first: Any, second: Any, *, m: int) -> Any:
        between = (square - total**2 / m) / (m - 1)
        spread = inner / m
        s2 = between - spread / j
        s1 = s2 + spread
        s0 = second / m - (first / m) ** 2
        s3 = (n_test * s1 - s0) / (n_test - 1) if n_test > 1 else s1
        return np.stack(np.broadcast_arrays(s0, s1, s2, s3, s2 / s1))

    parts = np.stack([row, row**2, within, moments[0], moments[1]])
    totals = parts.sum(axis=1)
    whole_ = found(*totals, m=n)
    left = found(*(totals[:, None] - parts), m=n - 1)
    spread = left - left.mean(axis=1, keepdims=True)
    errors = np.sqrt((n - 1) / n * np.sum(spread**2, axis=1))
    return [float(x) for x in whole_], [float(x) for x in errors]


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation over many pairs and the t test that it is 0 (D-29)."""

    r: float
    n: int
    t: float
    pvalue: float

    def __str__(self) -> str:
        return f"r = {self.r:.5f} over {self.n:,} pairs, t = {self.t:.2f}, p = {self.pvalue:.2g}"


def pooled_correlation(first: Any, second: Any) -> Correlation:
    """Return the correlation of paired numbers, tested as if the pairs were independent.

    Parameters
    ----------
    first : array-like
        First numbers.
    second : array-like
        Second numbers.

    Returns
    -------
    Correlation
        r, n, t and p-value.

    Examples
    --------
    >>> import outperform as op
    >>> round(op.lab.pooled_correlation([1, 2, 3, 4], [1, 3, 2, 4]).r, 2)
    0.8
    """
    x, y = (validation.numbers(part, "pairs").ravel() for part in (first, second))
    if x.size != y.size or x.size < 3:
        raise DataError(
            f"At least 3 pairs of numbers are required, got {x.size} and {y.size} numbers."
        )
    x, y = x - exact_sums.mean(x), y - exact_sums.mean(y)
    scale = math.sqrt(float(x @ x) * float(y @ y))
    if scale == 0:
        raise DataError("One side is constant, so the correlation is undefined.")
    r = max(-1.0, min(1.0, float(x @ y) / scale))
    t = r * math.sqrt((x.size - 2) / max(1 - r * r, 1e-300))
    return Correlation(r, x.size, t, min(1.0, 2 * float(T(x.size - 2).sf(abs(t)))))


def fold_correlation(folds: Any, *, across: bool = False) -> Correlation:
    """Correlate the differences of the folds of many cross-validations.

    Parameters
    ----------
    folds : array-like of shape (runs, k)
        Differences of the folds.
    across : bool, default=False
        Whether to pair folds of different runs, as a control, instead of those of one run.

    Returns
    -------
    Correlation
        r, n, t and p-value.

    Examples
    --------
    >>> import outperform as op
    >>> op.lab.fold_correlation([[1, 2, 3], [2, 3, 5], [0, 1, 1]]).n
    9
    """
    table = validation.numbers(folds, "folds")
    if table.ndim != 2 or min(table.shape) < 2:
        raise DataError(f"folds must have shape (runs, k), both at least 2, got {table.shape}.")
    i, j = np.triu_indices(table.shape[1], 1)
    other = np.roll(table, 1, axis=0) if across else table
    return pooled_correlation(table[:, i], other[:, j])


def overlap(disjoint: Any, overlapping: Any) -> dict[str, float]:
    """Compare differences from disjoint training sets with those of overlapping folds.

    Parameters
    ----------
    disjoint : array-like of shape (runs, k)
        Differences from disjoint training sets.
    overlapping : array-like of shape (runs, k)
        Differences of the folds of cross-validations.

    Returns
    -------
    dict
        For both the mean, the variance that a run's own folds show, and the variance of the means.

    Examples
    --------
    >>> import outperform as op
    >>> len(op.lab.overlap([[1, 2], [2, 3]], [[1, 1], [2, 2]]))
    6
    """
    found = {}
    for name, given in (("disjoint", disjoint), ("overlapping", overlapping)):
        table = validation.numbers(given, name)
        if table.ndim != 2 or min(table.shape) < 2:
            raise DataError(f"{name} must have shape (runs, k), got {table.shape}.")
        found[f"{name} mean"] = float(table.mean())
        found[f"{name} variance shown"] = float(table.var(axis=1, ddof=1).mean() / table.shape[1])
        found[f"{name} variance of the mean"] = float(table.mean(axis=1).var(ddof=1))
    return found


def halvings_correlation(halves: Any) -> float:
    """Return the correlation of the squared gaps of two halvings of the same data.

    Parameters
    ----------
    halves : array-like of shape (datasets, M, 2)
        Means in both halves of every halving.

    Returns
    -------
    float
        The correlation.

    Examples
    --------
    >>> import outperform as op
    >>> halves = [[[1, 2], [3, 5]], [[2, 2], [1, 2]], [[0, 3], [1, 3]]]
    >>> round(op.lab.halvings_correlation(halves), 3)
    0.585
    """
    table = validation.numbers(halves, "halves")
    if table.ndim != 3 or table.shape[2] != 2 or min(table.shape[:2]) < 2:
        raise DataError(f"halves must have shape (datasets, M, 2), got {table.shape}.")
    gaps = (table[..., 0] - table[..., 1]) ** 2
    return fold_correlation(gaps).r
