"""Differences over datasets: one number for each, its mean over splits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import inputs, sums
from ..errors import DataError
from .contract import Asked, View, asked_of, register, stacked
from .differences import CASES, Differences, from_arrays

if TYPE_CHECKING:
    from ..scores import Scores

__all__ = ["OverDatasets"]


@dataclass(frozen=True, eq=False)
class OverDatasets(Differences):
    """One mean difference for each dataset, as if each were a fold."""

    @classmethod
    def of(
        cls, scores: Scores, first: str, second: str | None = None, *, null: float = 0.0
    ) -> Self:
        """Return the mean difference on each dataset."""
        if scores.datasets is None or len(set(scores.datasets)) < 2:
            raise DataError(
                "these scores come from one dataset; tests over datasets need a dataset column "
                "with at least 2"
            )
        labels = np.array(scores.datasets)
        order = list(dict.fromkeys(scores.datasets))
        chosen = [scores.index(name) for name in (first, second) if name is not None]
        means = [
            [sums.mean(side[labels == name]) for name in order] for side in scores.values[chosen]
        ]
        grids = np.array(means, dtype=np.float64).reshape(len(chosen), 1, 1, -1)
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
) -> tuple[OverDatasets, Asked]:
    """Read the mean differences of two learners."""
    first, second = scores.pair(first, second)
    view = OverDatasets.of(scores, first, second, null=inputs.one_number(mu0, "mu0"))
    return view, asked_of(scores, (first, second), view.n_splits)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[OverDatasets, int]:
    """Stack the mean differences of pairs."""
    each = [
        OverDatasets.of(scores, scores.names[a], scores.names[b]) for a, b in zip(i, j, strict=True)
    ]
    return stacked(each), each[0].n_splits


register(
    View(
        OverDatasets,
        partial(from_arrays, OverDatasets),
        from_scores,
        CASES,
        of_pairs,
        layouts=("datasets",),
    )
)
