"""Adjusted p-values of a family of comparisons, and the error rate of a family left unadjusted.

A comparison that has no p-value (None) is still a comparison: it counts in the size of the
family, as if its p-value were 1, and comes back as None.

Implements B-26, F-05 and E-F6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np

from ..errors import DataError, MethodError, did_you_mean
from ..numerics.exact_sums import Array
from ..validation import fraction
from . import closed_testing

Numbers: TypeAlias = Array | Sequence[float]
PValues: TypeAlias = Numbers | Sequence[float | None]
Adjusted: TypeAlias = Array | list[float | None]


@dataclass(frozen=True, slots=True)
class _Rule:
    """The factor of the i-th smallest of m p-values, and how monotony is kept.

    A step-up rule lets no adjusted p exceed the next larger one's, a step-down rule lets none
    fall below the next smaller one's.
    """

    factor: Callable[[Array, int], Array]
    step_up: bool = False


_RULES = {
    "bonferroni": _Rule(lambda i, m: np.full_like(i, m)),
    "holm": _Rule(lambda i, m: m + 1 - i),
    "hochberg": _Rule(lambda i, m: m + 1 - i, step_up=True),
    "benjamini-hochberg": _Rule(lambda i, m: m / i, step_up=True),
    "none": _Rule(lambda i, m: np.ones_like(i)),
}
_ALIASES = {"bh": "benjamini-hochberg", "fdr": "benjamini-hochberg"}


def bonferroni(pvalues: PValues, *, size: int | None = None) -> Adjusted:
    """Return p-values adjusted by Bonferroni's method, min(1, mp) for m comparisons.

    Rejecting where the adjusted p-value is below α has a familywise error of at most α.

    Parameters
    ----------
    pvalues : array-like of float or None
        p-values of the family on the last axis; leading axes are experiments. None stands for a
        comparison without p-value, which counts as one.
    size : int, optional
        Number of comparisons in the family, if larger than the number of p-values given.

    Returns
    -------
    ndarray or list
        Adjusted p-values in the order given; a list if some are None.

    Notes
    -----
    Described by Feelders and Verkooijen (1995) for the comparison of learning methods.

    Examples
    --------
    >>> import outperform as op
    >>> op.bonferroni([0.01, 0.04, 0.03])
    array([0.03, 0.12, 0.09])
    """
    return adjust(pvalues, "bonferroni", size=size)


def holm(pvalues: PValues, *, size: int | None = None) -> Adjusted:
    """Return p-values adjusted by Holm's step-down method.

    It controls the familywise error as Bonferroni's method does, and never has less power.

    Parameters
    ----------
    pvalues : array-like of float or None
        p-values of the family on the last axis; leading axes are experiments. None stands for a
        comparison without p-value, which counts as one.
    size : int, optional
        Number of comparisons in the family, if larger than the number of p-values given.

    Returns
    -------
    ndarray or list
        Adjusted p-values in the order given; a list if some are None.

    Notes
    -----
    Holm (1979), Scandinavian Journal of Statistics 6, 65–70.

    Examples
    --------
    >>> import outperform as op
    >>> op.holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    return adjust(pvalues, "holm", size=size)


def hochberg(pvalues: PValues, *, size: int | None = None) -> Adjusted:
    """Return p-values adjusted by Hochberg's step-up method.

    It controls the familywise error of independent or positively dependent tests.

    Parameters
    ----------
    pvalues : array-like of float or None
        p-values of the family on the last axis; leading axes are experiments. None stands for a
        comparison without p-value, which counts as one.
    size : int, optional
        Number of comparisons in the family, if larger than the number of p-values given.

    Returns
    -------
    ndarray or list
        Adjusted p-values in the order given; a list if some are None.

    Notes
    -----
    Hochberg (1988), Biometrika 75, 800–802.

    Examples
    --------
    >>> import outperform as op
    >>> op.hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    return adjust(pvalues, "hochberg", size=size)


def benjamini_hochberg(pvalues: PValues, *, size: int | None = None) -> Adjusted:
    """Return p-values adjusted for the false discovery rate, not the familywise error.

    Parameters
    ----------
    pvalues : array-like of float or None
        p-values of the family on the last axis; leading axes are experiments. None stands for a
        comparison without p-value, which counts as one.
    size : int, optional
        Number of comparisons in the family, if larger than the number of p-values given.

    Returns
    -------
    ndarray or list
        Adjusted p-values in the order given; a list if some are None.

    Notes
    -----
    Benjamini and Hochberg (1995), Journal of the Royal Statistical Society B 57, 289–300.

    Examples
    --------
    >>> import outperform as op
    >>> op.benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    return adjust(pvalues, "benjamini-hochberg", size=size)


