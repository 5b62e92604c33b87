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
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs import Holdout, KFold, RepeatedKFold, Resampled
from ..errors import MethodError, argument
from ..numerics.distributions import Normal, T
from ..numerics.exact_sums import Array
from ..procedures.corrected_t import corrected_t
from ..procedures.five_by_two_t import five_by_two_t
from ..procedures.mcnemar import mcnemar
from ..procedures.resampled_t import resampled_t
from ..registry import get
from .populations import DesignedPopulation
from .sampling import (
    Kinds,
    Nodes,
    binomial_law,
    cell_law,
    difference_law,
    hypergeometric_law,
    n_test_of,
    square_sum_law,
    t_rates,
)
from .scenarios import Reading, Scenario, reading
from .study_results import BaseStudy, ExactRate, ExactRates, StudiedMethod, Undefined

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
    >>> rates = op.lab.rejection_rates(op.lab.DesignedPopulation(), ["mcnemar"])
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
                f"To simulate others, leave {argument(exact=True)} out"
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


@dataclass(frozen=True, slots=True)
class ExactStudy(BaseStudy):
    """What methods do in the designed population, as probabilities.

    Attributes
    ----------
    scenario : DesignedPopulation
        The population.
    asked : tuple of StudiedMethod
        The methods, with designs and options.
    effects : tuple of float
        Distances from the null hypothesis.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.study(["mcnemar"], op.lab.DesignedPopulation(), exact=True)
    >>> len(found.rates()), len(found.power()), found.to_frame(kind="pandas").shape[0]
    (1, 1, 1)
    >>> found.to_dict()["n"] is None, found.methods
    (True, ('mcnemar',))
    >>> figure = found.plot()
    """

    scenario: DesignedPopulation
    asked: tuple[StudiedMethod, ...]
    effects: tuple[float, ...]

    def rates(self, alpha: float = 0.05, *, undefined: Undefined = "accept") -> ExactRates:
        """Return the probability that each method rejects at α, for each effect.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        undefined : {"accept", "reject"}, default='accept'
            How an experiment without a p-value (constant non-zero differences) counts.

        Returns
        -------
        RateTable
            One row for each method and effect.
        """
        alpha = validation.fraction(alpha, "alpha")
        rows = []
        for effect in self.effects:
            found: dict[StudiedMethod, float] = {}
            for some in _apart(self.asked):
                designs = {one.method: one.design for one in some}
                rates = rejection_rates(
                    self.scenario, designs, alpha=alpha, effect=effect, undefined=undefined
                )
                found.update({one: rates[one.method] for one in some})
            rows += [
                ExactRate(one.label, effect, found[one], found[one], found[one])
                for one in self.asked
            ]
        return ExactRates(tuple(rows), f"rejected at α = {alpha:g}")

    def power(self, alpha: float = 0.05, *, undefined: Undefined = "accept") -> ExactRates:
        """Return the probabilities over the effects.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        undefined : {"accept", "reject"}, default='accept'
            How an experiment without a p-value (constant non-zero differences) counts.

        Returns
        -------
        RateTable
            One row for each method and effect.
        """
        return self.rates(alpha, undefined=undefined)

    def to_frame(self, alpha: float = 0.05, kind: str | None = None) -> Any:
        """Return the rates as a data frame.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        kind : str, optional
            Kind of data frame, by default polars.

        Returns
        -------
        data frame
            One row for each method and effect.
        """
        return self.rates(alpha).to_frame(kind)

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Plot the rates by effect, or for one effect by method.

        Parameters
        ----------
        kind : {"rates", "power"}, optional
            By default "rates" for one effect and "power" for several.
        **options : object
            Options of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report.figures import curves

        validation.choice(kind or "rates", "kind", ("rates", "power"))
        return curves.draw_study(self, kind, **options)

    def __repr__(self) -> str:
        return (
            f"<ExactStudy {self.scenario.name}: {len(self.asked)} methods × {len(self.effects)} "
            "effects, exact>"
        )


def exact_study(
    scenario: Scenario, asked: tuple[StudiedMethod, ...], effects: tuple[float, ...]
) -> ExactStudy:
    """Return the study, or refuse what finite sums do not settle."""
    if not isinstance(scenario, DesignedPopulation):
        raise MethodError(
            f"{argument(exact=True)} is available for the designed population only, got "
            f"{scenario.name!r}. Remove {argument(exact=True)} to simulate."
        )
    for one in asked:
        if one.options:
            raise MethodError(
                f"{argument(exact=True)} does not support method options, got {one.label}. Remove "
                f"{argument(exact=True)} to simulate it."
            )
        judged_readings({one.method: one.design}, scenario.n)
    for effect in effects:
        scenario.kinds(effect)
    return ExactStudy(scenario, asked, effects)


def _apart(asked: tuple[StudiedMethod, ...]) -> list[list[StudiedMethod]]:
    """Put methods into groups in which each stands once, as few groups as can be."""
    groups: list[list[StudiedMethod]] = []
    for one in asked:
        for group in groups:
            if all(other.method != one.method for other in group):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


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
