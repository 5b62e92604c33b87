"""Scores of k learners on the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .. import validation
from ..errors import DataError
from ..notes import Note
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.item_losses import check_right_wrong
from ..scores.performance import of_arrays
from ..scores.split_scores import Scores
from ..scores.tested_items import losses_of_items
from .contract import (
    VIEWS,
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


@dataclass(frozen=True, eq=False)
class ItemLosses:
    """Scores of k sides on the same items; greater is better.

    Attributes
    ----------
    values : ndarray
        Scores, shape (..., items, k).
    binary : bool
        Whether they are right (1) and wrong (0).

    Examples
    --------
    >>> import outperform as op
    >>> scores = op.Scores.from_correct(["a", "b"], [[1, 1, 0, 1], [1, 0, 0, 0]])
    >>> losses = op.extend.ItemLosses.of(scores)
    >>> losses.n, losses.k, losses.right.sum(axis=0)
    (4, 2, array([3., 1.]))
    >>> op.extend.ItemLosses.read(scores)[1].n
    4
    """

    values: Array
    binary: bool = False

    @classmethod
    def of(cls, scores: Scores, names: Sequence[str] | None = None) -> Self:
        """Return the scores of learners on items; each item must have been tested once.

        Parameters
        ----------
        scores : Scores
            Scores of the learners.
        names : sequence of str, optional
            Learners; by default all.

        Returns
        -------
        ItemLosses
            Scores, shape (items, learners).
        """
        losses, binary = losses_of_items(scores, names)
        return cls(-losses.T, binary)

    @classmethod
    def read(
        cls,
        given: Any,
        layout: str = "",
        *,
        lower_is_better: bool | None = None,
        names: tuple[str, ...] | None = None,
    ) -> tuple[ItemLosses, Context]:
        """Read scores with items, or arrays.

        Parameters
        ----------
        given : Scores, array-like, mapping or data frame
            What to read.
        layout : str, default=''
            "right-wrong" if entries must be 0 and 1.
        lower_is_better : bool, optional
            Whether smaller numbers are better.
        names : tuple of str, optional
            Names of the learners.

        Returns
        -------
        tuple of ItemLosses and Context
            The scores, and what a result shows beside them.
        """
        if isinstance(given, Scores):
            return from_scores(layout, given, names=names)
        return VIEWS["ItemLosses"].read(layout, given, lower_is_better=lower_is_better, names=names)

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.values.shape[-2])

    @property
    def k(self) -> int:
        """Number of learners."""
        return int(self.values.shape[-1])

    @property
    def right(self) -> Array:
        """1 for right and 0 for wrong, from items that carry zero-one losses."""
        return self.values + 1.0

    @property
    def identical(self) -> Any:
        """Whether all learners score the same on every item."""
        spread = np.max(self.values, axis=-1) - np.min(self.values, axis=-1)
        return np.max(spread, axis=-1) <= ROUNDING * np.max(np.abs(self.values), axis=(-2, -1))


def from_arrays(
    layout: str,
    losses: Any,
    *,
    lower_is_better: bool = False,
    names: tuple[str, ...] | None = None,
    batch: bool = False,
) -> tuple[ItemLosses, Context]:
    """Read an (n_items, k) array, a mapping of names to arrays, or a frame with named columns.

    Parameters
    ----------
    losses : array-like of shape (items, models), mapping or data frame
        Right (1) and wrong (0), or losses, of the models on items.
    """
    moved = False
    if isinstance(losses, Mapping):
        names = names or tuple(str(name) for name in losses)
        columns, moved = validation.aligned(list(losses.values()), names)
        values = np.stack(
            [validation.numbers(c, n) for c, n in zip(columns, names, strict=True)], -1
        )
    else:
        if names is None and hasattr(losses, "columns"):
            names = tuple(str(name) for name in losses.columns)
        values = validation.numbers(losses, "losses")
    if values.ndim < 2 or (values.ndim > 2 and not batch) or values.shape[-1] < 2:
        raise DataError(
            "losses must have shape (n_items, k) with k at least 2, one row per item and one "
            f"column per learner, got shape {values.shape}."
        )
    binary = bool(np.isin(values, (0.0, 1.0)).all())
    if layout == "right-wrong" and not binary:
        where = tuple(np.argwhere((values != 0) & (values != 1))[0].tolist())
        raise validation.not_zero_one("losses", where, values[where])
    names = validation.learner_names(names or numbered_names(values.shape[-1]), values.shape[-1])
    scored = () if batch else of_arrays(names, [*values.T], "item", lower_is_better=lower_is_better)
    if binary:  # the mean of right and wrong tells their deviation
        scored = tuple(replace(one, sd=None) for one in scored)
    if lower_is_better:
        values = 1 - values if layout == "right-wrong" else -values
    view = ItemLosses(values, binary)
    right = "error rate" if lower_is_better else "accuracy"
    return view, Context(
        (f"{view.k} models", None),
        view.n,
        metric=right if layout == "right-wrong" else "score",
        notes=(Note("OP002"),) if moved else (),
        learners=names,
        lower_is_better=lower_is_better,
        performances=scored,
    )


def from_scores(
    layout: str, scores: Scores, *, names: tuple[str, ...] | None = None
) -> tuple[ItemLosses, Context]:
    if layout == "right-wrong":
        check_right_wrong(scores._items())
    view = ItemLosses.of(scores, names)
    if layout == "right-wrong":
        view = ItemLosses(view.right, binary=True)
    chosen = tuple(names or scores.names)
    asked = asked_of(scores, (f"{view.k} models", None), view.n, of_items=True)
    return view, replace(asked, learners=chosen)


def _right_wrong(layout: str, rng: Generator) -> list[Case]:
    def one() -> Case:
        right = (rng.random((40, 4)) < [0.8, 0.7, 0.6, 0.65]).astype(float)
        return Case("4 models on 40 items", {"losses": right}, {"lower_is_better": False})

    return [one() for _ in range(3)]


def _one_always_right(layout: str, rng: Generator, beyond: bool) -> Case:
    right = rng.random((3000 if beyond else 100, 3)) < [1.1, -0.1, 0.5]
    return Case("one model always right", {"losses": right.astype(float)})


register_view(
    View(
        ItemLosses,
        from_arrays,
        from_scores,
        Inputs(
            _right_wrong,
            _one_always_right,
            whole_numbers("3 models on 6 items", losses=np.arange(18).reshape(6, 3) % 4 > 1),
            only(Case("2 models on 2 items", {"losses": np.array([[1.0, 0.0], [0.0, 0.0]])})),
            reordered,
            lambda case, _: case.each("columns reversed", np.fliplr),
            lambda case: case.each(
                "columns the same", lambda x: np.repeat(x[:, :1], x.shape[1], 1)
            ),
            orients=True,
            turns=False,
        ),
        layouts=("right-wrong", ""),
        of_items=True,
    )
)
