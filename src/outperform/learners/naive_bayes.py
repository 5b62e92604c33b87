"""Naive Bayes (R-15): as Weka has it, discretised (B-09), or as scikit-learn has it.

Numbers are discretised by Fayyad and Irani's cuts, kept while they shorten the description.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError, did_you_mean
from .attributes import Attributes, Classifier, Matrix, encode, read_classes, read_training
from .likelihoods import TIE, Codes, Gaussians, Rounded, Tables, by_class, shown

VARIANTS = ("weka", "gaussian")
BLOCK = 2**17
"""Items × classes × columns looked at together: what stays in the cache."""

Split = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class NaiveBayes(Classifier):
    """Predicts the most probable class, taking columns to be independent within each class.

    Missing values are left out of every product. With `variant="weka"` a numeric column is normal
    within a class: values are rounded to the column's precision (the mean gap between neighbouring
    distinct values), the standard deviation is at least a sixth of it, and the density of a value
    is the probability of the interval of that width around it, at least 1e-75. Nominal values have
    probability (n + 1) / (N + k), and so have classes.

    With `variant="gaussian"` densities are those of scikit-learn's GaussianNB (variances grow by
    1e-9 of the largest), nominal columns those of its CategoricalNB, and classes have probability
    n / N: without missing values it answers as these do.

    `discretize=True` first cuts numeric columns into intervals by Fayyad and Irani's rule.

    Log probabilities nearer than 1e-9 to the best count as equal: the first class wins.
    `nominal` names nominal columns, besides those of a frame whose type says so.

    `fit_predict_splits` adds up the statistics of all splits at once, for nominal columns and for
    variant "gaussian". Precisions and cuts depend on the training rows: with numeric columns,
    variant "weka" and `discretize` share the reading of the data and train split by split.
    """

    def __init__(
        self, *, variant: str = "weka", discretize: bool = False, nominal: Any = None
    ) -> None:
        self.variant = variant
        self.discretize = discretize
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> NaiveBayes:
        """Estimate the distribution of each column within each class."""
        self._attributes, items = read_training(self, X, self.nominal)
        self.classes_, codes = read_classes(self, y, len(items))
        self._model = self._trained(items, codes, len(self.classes_))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each item."""
        joint = self._joint(X)
        best: npt.NDArray[Any] = self.classes_.take(joint.argmax(axis=1))
        return best

    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the logarithm of the probability of each class for each item."""
        joint = self._joint(X)
        joint = joint - joint.max(axis=1, keepdims=True)
        answer: Matrix = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
        return answer

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class for each item."""
        return np.exp(self.predict_log_proba(X))

    def fit_predict_splits(self, X: Any, y: Any, splits: Iterable[Split]) -> list[Any]:
        """Return, for each split (train, test), what fit on the one predicts of the other."""
        self._attributes, items = read_training(self, X, self.nominal)
        classes, codes = read_classes(self, y, len(items))
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in splits]
        alike = self.variant == "gaussian" and not self.discretize
        if alike or self._attributes.nominal.all():
            found = self._shared(items, codes, len(classes), pairs)
        else:
            found = [self._alone(items, codes, *pair) for pair in pairs]
        return [classes.take(one) for one in found]

    def _joint(self, X: Any) -> Matrix:
        """Return the log probability of each class and item together, ties made equal."""
        check_is_fitted(self)
        return _settled(self._model.joint(encode(self, self._attributes, X)))

    def _trained(self, items: Matrix, codes: Codes, n_classes: int) -> _Model:
        if self.variant not in VARIANTS:
            raise DataError(
                f"variant is {self.variant!r}; {did_you_mean(str(self.variant), VARIANTS)} "
                "Use variant='weka'"
            )
        often, attributes, at = np.ones((1, len(items))), self._attributes, None
        if self.discretize:
            at = _all_cuts(attributes, items, codes, n_classes)
            attributes, items = _cut(attributes, at), _binned(items, at)
        normal: Gaussians | Rounded | None = None
        numbers = items[:, ~attributes.nominal]
        if numbers.size and self.variant == "gaussian":
            normal = Gaussians.estimate(often, codes, n_classes, numbers)
        elif numbers.size:
            normal = Rounded.estimate(codes, n_classes, numbers)
        prior = _log_prior(often, codes, n_classes, smooth=self.variant == "weka")
        tables = _tables(attributes, often, codes, n_classes, items)
        return _Model(attributes, prior, tables, normal, at)

    def _alone(self, items: Matrix, codes: Codes, train: Codes, test: Codes) -> Codes:
        """Train on one split as `fit` would."""
        present, inner = np.unique(codes.take(train), return_inverse=True)
        model = self._trained(items.take(train, axis=0), inner.reshape(-1), len(present))
        joint = _settled(model.joint(items.take(test, axis=0)))
        best: Codes = present.take(joint.argmax(axis=1))
        return best

    def _shared(
        self, items: Matrix, codes: Codes, n_classes: int, splits: Sequence[Split]
    ) -> list[Codes]:
        """Train on all splits at once; what rounding could change is decided by one split alone."""
        attributes, n = self._attributes, len(items)
        often = np.array([np.bincount(train, minlength=n) for train, _ in splits], dtype=float)
        prior = _log_prior(often, codes, n_classes, smooth=self.variant == "weka")
        tables = _tables(attributes, often, codes, n_classes, items)
        numbers = items[:, ~attributes.nominal]
        normal = Gaussians.estimate(often, codes, n_classes, numbers) if numbers.size else None
        indicators = shown(items[:, attributes.nominal], attributes.n_values[attributes.nominal])
        found: list[Codes] = [np.empty(0, dtype=np.intp)] * len(splits)
        for members in _batches(splits, n_classes * (numbers.shape[1] + 1)):
            tests = np.array([splits[member][1] for member in members])
            joint = prior[members][..., None]
            if tables is not None:
                joint = joint + Tables(tables.logs[members]).scores(indicators[tests])
            rounding = np.full(len(members), 1e-14)
            if normal is not None:
                part = Gaussians(normal.mean[members], normal.variance[members], normal.rounding)
                joint = joint + part.scores(numbers[tests])
                rounding += normal.rounding[members]
            joint = np.broadcast_to(joint, (len(members), n_classes, tests.shape[1]))
            best = joint.max(axis=1, keepdims=True)
            answers = (joint >= best - TIE).argmax(axis=1)
            slack = 16 * rounding[:, None, None] * (np.abs(joint) + 1)
            doubtful = (np.abs(joint - (best - TIE)) <= slack).any(axis=(1, 2))
            for member, answer, again in zip(members, answers, doubtful, strict=True):
                found[member] = self._alone(items, codes, *splits[member]) if again else answer
        return found


