"""Counts of items that two learners had right and wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .. import validation
from ..errors import DataError
from ..notes import Note
from ..numerics.pair_counts import PairCounts
from ..scores.performance import of_shares
from ..scores.tested_items import right_together
from .contract import Case, Context, Generator, Inputs, View, asked_of, only, pair, register_view

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Contingency:
    """Counts of items on which two models are right or wrong.

    Attributes
    ----------
    n00 : float or ndarray
        Both wrong.
    n01 : float or ndarray
        Only the second right.
    n10 : float or ndarray
        Only the first right.
    n11 : float or ndarray
        Both right.
    null : float
        Difference under the null hypothesis.

    Examples
    --------
    >>> import outperform as op
    >>> table = op.extend.Contingency.count([1, 1, 0, 1], [1, 0, 0, 0])
    >>> [float(cell) for cell in table.cells], float(table.discordant), float(table.estimate)
    ([1.0, 0.0, 2.0, 1.0], 2.0, 0.5)
    >>> scores = op.Scores.from_correct(["a", "b"], [[1, 1, 0, 1], [1, 0, 0, 0]])
    >>> op.extend.Contingency.of(scores, "a", "b").n10
    np.float64(2.0)
    """

    n00: Any
    n01: Any
    n10: Any
    n11: Any
    null: float = 0.0

    @classmethod
    def count(cls, a: Any, b: Any, *, null: float = 0.0) -> Self:
        """Count the four cells from right and wrong, over the last axis.

        Parameters
        ----------
        a : array-like of bool
            Where the first model is right.
        b : array-like of bool
            Where the second model is right.
        null : float, default=0.0
            Difference under the null hypothesis.

        Returns
        -------
        Contingency
            The counts.
        """
        a, b = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
        n = a.shape[-1]
        n11 = np.count_nonzero(a & b, axis=-1)
        n10 = np.count_nonzero(a, axis=-1) - n11
        n01 = np.count_nonzero(b, axis=-1) - n11
        n00 = n - n11 - n10 - n01
        n00, n01, n10, n11 = (
            np.asarray(cell, dtype=np.float64)[()] for cell in (n00, n01, n10, n11)
        )
        return cls(n00, n01, n10, n11, null)

    @classmethod
    def of(cls, scores: Scores, first: str, second: str) -> Self:
        """Count the four cells of two learners over items tested once.

        Parameters
        ----------
        scores : Scores
            Scores of the learners.
        first : str
            Name of the first learner.
        second : str
            Name of the second learner.

        Returns
        -------
        Contingency
            The counts.
        """
        counted = cls.of_pairs(*right_together(scores, (first, second)))
        return cls(*(cell[0] for cell in counted.cells))

    @classmethod
    def of_pairs(cls, together: PairCounts, n: int) -> Self:
        """Count the four cells of each pair.

        Parameters
        ----------
        together : PairCounts
            What was counted of models and of pairs.
        n : int
            Number of items.

        Returns
        -------
        Contingency
            The counts, one entry for each pair.
        """
        first, second = together.pairs
        right, both = together.right.astype(np.float64), together.both.astype(np.float64)
        only_first, only_second = right[first] - both, right[second] - both
        return cls(n - both - only_first - only_second, only_second, only_first, both)

    @property
    def cells(self) -> tuple[Any, Any, Any, Any]:
        """The four counts n00, n01, n10 and n11."""
        return self.n00, self.n01, self.n10, self.n11

    @property
    def n(self) -> Any:
        """Number of items."""
        return self.n00 + self.n01 + self.n10 + self.n11

    @property
    def discordant(self) -> Any:
        """Number of items on which only one model is right."""
        return self.n01 + self.n10

    @property
    def estimate(self) -> Any:
        """Accuracy of the first minus accuracy of the second."""
        return (self.n10 - self.n01) / self.n

    @property
    def identical(self) -> Any:
        """Whether both models are right on the same items."""
        return np.asarray(self.discordant) == 0


def from_arrays(
    layout: str,
    y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    table: Any = None,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[Contingency, Context]:
    """Read labels and two arrays of predictions, or the counts [[n00, n01], [n10, n11]].

    Parameters
    ----------
    y : array-like, optional
        True labels.
    a : array-like, optional
        Labels predicted by the first model.
    b : array-like, optional
        Labels predicted by the second model.
    table : array-like of shape (2, 2), optional
        Counts instead of labels: [[both wrong, only first wrong], [only second wrong, both right]].
    """
    notes: tuple[Note, ...] = ()
    if table is not None:
        if y is not None or a is not None or b is not None:
            raise DataError("Both labels and table= were passed; pass only one of them.")
        cells = validation.counts(table, "table")
        if cells.shape[-2:] != (2, 2) or (cells.ndim != 2 and not batch):
            raise DataError(
                "table must have shape (2, 2) and contain the counts [[n00, n01], [n10, n11]], "
                "where n01 counts items that the first got wrong and the second right, got shape "
                f"{cells.shape}."
            )
        (n00, n01), (n10, n11) = np.moveaxis(cells, (-2, -1), (0, 1))
        view = Contingency(n00[()], n01[()], n10[()], n11[()])
    elif y is None or a is None or b is None:
        raise DataError(
            "Pass labels and both predictions, or table=: mcnemar(y_true, pred_a, pred_b) or "
            "mcnemar(table=[[n00, n01], [n10, n11]])"
        )
    else:
        (first, second), moved = validation.right(y, [a, b], ("y", "a", "b"))
        view = Contingency.count(first, second)
        notes = (Note("OP002"),) if moved else ()
    if not np.all(np.asarray(view.n) > 0):
        raise DataError("The table is empty; at least one item is required.")
    n = int(view.n) if np.ndim(view.n) == 0 else 0
    who = pair(names)
    right = (view.n10 + view.n11, view.n01 + view.n11)
    scored = of_shares(who, [float(each) / n for each in right], n) if n else ()
    return view, Context(who, n, metric="accuracy", notes=notes, performances=scored)


def from_scores(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[Contingency, Context]:
    first, second = scores.pair(first, second)
    view = Contingency.of(scores, first, second)
    return view, asked_of(scores, (first, second), int(view.n))


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[Contingency, int]:
    """Count the pairs at positions i and j in one pass over the items."""
    k = len(scores.names)
    if len(i) == k - 1 and (j == j[0]).all():  # every other learner beside one
        together, n = right_together(scores, beside=int(j[0]))
        return Contingency.of_pairs(together, n), n
    together, n = right_together(scores)
    rows = i * (2 * k - i - 1) // 2 + j - i - 1  # where (i, j), i < j, stands among all pairs
    return Contingency(*(cell[rows] for cell in Contingency.of_pairs(together, n).cells)), n


def _table(n00: int, n01: int, n10: int, n11: int) -> Case:
    table = np.array([[n00, n01], [n10, n11]], dtype=float)
    return Case(f"table {table.astype(int).tolist()}", {"table": table})


def _tables(layout: str, rng: Generator) -> list[Case]:
    drawn = (_table(*rng.integers(1, 40, 4).tolist()) for _ in range(3))
    return [*drawn, _table(20, 5, 15, 60), _table(1, 1, 7, 11), _table(0, 3, 9, 0)]


def _items_of(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    """Return a table as labels and predictions of its items, in any order."""
    cells = np.repeat(np.arange(4), case.arrays["table"].ravel().astype(int))
    cells = rng.permutation(cells)
    labels = rng.choice(["ant", "bee", "cat"], cells.size)
    arrays = {"y": labels, "a": np.where(cells >= 2, labels, "dog")}
    arrays["b"] = np.where(cells % 2 == 1, labels, "eel")
    return Case(f"{case.label}, as labels in any order", arrays)


register_view(
    View(
        Contingency,
        from_arrays,
        from_scores,
        Inputs(
            _tables,
            lambda _, rng, beyond: _table(10, 0, 4000 if beyond else 80, 10),
            lambda _, rng: _table(20, 5, 15, 60),
            only(_table(0, 0, 1, 0)),
            _items_of,
            lambda case, _: case.each("sides exchanged", np.transpose),
            lambda case: _table(20, 0, 0, 80),
            balanced=lambda case: _table(30, 7, 7, 56),
        ),
        of_pairs,
        of_items=True,
    )
)
