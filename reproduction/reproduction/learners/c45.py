"""C4.5 as a scikit-learn classifier that grows and prunes as Weka's J48 does (D-41, R-15).

Implements B-09, D-43 and N-26.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from outperform.errors import DataError, did_you_mean

from .attributes import Attributes, Classifier, encode, read_classes, read_training
from .c45_tree import Training, Tree, choose, mansour_tree

PRUNINGS = ("pessimistic", "mansour")
RELEASES = (1, 8)


FOLDS, DAMAGE = 0, 1
"""What random numbers are for."""


class C45(Classifier):
    r"""C4.5 decision tree: gain ratio, fractional items for missing values, pessimistic pruning.

    Its predictions are those of Weka's J48 with the same settings. As there, numbers closer than
    1e-5 are never separated, so scale attributes that vary less than that.

    Parameters
    ----------
    pruning : {"pessimistic", "mansour"} or None, default='pessimistic'
        "pessimistic" prunes by the upper limit of the errors at `confidence` (C4.5); "mansour" by
        Mansour's cost, its factor found by cross-validation. With None nothing is pruned, though
        splits that save no training error are still taken back, as J48 does.
    confidence : float, default=0.25
        The lower, the more is pruned; above 0, at most 0.5.
    min_items : int, default=2
        At least two branches of a split contain this many items.
    subtree_raising : bool, default=True
        Whether pruning may replace a split by its largest branch.
    release : {1, 8}, default=8
        In Release 8, as in J48, the best cut of a numeric attribute pays for having been chosen
        among many; in Release 1 it does not.
    noise : float, default=0.0
        Share of predictions replaced by another class at random, to set an error rate.
        Probabilities stay those of the tree.
    nominal : "all", mask, indices or names, optional
        Columns that are nominal whatever their type. Columns of categories, text and booleans in a
        frame always are.
    random_state : int, optional
        Seed of the noise and of Mansour's folds.

    Examples
    --------
    >>> from reproduction.learners import C45
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = C45().fit(X, y)
    >>> tree.predict(X[:2]), tree.predict_proba(X[:1]).round(2), tree.draws
    (array([0, 0]), array([[1., 0., 0.]]), False)
    >>> tree.to_text().count("\n")
    7
    >>> rows = list(range(150))
    >>> next(iter(tree.fit_predict_splits(X, y, [(rows[1:], rows[:1])])))
    array([0])
    """

    def __init__(
        self,
        *,
        pruning: str | None = "pessimistic",
        confidence: float = 0.25,
        min_items: int = 2,
        subtree_raising: bool = True,
        release: int = 8,
        noise: float = 0.0,
        nominal: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.pruning = pruning
        self.confidence = confidence
        self.min_items = min_items
        self.subtree_raising = subtree_raising
        self.release = release
        self.noise = noise
        self.nominal = nominal
        self.random_state = random_state

    @property
    def draws(self) -> bool:
        """Whether predictions depend on `random_state`."""
        return self.noise > 0 or self.pruning == "mansour"

    def fit(self, X: Any, y: Any) -> C45:
        """Grow a tree.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.
        y : array-like
            Classes.

        Returns
        -------
        C45
            The fitted tree.
        """
        self._check_parameters()
        self._attributes, rows = read_training(self, X, self.nominal)
        self.classes_, codes = read_classes(self, y, len(rows))
        self.tree_ = self._grown(self._training(self._attributes, rows, codes))
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the share of each class among the training items of the leaf reached.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray of shape (items, classes)
            The probabilities.
        """
        check_is_fitted(self)
        return self.tree_.scores(encode(self, self._attributes, X), self._attributes.nominal)

    def predict(self, X: Any) -> Any:
        """Return the most frequent class of the leaf reached; of several, the first.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray
            The classes.
        """
        codes = choose(self.predict_proba(X))
        return self.classes_[self._damaged(codes, np.arange(len(self.classes_)))]

    def fit_predict_splits(self, X: Any, y: Any, splits: Iterable[Any]) -> Iterator[Any]:
        """Return an iterator over the predictions for each split, sharing work between splits.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.
        y : array-like
            Classes.
        splits : iterable of (train, test)
            Row numbers of each split.

        Yields
        ------
        ndarray
            Predictions for the test items, as fitting one by one would give.
        """
        self._check_parameters()
        splits = [(np.asarray(train), np.asarray(test)) for train, test in splits]
        if self.pruning == "mansour":
            yield from self._one_by_one(X, y, splits)
            return
        attributes, rows = read_training(clone(self), X, self.nominal)
        classes, codes = read_classes(self, y, len(rows))
        training = self._training(attributes, rows, codes)
        shared = [_shares_order(attributes, rows, train) for train, _ in splits]
        told = self._together(
            training,
            [(np.sort(one[0]), one[1]) for one, fits in zip(splits, shared, strict=True) if fits],
        )
        for split, fits in zip(splits, shared, strict=True):
            if fits:
                yield classes[self._damaged(next(told), np.unique(codes[split[0]]))]
            else:
                yield from self._one_by_one(X, y, [split])

    def to_text(self) -> str:
        """Return the tree as indented rules.

        Returns
        -------
        str
            One line for each branch; a leaf shows (items/errors).
        """
        check_is_fitted(self)
        from outperform.report.formatting import terminal

        n = self.n_features_in_
        names = getattr(self, "feature_names_in_", [f"x{number}" for number in range(n)])
        values = [[terminal(str(value)) for value in domain] for domain in self._attributes.domains]
        classes = [terminal(str(one)) for one in self.classes_]
        return self.tree_.text([terminal(str(name)) for name in names], values, classes)

    def _check_parameters(self) -> None:
        if self.pruning is not None and self.pruning not in PRUNINGS:
            hint = did_you_mean(str(self.pruning), PRUNINGS)
            raise DataError(f"Unknown pruning {self.pruning!r}; {hint} Or pass pruning=None")
        if not 0 < self.confidence <= 0.5:
            raise DataError(
                "The 'confidence' parameter must be above 0 and at most 0.5, got "
                f"{self.confidence!r}. Use for example confidence=0.25"
            )
        if not self.min_items >= 1:
            raise DataError(
                f"The 'min_items' parameter must be at least 1, got {self.min_items!r}. Use for "
                "example min_items=2"
            )
        if self.release not in RELEASES:
            raise DataError(
                f"The 'release' parameter must be 1 or 8, got {self.release!r}. Use for example "
                "release=8"
            )
        if not 0 <= self.noise <= 1:
            raise DataError(
                f"The 'noise' parameter must be between 0 and 1, got {self.noise!r}. Use for "
                "example noise=0.05"
            )

    def _training(self, attributes: Attributes, rows: Any, codes: Any) -> Training:
        return Training(
            rows,
            codes,
            attributes.nominal,
            attributes.n_values,
            int(codes.max()) + 1,
            float(self.min_items),
            0.0 if self.release == 1 else 1.0,
        )

    def _grown(self, training: Training) -> Tree:
        build: Any = partial(
            _builder(), confidence=float(self.confidence), raising=bool(self.subtree_raising)
        )
        if self.pruning == "mansour":
            return mansour_tree(training, partial(build, pruned=False), self._stream(FOLDS))
        tree: Tree = build(training, pruned=self.pruning is not None)
        return tree

    def _stream(self, purpose: int) -> np.random.Generator:
        """Return random numbers of one purpose: folds and damage must not share them."""
        root = np.random.SeedSequence(self.random_state, spawn_key=(purpose,))
        return np.random.default_rng(root)

    def _damaged(self, codes: Any, known: Any) -> Any:
        """Replace a share of the answers by another of the classes known, each as likely."""
        if not self.noise or len(known) < 2:
            return codes
        rng = self._stream(DAMAGE)
        wrong = rng.random(len(codes)) < self.noise
        shift = rng.integers(1, len(known), len(codes))
        others = known[(np.searchsorted(known, codes) + shift) % len(known)]
        return np.where(wrong, others, codes)

    def _one_by_one(self, X: Any, y: Any, splits: Iterable[Any]) -> Iterator[Any]:
        for train, test in splits:
            model = clone(self).fit(_safe_indexing(X, train), _safe_indexing(y, train))
            yield model.predict(_safe_indexing(X, test))

    def _together(self, training: Training, splits: list[Any]) -> Iterator[Any]:
        from .c45_kernels import predict_splits

        if splits:
            yield from predict_splits(
                training,
                splits,
                pruned=self.pruning is not None,
                confidence=float(self.confidence),
                raising=bool(self.subtree_raising),
            )


def _builder() -> Any:
    """Return what builds trees; it is compiled at the first use."""
    from .c45_kernels import compiled_tree

    return compiled_tree


def _shares_order(attributes: Attributes, rows: Any, train: Any) -> bool:
    """Tell whether a split can be trained on a dataset coded and sorted as a whole.

    Its rows must come once, in order where weights are split over missing values (the order of
    adding them up may change the last bit), and hold every value of domains that only data declare.
    """
    if train.dtype.kind not in "iu" or not len(train):
        return False
    in_order = np.sort(train) if not np.isnan(rows).any() else train
    if (np.diff(in_order) <= 0).any():
        return False
    told = np.flatnonzero(attributes.nominal & ~attributes.declared)
    return all(_n_seen(rows[train, column]) == attributes.n_values[column] for column in told)


def _n_seen(codes: Any) -> int:
    return len(np.unique(codes[~np.isnan(codes)]))
