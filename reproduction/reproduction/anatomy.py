"""The anatomy of variance: what makes estimates over resampled data vary.

Implements D-28, N-06, N-12, N-13, N-16, N-17, N-18, N-20, N-25, N-27 and R-01.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from outperform import validation
from outperform.designs import Design, Resampled, parse, parse_drawn
from outperform.designs.splitting import whole
from outperform.errors import DataError, MethodError
from outperform.lab.scenarios import Reading, Scenario, block_seed, blocks
from outperform.numerics import exact_sums
from outperform.numerics.distributions import T
from outperform.numerics.exact_sums import Array
from outperform.views import Contingency, Differences, ItemDifferences

from . import variance

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
    >>> from reproduction.anatomy import anatomy
    >>> found = anatomy(op.lab.DesignedPopulation(), design="3xresampled@1/3", n_reps=50)
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
            Method whose estimate of the variance is taken, as in `reproduction.variance.ratio`.

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
    >>> from reproduction.anatomy import anatomy
    >>> anatomy(op.lab.DesignedPopulation(), design="3xresampled@1/3", n_reps=50).n_datasets
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
    >>> from reproduction.anatomy import pooled_correlation
    >>> round(pooled_correlation([1, 2, 3, 4], [1, 3, 2, 4]).r, 2)
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
    >>> from reproduction.anatomy import fold_correlation
    >>> fold_correlation([[1, 2, 3], [2, 3, 5], [0, 1, 1]]).n
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
    >>> from reproduction.anatomy import overlap
    >>> len(overlap([[1, 2], [2, 3]], [[1, 1], [2, 2]]))
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
    >>> from reproduction.anatomy import halvings_correlation
    >>> halves = [[[1, 2], [3, 5]], [[2, 2], [1, 2]], [[0, 3], [1, 3]]]
    >>> round(halvings_correlation(halves), 3)
    0.585
    """
    table = validation.numbers(halves, "halves")
    if table.ndim != 3 or table.shape[2] != 2 or min(table.shape[:2]) < 2:
        raise DataError(f"halves must have shape (datasets, M, 2), got {table.shape}.")
    gaps = (table[..., 0] - table[..., 1]) ** 2
    return fold_correlation(gaps).r
