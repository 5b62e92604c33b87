"""Differences on all data and on both halves of every halving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import validation
from ..errors import DataError, argument
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.performance import of_differences
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    dyadic,
    only,
    pair,
    register_view,
    stacked,
    whole_numbers,
)

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Halves:
    """Differences on all data, and the means of both halves of every halving.

    Attributes
    ----------
    whole : ndarray
        Differences on resamples of all data.
    halves : ndarray
        Mean differences of both halves, shape (..., halvings, 2).
    scale : ndarray
        Largest magnitude among the scores, by which rounding is judged.
    null : float
        Difference under the null hypothesis.
    n_test : float or None
        Number of test items of a split.

    Examples
    --------
    >>> import outperform as op
    >>> design = op.parse("2x2halves@5")
    >>> values = {"a": [0.8, 0.9, 0.7, 0.8, 0.9, 0.8, 0.9, 0.7, 0.8, 0.8]}
    >>> values["b"] = [one - 0.1 for one in values["a"]]
    >>> scores = op.Scores.from_arrays(values, design=design)
    >>> op.extend.Halves.of(scores, "a", "b").halves.round(2).tolist()
    [[0.1, 0.1], [0.1, 0.1]]
    """

    whole: Array
    halves: Array
    scale: Array
    null: float = 0.0
    n_test: float | None = None

    @classmethod
    def of(
        cls, scores: Scores, first: str, second: str | None = None, *, null: float = 0.0
    ) -> Self:
        """Return differences on all data and mean differences of both halves of each halving.

        Parameters
        ----------
        scores : Scores
            Scores of the learners.
        first : str
            Name of the first learner.
        second : str, optional
            Name of the second learner; by default the scores of the first are taken.
        null : float, default=0.0
            Difference under the null hypothesis.

        Returns
        -------
        Halves
            Positive where the first learner is better.

        Raises
        ------
        DataError
            If the scores have no paired halves.
        """
        partition, _, half = scores.addresses.T
        if not (partition > 0).any():
            raise DataError(
                "These scores have no paired halves. conservative_z needs a run with "
                f"{argument(design='10x15halves@1/10')}, or the halves passed as an array."
            )
        a = scores.values[scores.index(first)]
        b = np.zeros_like(a) if second is None else scores.values[scores.index(second)]
        turn = -1.0 if not scores.greater_is_better and second is not None else 1.0
        d = turn * (a - b)
        pairs = np.array(
            [
                [float(exact_sums.mean(d[(partition == m) & (half == h)])) for h in (0, 1)]
                for m in range(1, int(partition.max()) + 1)
            ]
        )
        scale = np.asarray(np.max(np.abs([a, b])))
        n_test = None if scores.n_test is None else float(scores.n_test.min())
        return cls(d[partition == 0], pairs, scale, null, n_test)

    @property
    def mean(self) -> Array:
        """The mean over resamples of all data."""
        return exact_sums.mean(self.whole)

    @property
    def identical(self) -> Any:
        """Whether both sides scored the same everywhere."""
        flat = self.halves.reshape(*self.halves.shape[:-2], -1)
        seen = np.concatenate([self.whole, flat], axis=-1) - self.null
        return np.max(np.abs(seen), axis=-1) <= ROUNDING * np.maximum(self.scale, abs(self.null))


def from_arrays(
    layout: str,
    mean_or_scores: Any,
    halves: Any,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[Halves, Context]:
    """Read J differences on all data (or their mean) and (M, 2) mean differences of halves.

    Parameters
    ----------
    mean_or_scores : float or array-like
        Differences on resamples of all data, or their mean.
    halves : array-like of shape (M, 2)
        Mean differences of both halves of M halvings.
    """
    whole = np.atleast_1d(validation.numbers(mean_or_scores, "mean_or_scores"))
    pairs = validation.numbers(halves, "halves")
    if pairs.ndim < 2 or pairs.shape[-1] != 2 or (pairs.ndim > 2 and not batch):
        raise DataError(
            "halves must have shape (M, 2), the means of both halves of each halving, got shape "
            f"{pairs.shape}."
        )
    if whole.ndim > 1 and not batch:
        raise DataError(
            "mean_or_scores must be one mean, or one difference for each resample of all data "
            f"(shape (J,)), got shape {whole.shape}."
        )
    turn = -1.0 if lower_is_better else 1.0
    null = turn * validation.one_number(mu0, "mu0")
    scale = np.maximum(np.max(np.abs(whole), axis=-1), np.max(np.abs(pairs), axis=(-2, -1)))
    view = Halves(turn * whole, turn * pairs, np.asarray(scale), null)
    who = pair(names)
    known = () if batch else of_differences(who, whole)
    return view, Context(who, whole.shape[-1], lower_is_better=lower_is_better, performances=known)


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[Halves, Context]:
    first, second = scores.pair(first, second)
    view = Halves.of(scores, first, second, null=validation.one_number(mu0, "mu0"))
    return view, asked_of(scores, (first, second), view.whole.size)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[Halves, int]:
    """Stack the differences of pairs."""
    each = [Halves.of(scores, scores.names[a], scores.names[b]) for a, b in zip(i, j, strict=True)]
    return stacked(each), each[0].whole.size


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        whole, halves = (dyadic(rng.normal(0.02, 0.02, size)) for size in ((15,), (10, 2)))
        return Case("15 resamples, 10 halvings", {"mean_or_scores": whole, "halves": halves})

    cases = [one() for _ in range(3)]
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125)]


def _halves_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    halves = 1 + rng.normal(0, 1e-3 if beyond else 0.05, (10, 2))
    return Case("a mean far from 0", {"mean_or_scores": np.ones(5), "halves": halves})


def _halves_reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    whole, halves = case.arrays.values()
    turned = rng.permutation(rng.permuted(halves, axis=1))
    return case.but("in another order", mean_or_scores=rng.permutation(whole), halves=turned)


def _equal_halves(case: Case) -> Case:
    halves = np.repeat(case.arrays["halves"][:, :1], 2, axis=1)
    return case.but("both halves always equal", halves=halves)


register_view(
    View(
        Halves,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _halves_apart,
            whole_numbers(
                "whole differences", mean_or_scores=[3, 1, 9], halves=[[9, 2], [4, 5], [1, 8]]
            ),
            only(
                Case(
                    "one halving",
                    {"mean_or_scores": np.array([0.02]), "halves": np.array([[0.01, 0.04]])},
                )
            ),
            _halves_reordered,
            lambda case, _: case.each("negated", np.negative, -case.null),
            lambda case: case.each("all at the null", lambda x: np.full_like(x, case.null)),
            _equal_halves,
            scales=True,
            has_null=True,
            orients=True,
        ),
        of_pairs,
    )
)
