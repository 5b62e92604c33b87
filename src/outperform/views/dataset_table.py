"""Scores of k learners on several datasets, one number for each: what Friedman's test reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError, argument
from ..notes import Note
from ..numerics.exact_sums import ROUNDING, Array
from ..numerics.mean_ranks import RankSums, rank_sums
from ..scores.performance import of_arrays
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    numbered_names,
    only,
    register_view,
    reordered,
    whole_numbers,
)

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class DatasetTable:
    """Scores of k learners on N datasets, shape (..., N, k), greater is better."""

    values: Array

    @cached_property
    def ranked(self) -> RankSums:
        return rank_sums(self.values)

    @property
    def n(self) -> int:
        return int(self.values.shape[-2])

    @property
    def k(self) -> int:
        return int(self.values.shape[-1])

    @property
    def identical(self) -> Any:
        """True where no dataset tells any two learners apart."""
        spread = np.max(self.values, axis=-1) - np.min(self.values, axis=-1)
        return np.max(spread, axis=-1) <= ROUNDING * np.max(np.abs(self.values), axis=(-2, -1))


def from_arrays(
    layout: str,
    scores: Any,
    *,
    lower_is_better: bool = False,
    names: tuple[str, ...] | None = None,
    batch: bool = False,
) -> tuple[DatasetTable, Context]:
    """Read an (n_datasets, k) array, a mapping of names to arrays, or a frame of columns.

    Parameters
    ----------
    scores : array-like of shape (datasets, learners), mapping or data frame
        Scores of the learners on datasets.
    """
    moved = False
    if isinstance(scores, Mapping):
        names = names or tuple(str(name) for name in scores)
        columns, moved = validation.aligned(list(scores.values()), names)
        parts = [validation.numbers(c, n) for c, n in zip(columns, names, strict=True)]
        if len({part.shape for part in parts}) > 1:
            raise DataError(
                "The 'scores' parameter must contain the same number of datasets for every "
                f"learner, got {', '.join(str(part.size) for part in parts)}."
            )
        values = np.stack(parts, -1)
    else:
        if names is None and hasattr(scores, "columns"):
            names = tuple(str(name) for name in scores.columns)
        values = validation.numbers(scores, "scores")
    if values.ndim < 2 or (values.ndim > 2 and not batch) or min(values.shape[-2:]) < 2:
        raise DataError(
            "The 'scores' parameter must have shape (n_datasets, k), at least 2 datasets and 2 "
            f"learners, got shape {values.shape}."
        )
    names = validation.learner_names(names or numbered_names(values.shape[-1]), values.shape[-1])
    view = DatasetTable(-values if lower_is_better else values.copy())
    return view, Context(
        (f"{view.k} learners", None),
        view.n,
        notes=(Note("OP002"),) if moved else (),
        learners=names,
        lower_is_better=lower_is_better,
        performances=()
        if batch
        else of_arrays(names, [*values.T], "dataset", lower_is_better=lower_is_better),
    )


def from_scores(
    layout: str, scores: Scores, *, names: tuple[str, ...] | None = None
) -> tuple[DatasetTable, Context]:
    """Read the mean score of each learner on each dataset."""
    chosen = tuple(names or scores.names)
    means = scores.dataset_means([scores.index(name) for name in chosen]).T
    gaps = int(np.isnan(means).sum())
    if gaps:
        raise DataError(
            f"{gaps} of {means.size} scores {'is' if gaps == 1 else 'are'} missing, and this "
            "method needs the score of every learner on every dataset. Leave incomplete datasets "
            "out: "
            f"{argument(missing='complete')}; or use {argument(method='wilcoxon')}, which judges "
            "each pair on the datasets that both have."
        )
    view = DatasetTable(means if scores.greater_is_better else -means)
    asked = asked_of(scores, (f"{view.k} learners", None), view.n)
    return view, replace(asked, learners=chosen)


def drawn_table(rng: Generator, n: int = 12, k: int = 4) -> Any:
    """Return scores with some ties, the first learners better."""
    level = rng.uniform(0.5, 0.9, (n, 1)) + np.linspace(0.04, 0.0, k)
    return np.round(level + rng.normal(0, 0.03, (n, k)), 2)


def _draw(layout: str, rng: Generator) -> list[Case]:
    return [Case("4 learners on 12 datasets", {"scores": drawn_table(rng)}) for _ in range(3)]


def far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    level = rng.uniform(0.5, 0.6, (5000 if beyond else 120, 3))
    level += np.array([0.2, -0.2, 0.0])
    return Case("one learner always best", {"scores": level})


def same_columns(case: Case) -> Case:
    return case.each("columns the same", lambda x: np.repeat(x[:, :1], x.shape[1], 1))


whole_table = whole_numbers("3 learners on 6 datasets", scores=np.arange(18).reshape(6, 3) % 7)
small_table = only(Case("2 learners on 2 datasets", {"scores": np.array([[0.9, 0.8], [0.6, 0.7]])}))

register_view(
    View(
        DatasetTable,
        from_arrays,
        from_scores,
        Inputs(
            _draw,
            far_apart,
            whole_table,
            small_table,
            reordered,
            lambda case, _: case.each("columns reversed", np.fliplr),
            same_columns,
            orients=True,
            turns=False,
        ),
    )
)
