"""Rejection rates in the designed population as finite sums, without a random number (D-36).

Everything is a function of counts. The points of a hold-out test set, and those of disjoint folds,
are independent draws; resamples, and replications of 2-fold, are independent given the number m of
points of the first kind in the sample, over which is summed last. What is left out (tails, and
frequencies where a characteristic function is nil) is less than 1e-10 in all. Tests are decisions
on whole numbers: the method's statistic, squared and cleared of divisions. Where nothing varies but
the difference is not 0 the statistic is infinite: `undefined` says how that counts.

Implements D-38.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from outperform import validation
from outperform.designs import Holdout, KFold, RepeatedKFold, Resampled
from outperform.errors import MethodError
from outperform.lab.populations import DesignedPopulation
from outperform.lab.sampling import (
    Kinds,
    Nodes,
    binomial_law,
    difference_law,
    hypergeometric_law,
    n_test_of,
)
from outperform.lab.scenarios import Reading, reading
from outperform.lab.study_results import Undefined
from outperform.numerics.distributions import Normal, T
from outperform.numerics.exact_sums import Array
from outperform.procedures.corrected_t import corrected_t
from outperform.procedures.five_by_two_t import five_by_two_t
from outperform.procedures.mcnemar import mcnemar
from outperform.procedures.resampled_t import resampled_t
from outperform.registry import get

from .rate_sums import square_sum_law, t_rates

FIVE = ("mcnemar", "proportions", "resampled_t", "kfold_t", "five_by_two_t")
"""The tests of Figure 5, each in its published design (D-36)."""
JUDGED = (*FIVE, "corrected_t")

Methods = Sequence[str] | Mapping[str, Any]
ALIKE = 8
"""Neighbouring counts m whose laws are alike enough to share what can be left out."""
LEFT_OUT = 1e-13
"""The probability that may be left out of any one sum; halves and rows add up to below 1e-10."""


def rejection_rates(
    population: DesignedPopulation,
    methods: Methods = FIVE,
    *,
    alpha: float = 0.05,
    effect: float = 0.0,
    undefined: Undefined = "accept",
) -> dict[str, float]:
    """Return the probability that each method rejects in the designed population.

    At effect 0 it is the Type I error.

    Parameters
    ----------
    population : DesignedPopulation
        The population.
    methods : sequence of str or mapping, default=five methods of the paper
        Names, or names with designs such as {"resampled_t": "100xresampled@1/3"}.
    alpha : float, default=0.05
        Significance level.
    effect : float, default=0.0
        Distance from the null hypothesis, 0 being the null.
    undefined : {"accept", "reject"}, default='accept'
        How differences that do not vary, but are not 0, count: there is no p-value, t is infinite.

    Returns
    -------
    dict
        Names and probabilities.

    Examples
    --------
    >>> import outperform as op
    >>> from reproduction.exact import rejection_rates
    >>> rates = rejection_rates(op.lab.DesignedPopulation(), ["mcnemar"])
    >>> round(rates["mcnemar"], 4)
    0.0257
    """
    validation.choice(undefined, "undefined", ("accept", "reject"))
    infinite = undefined == "reject"
    asked = judged_readings(methods, population.n)
    kinds = population.kinds(effect)
    found: dict[str, float] = {}
    rates: Any
    for wanted in dict.fromkeys(asked.values()):
        names = [name for name, its_reading in asked.items() if its_reading == wanted]
        shares = [share_of(name, wanted, population.n, alpha) for name in names]
        nodes = population.nodes(wanted.design.kind)
        match wanted.design:
            case Holdout() as design:
                n_test = n_test_of(design, population.n)
                rates = [_holdout(name, n_test, kinds, nodes, alpha) for name in names]
            case KFold(folds=folds):
                law = _independent_folds(population.n // folds, kinds, nodes)
                rates = t_rates(law[None], folds, shares, np.array([LEFT_OUT]))[0]
                rates = rates if infinite else rates - _constant(law[None], folds)
            case Resampled() as design:
                rates = _resampled(population.n, design, kinds, nodes, shares, infinite)
            case RepeatedKFold(repeats=repeats):
                rates = [_twofold(population.n, repeats, kinds, nodes, alpha, infinite)]
        found.update(zip(names, map(float, rates), strict=True))
    return {name: found[name] for name in asked}


def judged_readings(methods: Methods, n: int) -> dict[str, Reading]:
    """Return what each method reads; refuse methods and designs that counts do not settle."""
    designs = methods if isinstance(methods, Mapping) else dict.fromkeys(methods)
    asked, judged = {}, [get(name) for name in JUDGED]
    for name, design in designs.items():
        if get(name) is corrected_t and design is None:
            design = resampled_t.published_design
        wanted = reading(name, design)
        plan = wanted.design
        repeated = isinstance(plan, RepeatedKFold)
        known = isinstance(plan, Holdout | Resampled | KFold) or repeated
        if get(name) not in judged or not known or (repeated and get(name) is not five_by_two_t):
            raise MethodError(
                f"{name} with {plan} has no exact rates. Available: {', '.join(JUDGED)} on "
                "hold-out, resampled and k-fold designs, and five_by_two_t on r×2-fold designs. "
                "To simulate others, call op.study"
            )
        if len(set(plan.sizes(n).n_test.tolist())) > 1:
            raise MethodError(
                f"{plan} splits n={n} items into unequal folds, but equal folds are required "
                f"here, such as n={n + -n % (plan.shape or (1, 1, n))[2]}"
            )
        asked[name] = wanted
    return asked


@lru_cache(maxsize=256)
def ratio_of(name: str, asked: Reading, n: int) -> float:
    """Return n_test / n_train where the method widens its variance by it, else 0."""
    sizes = asked.design.sizes(n)
    return float(sizes.n_test.sum() / sizes.n_train.sum()) if get(name) is corrected_t else 0.0


def share_of(name: str, asked: Reading, n: int, alpha: float) -> float:
    """Return κ of a t-test over splits: it rejects where (Σd)² > κ Σd²."""
    return square_share(asked.design.n_splits(), alpha, ratio_of(name, asked, n))


def cell_law(kinds: Kinds, share: float, nodes: Nodes) -> list[tuple[float, Array]]:
    """Return for each β its weight and P(both wrong, A only, B only, none) of a random point."""
    found = []
    for beta_a, beta_b, weight in nodes:
        cells = np.zeros(4)
        for part, (a, b) in zip((share, 1 - share), kinds, strict=True):
            a, b = a + beta_a, b + beta_b
            cells += part * np.array([a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)])
        found.append((weight, cells))
    return found


def _holdout(name: str, n: int, kinds: Kinds, nodes: Nodes, alpha: float) -> float:
    """Sum the law of (n01, n10), or of both learners' errors, where the test rejects."""
    z, total = two_sided(alpha), 0.0
    rows, columns = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    for weight, (both, a_only, b_only, none) in cell_law(kinds, 0.5, nodes):
        if get(name) is mcnemar:
            law = _pair_law(n, 0.0, a_only, b_only, both + none)
            rejects = mcnemar_rejects(rows, columns, z)
        else:
            law = _pair_law(n, both, a_only, b_only, none)
            rejects = proportions_rejects(rows, columns, n, z)
        total += weight * float(law[rejects].sum())
    return total


