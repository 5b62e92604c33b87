"""Validation: whatever users hand in becomes float64, counts or labels, or is refused by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from . import errors
from .errors import DataError, MethodError, argument, counted, did_you_mean
from .numerics.exact_sums import Array

SQLITE = b"SQLite format 3\0"
LARGEST_EXACT = 2**53
LARGEST = 1e305
"""Differences, their sums and their quantiles then stay below the largest float64, 1.8e308."""
_KINDS = {"U": "text", "T": "text", "S": "bytes", "M": "date", "m": "duration", "V": "record"}


def is_store(path: Any) -> bool:
    """Tell by its first bytes whether a file is the store of a run."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return False  # opening a pipe would wait for whoever fills it
    with suppress(OSError, ValueError), open(path, "rb") as file:
        return file.read(len(SQLITE)) == SQLITE
    return False  # what is wrong with the path, if anything, is said by the reader


def is_benchmark(path: Any) -> bool:
    """Tell whether a path is a folder that holds the names of datasets, as a benchmark's does."""
    if not isinstance(path, str | os.PathLike) or not os.path.isdir(path):
        return False
    return any(os.fspath(name).endswith(".name") for name in os.listdir(path))


def numbers(values: Any, name: str) -> Array:
    """Return values as finite float64, or raise an error that names the entry.

    Parameters
    ----------
    values : array-like
        Numbers.
    name : str
        Name of the parameter, for the message.

    Returns
    -------
    ndarray of float64
        The numbers.

    Raises
    ------
    DataError
        If an entry is not a finite number.

    Examples
    --------
    >>> from outperform.extend import numbers
    >>> numbers([1, 2], "a")
    array([1., 2.])
    """
    array = _array(values, name)
    if array.dtype == object:
        array = _from_objects(array, name)
    if array.dtype.kind not in "biuf":
        raise DataError(
            f"{name} must contain numbers, got {_what(array)}. Convert it first, for example "
            f"np.asarray({name}, dtype=float)"
        )
    if array.size == 0:
        raise DataError(
            f"{name} must contain at least one number, got an empty array of shape {array.shape}."
        )
    if array.dtype.kind in "iu" and _beyond_exact(array):
        at = _where(np.abs(array.astype(np.float64)) > LARGEST_EXACT)
        raise DataError(
            f"{name}{at} is an integer beyond 2**53, which float64 cannot represent exactly. "
            "Rescale the scores before comparing."
        )
    wide = array.astype(np.float64, copy=False)
    if not max(float(wide.max()), -float(wide.min())) <= LARGEST:
        bad = ~np.isfinite(wide)
        if bad.any():
            raise DataError(
                f"{name}{_where(bad)} is {wide[bad].flat[0]}; all numbers must be finite. Missing "
                "scores are not imputed: run that split again, or drop it from both arrays."
            )
        great = np.abs(wide) > LARGEST
        raise DataError(
            f"{name}{_where(great)} is {wide[great].flat[0]:g}; absolute values must not exceed "
            f"{LARGEST:g}, so that differences and sums do not overflow. Divide all scores by the "
            "same number."
        )
    return wide


def counts(values: Any, name: str) -> Array:
    """Return `values` as whole, non-negative float64 counts up to 2**53."""
    wide = numbers(values, name)
    for bad, why in (
        (wide < 0, "negative"),
        (wide != np.floor(wide), "not an integer"),
        (wide > LARGEST_EXACT, "beyond 2**53"),
    ):
        if bad.any():
            raise DataError(
                f"{name} must contain counts (integers of at least 0), got {wide[bad].flat[0]:g} "
                f"at {name}{_where(bad)}, which is {why}."
            )
    return wide


