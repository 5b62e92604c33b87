"""Mean ranks of two learners among k on several datasets: what post-hoc tests on ranks read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, did_you_mean
from ..numerics.exact_sums import ROUNDING, Array
from ..numerics.mean_ranks import rank_sums
from . import dataset_table
from .contract import Case, Context, Generator, Inputs, View, asked_of, register_view, reordered

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class RankPairs:
    """Mean ranks of the first and the second among k learners on n datasets; 1 is best."""

    first: Any
    second: Any
    same: Any
    """True where the two are tied on every dataset."""
    n: int
    k: int

    @classmethod
    def of(cls, values: Array, i: Any, j: Any) -> RankPairs:
        """Rank tables (..., n, k) and take the columns i and j."""
        means = rank_sums(values).means
        width = ROUNDING * np.max(np.abs(values), axis=(-2, -1), keepdims=True)
        columns = np.moveaxis(values, -1, 0)
        apart = np.abs(columns[i] - columns[j]) > width[..., 0]
        return cls(
            means[..., i], means[..., j], ~apart.any(axis=-1), values.shape[-2], values.shape[-1]
        )

    @property
    def identical(self) -> Any:
        return self.same


def from_arrays(
    layout: str,
    scores: Any,
    first: str | None = None,
    second: str | None = None,
    *,
    lower_is_better: bool = False,
    names: tuple[str, ...] | None = None,
    batch: bool = False,
) -> tuple[RankPairs, Context]:
    """Read an (n_datasets, k) table; the pair is named, or the first two columns.

    Parameters
    ----------
    scores : array-like of shape (datasets, learners), mapping or data frame
        Scores of all learners on datasets.
    first : str, optional
        Name of the first learner; by default the first column.
    second : str, optional
        Name of the second learner; by default the second column.
    """
    table, asked = dataset_table.from_arrays(
        layout, scores, lower_is_better=lower_is_better, names=names, batch=batch
    )
    chosen = (first or asked.learners[0], second or asked.learners[1])
    for name in chosen:
        if name not in asked.learners:
            raise DataError(
                f"{name!r} is not among the learners; {did_you_mean(str(name), asked.learners)}"
            )
    if chosen[0] == chosen[1]:
        raise DataError(f"{chosen[0]!r} was compared with itself; name two learners")
    view = RankPairs.of(table.values, *(asked.learners.index(name) for name in chosen))
    return view, Context(
        chosen,
        view.n,
        notes=asked.notes,
        lower_is_better=lower_is_better,
        performances=tuple(one for one in asked.performances if one.name in chosen),
    )


def from_scores(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[RankPairs, Context]:
    """Read the mean ranks of two learners among all."""
    first, second = scores.pair(first, second)
    table, _ = dataset_table.from_scores("", scores)
    view = RankPairs.of(table.values, scores.index(first), scores.index(second))
    return view, asked_of(scores, (first, second), view.n)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[RankPairs, int]:
    """Rank once, and take the pairs."""
    table, _ = dataset_table.from_scores("", scores)
    means = table.ranked.means
    width = ROUNDING * np.max(np.abs(table.values))
    columns = np.ascontiguousarray(table.values.T)
    same = np.array(
        [bool((np.abs(columns[a] - columns[b]) <= width).all()) for a, b in zip(i, j, strict=True)]
    )
    return RankPairs(means[i], means[j], same, table.n, table.k), table.n


def _draw(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        return Case("2 of 4 learners on 12 datasets", {"scores": dataset_table.drawn_table(rng)})

    return [one() for _ in range(4)]


def _exchanged(case: Case, layout: str) -> Case:
    def turned(table: Any) -> Any:
        return np.asarray(table)[:, [1, 0, *range(2, np.shape(table)[1])]]

    return case.each("first two columns exchanged", turned)


def _same(case: Case) -> Case:
    def doubled(table: Any) -> Any:
        return np.concatenate([table[:, :1], table[:, :1], table[:, 2:]], axis=1)

    return case.each("first two columns the same", doubled)


register_view(
    View(
        RankPairs,
        from_arrays,
        from_scores,
        Inputs(
            _draw,
            dataset_table.far_apart,
            dataset_table.whole_table,
            dataset_table.small_table,
            reordered,
            _exchanged,
            _same,
            orients=True,
        ),
        of_pairs,
    )
)
