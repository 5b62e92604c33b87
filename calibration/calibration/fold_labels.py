"""Cross-validations as numbers: the fold of every item in each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from outperform.designs import Design, held_out
from outperform.lab.tested import ONE_BY_ONE, labelled
from outperform.numerics.exact_sums import Array

Labels = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class FoldLabels:
    """Cross-validations as numbers: the fold of every item in each, −1 for items left out.

    Attributes
    ----------
    labels : ndarray
        Folds, shape (1 or experiments, cross-validations, items). In resamples, hold-outs and
        paired halves, each split is a row: 0 for test items, 1 for training items.
    n_folds : int
        Number of folds that are tested; 1 for designs with one split per row.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> from calibration.fold_labels import FoldLabels
    >>> folds = FoldLabels.of(op.parse("2x5cv"), 10, 0)
    >>> folds.labels.shape, folds.first(slice(1)).labels.shape, folds.tested.shape
    ((1, 2, 10), (1, 1, 10), (1, 10, 10))
    >>> folds.training_sums(np.ones((1, 10, 1))).shape
    (1, 10, 1)
    >>> folds.fold_means(np.ones((1, 2, 10))).shape, folds.at_items(np.ones((1, 10))).shape
    ((1, 2, 5), (1, 2, 10))
    """

    labels: Labels
    n_folds: int

    @classmethod
    def of(cls, design: Design, n: int, seed: int) -> FoldLabels:
        """Draw the splits of a design, those that a run with this seed has.

        Parameters
        ----------
        design : Design
            The design.
        n : int
            Number of items.
        seed : int
            Seed of the splits.

        Returns
        -------
        FoldLabels
            The splits.
        """
        of = labelled(design)
        rows = []
        for _, sides in held_out(design, n, None, None, seed):
            if isinstance(of, ONE_BY_ONE):
                for train, test in sides:
                    row = np.full(n, -1, dtype=np.int8)
                    row[np.setdiff1d(np.arange(n), test) if train is None else train] = 1
                    row[test] = 0
                    rows.append(row)
                continue
            row = np.full(n, -1, dtype=np.int8)
            for fold, (_, test) in enumerate(sides):
                row[test] = fold
            rows.append(row)
        folds = 1 if isinstance(of, ONE_BY_ONE) else of.folds
        return cls(np.stack(rows)[None], folds)

    def first(self, count: slice) -> FoldLabels:
        """Return some of the cross-validations.

        Parameters
        ----------
        count : slice
            Which of them.

        Returns
        -------
        FoldLabels
            Their splits.
        """
        return FoldLabels(self.labels[:, count], self.n_folds)

    @cached_property
    def members(self) -> Array:
        """Which items each cross-validation has, shape (1 or E, B, n)."""
        return np.asarray((self.labels >= 0).astype(np.float64))

    @cached_property
    def tested(self) -> Array:
        """Which items each fold tests, shape (1 or E, B·K, n)."""
        each = self.labels[:, :, None] == np.arange(self.n_folds, dtype=np.int8)[:, None]
        rows: Array = each.astype(np.float64).reshape(each.shape[0], -1, each.shape[-1])
        return rows

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The row of `tested` that tests each item, shape (1 or E, B, n); any if none does."""
        b, k = self.labels.shape[1], self.n_folds
        return np.arange(b)[:, None] * k + np.clip(self.labels, 0, k - 1).astype(np.intp)

    def training_sums(self, columns: Array) -> Array:
        """Return the sums of columns over the training items of each fold.

        Parameters
        ----------
        columns : ndarray of shape (experiments, items, columns)
            The columns.

        Returns
        -------
        ndarray of shape (experiments, folds, columns)
            The sums.
        """
        of_folds = np.matmul(self.tested, columns)
        of_all = np.matmul(self.members, columns)
        return np.asarray(np.repeat(of_all, self.n_folds, axis=1) - of_folds)

    def fold_means(self, values: npt.NDArray[np.generic]) -> Array:
        """Return the mean over the test items of each fold.

        Parameters
        ----------
        values : ndarray of shape (experiments, cross-validations, items)
            The values.

        Returns
        -------
        ndarray of shape (experiments, cross-validations, folds)
            The means.
        """
        shape = (*self.labels.shape[:2], self.n_folds, -1)
        sums = np.stack(
            [(values * (self.labels == k)).sum(axis=-1) for k in range(self.n_folds)], axis=-1
        )
        return np.asarray(sums / self.tested.reshape(shape).sum(axis=-1))

    def at_items(self, of_folds: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return for each item the value of the fold that tests it.

        Parameters
        ----------
        of_folds : ndarray
            Values of the folds.

        Returns
        -------
        ndarray of shape (experiments, cross-validations, items)
            Values of the items.
        """
        e, (b, n) = len(of_folds), self.labels.shape[1:]
        flat = np.broadcast_to(self.places, (e, b, n)).reshape(e, -1)
        found: npt.NDArray[Any] = np.take_along_axis(of_folds, flat, axis=1).reshape(e, b, n)
        return found
