"""What a test found: p-values, intervals, equivalence and probabilities, all derived here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, cast

import numpy as np

from ..errors import MethodError, argument
from ..numerics.distributions import Normal
from ..numerics.exact_sums import Array


def joined(parts: Sequence[Any]) -> Any | None:
    """Return evidence on blocks of experiments as that on all of them.

    Arrays are put one after the other; what is no array must be the same in every block. None where
    that cannot be done: an interval that is found by search knows only its own block.
    """
    first = parts[0]
    if all(isinstance(part, np.ndarray) and part.ndim for part in parts):
        return np.concatenate(parts)
    if isinstance(first, Mapping):
        return _all({key: joined([part[key] for part in parts]) for key in first})
    if isinstance(first, tuple):
        columns = [joined(column) for column in zip(*parts, strict=True)]
        return None if any(column is None for column in columns) else tuple(columns)
    if is_dataclass(first) and not isinstance(first, type):
        names = [field.name for field in fields(first) if getattr(first, field.name) is not None]
        made = _all({name: joined([getattr(part, name) for part in parts]) for name in names})
        return None if made is None else replace(first, **made)
    return first if all(np.ndim(part) == 0 and part == first for part in parts) else None


def side_by_side(parts: Sequence[Any]) -> Any:
    """Return evidence on single experiments, whose sizes may differ, as that on all of them."""
    first = parts[0]
    if isinstance(first, Inverted):
        return Inverted(
            partial(_each, [part.tails for part in parts]),
            partial(_each, [part.bounds for part in parts]),
            min(part.highest for part in parts),
        )
    if isinstance(first, Draws):
        whole = side_by_side([part.estimate for part in parts])
        return replace(
            first,
            estimate=whole,
            posterior=partial(_each_posterior, [part.regions for part in parts]),
            sampled=first.sampled and partial(_each_sample, [part.sampled for part in parts]),
            identical=np.array([bool(part.identical) for part in parts]),
            known={},
        )
    if isinstance(first, Mapping):
        return {key: side_by_side([part[key] for part in parts]) for key in first}
    if is_dataclass(first) and not isinstance(first, type):
        names = [field.name for field in fields(first) if getattr(first, field.name) is not None]
        return replace(
            first, **{name: side_by_side([getattr(part, name) for part in parts]) for name in names}
        )
    if isinstance(first, np.ndarray) and first.dtype.kind in "biuf":  # of any shape: one a part
        return np.array([part.ravel()[0] for part in map(np.asarray, parts)])
    number = isinstance(first, float | int | np.number)
    if isinstance(first, bool) or (np.ndim(first) == 0 and not number):
        return all(parts) if isinstance(first, bool | np.bool_) else first
    if np.ndim(first) == 0 and all(part == first for part in parts):
        return first
    return np.array([np.asarray(part).ravel()[0] for part in parts])


def _each(ends: Sequence[Callable[[Any], tuple[Any, Any]]], asked: Any) -> tuple[Any, Any]:
    """Return two columns, an entry of each from every function; what is asked may be a column."""
    each = np.broadcast_to(asked, (len(ends),))
    found = [
        tuple(np.asarray(side).ravel()[0] for side in f(one))
        for f, one in zip(ends, each, strict=True)
    ]
    first, second = (np.array(column) for column in zip(*found, strict=True))
    return first, second


def _all(made: dict[str, Any]) -> dict[str, Any] | None:
    return None if any(value is None for value in made.values()) else made


Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")
LOG2 = math.log(2)

# What becomes of details when the sides are exchanged; a law of the conformance suite holds it.
SIDES = (
    ("wins", "losses"),
    ("positive_sum", "negative_sum"),
    ("p_A", "p_B"),
    ("variance_A", "variance_B"),
)
SIGNED = {"differences", "mean_difference", "t_values", "half_estimate"}
TABLES = {"table", "expected"}


class Distribution(Protocol):
    """A reference distribution, as in `numerics.distributions`."""

    @property
    def label(self) -> str: ...
    def sf(self, x: Any) -> Any: ...
    def logsf(self, x: Any) -> Any: ...
    def isf(self, q: Any) -> Any: ...
    def at(self, index: Any) -> Any: ...


class Probabilities(NamedTuple):
    """P(better), P(equivalent), P(worse) of the first side, given a region of equivalence."""

    better: Any
    equivalent: Any
    worse: Any


@dataclass(frozen=True, eq=False, slots=True)
class Inverted:
    """A family of tests, one for each hypothesized difference, and its interval.

    Attributes
    ----------
    tails : callable
        Log p-values of (less, greater) against a difference δ.
    bounds : callable
        Ends of the interval at a level.
    highest : float
        Levels below this have an interval: n signs or ranks cannot make p as small as one likes.

    Examples
    --------
    >>> import numpy as np
    >>> from outperform.extend import Inverted
    >>> found = Inverted(lambda d: (-1.0 - d, -1.0 + d), lambda level: (-level, level))
    >>> found.shifted(0.5), found.interval(0.9), type(found.flipped()).__name__
    ((-1.5, -0.5), (-0.9, 0.9), 'Inverted')
    """

    tails: Callable[[Any], tuple[Any, Any]]
    bounds: Callable[[float], tuple[Any, Any]]
    highest: float = 1.0

    def shifted(self, delta: Any) -> tuple[Any, Any]:
        """Return the log p-values of (less, greater) against a difference δ.

        Parameters
        ----------
        delta : float or array-like
            Hypothesized difference.

        Returns
        -------
        tuple of two float or ndarray
            Log p-values.
        """
        return self.tails(delta)

    def interval(self, level: float, alternative: Alternative = "two-sided") -> tuple[Any, Any]:
        """Return the differences that the test would not reject at 1 − level.

        Parameters
        ----------
        level : float
            Confidence level.
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        tuple of two float or ndarray
            Lower and upper end.
        """
        return _one_sided(self.bounds, level, alternative)

    def flipped(self) -> Inverted:
        """Return the same evidence with the sides exchanged.

        Returns
        -------
        Inverted
            The evidence for second minus first.
        """
        turned = partial(_turned_tails, self.tails), partial(_turned_bounds, self.bounds)
        return Inverted(*turned, self.highest)


@dataclass(frozen=True, eq=False, slots=True)
class Pivot:
    """Evidence of a pivot: (estimate − Δ) / stderr follows a known distribution.

    From it p-values, intervals at any level, equivalence and one-sided tests are derived.

    Attributes
    ----------
    estimate : object
        Estimated difference.
    stderr : object
        Its standard error.
    dist : Distribution
        Distribution of the pivot, such as T(9).
    null : float
        Difference under the null hypothesis.
    continuity : object
        Continuity correction of |estimate − Δ|.
    chi2 : bool
        Whether the squared statistic is reported, as χ² on one degree of freedom.
    companion : Inverted or Pivot or None
        Evidence that the interval is derived from, if it does not invert the test.
    identical : object
        Where both sides scored the same everywhere.
    details : mapping
        Further quantities, by name.
    counts : tuple[Any, Any, Any] or None
        Numerator, denominator and correction in counts, for exact arithmetic.
    undecided : object
        Where nothing is decided whatever the p-value, because scores contradict the estimate.

    Examples
    --------
    >>> from outperform.extend import Pivot, T
    >>> found = Pivot(0.02, 0.01, T(9))
    >>> round(found.pvalue(), 3), round(found.log_pvalue("greater"), 2), found.at(()).statistic
    (0.077, -3.26, 2.0)
    >>> [round(end, 3) for end in found.interval(0.95)], found.flipped().estimate
    ([-0.003, 0.043], -0.02)
    >>> [round(float(one), 2) for one in found.shifted(0.01)]
    [-0.19, -1.76]
    """

    estimate: Any
    stderr: Any
    dist: Distribution
    null: float = 0.0
    continuity: Any = 0.0
    chi2: bool = False
    companion: Inverted | Pivot | None = None
    identical: Any = False
    details: Mapping[str, Any] = field(default_factory=dict)
    counts: tuple[Any, Any, Any] | None = None
    undecided: Any = False

    @property
    def statistic(self) -> Any:
        """The statistic as the paper reports it; ±inf if nothing varies."""
        return np.square(self.z) if self.chi2 else self.z

    @property
    def z(self) -> Any:
        """The standardized, signed distance from the null hypothesis."""
        shift, stderr, continuity = self._parts
        distance = np.maximum(np.abs(shift) - continuity, 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = np.sign(shift) * distance / stderr
        return _plain(np.where(self.identical, 0.0, z))

    @property
    def undefined(self) -> Any:
        """Whether the standard error is zero though the sides differ, so that no p-value exists."""
        return _plain((np.asarray(self.stderr) == 0) & ~np.asarray(self.identical))

    def pvalue(self, alternative: Alternative = "two-sided") -> Any:
        """Return the p-value.

        Parameters
        ----------
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        float or ndarray
            NaN if there is none.
        """
        sides, z = self._tail(alternative)
        p = np.minimum(sides * self.dist.sf(z), 1.0)
        return _plain(np.where(self.undefined, np.nan, p))

    def log_pvalue(self, alternative: Alternative = "two-sided") -> Any:
        """Return the natural logarithm of the p-value, also where that underflows.

        Parameters
        ----------
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        float or ndarray
            NaN if there is none.
        """
        sides, z = self._tail(alternative)
        logp = np.minimum(math.log(sides) + self.dist.logsf(z), 0.0)
        return _plain(np.where(self.undefined, np.nan, logp))

    def _tail(self, alternative: Alternative) -> tuple[int, Any]:
        """Return how many tails count and where the upper one starts."""
        if alternative == "two-sided":
            return 2, np.abs(self._defined(self.z))
        side = 1.0 if alternative == "greater" else -1.0
        shift, stderr, continuity = self._parts
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return 1, self._defined((side * shift - continuity) / stderr)

    @property
    def _parts(self) -> tuple[Any, Any, Any]:
        """The distance from the null, its standard error and continuity, in the same unit."""
        if self.counts is not None and self.null == 0:
            return self.counts
        return np.asarray(self.estimate) - self.null, self.stderr, self.continuity

    def shifted(self, delta: Any) -> tuple[Any, Any]:
        """Return the log p-values of (less, greater) against another difference δ.

        Parameters
        ----------
        delta : float or array-like
            Hypothesized difference.

        Returns
        -------
        tuple of two float or ndarray
            Log p-values.
        """
        if self.companion is not None:
            return self.companion.shifted(delta)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = self._defined((np.asarray(self.estimate) - delta) / self.stderr)
        return self.dist.logsf(-z), self.dist.logsf(z)

    def interval(self, level: float, alternative: Alternative = "two-sided") -> tuple[Any, Any]:
        """Return the differences that the test would not reject at 1 − level.

        Parameters
        ----------
        level : float
            Confidence level.
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        tuple of two float or ndarray
            Lower and upper end; NaN if there is none.
        """
        if self.companion is not None:
            return self.companion.interval(level, alternative)
        return _one_sided(self._bounds, level, alternative)

    def _bounds(self, level: float) -> tuple[Any, Any]:
        half = self.dist.isf((1 - level) / 2) * np.asarray(self.stderr) + self.continuity
        half = np.where(np.asarray(self.stderr) == 0, np.nan, half)
        estimate = np.asarray(self.estimate)
        return _plain(estimate - half), _plain(estimate + half)

    def _defined(self, statistic: Any) -> Any:
        """Replace 0/0 and x/0, which are judged elsewhere, by a number the tails can take."""
        return _plain(np.where(np.asarray(self.stderr) == 0, 0.0, statistic))

    def flipped(self) -> Pivot:
        """Return the same evidence with the sides exchanged.

        Returns
        -------
        Pivot
            The evidence for second minus first.
        """
        other = None if self.companion is None else self.companion.flipped()
        counts = None if self.counts is None else (-self.counts[0], *self.counts[1:])
        return replace(
            self,
            estimate=-self.estimate,
            null=-self.null,
            companion=other,
            counts=counts,
            details=_turned(self.details),
        )

    def at(self, index: Any) -> Pivot:
        """Return the evidence of one experiment of many.

        Parameters
        ----------
        index : int
            Number of the experiment.

        Returns
        -------
        Pivot
            Its evidence.
        """
        return replace(
            self,
            estimate=_item(self.estimate, index),
            stderr=_item(self.stderr, index),
            dist=self.dist.at(index),
            continuity=_item(self.continuity, index),
            identical=_item(self.identical, index),
            companion=None if self.companion is None else _companion_at(self.companion, index),
            details={name: _item(value, index) for name, value in self.details.items()},
            counts=self.counts and tuple(_item(part, index) for part in self.counts),
            undecided=_item(self.undecided, index),
        )


@dataclass(frozen=True, eq=False, slots=True)
class Tail:
    """Evidence of a statistic that can only be too large, without a direction.

    Attributes
    ----------
    estimate : object
        What is estimated.
    statistic : object
        The test statistic.
    dist : Distribution
        Its distribution under the null hypothesis, such as Chi2(2).
    stderr : object
        Standard error of the estimate, if there is one.
    companion : Inverted or Pivot or None
        Evidence that the interval is derived from, if there is one.
    null : float
        Value under the null hypothesis.
    identical : object
        Where all sides scored the same everywhere.
    details : mapping
        Further quantities, by name.
    log_limit : object
        Log p-value to use where the statistic is infinite.

    Examples
    --------
    >>> from outperform.extend import Chi2, Tail
    >>> found = Tail(0.02, 7.2, Chi2(2))
    >>> round(found.pvalue(), 4), round(found.log_pvalue(), 2), found.undefined
    (0.0273, -3.6, False)
    >>> found.flipped().statistic, found.at(()).statistic
    (7.2, 7.2)
    """

    estimate: Any
    statistic: Any
    dist: Distribution
    stderr: Any = None
    companion: Inverted | Pivot | None = None
    null: float = 0.0
    identical: Any = False
    details: Mapping[str, Any] = field(default_factory=dict)
    log_limit: Any = None

    @property
    def undefined(self) -> Any:
        """Whether no p-value exists because nothing varies."""
        if self.log_limit is not None:
            return _plain(np.zeros(np.shape(self.statistic), dtype=bool))
        return _plain(~np.isfinite(self.statistic) & ~np.asarray(self.identical))

    def pvalue(self, alternative: Alternative = "two-sided") -> Any:
        """Return the p-value.

        Parameters
        ----------
        alternative : {"two-sided"}, default='two-sided'
            Only "two-sided", as the statistic has no direction.

        Returns
        -------
        float or ndarray
            NaN if there is none.
        """
        p = self.dist.sf(self._safe(alternative))
        if self.log_limit is not None:
            p = np.where(np.isfinite(self.statistic), p, np.exp(self.log_limit))
        return self._judged(p, 1.0)

    def log_pvalue(self, alternative: Alternative = "two-sided") -> Any:
        """Return the natural logarithm of the p-value, also where that underflows.

        Parameters
        ----------
        alternative : {"two-sided"}, default='two-sided'
            Only "two-sided", as the statistic has no direction.

        Returns
        -------
        float or ndarray
            NaN if there is none.
        """
        log_p = self.dist.logsf(self._safe(alternative))
        if self.log_limit is not None:
            log_p = np.where(np.isfinite(self.statistic), log_p, self.log_limit)
        return self._judged(log_p, 0.0)

    def _safe(self, alternative: Alternative) -> Any:
        if alternative != "two-sided":
            raise MethodError(
                f"The 'alternative' parameter must be 'two-sided', got {alternative!r}: this "
                "statistic has no direction, it can only be too large. Use "
                f"{argument(alternative='two-sided')}"
            )
        return _plain(np.where(np.isfinite(self.statistic), self.statistic, 0.0))

    def _judged(self, value: Any, certain: float) -> Any:
        return _plain(np.where(self.identical, certain, np.where(self.undefined, np.nan, value)))

    def shifted(self, delta: Any) -> tuple[Any, Any]:
        """Return the log p-values of (less, greater) against another difference δ.

        Parameters
        ----------
        delta : float or array-like
            Hypothesized difference.

        Returns
        -------
        tuple of two float or ndarray
            Log p-values of the companion.

        Examples
        --------
        >>> from outperform.extend import Chi2, Pivot, T, Tail
        >>> found = Tail(0.02, 7.2, Chi2(2), companion=Pivot(0.02, 0.01, T(9)))
        >>> [round(float(one), 2) for one in found.shifted(0.01)]
        [-0.19, -1.76]
        """
        return _wanted(self.companion, "equivalence").shifted(delta)

    def interval(self, level: float, alternative: Alternative = "two-sided") -> tuple[Any, Any]:
        """Return the interval of the companion.

        Parameters
        ----------
        level : float
            Confidence level.
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        tuple of two float or ndarray
            Lower and upper end.

        Raises
        ------
        MethodError
            Without a companion.

        Examples
        --------
        >>> from outperform.extend import Chi2, Pivot, T, Tail
        >>> found = Tail(0.02, 7.2, Chi2(2), companion=Pivot(0.02, 0.01, T(9)))
        >>> [round(float(end), 3) for end in found.interval(0.95)]
        [-0.003, 0.043]
        """
        return _wanted(self.companion, "an interval").interval(level, alternative)

    def flipped(self) -> Tail:
        """Return the same evidence with the sides exchanged.

        Returns
        -------
        Tail
            The evidence for second minus first.
        """
        other = None if self.companion is None else self.companion.flipped()
        return replace(
            self,
            estimate=-self.estimate,
            null=-self.null,
            companion=other,
            details=_turned(self.details),
        )

    def at(self, index: Any) -> Tail:
        """Return the evidence of one experiment of many.

        Parameters
        ----------
        index : int
            Number of the experiment.

        Returns
        -------
        Tail
            Its evidence.
        """
        return replace(
            self,
            estimate=_item(self.estimate, index),
            statistic=_item(self.statistic, index),
            stderr=_item(self.stderr, index),
            dist=self.dist.at(index),
            identical=_item(self.identical, index),
            companion=None if self.companion is None else _companion_at(self.companion, index),
            details={name: _item(value, index) for name, value in self.details.items()},
            log_limit=_item(self.log_limit, index),
        )


@dataclass(frozen=True, eq=False, slots=True)
class Exact:
    """Evidence of p-values that were counted, as logarithms.

    Attributes
    ----------
    estimate : object
        Estimated difference.
    statistic : object
        The test statistic.
    log_less : object
        Log p-value of the alternative "less".
    log_greater : object
        Log p-value of the alternative "greater".
    log_two_sided : object
        Two-sided log p-value; by default twice the smaller one.
    stderr : object
        Standard error of the estimate, if there is one.
    null : float
        Difference under the null hypothesis.
    companion : Inverted or Pivot or None
        Evidence that the interval is derived from, if there is one.
    identical : object
        Where both sides scored the same everywhere.
    details : mapping
        Further quantities, by name.
    counted : bool
        Whether the p-values are exact at any number of items.

    Examples
    --------
    >>> import math
    >>> from outperform.extend import Exact
    >>> found = Exact(0.1, 3, math.log(0.99), math.log(0.02))
    >>> round(found.pvalue(), 3), round(found.log_pvalue("greater"), 2), found.undefined
    (0.04, -3.91, False)
    >>> found.flipped().estimate, found.at(()).statistic
    (-0.1, 3)
    """

    estimate: Any
    statistic: Any
    log_less: Any
    log_greater: Any
    log_two_sided: Any = None
    stderr: Any = None
    null: float = 0.0
    companion: Inverted | Pivot | None = None
    identical: Any = False
    details: Mapping[str, Any] = field(default_factory=dict)
    counted: bool = True

    @property
    def undefined(self) -> Any:
        """Whether no p-value exists."""
        return _plain(np.zeros(np.shape(self.estimate), dtype=bool))

    def log_pvalue(self, alternative: Alternative = "two-sided") -> Any:
        """Return the natural logarithm of the p-value.

        Parameters
        ----------
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        float or ndarray
            The log p-value.
        """
        if alternative == "less":
            return _plain(np.minimum(self.log_less, 0.0))
        if alternative == "greater":
            return _plain(np.minimum(self.log_greater, 0.0))
        if self.log_two_sided is not None:
            return _plain(np.minimum(self.log_two_sided, 0.0))
        return _plain(np.minimum(LOG2 + np.minimum(self.log_less, self.log_greater), 0.0))

    def pvalue(self, alternative: Alternative = "two-sided") -> Any:
        """Return the p-value.

        Parameters
        ----------
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        float or ndarray
            The p-value.
        """
        return _plain(np.exp(self.log_pvalue(alternative)))

    def shifted(self, delta: Any) -> tuple[Any, Any]:
        """Return the log p-values of (less, greater) against another difference δ.

        Parameters
        ----------
        delta : float or array-like
            Hypothesized difference.

        Returns
        -------
        tuple of two float or ndarray
            Log p-values of the companion.

        Examples
        --------
        >>> from outperform.extend import Exact, Pivot, T
        >>> found = Exact(0.1, 3, -0.01, -3.9, companion=Pivot(0.1, 0.05, T(9)))
        >>> [round(float(one), 2) for one in found.shifted(0.01)]
        [-0.05, -2.94]
        """
        return _wanted(self.companion, "equivalence").shifted(delta)

    def interval(self, level: float, alternative: Alternative = "two-sided") -> tuple[Any, Any]:
        """Return the interval of the companion.

        Parameters
        ----------
        level : float
            Confidence level.
        alternative : {"two-sided", "less", "greater"}, default='two-sided'
            Alternative hypothesis.

        Returns
        -------
        tuple of two float or ndarray
            Lower and upper end.

        Raises
        ------
        MethodError
            Without a companion.

        Examples
        --------
        >>> from outperform.extend import Exact, Pivot, T
        >>> found = Exact(0.1, 3, -0.01, -3.9, companion=Pivot(0.1, 0.05, T(9)))
        >>> [round(float(end), 3) for end in found.interval(0.95)]
        [-0.013, 0.213]
        """
        return _wanted(self.companion, "an interval").interval(level, alternative)

    def flipped(self) -> Exact:
        """Return the same evidence with the sides exchanged.

        Returns
        -------
        Exact
            The evidence for second minus first.
        """
        other = None if self.companion is None else self.companion.flipped()
        return replace(
            self,
            estimate=-self.estimate,
            null=-self.null,
            log_less=self.log_greater,
            log_greater=self.log_less,
            companion=other,
            details=_turned(self.details),
        )

    def at(self, index: Any) -> Exact:
        """Return the evidence of one experiment of many.

        Parameters
        ----------
        index : int
            Number of the experiment.

        Returns
        -------
        Exact
            Its evidence.
        """
        return replace(
            self,
            **{
                name: _item(getattr(self, name), index)
                for name in (
                    "estimate",
                    "statistic",
                    "log_less",
                    "log_greater",
                    "log_two_sided",
                    "stderr",
                    "identical",
                )
            },
            companion=None if self.companion is None else _companion_at(self.companion, index),
            details={name: _item(value, index) for name, value in self.details.items()},
        )


class Regions(NamedTuple):
    """The posterior probability of each region, its mean, and the Monte Carlo error."""

    better: Any
    equivalent: Any
    worse: Any
    means: tuple[Any, Any, Any]
    """The posterior mean probability of each region: on a dataset drawn at random, or the next."""
    error: Any
    """The largest standard error of the first three; None where nothing was drawn."""
    second: str = "posterior_mean"
    """What `means` are, in JSON."""
    sensitivity: Any = None
    """How far the first three move with another prior, where that was tried."""


class PosteriorSample(NamedTuple):
    """Draws from the posterior of one experiment, as figures show them."""

    regions: Array
    """(draws, 3): how probable better, equivalent and worse are in each."""
    values: Array | None = None
    """Differences on the next dataset, where the model tells them, with their density."""
    density: Array | None = None


SampleOf: TypeAlias = "Callable[[float, float, int], PosteriorSample]"


@dataclass(frozen=True, eq=False, slots=True)
class Draws:
    """A posterior: how probable it is that the first side is better, equivalent or worse.

    There is no p-value. `posterior(rope, centre)` gives the regions for differences counted from
    `centre`; each is computed once.
    """

    estimate: Any
    posterior: Callable[[float, float], Regions]
    null: float = 0.0
    identical: Any = False
    details: Mapping[str, Any] = field(default_factory=dict)
    statistic: Any = None
    stderr: Any = None
    companion: None = None
    known: dict[tuple[float, float], Regions] = field(default_factory=dict)
    sampled: SampleOf | None = None
    """Gives draws for a rope, a centre and the number of an experiment."""

    def sample(self, rope: float, centre: float = 0.0, row: int = 0) -> PosteriorSample | None:
        """Return draws from the posterior of one experiment; None where the method keeps none."""
        return None if self.sampled is None else self.sampled(rope, centre, row)

    @property
    def undefined(self) -> Any:
        return _plain(np.zeros(np.shape(self.estimate), dtype=bool))

    def regions(self, rope: float, centre: float = 0.0) -> Regions:
        """Return the posterior probabilities with a region of equivalence ±rope around centre."""
        if (rope, centre) not in self.known:
            self.known[rope, centre] = self.posterior(rope, centre)
        return self.known[rope, centre]

    def pvalue(self, alternative: Alternative = "two-sided") -> Any:
        return _plain(np.full(np.shape(self.estimate), np.nan))

    def log_pvalue(self, alternative: Alternative = "two-sided") -> Any:
        return self.pvalue()

    def shifted(self, delta: Any) -> tuple[Any, Any]:
        return self.pvalue(), self.pvalue()

    def interval(self, level: float, alternative: Alternative = "two-sided") -> tuple[Any, Any]:
        return self.pvalue(), self.pvalue()

    def flipped(self) -> Draws:
        return replace(
            self,
            estimate=-self.estimate,
            null=-self.null,
            posterior=partial(_turned_regions, self.regions),
            details=_turned(self.details),
            known={},
            sampled=self.sampled and partial(_turned_sample, self.sampled),
        )

    def at(self, index: Any) -> Draws:
        return replace(
            self,
            estimate=_item(self.estimate, index),
            identical=_item(self.identical, index),
            posterior=partial(_regions_at, self.regions, index),
            details={name: _item(value, index) for name, value in self.details.items()},
            known={},
            sampled=self.sampled and partial(_sample_at, self.sampled, index),
        )


def _sample_at(
    sampled: SampleOf, index: Any, rope: float, centre: float, row: int
) -> PosteriorSample:
    return sampled(rope, centre, int(index))


def _turned_sample(sampled: SampleOf, rope: float, centre: float, row: int) -> PosteriorSample:
    found = sampled(rope, -centre, row)
    regions = found.regions[:, ::-1]
    if found.values is None or found.density is None:
        return PosteriorSample(regions)
    return PosteriorSample(regions, -found.values[::-1], found.density[::-1])


def _each_sample(
    samples: Sequence[SampleOf], rope: float, centre: float, row: int
) -> PosteriorSample:
    return samples[row](rope, centre, 0)


def _each_posterior(
    posteriors: Sequence[Callable[[float, float], Regions]], rope: float, centre: float
) -> Regions:
    found = [regions(rope, centre) for regions in posteriors]
    columns = [np.array(part) for part in zip(*(one[:3] for one in found), strict=True)]
    means = [np.array(part) for part in zip(*(one.means for one in found), strict=True)]
    errors = [one.error for one in found]
    error = None if errors[0] is None else np.array(errors)
    moved = [one.sensitivity for one in found]
    return found[0]._replace(
        better=columns[0],
        equivalent=columns[1],
        worse=columns[2],
        means=(means[0], means[1], means[2]),
        error=error,
        sensitivity=None if moved[0] is None else np.array(moved),
    )


def _turned_regions(
    regions: Callable[[float, float], Regions], rope: float, centre: float
) -> Regions:
    found = regions(rope, -centre)
    return found._replace(better=found.worse, worse=found.better, means=found.means[::-1])


def _regions_at(
    regions: Callable[[float, float], Regions], index: Any, rope: float, centre: float
) -> Regions:
    found = regions(rope, centre)
    better, alike, worse, *means = (_item(part, index) for part in (*found[:3], *found.means))
    return Regions(
        better,
        alike,
        worse,
        (means[0], means[1], means[2]),
        _item(found.error, index),
        found.second,
        _item(found.sensitivity, index),
    )


Evidence: TypeAlias = Pivot | Tail | Exact | Draws


def noninferiority_log_pvalue(evidence: Evidence, rope: float, centre: float = 0.0) -> Any:
    """Return the log p-value of a one-sided test: is Δ − centre above −`rope`?"""
    return _plain(evidence.shifted(centre - rope)[1])


def equivalence_log_pvalue(evidence: Evidence, rope: float, centre: float = 0.0) -> Any:
    """Return the log p-value of two one-sided tests: is |Δ − centre| below `rope`?"""
    below_high, _ = evidence.shifted(centre + rope)
    above_low = noninferiority_log_pvalue(evidence, rope, centre)
    return _plain(np.maximum(above_low, below_high))


def same(evidence: Evidence) -> Any:
    """Tell where both sides scored the same everywhere, and no test can say more than that.

    Counts of items or datasets have a test all the same: few of them leave much possible.
    """
    counted = isinstance(evidence.companion, Inverted) or isinstance(evidence, Draws)
    return _plain(np.asarray(evidence.identical) & (evidence.null == 0) & (not counted))


def probabilities(evidence: Evidence, rope: float, centre: float = 0.0) -> Probabilities:
    """Return P(Δ > rope), P(|Δ| ≤ rope), P(Δ < −rope), with Δ counted from `centre`.

    For a t pivot this is the correlated Bayesian t-test with a flat prior; for others the
    confidence distribution of the same test.
    """
    if isinstance(evidence, Draws):
        return Probabilities(*(_plain(part) for part in evidence.regions(rope, centre)[:3]))
    log_better, _ = evidence.shifted(centre + rope)
    _, log_worse = evidence.shifted(centre - rope)
    better, worse = np.exp(log_better), np.exp(log_worse)
    total = np.maximum(better + worse, 1.0)  # both count what was observed, where p is counted
    better, worse = better / total, worse / total
    return Probabilities(_plain(better), _plain(np.maximum(1 - better - worse, 0.0)), _plain(worse))


def undecided(evidence: Evidence) -> Any:
    """Tell where nothing is decided whatever the p-value."""
    return np.asarray(getattr(evidence, "undecided", False))


def favours(evidence: Evidence, alternative: Alternative = "two-sided") -> Any:
    """Return 1 where a small p-value favours the first side, −1 the second, 0 neither.

    A one-sided p-value can only favour the side it was asked for.
    """
    if alternative != "two-sided":
        return 1 if alternative == "greater" else -1
    if isinstance(evidence, Exact):
        return _plain(np.sign(np.asarray(evidence.log_less) - evidence.log_greater))
    return _plain(np.sign(np.asarray(evidence.estimate) - evidence.null))


def detectable(
    evidence: Evidence,
    alpha: float,
    power: float,
    alternative: Alternative = "two-sided",
    *,
    critical: float | None = None,
) -> Any:
    """Return (c + t_power) · stderr: the smallest difference found with this power; NaN if none.

    c is the critical value at α, unless one is given. It takes the standard error found for the
    true one and a shifted t for a noncentral one, so it is a guide, not a promise.
    """
    judge = evidence if isinstance(evidence, Pivot) else evidence.companion
    own = judge if isinstance(judge, Pivot) else None
    stderr = evidence.stderr if own is None else own.stderr
    if stderr is None:
        return _plain(np.full(np.shape(evidence.estimate), np.nan))
    law: Distribution = Normal() if own is None else own.dist
    tails = 2 if alternative == "two-sided" else 1
    reach = law.isf(alpha / tails) if critical is None else critical
    size = (reach + law.isf(1 - power)) * stderr + (0.0 if own is None else own.continuity)
    return _plain(np.where(np.asarray(stderr) > 0, size, np.nan))


def highest_level(n: int) -> float:
    """Return the level below which n signs or ranks leave an interval: 1 − 2·2⁻ⁿ, short of 1."""
    return min(1 - 2.0 ** (1 - n), math.nextafter(1.0, 0.0))


def normal_tails(z: Any) -> tuple[Any, Any]:
    """Return log p-values of (less, greater) for a standard normal z."""
    return Normal().logsf(-np.asarray(z)), Normal().logsf(z)


def holding(
    bounds: Callable[[float], tuple[Any, Any]], null: float, less: Any, greater: Any, level: float
) -> tuple[Any, Any]:
    """Return the bounds, an end moved out to the null where its own log p-value keeps the null."""
    low, high = bounds(level)
    tail = math.log((1 - level) / 2) - 1e-12  # p-values that are equal may round apart
    low = np.where(np.asarray(greater) >= tail, np.minimum(low, null), low)
    high = np.where(np.asarray(less) >= tail, np.maximum(high, null), high)
    return low[()], high[()]


def _one_sided(
    bounds: Callable[[float], tuple[Any, Any]], level: float, alternative: Alternative
) -> tuple[Any, Any]:
    """Turn two-sided bounds into the bound that inverts a one-sided test."""
    if alternative == "two-sided":
        return bounds(level)
    if level < 0.5:
        raise MethodError(
            f"The 'level' parameter must be at least 0.5 for a one-sided interval, got {level}"
        )
    low, high = bounds(2 * level - 1)
    if alternative == "greater":
        return low, _plain(np.full(np.shape(low), np.inf))
    return _plain(np.full(np.shape(high), -np.inf)), high


def _wanted(companion: Inverted | Pivot | None, wanted: str) -> Inverted | Pivot:
    if companion is None:
        raise MethodError(
            f"This evidence does not give {wanted}: its statistic can only be too large, or "
            "combines p-values. Read its p-value"
        )
    return companion


def _companion_at(companion: Inverted | Pivot, index: Any) -> Inverted | Pivot:
    if isinstance(companion, Pivot):
        return companion.at(index)
    return Inverted(
        partial(_picked, companion.tails, index),
        partial(_picked, companion.bounds, index),
        companion.highest,
    )


def _picked(ends: Callable[[Any], tuple[Any, Any]], index: Any, asked: Any) -> tuple[Any, Any]:
    first, second = ends(asked)
    return _item(first, index), _item(second, index)


def _turned_tails(tails: Callable[[Any], tuple[Any, Any]], delta: Any) -> tuple[Any, Any]:
    less, greater = tails(-np.asarray(delta))
    return greater, less


def _turned_bounds(bounds: Callable[[float], tuple[Any, Any]], level: float) -> tuple[Any, Any]:
    low, high = bounds(level)
    return -high, -low


def _turned(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return details with the sides exchanged; those that are not named here have no side."""
    names = {first: second for pair in SIDES for first, second in (pair, pair[::-1])}
    found = {names.get(name, name): value for name, value in details.items()}
    for name in SIGNED & found.keys():
        found[name] = -np.asarray(found[name])[()]
    for name in TABLES & found.keys():
        found[name] = np.swapaxes(found[name], -1, -2)
    return found


def _item(value: Any, index: Any) -> Any:
    return value if value is None or np.ndim(value) == 0 else _plain(cast(Array, value)[index])


def _plain(value: Any) -> Any:
    """Return Python scalars for one experiment, arrays for many."""
    return value.item() if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else value