def labels(values: Any, name: str) -> npt.NDArray[Any]:
    """Return one-dimensional labels without missing entries."""
    plain = type(values) is np.ndarray and values.ndim == 1 and values.size > 0
    if plain and values.dtype.kind in "biuSU":  # nothing can be missing
        return np.asarray(values)
    if hasattr(values, "filled") and np.any(getattr(values, "mask", False)):
        raise DataError(
            f"{name} has masked labels; every item must have a label. Drop those items."
        )
    array = _array(values, name)
    if array.dtype.kind in "SU" and isinstance(values, list | tuple):
        # NumPy turns NaN and numbers among text into text: keep the objects to see them.
        array = np.asarray(values, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(
            f"{name} must be one-dimensional, with one label per item, got shape {array.shape}."
        )
    if array.size == 0:
        raise DataError(f"{name} must contain at least one item, got none.")
    if array.dtype.kind in "fcmM":
        missing = ~np.isfinite(array)
    elif array.dtype == object:
        missing = np.fromiter(map(_is_missing, array), np.bool_, array.size)
    else:
        return array
    if missing.any():
        raise DataError(
            f"{name}{_where(missing)} is missing; every item must have a label. Drop the item "
            "from labels and predictions, or use a separate label for missing values."
        )
    return array


def _is_missing(label: object) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # pandas.NA answers no comparison
        return True


def label_kind(array: npt.NDArray[Any]) -> str:
    """Return what the labels are, so that "1" is never compared with 1."""
    if array.dtype != object:
        return _KINDS.get(array.dtype.kind, "number")
    found = {
        "text"
        if issubclass(t, str)
        else "bytes"
        if issubclass(t, bytes)
        else "number"
        if issubclass(t, int | float | np.number | np.bool_)
        else "object"
        for t in set(map(type, array))
    }
    return found.pop() if len(found) == 1 else "object"


def aligned(parts: Sequence[Any], names: Sequence[str]) -> tuple[list[Any], bool]:
    """Put labelled inputs (with a pandas-like index) into the order of the first by label.

    Returns the inputs and whether anything was moved. Labels that differ are refused, and so is an
    index 0…n−1 beside one that shuffles it: it may have been rebuilt, for rows in that order.
    """
    labelled = [i for i, part in enumerate(parts) if hasattr(part, "reindex")]
    moved = False
    out = list(parts)
    if len(labelled) < 2:
        return out, moved
    first = parts[labelled[0]]
    for i in labelled[1:]:
        for axis in ("index", "columns"):
            lead, other = getattr(first, axis, None), getattr(out[i], axis, None)
            if lead is None or other is None or lead.equals(other):
                continue
            if not (lead.is_unique and other.is_unique) or set(lead) != set(other):
                raise DataError(
                    f"{names[labelled[0]]} and {names[i]} have different or duplicate index "
                    "labels, so their entries cannot be paired. Give both the same unique labels, "
                    f"or pass plain arrays: {names[i]}.to_numpy()"
                )
            if counts_rows(lead) or counts_rows(other):
                led, it = names[labelled[0]], names[i]
                look_up = f"{it}.loc[{led}.index]" if axis == "index" else f"{it}[{led}.columns]"
                raise DataError(
                    f"{led} and {it} have the same index labels in a different order, and one of "
                    "them is the default index 0, 1, 2, …, which says nothing about the order. "
                    f"Pass {it}.to_numpy() to pair entries by position, or {look_up} to pair them "
                    "by label."
                )
            out[i] = out[i].reindex(**{axis: lead})
            moved = True
    return out, moved


def counts_rows(index: Any) -> bool:
    """Tell whether labels are 0, 1, 2, …, as pandas gives them to data that came without."""
    numbered = getattr(index.dtype, "kind", "O") in "iu"
    return numbered and np.array_equal(index, np.arange(len(index)))


def learner_names(given: Any, k: int) -> tuple[str, ...]:
    """Return k distinct names of learners."""
    names = (given,) if isinstance(given, str) else tuple(str(name) for name in given)
    if len(names) != k or len(set(names)) != k:
        raise DataError(
            f"{counted(k, 'distinct name is', 'distinct names are')} needed, one per learner, got "
            f"{len(names)} ({len(set(names))} distinct)."
        )
    blank = next((at for at, name in enumerate(names) if errors.is_blank(name)), None)
    if blank is not None:
        raise DataError(
            f"Learner names must not be empty or blank, got {names[blank]!r} for learner "
            f"{blank + 1}. Give it a name, such as 'tree'."
        )
    return names


def right(
    y_true: Any, predictions: Sequence[Any], names: Sequence[str]
) -> tuple[npt.NDArray[np.bool_], bool]:
    """Tell where predictions equal the true labels, (models, items); and whether labels moved."""
    parts, moved = aligned([y_true, *predictions], names)
    arrays = [labels(part, name) for part, name in zip(parts, names, strict=True)]
    truth = arrays[0]
    no_fractions(truth, names[0], "Pass true labels, which are text or whole numbers")
    for name, array in zip(names[1:], arrays[1:], strict=True):
        if array.size != truth.size:
            raise DataError(
                f"{name} has {array.size} items but {names[0]} has {truth.size}. Predictions are "
                "compared item by item, so both must have the same length."
            )
        no_fractions(array, name, "Pass predicted labels, such as model.predict(X)")
        if array.dtype == truth.dtype and array.dtype != object:
            continue
        kinds = label_kind(truth), label_kind(array)
        if kinds[0] != kinds[1] and "object" not in kinds:
            raise DataError(
                f"{names[0]} has {kinds[0]} labels but {name} has {kinds[1]} labels, so no "
                "prediction could be correct. Convert one of them, for example "
                f"np.asarray({name}).astype(str)"
            )
    rights = np.empty((len(predictions), truth.size), dtype=np.bool_)
    for row, array in zip(rights, arrays[1:], strict=True):
        row[:] = array == truth
    return rights, moved


def no_fractions(array: npt.NDArray[Any], name: str, advice: str) -> None:
    """Refuse fractions among labels, such as probabilities, as scikit-learn does."""
    if array.dtype == object and label_kind(array) == "number":
        array = array.astype(np.float64)
    if array.dtype.kind == "f" and (array % 1 != 0).any():
        raise DataError(f"{name} has fractions, which are no classes. {advice}")


def not_zero_one(name: str, where: tuple[int, ...], value: Any) -> DataError:
    """Return the refusal of an entry in a table of right (1) and wrong (0)."""
    return DataError(
        f"{name}{_brackets(where)} must be 0 or 1, got {value}. For labels and predictions use "
        "all_pairs(y_true, predictions), for other losses simultaneous(losses)"
    )


def choice(value: str, name: str, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the allowed words."""
    known = list(allowed)
    if value not in known:
        hint = did_you_mean(str(value), known)
        raise MethodError(f"The {name!r} parameter has the unknown value {value!r}; {hint}")
    return value


def measured_already(**options: Any) -> None:
    """Refuse data, and options of running learners, beside scores: they could change nothing."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise DataError(
            f"Scores were passed together with {', '.join(given)}, but existing scores are only "
            f"compared and nothing is run. Remove {given[0] if len(given) == 1 else 'them'}, or "
            "pass learners and data, as in compare(learners, X, y)"
        )


def one_metric(metric: Any) -> None:
    """Refuse several metrics where scores are compared by one."""
    if metric is not None and not isinstance(metric, str):
        raise DataError(
            f"The 'metric' parameter must be one name, got {metric!r:.60}. Pass one of them; to "
            "compute several in one run, pass scoring=['accuracy', 'f1']"
        )


def _example(name: str) -> str:
    usual = {"alpha": 0.05, "level": 0.95, "power": 0.8, "rope": 0.01}
    return argument(**{name: usual.get(name, 0.5)})


def one_number(value: Any, name: str) -> float:
    """Return a finite Python float."""
    if isinstance(value, str | bytes) or value is None:
        raise DataError(
            f"The {name!r} parameter must be a number, got {value!r:.40}. Use for example "
            f"{_example(name)}"
        )
    if isinstance(value, float | np.floating) and not np.isfinite(value):
        raise DataError(
            f"The {name!r} parameter must be a finite number, got {value:g}. Use for example "
            f"{_example(name)}"
        )
    array = numbers(value, name)
    if array.size != 1:
        raise DataError(
            f"The {name!r} parameter must be a single number, got an array of shape {array.shape}."
        )
    return float(array.reshape(()))


def whole(value: Any, name: str, *, least: int = 0) -> int:
    """Return a whole number of at least `least`."""
    number = one_number(value, name)
    if number != int(number) or number < least:
        raise DataError(
            f"The '{name}' parameter must be a whole number of at least {least}, got {value!r}."
        )
    return int(number)


def fraction(value: Any, name: str) -> float:
    """Return a number strictly between 0 and 1 (a level, an α)."""
    number = one_number(value, name)
    if not 0 < number < 1:
        raise MethodError(
            f"The {name!r} parameter must be strictly between 0 and 1, got {number:g}. Use for "
            f"example {_example(name)}"
        )
    return number


def hash_digits(value: Any) -> str:
    """Return a sha256 as 64 hexadecimal digits."""
    if not isinstance(value, str) or len(value) != 64 or set(value) - set("0123456789abcdef"):
        raise DataError(
            "The 'record' parameter must be the sha256 that comparison.record(…) returned, got "
            f"{value!r}."
        )
    return value


def seed_number(value: Any, name: str = "random_state") -> int:
    """Return a seed, or an error that says what one is."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and value >= 0):
        raise DataError(
            f"The {name!r} parameter must be a non-negative integer, got {value!r}. Use "
            f"{argument(**{name: 0})}"
        )
    return int(value)


def rope_width(value: Any) -> float:
    """Return the half-width of the region of practical equivalence, a positive number."""
    number = one_number(value, "rope")
    if not number > 0:
        raise MethodError(
            f"The 'rope' parameter must be positive, got {number:g}. It is the largest difference "
            f"that does not matter, in units of the score. Use for example {argument(rope=0.01)}"
        )
    return number


def _array(values: Any, name: str) -> npt.NDArray[Any]:
    if isinstance(values, str | bytes):
        raise DataError(
            f"{name} must be an array, got the string {values[:40]!r}. To read a file, use "
            "outperform.Scores.read(path)"
        )
    if hasattr(values, "filled") and np.any(getattr(values, "mask", False)):
        raise DataError(
            f"{name} has masked entries; every score is required. Fill them or drop them from "
            "both arrays."
        )
    if isinstance(values, Set | Mapping):
        raise DataError(
            f"{name} must be an array, got a {type(values).__name__}, which has no order for "
            f"pairing entries by position. Pass for example {name}=[0.81, 0.79]"
        )
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    elif not isinstance(values, np.ndarray) and isinstance(values, Iterable):
        values = list(values) if not isinstance(values, list | tuple) else values
    try:
        return np.asarray(values)
    except ValueError:
        raise DataError(f"{name} is ragged: all rows must have the same length.") from None


def _from_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    for position, value in zip(np.ndindex(array.shape), array.flat, strict=True):
        if value is None:
            raise DataError(
                f"{name}{_brackets(position)} is None; all numbers must be finite. Run that split "
                "again, or drop it from both arrays."
            )
        if isinstance(value, str) or not isinstance(value, int | float | np.number):
            try:
                if isinstance(value, str | complex):
                    raise TypeError
                float(value)
            except (TypeError, ValueError):
                raise DataError(
                    f"{name}{_brackets(position)} must be a number, got {str(value)[:40]!r} "
                    f"({type(value).__name__})."
                ) from None
        elif isinstance(value, int) and abs(value) > LARGEST_EXACT:
            raise DataError(
                f"{name}{_brackets(position)} is an integer beyond 2**53, which float64 cannot "
                "represent exactly. Rescale the scores before comparing."
            )
    return array.astype(np.float64)


def _beyond_exact(array: npt.NDArray[Any]) -> bool:
    return array.dtype.itemsize == 8 and (
        int(array.max()) > LARGEST_EXACT or int(array.min()) < -LARGEST_EXACT
    )


def _what(array: npt.NDArray[Any]) -> str:
    return {"U": "text", "S": "bytes", "c": "complex numbers", "M": "dates", "m": "durations"}.get(
        array.dtype.kind, str(array.dtype)
    )


def _where(bad: npt.NDArray[Any]) -> str:
    return _brackets(tuple(int(i) for i in np.argwhere(bad)[0]))


def _brackets(position: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(i) for i in position) + "]" if position else ""


def sizes(value: Any, name: str, n_splits: int) -> Array:
    """Return one positive size for each split, from one for all or one for each."""
    array = counts(value, name).ravel()
    if array.size not in (1, n_splits):
        raise DataError(
            f"{name} must have 1 entry (for all splits) or {n_splits} entries (one per split), "
            f"got {array.size}."
        )
    if not (array > 0).all():
        raise DataError(f"{name} must be at least 1 for every split, got 0.")
    return np.broadcast_to(array, (n_splits,)).copy()