@dataclass(frozen=True, eq=False, slots=True)
class _Model:
    """What was learned from one training set."""

    attributes: Attributes
    prior: Matrix
    tables: Tables | None
    normal: Gaussians | Rounded | None
    cuts: tuple[Matrix | None, ...] | None

    def joint(self, items: Matrix) -> Matrix:
        """Return the log probability of items and classes together (t, C)."""
        if self.cuts is not None:
            items = _binned(items, self.cuts)
        nominal, n_classes = self.attributes.nominal, self.prior.shape[1]
        joint = np.empty((len(items), n_classes))
        step = max(1, BLOCK // (n_classes * len(nominal)))
        for start in range(0, len(items), step):
            part = items[start : start + step]
            scores = np.repeat(self.prior[..., None], len(part), axis=2)
            if self.tables is not None:
                n_values = self.attributes.n_values[nominal]
                scores += self.tables.scores(shown(part[:, nominal], n_values)[None])
            if self.normal is not None:
                scores += self.normal.scores(part[None, :, ~nominal])
            joint[start : start + step] = scores[0].T
        return joint


def _settled(joint: Matrix) -> Matrix:
    best = joint.max(axis=1, keepdims=True)
    return np.where(joint >= best - TIE, best, joint)


def _log_prior(often: Matrix, codes: Codes, n_classes: int, *, smooth: bool) -> Matrix:
    """Return log probabilities (S, C) of the classes that occur: (n + 1) / (N + k), or n / N."""
    n = by_class(often, codes, n_classes, np.ones((often.shape[1], 1)))[..., 0]
    occurs = n > 0
    counts = np.where(occurs, n + smooth, 1.0)
    total = np.where(occurs, n + smooth, 0.0).sum(axis=1, keepdims=True)
    return np.where(occurs, np.log(counts) - np.log(total), -np.inf)


def _tables(
    attributes: Attributes, often: Matrix, codes: Codes, n_classes: int, items: Matrix
) -> Tables | None:
    nominal = attributes.nominal & (attributes.n_values > 0)
    if not nominal.any():
        return None
    n_values = attributes.n_values[nominal]
    counts = by_class(often, codes, n_classes, shown(items[:, nominal], n_values))
    return Tables.count(counts, n_values, attributes.declared[nominal])


def _all_cuts(
    attributes: Attributes, items: Matrix, codes: Codes, n_classes: int
) -> tuple[Matrix | None, ...]:
    columns = zip(attributes.nominal, items.T, strict=True)
    return tuple(None if nominal else cuts(column, codes, n_classes) for nominal, column in columns)


def _cut(attributes: Attributes, at: Sequence[Matrix | None]) -> Attributes:
    """Return the attributes after discretisation: all nominal, intervals for numbers."""
    sizes = zip(attributes.n_values, at, strict=True)
    n_values = [n if cut is None else cut.size + 1 for n, cut in sizes]
    return replace(
        attributes,
        nominal=np.ones_like(attributes.nominal),
        n_values=np.array(n_values, dtype=np.int64),
        declared=attributes.declared | ~attributes.nominal,
    )


def _binned(items: Matrix, at: Sequence[Matrix | None]) -> Matrix:
    columns = zip(items.T, at, strict=True)
    return np.column_stack([c if cut is None else bins(c, cut) for c, cut in columns])


def _batches(splits: Sequence[Split], width: int) -> Iterable[list[int]]:
    """Group splits with as many test items, in batches that stay in the cache."""
    by_size: dict[int, list[int]] = defaultdict(list)
    for number, (_, test) in enumerate(splits):
        by_size[test.size].append(number)
    for size, members in by_size.items():
        step = max(1, BLOCK // max(1, size * width))
        for start in range(0, len(members), step):
            yield members[start : start + step]


def cuts(values: Matrix, classes: npt.NDArray[np.intp], n_classes: int) -> Matrix:
    """Return the cut points of one numeric column, sorted; missing values (NaN) are left out.

    Each part of the column is cut where the classes on both sides are purest, if the gain pays for
    telling the cut: gain > (log2(N - 1) + Δ) / N with
    Δ = log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)].
    """
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    column, labels = values[known][order], classes[known][order]
    before = np.zeros((column.size + 1, n_classes))
    before[np.arange(1, column.size + 1), labels] = 1
    before = before.cumsum(axis=0)
    found: list[float] = []
    todo = [(0, column.size)]
    while todo:
        first, last = todo.pop()
        at = _best_cut(column, before, first, last)
        if at is not None:
            found.append((column[at - 1] + column[at]) / 2)
            todo += [(first, at), (at, last)]
    return np.sort(np.array(found))


def bins(values: Matrix, at: Matrix) -> Matrix:
    """Return the number of the interval of each value, the upper end included; NaN stays."""
    return np.where(np.isnan(values), np.nan, np.searchsorted(at, values, side="left"))


def _best_cut(column: Matrix, before: Matrix, first: int, last: int) -> int | None:
    """Return where to cut the rows first…last, as the first row of the upper part."""
    n = last - first
    if n < 2:
        return None
    places = first + 1 + np.flatnonzero(column[first : last - 1] < column[first + 1 : last])
    if not places.size:
        return None
    whole = before[last] - before[first]
    lower, upper = before[places] - before[first], before[last] - before[places]
    n_lower = places - first
    impurity = (n_lower * _entropy(lower) + (n - n_lower) * _entropy(upper)) / n
    best = int(impurity.argmin())
    gain = _entropy(whole) - impurity[best]
    if gain <= 1e-12:  # what rounding leaves of no gain
        return None
    parts = (whole, lower[best], upper[best])
    spread, spread_lower, spread_upper = (np.count_nonzero(part) * _entropy(part) for part in parts)
    k = np.count_nonzero(whole)
    delta = np.log2(3.0**k - 2) - (spread - spread_lower - spread_upper)
    return int(places[best]) if gain > (np.log2(n - 1) + delta) / n else None


def _entropy(counts: Matrix) -> Matrix:
    """Return the entropy in bits of counts along the last axis."""
    from scipy.special import entr

    total = counts.sum(axis=-1, keepdims=True)
    answer: Matrix = entr(counts / np.maximum(total, 1)).sum(axis=-1) / np.log(2)
    return answer
