"""Naive Bayes (R-15): as Weka has it, discretised (B-09), or as scikit-learn has it.

Numbers are discretised by Fayyad and Irani's cuts, kept while they shorten the description.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr
from sklearn.utils.validation import check_is_fitted

from outperform.errors import DataError, did_you_mean

from .attributes import Attributes, Classifier, Matrix, encode, read_classes, read_training

Codes = npt.NDArray[np.intp]

TIE = 1e-9
"""Log probabilities nearer than this are equal: products of the same counts, summed by chance in
another order, must not decide."""
LEAST = 1e-75
"""Weka's least density of a number."""
SMOOTHING = 1e-9
"""The share of the largest variance that scikit-learn's GaussianNB adds to all."""
DEFAULT_PRECISION = 0.01
"""Weka's precision of a column with fewer than two distinct values."""
Bits = npt.NDArray[np.bool_]


def by_class(often: Matrix, codes: Codes, n_classes: int, what: Matrix) -> Matrix:
    """Return the sums (S, C, m) of some columns (n, m) over the items of each class."""
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(n_classes + 1))
    often, what = often[:, order], what[order]
    sums = np.empty((len(often), n_classes, what.shape[1]))
    for c, (start, end) in enumerate(pairwise(ends)):
        np.matmul(often[:, start:end], what[start:end], out=sums[:, c])
    return sums


def shown(codes: Matrix, n_values: npt.NDArray[np.int64]) -> Matrix:
    """Return nominal codes as indicators (n, Σ n_values), all 0 for a missing value."""
    indicators = np.zeros((len(codes), int(n_values.sum())))
    rows, columns = np.nonzero(~np.isnan(codes))
    starts = np.cumsum(n_values) - n_values
    indicators[rows, starts[columns] + codes[rows, columns].astype(np.intp)] = 1
    return indicators


@dataclass(frozen=True, eq=False, slots=True)
class Tables:
    """Nominal columns: the log probability of each value."""

    logs: Matrix
    """(S, C, Σ n_values)"""

    @classmethod
    def count(
        cls, counts: Matrix, n_values: npt.NDArray[np.int64], declared: npt.NDArray[np.bool_]
    ) -> Tables:
        """Turn counts into log (n + 1) / (N + k); a domain that is not declared is what occurs."""
        starts = np.cumsum(n_values) - n_values
        totals = np.add.reduceat(counts, starts, axis=2)
        if declared.all():
            return cls(np.log(counts + 1) - np.log(totals + n_values).repeat(n_values, axis=2))
        occurs = counts.any(axis=1, keepdims=True) | declared.repeat(n_values)
        sizes = np.add.reduceat(occurs, starts, axis=2, dtype=np.float64)
        logs = np.log(counts + 1) - np.log(totals + sizes).repeat(n_values, axis=2)
        return cls(np.where(occurs, logs, 0.0))

    def scores(self, indicators: Matrix) -> Matrix:
        """Return the scores of items shown as indicators (S, t, Σ n_values)."""
        answer: Matrix = self.logs @ indicators.swapaxes(-1, -2)
        return answer


@dataclass(frozen=True, eq=False, slots=True)
class Gaussians:
    """Numeric columns: a normal density within each class."""

    mean: Matrix
    variance: Matrix
    """Both (S, C, m)."""
    rounding: Matrix
    """How much of a variance may be rounding, the worst of each training set (S,)."""

    @classmethod
    def estimate(cls, often: Matrix, codes: Codes, n_classes: int, items: Matrix) -> Gaussians:
        """Estimate means and variances from the sums of squares about the class means of all items.

        A class without a value of a column takes that of all classes.
        """
        known = ~np.isnan(items)
        filled = np.where(known, items, 0.0)
        one = np.ones((1, len(items)))
        n_all = by_class(one, codes, n_classes, known.astype(np.float64))[0]
        centre = by_class(one, codes, n_classes, filled)[0] / np.maximum(n_all, 1)
        moved = np.where(known, items - centre[codes], 0.0)
        m = items.shape[1]
        holes = not known.all()
        columns = [moved, moved * moved, known.astype(np.float64)]
        sums = by_class(often, codes, n_classes, np.hstack(columns if holes else columns[:2]))
        if holes:
            n = sums[..., 2 * m :]
        else:
            n = by_class(often, codes, n_classes, np.ones((len(items), 1)))
        some = np.maximum(n, 1)
        shift, square = sums[..., :m] / some, sums[..., m : 2 * m] / some
        variance = np.where(n > 1, np.maximum(square - shift * shift, 0.0), 0.0)
        mean = centre + shift
        n_column = np.maximum(n.sum(axis=1, keepdims=True), 1)
        middle = (n * mean).sum(axis=1, keepdims=True) / n_column
        spread = (n * (variance + (mean - middle) ** 2)).sum(axis=1, keepdims=True) / n_column
        grown = SMOOTHING * spread.max(axis=2, keepdims=True)
        grown = np.where(grown > 0, grown, SMOOTHING)
        rounding = 8 * np.finfo(np.float64).eps * square / (variance + grown)
        if (n == 0).any():
            mean, variance = np.where(n > 0, mean, middle), np.where(n > 0, variance, spread)
        return cls(mean, variance + grown, rounding.max(axis=(1, 2)))

    def scores(self, items: Matrix) -> Matrix:
        """Return the scores of items (S, t, m)."""
        off = items[:, None] - self.mean[:, :, None]
        off *= off
        weight = -0.5 / self.variance
        start = -0.5 * np.log(2 * np.pi * self.variance)
        known = ~np.isnan(items)
        if known.all():
            constant: Matrix = start.sum(axis=2)[..., None]
        else:
            off[np.broadcast_to(~known[:, None], off.shape)] = 0
            constant = start @ known.swapaxes(1, 2).astype(np.float64)
        exponent: Matrix = (off @ weight[..., None])[..., 0]
        return exponent + constant


