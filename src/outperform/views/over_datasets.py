"""Differences over datasets: one number for each, its mean over splits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import validation
from .contract import Context, View, asked_of, register_view
from .differences import CASES, Differences, from_arrays

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class OverDatasets(Differences):
    """One mean difference for each dataset, as if each were a fold.

    Attributes
    ----------
    values : ndarray
        Differences.
    first : ndarray
        Scores of the first side.
    second : ndarray or None
        Scores of the second side, if there are two.
    null : float
        Difference under the null hypothesis.
    residual : ndarray or None
        What rounding took from the differences.
    test_train_ratio : float or None
        n_test / n_train.
    n_test : float or None
        Number of test items of a split.

    Examples
    --------
    >>> import outperform as op
    >>> scores = op.Scores.read("examples/benchmark.csv")
    >>> op.extend.OverDatasets.of(scores, "RF", "NB").flat[:2].round(3)
    array([0.032, 0.042])
    """

    @classmethod
    def of(
        cls, scores: Scores, first: str, second: str | None = None, *, null: float = 0.0
    ) -> Self:
        """Return the mean difference on each dataset.

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
        OverDatasets
            Positive where the first learner is better.
        """
        chosen = [scores.index(name) for name in (first, second) if name is not None]
        means = scores.dataset_means(chosen)
        grids = means[:, None, None, ~np.isnan(means).any(axis=0)]  # those that both have
        return cls.subtract(
            grids[0],
            None if second is None else grids[1],
            null=null,
            lower_is_better=not scores.greater_is_better and second is not None,
        )


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[OverDatasets, Context]:
    """Read the mean differences of two learners."""
    first, second = scores.pair(first, second)
    view = OverDatasets.of(scores, first, second, null=validation.one_number(mu0, "mu0"))
    return view, asked_of(scores, (first, second), view.n_splits)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[OverDatasets, int]:
    """Stack the mean differences of pairs."""
    grids = scores.dataset_means()[:, None, None, :]
    lower = not scores.greater_is_better
    view = OverDatasets.subtract(grids[i], grids[j], lower_is_better=lower)
    return view, view.n_splits


register_view(
    View(
        OverDatasets,
        partial(from_arrays, OverDatasets),
        from_scores,
        CASES,
        of_pairs,
        lambda scores: scores.n_splits,
        layouts=("datasets",),
    )
)