def _pair_law(n: int, both: float, first: float, second: float, none: float) -> Array:
    """Return the law of two counts over n points; a point counts in both, one or none of them."""
    size = n + 1
    x = np.exp(-2j * np.pi * np.arange(size) / size)[:, None]
    y = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)[None, :]
    transform = (both * x * y + first * x + second * y + none) ** n
    return np.asarray(np.maximum(np.fft.irfft2(transform, s=(size, size)), 0.0))


def _independent_folds(n_test: int, kinds: Kinds, nodes: Nodes) -> Array:
    """Return the law of a fold's difference, its points being of either kind with chance ½."""
    return np.asarray(binomial_law(n_test, 0.5)[-1] @ difference_law(n_test, kinds, nodes))


def _constant(laws: Array, n: int) -> npt.NDArray[np.float64]:
    """Return the chance that n differences are all one that is not 0, for each law (over −t…t)."""
    others = laws.copy()
    others[:, laws.shape[1] // 2] = 0.0
    with np.errstate(under="ignore"):
        found: npt.NDArray[np.float64] = np.sum(others**n, axis=1)
    return found


def _resampled(
    n: int, design: Resampled, kinds: Kinds, nodes: Nodes, shares: list[float], infinite: bool
) -> npt.NDArray[np.float64]:
    n_test = n_test_of(design, n)
    split = difference_law(n_test, kinds, nodes)
    drawn = hypergeometric_law(n, n_test)
    total = np.zeros(len(shares))
    samples = _sample_counts(n, kinds)
    for start in range(0, len(samples), ALIKE):
        some = np.array(samples[start : start + ALIKE])
        m, weights = some[:, 0].astype(np.intp), some[:, 1]
        left_out = np.minimum(LEFT_OUT / weights, 1e-3)
        laws = drawn[m] @ split
        total += weights @ t_rates(laws, design.repeats, shares, left_out)
        if not infinite:
            total -= weights @ _constant(laws, design.repeats)
    return total


def _twofold(
    n: int, repeats: int, kinds: Kinds, nodes: Nodes, alpha: float, infinite: bool
) -> float:
    half = n // 2
    laws = difference_law(half, kinds, nodes)
    kept = np.flatnonzero(laws.max(axis=0) > LEFT_OUT * 1e-3)
    laws, d = laws[:, kept], kept - half
    gap = d[:, None] - d[None, :]
    square = gap * gap
    limit = 2 * repeats * (d.astype(np.float64) ** 2) / two_sided(alpha, repeats) ** 2
    room = np.ceil(limit[:, None] - square).astype(np.intp)  # the others' squares must be below
    drawn, total = hypergeometric_law(n, half), 0.0
    for m, weight in _sample_counts(n, kinds):
        h = np.flatnonzero(drawn[m] > LEFT_OUT * 1e-3)
        joint = (drawn[m, h, None] * laws[h]).T @ laws[m - h]
        others = square_sum_law(joint, gap, repeats - 1, min(LEFT_OUT / weight, 1e-3))
        below = np.concatenate([[0.0], np.cumsum(others)])
        total += weight * float(np.vdot(joint, below[np.clip(room, 0, others.size)]))
        if not infinite:
            equal = np.diagonal(joint)
            total -= weight * float(equal.sum() ** (repeats - 1) * equal[d != 0].sum())
    return total


def _sample_counts(n: int, kinds: Kinds) -> list[tuple[int, float]]:
    """Return the likely numbers of points of the first kind among n, with their probabilities.

    Where the kinds mirror each other, exchanging them exchanges the learners, and a two-sided test
    does not care: half of the counts stand for both.
    """
    law = binomial_law(n, 0.5)[-1]
    likely = [int(m) for m in np.flatnonzero(law > LEFT_OUT)]
    if kinds[0] != kinds[1][::-1]:
        return [(m, float(law[m])) for m in likely]
    return [(m, float(law[m]) * (1 + (2 * m != n))) for m in likely if 2 * m <= n]


@lru_cache(maxsize=256)
def two_sided(alpha: float, df: float | None = None) -> float:
    """Return the critical value of |t| with `df` degrees of freedom, or of |z|."""
    return float((Normal() if df is None else T(df)).isf(alpha / 2))


def square_share(n_splits: int, alpha: float, test_train_ratio: float = 0.0) -> float:
    """Return κ: a t-test of n differences rejects where (Σd)² > κ Σd² (D-22, D-23).

    With `test_train_ratio` the variance is widened as corrected t does (N-18).
    """
    widened = two_sided(alpha, n_splits - 1) ** 2 * (1 + n_splits * test_train_ratio)
    return widened * n_splits / (n_splits - 1 + widened)


def mcnemar_rejects(n01: Any, n10: Any, critical: float) -> Any:
    """Judge (|n01 − n10| − 1)² / (n01 + n10) (D-16)."""
    distance = np.maximum(np.abs(n01 - n10) - 1, 0)
    return distance > critical * np.sqrt(n01 + n10)


def proportions_rejects(wrong_a: Any, wrong_b: Any, n: int, critical: float) -> Any:
    """Judge (p_A − p_B) / √(2p(1 − p)/n), p the mean of both (D-19)."""
    both = wrong_a + wrong_b
    spread = critical * np.sqrt(both * (2 * n - both))
    return math.sqrt(2 * n) * np.abs(wrong_a - wrong_b) > spread