@dataclass(frozen=True, eq=False, slots=True)
class Rounded:
    """Numeric columns as Weka's NormalEstimator has them, for one training set."""

    precision: Matrix
    mean: Matrix
    std: Matrix
    """(m,), (C, m), (C, m)"""

    @classmethod
    def estimate(cls, codes: Codes, n_classes: int, items: Matrix) -> Rounded:
        """Estimate precisions, means and standard deviations of values rounded to the precision."""
        precision = np.array([_precision(column) for column in items.T])
        rounded = np.rint(items / precision) * precision
        mean = np.zeros((n_classes, len(precision)))
        std = np.broadcast_to(precision / 6, mean.shape).copy()
        for c in range(n_classes):
            part = rounded[codes == c]
            known = ~np.isnan(part)
            n = known.sum(axis=0)
            mean[c] = np.where(known, part, 0).sum(axis=0) / np.maximum(n, 1)
            off = np.where(known, part - mean[c], 0)
            std[c] = np.maximum(std[c], np.sqrt((off * off).sum(axis=0) / np.maximum(n, 1)))
        return cls(precision, mean, std)

    def scores(self, items: Matrix) -> Matrix:
        """Return the scores (1, C, t) of items (1, t, m)."""
        at = np.rint(items[0] / self.precision) * self.precision
        off, half = at - self.mean[:, None], self.precision / 2
        std = self.std[:, None]
        # Weka subtracts two probabilities, which leaves nothing far above the mean.
        density = ndtr((off + half) / std) - ndtr((off - half) / std)
        logs = np.log(np.maximum(density, LEAST))
        logs[np.broadcast_to(np.isnan(at), logs.shape)] = 0
        answer: Matrix = logs.sum(axis=2)[None]
        return answer


def _precision(column: Matrix) -> float:
    """Return the mean gap between neighbouring distinct values."""
    distinct = np.unique(column[~np.isnan(column)])
    if distinct.size < 2:
        return DEFAULT_PRECISION
    return float((distinct[-1] - distinct[0]) / (distinct.size - 1))


def predict_binary(X: Any, y: Any, train: Any) -> Bits:
    """Return the class (B, S, n) of every item by models trained on S sets of items.

    X is (B, n, d), y (B, n), both of 0 and 1; train is (S, n), or (B, S, n) where each dataset has
    splits of its own. Every training set must hold both classes.
    """
    items, labels, masks = _bits(X, "X"), _bits(y, "y"), _bits(train, "train")
    n_datasets, n, _ = items.shape
    predicted = np.empty((n_datasets, masks.shape[-2], n), dtype=np.bool_)
    for number, (table, classes) in enumerate(zip(items, labels, strict=True)):
        part = masks[number] if masks.ndim == 3 else masks
        predicted[number] = _margins(table, classes, part) > TIE
    return predicted


def count_errors(X: Any, y: Any, train: Any, test: Any) -> npt.NDArray[np.int64]:
    """Return how many test items (B, S) the models get wrong; `test` is shaped as `train`."""
    wrong = predict_binary(X, y, train)
    wrong ^= _bits(y, "y")[:, None, :]
    wrong &= _bits(test, "test")
    errors: npt.NDArray[np.int64] = np.count_nonzero(wrong, axis=2).astype(np.int64)
    return errors


