"""Attributes: nominal and numeric columns with missing values, as the one matrix learners read.

Encoded, a table is a float64 matrix (n, d): NaN is a missing value, and nominal columns hold the
codes 0, 1, … of their values.

Which columns are nominal: in a frame those whose type says so (enumerations, categories, text,
booleans) and those the learner's `nominal` names; in an array those that `nominal` names. The
domain of a nominal column is what its type declares (an Enum of polars, the categories of pandas,
a boolean), and otherwise the values seen in training, sorted. A value outside the domain, met when
predicting, counts as missing: nothing was learned about it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from outperform.errors import DataError, did_you_mean

Matrix = npt.NDArray[np.float64]
Domain = tuple[Hashable, ...]


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A classifier of scikit-learn that may meet missing values."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn 1.5
        return {"allow_nan": True}


@dataclass(frozen=True, eq=False, slots=True)
class Attributes:
    """What training data say about their columns."""

    nominal: npt.NDArray[np.bool_]
    """Which columns are nominal, (d,)."""
    n_values: npt.NDArray[np.int64]
    """How many values the domain of each column has, (d,); 0 for numeric ones."""
    declared: npt.NDArray[np.bool_]
    """Which domains come with the column, whatever rows were trained on, (d,)."""
    domains: tuple[Domain, ...]
    """The values of each nominal column, by code; empty for numeric ones."""


def read_training(estimator: Any, X: Any, nominal: Any = None) -> tuple[Attributes, Matrix]:
    """Read training data; like scikit-learn, keep `n_features_in_` and `feature_names_in_`.

    `nominal` is None, "all", or a mask, indices or names of columns that are nominal whatever
    their type.
    """
    columns = _columns(estimator, X, nominal=nominal is not None, reset=True)
    if isinstance(columns, np.ndarray):
        d = columns.shape[1]
        none = np.zeros(d, dtype=np.bool_)
        return Attributes(none, np.zeros(d, dtype=np.int64), none, ((),) * d), columns
    chosen = _chosen(nominal, columns, getattr(estimator, "feature_names_in_", None))
    kinds = np.array([chosen[j] or column.nominal for j, column in enumerate(columns)], dtype=bool)
    domains: list[Domain] = []
    for column, is_nominal in zip(columns, kinds, strict=True):
        domains.append((column.declared or _seen(column.values)) if is_nominal else ())
    attributes = Attributes(
        nominal=kinds,
        n_values=np.array([len(domain) for domain in domains], dtype=np.int64),
        declared=np.array([column.declared is not None for column in columns], dtype=bool) & kinds,
        domains=tuple(domains),
    )
    return attributes, _encoded(attributes, columns)


def encode(estimator: Any, attributes: Attributes, X: Any) -> Matrix:
    """Encode data to predict; they must have the columns that were trained on."""
    nominal = bool(attributes.nominal.any())
    columns = _columns(estimator, X, nominal=nominal, reset=False)
    return columns if isinstance(columns, np.ndarray) else _encoded(attributes, columns)


def read_classes(estimator: Any, y: Any, n: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """Return the classes that occur, sorted, and the class of each item as a position in them."""
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    if y is None:
        name = type(estimator).__name__
        raise DataError(
            f"This {name} estimator requires y to be passed, but the target y is None. Call "
            "fit(X, y) with a label for each item."
        )
    labels = column_or_1d(np.asarray(y), warn=True)
    if len(labels) != n:
        raise DataError(
            f"X has {n} items but y has {len(labels)}: inconsistent numbers of samples. Every "
            "item needs one label."
        )
    if labels.dtype.kind == "O" and any(label is None for label in labels):
        raise DataError("y has missing labels (None). Drop these items from X and y.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise DataError(
            "Input y contains NaN or infinity; every item must have a label. Drop such items from "
            "X and y."
        )
    if labels.dtype.kind not in "biuUS":  # these can be nothing but classes
        check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.reshape(-1)


@dataclass(frozen=True, slots=True)
class _Column:
    """One column as it came: numbers, or values of any type with None or NaN for missing."""

    values: Any
    nominal: bool = False
    declared: Domain | None = None


def _columns(estimator: Any, X: Any, *, nominal: bool, reset: bool) -> Sequence[_Column] | Matrix:
    """Check the data in scikit-learn's manner; take them apart unless they are numbers anyway."""
    if not isinstance(X, np.ndarray | list | tuple):
        import narwhals as nw

        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            raise DataError("X is a lazy frame; learners need rows, so pass X.collect()")
        if isinstance(frame, nw.DataFrame):
            _validated(estimator, X, reset=reset, skip_check_array=True)
            if 0 in frame.shape:
                raise DataError(
                    f"Found array with {frame.shape[0]} sample(s) and {frame.shape[1]} feature(s) "
                    f"(shape={frame.shape}) while a minimum of 1 is required."
                )
            # By position: names may repeat in pandas.
            return [_frame_column(frame[:, j]) for j in range(frame.shape[1])]
    rows = _validated(
        estimator,
        X,
        reset=reset,
        dtype=None if nominal else np.float64,
        ensure_all_finite="allow-nan",
    )
    return [_Column(rows[:, j]) for j in range(rows.shape[1])] if nominal else rows