def unadjusted(pvalues: PValues, *, size: int | None = None) -> Adjusted:
    """Return the p-values as they are."""
    return adjust(pvalues, "none", size=size)


SINGLE_STEP = "single-step"
"""One quantile for p-values and intervals: Bonferroni's, or that of a law the method knows."""
ADJUSTMENTS: dict[str, Callable[..., Adjusted]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "hochberg": hochberg,
    "benjamini-hochberg": benjamini_hochberg,
    "none": unadjusted,
}
CLOSED: dict[str, Callable[[Array], Array]] = {
    "hommel": closed_testing.hommel,
    "shaffer": closed_testing.shaffer,
    "bergmann-hommel": closed_testing.bergmann_hommel,
}
"""Adjustments of whole families, by log p-values; the last two of all pairs of k learners."""
ALL_PAIRS = ("shaffer", "bergmann-hommel")
FAMILY_ADJUSTMENTS = (SINGLE_STEP, *ADJUSTMENTS, *CLOSED)
"""What the pairs of a comparison may be adjusted by."""


@overload
def adjust(pvalues: Numbers, method: str = "holm", *, size: int | None = None) -> Array: ...
@overload
def adjust(pvalues: PValues, method: str = "holm", *, size: int | None = None) -> Adjusted: ...
def adjust(pvalues: PValues, method: str = "holm", *, size: int | None = None) -> Adjusted:
    """Return p-values adjusted for their family, in the order given.

    Parameters
    ----------
    pvalues : array-like of float or None
        p-values of the family on the last axis; leading axes are experiments. None stands for a
        comparison without p-value, which counts as one.
    method : str, default='holm'
        "bonferroni", "holm", "hochberg", "benjamini-hochberg" or "none".
    size : int, optional
        Number of comparisons in the family, if larger than the number of p-values given.

    Returns
    -------
    ndarray or list
        Adjusted p-values in the order given; a list if some are None.

    Examples
    --------
    >>> import outperform as op
    >>> op.adjust([0.01, None, 0.03])
    [0.03, None, 0.06]
    """
    return _adjusted(pvalues, method, size, "pvalues", 0.0, 1.0, np.multiply)


@overload
def adjust_log(log_pvalues: Numbers, method: str = "holm", *, size: int | None = None) -> Array: ...
@overload
def adjust_log(
    log_pvalues: PValues, method: str = "holm", *, size: int | None = None
) -> Adjusted: ...
def adjust_log(log_pvalues: PValues, method: str = "holm", *, size: int | None = None) -> Adjusted:
    """Return log adjusted p-values from log p-values, for p too small for a float.

    >>> adjust_log([-1000.0, -2000.0], "bonferroni").round(3).tolist()
    [-999.307, -1999.307]
    """

    def times(log_p: Array, factor: Array) -> Array:
        return np.asarray(log_p + np.log(factor))

    return _adjusted(log_pvalues, method, size, "log_pvalues", -math.inf, 0.0, times)


def _adjusted(
    pvalues: PValues,
    method: str,
    size: int | None,
    name: str,
    least: float,
    one: float,
    times: Callable[[Array, Array], Array],
) -> Adjusted:
    rule = _RULES[_known(method)]
    given, present = _family(pvalues, name, least, one)
    m = present.size if present is not None else given.shape[-1]
    if size is not None:
        if size < m:
            raise DataError(
                f"The 'size' parameter must be at least {m}, the number of comparisons, got "
                f"{size}; count every comparison of the family"
            )
        m = size
    order = np.argsort(given, axis=-1, kind="stable")
    ranks = np.arange(1.0, given.shape[-1] + 1)
    stepped = times(np.take_along_axis(given, order, axis=-1), rule.factor(ranks, m))
    if rule.step_up:
        stepped = np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1]
    else:
        stepped = np.maximum.accumulate(stepped, axis=-1)
    adjusted = np.empty_like(given)
    np.put_along_axis(adjusted, order, np.minimum(stepped, one), axis=-1)
    if present is None:
        return adjusted
    found = iter(adjusted.tolist())
    return [next(found) if there else None for there in present.tolist()]