def _margins(items: Bits, labels: Bits, train: Bits) -> Matrix:
    """Return log P(1, x) - log P(0, x), (S, n).

    It is linear in x: each attribute adds one term if it is 0, another if it is 1.
    """
    # float32 counts exactly up to 2^24 items.
    numbers = items.astype(np.float32)
    columns = np.column_stack([np.ones(len(items), dtype=np.float32), numbers])
    masks = train.astype(np.float32)
    of_class = labels.astype(np.float32)[:, None]
    ones = np.rint(masks @ (columns * of_class)).astype(np.intp)
    zeros = np.rint(masks @ (columns * (1 - of_class))).astype(np.intp)
    if not (ones[:, 0].all() and zeros[:, 0].all()):
        raise DataError(
            "A training set contains only one class, but both are required. Draw it again."
        )
    log = np.log(np.arange(1, len(items) + 3))  # log[n] = log(n + 1)
    n_one, n_zero = ones[:, :1], zeros[:, :1]
    spread = log[n_zero + 1] - log[n_one + 1]  # log(N + 2) of each class, for each attribute
    if_one = log[ones[:, 1:]] - log[zeros[:, 1:]] + spread
    if_zero = log[n_one - ones[:, 1:]] - log[n_zero - zeros[:, 1:]] + spread
    prior = (log[n_one] - log[n_zero])[:, 0]
    start = prior + if_zero.sum(axis=1)
    margins: Matrix = (if_one - if_zero) @ items.T.astype(np.float64)
    margins += start[:, None]
    return margins


def _bits(values: Any, name: str) -> Bits:
    array = np.asarray(values)
    if array.dtype == np.bool_:
        return array
    bits = array.astype(np.bool_)
    if array.dtype.kind not in "iuf" or (bits != array).any():
        raise DataError(
            f"{name} must contain only 0 and 1; {name}.astype(bool) converts other numbers"
        )
    return bits


VARIANTS = ("weka", "gaussian")
BLOCK = 2**17
"""Items × classes × columns looked at together: what stays in the cache."""

Split = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class NaiveBayes(Classifier):
    """Naive Bayes for numeric and nominal columns, as in Weka or scikit-learn.

    Missing values are left out of every product. With `variant="weka"` a numeric column is normal
    within a class: values are rounded to the column's precision (the mean gap between neighbouring
    distinct values), the standard deviation is at least a sixth of it, and the density of a value
    is the probability of the interval of that width around it, at least 1e-75. Nominal values have
    probability (n + 1) / (N + k), and so have classes. With `variant="gaussian"` densities are
    those of scikit-learn's GaussianNB, nominal columns those of its CategoricalNB, and classes have
    probability n / N. Log probabilities closer than 1e-9 to the best count as equal: the first
    class wins.

    Parameters
    ----------
    variant : {"weka", "gaussian"}, default='weka'
        Which densities to use.
    discretize : bool, default=False
        Whether to cut numeric columns into intervals by the rule of Fayyad and Irani (1993) first.
    nominal : "all", mask, indices or names, optional
        Columns that are nominal whatever their type.

    Examples
    --------
    >>> from reproduction.learners import NaiveBayes
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bayes = NaiveBayes().fit(X, y)
    >>> bayes.predict(X[:2]), bayes.predict_proba(X[:1]).round(2)
    (array([0, 0]), array([[1., 0., 0.]]))
    >>> bayes.predict_log_proba(X[:1]).shape
    (1, 3)
    >>> rows = list(range(150))
    >>> next(iter(bayes.fit_predict_splits(X, y, [(rows[1:], rows[:1])])))
    array([0])
    """

    def __init__(
        self, *, variant: str = "weka", discretize: bool = False, nominal: Any = None
    ) -> None:
        self.variant = variant
        self.discretize = discretize
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> NaiveBayes:
        """Estimate the distribution of each column within each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.
        y : array-like
            Classes.

        Returns
        -------
        NaiveBayes
            The fitted learner.
        """
        self._attributes, items = read_training(self, X, self.nominal)
        self.classes_, codes = read_classes(self, y, len(items))
        self._model = self._trained(items, codes, len(self.classes_))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each item.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray
            The classes.
        """
        joint = self._joint(X)
        best: npt.NDArray[Any] = self.classes_.take(joint.argmax(axis=1))
        return best

    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the logarithm of the probability of each class for each item.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray of shape (items, classes)
            The log probabilities.
        """
        joint = self._joint(X)
        joint = joint - joint.max(axis=1, keepdims=True)
        answer: Matrix = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
        return answer

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class for each item.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.

        Returns
        -------
        ndarray of shape (items, classes)
            The probabilities.
        """
        return np.exp(self.predict_log_proba(X))

    def fit_predict_splits(self, X: Any, y: Any, splits: Iterable[Split]) -> list[Any]:
        """Return the predictions for each split, sharing work between splits.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Features, one row for each item.
        y : array-like
            Classes.
        splits : iterable of (train, test)
            Row numbers of each split.

        Returns
        -------
        iterable of ndarray
            Predictions for the test items of each split.
        """
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
                f"Unknown variant {self.variant!r}; {did_you_mean(str(self.variant), VARIANTS)} "
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
