"""C4.5 as a scikit-learn classifier that grows and prunes as Weka's J48 does (D-41, R-15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError, did_you_mean
from .attributes import Attributes, encode, read_classes, read_training
from .c45_growing import Training
from .c45_mansour import mansour_tree
from .c45_pruning import reference_tree
from .c45_tree import Tree, choose

__all__ = ["C45"]

PRUNINGS = ("pessimistic", "mansour")


class C45(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """C4.5 decision tree: gain ratio, fractional items for missing values, pessimistic pruning.

    Its answers are those of Weka's J48 with the same settings. As there, numbers nearer than
    1e-5 are never parted, so scale attributes that vary less than that.

    Parameters
    ----------
    pruning
        "pessimistic": by the upper limit of the errors at `confidence` (C4.5); "mansour": by
        Mansour's cost, its factor found by cross-validation (B-09); None: not pruned (N-26),
        though splits that save no training error are still taken back, as J48 does.
    confidence
        The lower, the more is pruned; above 0, at most 0.5.
    min_items
        At least two branches of a split hold this many items.
    subtree_raising
        Whether pruning may put a split's largest branch in its place.
    noise
        The share of predictions replaced by another class, drawn at random: a learner damaged to
        a set error rate (D-43). Probabilities stay those of the tree.
    nominal
        Which columns are nominal whatever their type: "all", a mask, indices or names. Columns of
        categories, text and booleans in a frame always are.
    random_state
        Seed of the noise and of Mansour's folds; nothing else is drawn.
    """

    def __init__(
        self,
        *,
        pruning: str | None = "pessimistic",
        confidence: float = 0.25,
        min_items: int = 2,
        subtree_raising: bool = True,
        noise: float = 0.0,
        nominal: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.pruning = pruning
        self.confidence = confidence
        self.min_items = min_items
        self.subtree_raising = subtree_raising
        self.noise = noise
        self.nominal = nominal
        self.random_state = random_state

    @property
    def draws(self) -> bool:
        """Whether answers depend on `random_state`."""
        return self.noise > 0 or self.pruning == "mansour"

    def fit(self, X: Any, y: Any) -> C45:
        """Grow a tree from items and their classes."""
        self._check_parameters()
        self._attributes, rows = read_training(self, X, self.nominal)
        self.classes_, codes = read_classes(self, y, len(rows))
        self.tree_ = self._grown(self._training(self._attributes, rows, codes))
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return the share of each class among the training items of the leaf reached."""
        check_is_fitted(self)
        return self.tree_.scores(encode(self, self._attributes, X), self._attributes.nominal)

    def predict(self, X: Any) -> Any:
        """Return the most frequent class of the leaf reached; of equals, the first."""
        codes = choose(self.predict_proba(X))
        return self.classes_[self._damaged(codes, len(self.classes_))]

    def fit_predict_splits(self, X: Any, y: Any, splits: Iterable[Any]) -> Iterator[Any]:
        """Yield the predictions for each split's test items, as fitting one by one would."""
        for train, test in splits:
            model = type(self)(**self.get_params(deep=False)).fit(_rows(X, train), y[train])
            yield model.predict(_rows(X, test))

    def to_text(self) -> str:
        """Return the tree as indented rules; a leaf shows (items/errors)."""
        check_is_fitted(self)
        from ..report.clean import terminal

        n = self.n_features_in_
        names = getattr(self, "feature_names_in_", [f"x{number}" for number in range(n)])
        values = [[terminal(str(value)) for value in domain] for domain in self._attributes.domains]
        classes = [terminal(str(one)) for one in self.classes_]
        return self.tree_.text([terminal(str(name)) for name in names], values, classes)

    def _check_parameters(self) -> None:
        if self.pruning is not None and self.pruning not in PRUNINGS:
            hint = did_you_mean(str(self.pruning), PRUNINGS)
            raise DataError(f"pruning={self.pruning!r} is not known; {hint} Or pass pruning=None")
        if not 0 < self.confidence <= 0.5:
            raise DataError(
                f"confidence={self.confidence!r} must be above 0 and at most 0.5: confidence=0.25"
            )
        if not self.min_items >= 1:
            raise DataError(f"min_items={self.min_items!r} must be at least 1: min_items=2")
        if not 0 <= self.noise <= 1:
            raise DataError(f"noise={self.noise!r} must be a share from 0 to 1: noise=0.05")

    def _training(self, attributes: Attributes, rows: Any, codes: Any) -> Training:
        return Training(
            rows,
            codes,
            attributes.nominal,
            attributes.n_values,
            int(codes.max()) + 1,
            float(self.min_items),
        )

    def _grown(self, training: Training) -> Tree:
        build: Any = partial(
            _builder(), confidence=float(self.confidence), raising=bool(self.subtree_raising)
        )
        if self.pruning == "mansour":
            rng = np.random.default_rng(self.random_state)
            return mansour_tree(training, partial(build, pruned=False), rng)
        tree: Tree = build(training, pruned=self.pruning is not None)
        return tree

    def _damaged(self, codes: Any, n_classes: int) -> Any:
        """Replace a share of the answers by another class, each as likely."""
        if not self.noise or n_classes < 2:
            return codes
        rng = np.random.default_rng(self.random_state)
        wrong = rng.random(len(codes)) < self.noise
        others = rng.integers(1, n_classes, len(codes))
        return np.where(wrong, (codes + others) % n_classes, codes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn 1.5
        return {"allow_nan": True}


def _builder() -> Any:
    return reference_tree


def _rows(X: Any, rows: Any) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)