def _known(method: str) -> str:
    name = _ALIASES.get(method, method)
    if name not in _RULES:
        hint = did_you_mean(str(method), [*_RULES, *_ALIASES])
        raise MethodError(f"Unknown adjustment {method!r}; {hint}")
    return name


def _family(values: Any, name: str, least: float, most: float) -> tuple[Array, Any]:
    """Return the p-values there are, and which those are if some are None."""
    present = None
    try:
        family = np.asarray(values)
        if family.ndim == 0 or family.dtype.kind not in "iufO":
            raise TypeError
        if family.dtype == object and None in family.ravel().tolist():
            if family.ndim > 1:
                raise TypeError
            present = np.array([value is not None for value in family], dtype=np.bool_)
            family = family[present]
        given = family.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{name} must be numbers in rows of equal length (None is allowed in a single row), "
            f"got {values!r:.80}; give one per comparison"
        ) from None
    wrong = ~((given >= least) & (given <= most))
    if wrong.any():
        position = np.argwhere(wrong)[0]
        value = given[tuple(position)]
        if present is not None:
            position = np.flatnonzero(present)[position]
        raise DataError(
            f"{name}[{', '.join(map(str, position))}] must lie between {least:g} and {most:g}, "
            f"got {value:g}; give None for a comparison without a p-value"
        )
    return given, present


def familywise(alpha: float, n: int) -> tuple[float, float]:
    """Return 1 − (1 − α)ⁿ and nα: the chance of a false rejection, and how many to expect.

    The first holds for n independent tests of true null hypotheses at level α (B-25, F-04).

    >>> [round(value, 6) for value in familywise(0.05, 23)]
    [0.692643, 1.15]
    """
    alpha = fraction(alpha, "alpha")
    if not (n >= 0 and n % 1 == 0):
        raise DataError(f"n must be a whole number of tests, got {n}; count the tests")
    return -math.expm1(n * math.log1p(-alpha)), n * alpha


@dataclass(frozen=True, slots=True)
class FamilywiseError:
    """The chance of at least one false rejection, and how many to expect."""

    rate: float
    expected: float

    @property
    def estimate(self) -> float:
        return self.rate

    def __float__(self) -> float:
        return self.rate


def familywise_error(n: int, alpha: float = 0.05) -> FamilywiseError:
    """Return the probability of at least one false rejection among n independent tests.

    It is 1 − (1 − α)ⁿ; nα false rejections are expected. For dependent tests, such as all pairs,
    the probability is an upper bound.

    Parameters
    ----------
    n : int
        Number of tests of true null hypotheses.
    alpha : float, default=0.05
        Significance level of each test.

    Returns
    -------
    FamilywiseError
        `rate` and `expected`.

    Notes
    -----
    Bradford and Brodley (2001) and Feelders and Verkooijen (1995) warn of it.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.familywise_error(23)
    >>> round(found.rate, 3), round(found.expected, 2)
    (0.693, 1.15)
    """
    return FamilywiseError(*familywise(alpha, n))


def family_log_pvalues(raw: Array, adjust: str) -> Array:
    """Return adjusted log p-values along the last axis; a missing one counts, and stays NaN.

    From p-values alone the single-step adjustment is Bonferroni's.
    """
    adjust = "bonferroni" if adjust == SINGLE_STEP else adjust
    missing = np.isnan(raw)
    filled = np.where(missing, 0.0, raw)
    if adjust in CLOSED:
        found = np.apply_along_axis(CLOSED[adjust], -1, filled)
    else:
        found = adjust_log(filled, adjust)
    return np.where(missing, np.nan, found)