def _validated(estimator: Any, X: Any, *, reset: bool, **checks: Any) -> Any:
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn 1.5
        if checks.pop("skip_check_array", False):
            return estimator._validate_data(X, reset=reset, cast_to_ndarray=False)
        checks["force_all_finite"] = checks.pop("ensure_all_finite")
        return estimator._validate_data(X, reset=reset, **checks)
    return validate_data(estimator, X, reset=reset, **checks)


def _frame_column(series: Any) -> _Column:
    import narwhals as nw

    dtype = series.dtype
    if dtype == nw.Boolean:
        return _Column(series.to_list(), nominal=True, declared=(False, True))
    if dtype in (nw.Categorical, nw.Enum):
        native = getattr(series.to_native(), "dtype", None)
        # A Categorical of polars declares nothing: its categories are those of the whole process.
        pooled = dtype == nw.Categorical and series.implementation.is_polars()
        categories = None if pooled else getattr(native, "categories", None)
        declared = None if categories is None else tuple(categories)
        return _Column(series.to_list(), nominal=True, declared=declared)
    if dtype in (nw.String, nw.Object):
        return _Column(series.to_list(), nominal=True)
    if dtype.is_numeric():
        numbers = series.cast(nw.Float64).to_numpy()
        if np.isinf(numbers).any():
            raise DataError(
                f"Input X contains infinity in column {series.name!r}; numbers must be finite. "
                "Replace infinite values with null if they are missing."
            )
        return _Column(numbers)
    raise DataError(
        f"Column {series.name!r} has the unsupported type {dtype}; learners support numbers, "
        "categories, text and booleans. Cast it to one of them, or drop it."
    )


def _chosen(nominal: Any, columns: Sequence[_Column], names: Any) -> npt.NDArray[np.bool_]:
    """Return which columns the parameter `nominal` names, as a mask."""
    d = len(columns)
    mask = np.zeros(d, dtype=np.bool_)
    if nominal is None:
        return mask
    if isinstance(nominal, str):
        if nominal != "all":
            raise DataError(
                f"nominal must be a mask, indices or a list of names, got {nominal!r}: use "
                f"nominal=[{nominal!r}], or nominal='all'"
            )
        return ~mask
    given = np.asarray(nominal)
    if given.size == 0:
        return mask
    if given.ndim != 1:
        raise DataError(
            f"nominal must be one-dimensional, got shape {given.shape}: use for example "
            "nominal=[0, 2]"
        )
    if given.dtype.kind == "b":
        if given.size != d:
            raise DataError(f"nominal is a mask of {given.size} columns, but X has {d}.")
        return given.astype(np.bool_)
    if given.dtype.kind in "iu":
        if given.min() < -d or given.max() >= d:
            raise DataError(
                f"nominal contains column {given.max()}, but X has columns 0 to {d - 1}."
            )
        mask[given] = True
        return mask
    if names is None:
        raise DataError(
            "nominal contains column names, but X has none; pass column positions instead."
        )
    known = {str(name): j for j, name in enumerate(names)}
    for name in map(str, given):
        if name not in known:
            raise DataError(
                f"nominal contains {name!r}, but X has no such column; {did_you_mean(name, known)}"
            )
        mask[known[name]] = True
    return mask


def _is_missing(value: Any) -> bool:
    """Tell None, NaN and the missing values of frames, which do not equal themselves."""
    if value is None:
        return True
    equal = value == value  # pd.NA answers pd.NA
    return equal is not True and not (isinstance(equal, np.bool_) and bool(equal))


def _seen(values: Any) -> Domain:
    """Return the values that occur, sorted; of mixed types, by type."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        found = np.unique(values)
        return tuple(found[found == found].tolist())
    distinct = {value for value in _plain(values) if not _is_missing(value)}
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(sorted(distinct, key=lambda value: (type(value).__name__, str(value))))


def _plain(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _encoded(attributes: Attributes, columns: Sequence[_Column]) -> Matrix:
    encoded = np.empty((len(columns[0].values), len(columns)))
    for j, column in enumerate(columns):
        if attributes.nominal[j]:
            encoded[:, j] = _codes(column.values, attributes.domains[j])
        else:
            encoded[:, j] = _numbers(column.values, j)
    return encoded


def _codes(values: Any, domain: Domain) -> Matrix:
    """Return the position of each value in a domain, NaN for those outside."""
    code_of = {value: float(code) for code, value in enumerate(domain)}
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        found, inverse = np.unique(values, return_inverse=True)
        codes = np.array([code_of.get(value, np.nan) for value in found.tolist()])
        return codes[inverse.reshape(-1)]
    return np.array([code_of.get(value, np.nan) for value in _plain(values)])


def _numbers(values: Any, j: int) -> Matrix:
    mixed = not isinstance(values, np.ndarray) or values.dtype.kind == "O"
    try:
        plain = [np.nan if _is_missing(value) else value for value in values] if mixed else values
        numbers = np.asarray(plain, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"Column {j} contains text but is not nominal. If its values are categories, declare "
            f"it: nominal=[{j}]"
        ) from None
    if np.isinf(numbers).any():
        raise DataError(f"Input X contains infinity in column {j}; numbers must be finite or NaN.")
    return numbers
