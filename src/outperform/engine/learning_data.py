"""Learning data: the items learners are given, whatever holds them, and their fingerprint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from multiprocessing.reduction import ForkingPickler
from typing import Any, Literal
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from .. import validation
from ..designs.splitting import IntArray, encode
from ..errors import DataError, counted, did_you_mean
from ..notes import Note

HOLDS = {"y": "targets", "groups": "groups"}


class Rows:
    """Rows that can be taken by position and reach the learner as what they came as."""

    def __init__(self, kind: Literal["array", "sparse", "frame"], rows: Any, n: int) -> None:
        self.kind, self.rows, self.n = kind, rows, n
        self._packed: tuple[str, npt.NDArray[np.uint8], int] | None = None

    def __len__(self) -> int:
        return self.n

    def take(self, items: IntArray) -> Any:
        """Return some rows, copied."""
        if self.kind == "array":
            return np.asarray(self.rows).take(items, axis=0)  # in a worker, rows are a memory map
        if self.kind == "sparse":
            return self.rows[items]
        import narwhals as nw

        return nw.from_native(self.rows, eager_only=True)[items].to_native()

    @property
    def can_fork(self) -> bool:
        """False where a forked process would wait for threads that it does not have."""
        return self.kind != "frame" or type(self.rows).__module__.partition(".")[0] != "polars"

    def __reduce__(self) -> tuple[Any, ...]:
        """Send a frame as one array of bytes, which joblib maps like any other, once.

        The arrays of the other kinds are mapped as they are.
        """
        if self.kind != "frame":
            return Rows, (self.kind, self.rows, self.n)
        if self._packed is None:
            body = np.frombuffer(ForkingPickler.dumps(self.rows), dtype=np.uint8)
            self._packed = uuid4().hex, body, self.n
        return _unpacked, self._packed


_received: dict[str, Rows] = {}


def _unpacked(token: str, body: npt.NDArray[np.uint8], n: int) -> Rows:
    """Read a frame that was sent, or return it if this process has read it before."""
    table = _received.get(token)
    if table is None:
        table = Rows("frame", ForkingPickler.loads(body.data), n)
        _received.clear()
        _received[token] = table
    return table


@dataclass(frozen=True, eq=False, slots=True)
class Data:
    """Checked items, targets and groups."""

    table: Rows
    y: npt.NDArray[Any]
    groups: IntArray | None
    notes: tuple[Note, ...] = ()


def named_columns(X: Any, y: Any, groups: Any) -> tuple[Any, Any, Any, list[Note]]:
    """Take targets and groups that are given by the name of a column out of the features."""
    given = {"y": y, "groups": groups}
    names = {what: name for what, name in given.items() if isinstance(name, str)}
    if not names:
        return X, y, groups, []
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True) if _table(X).kind == "frame" else None
    for what, name in names.items():
        if frame is None:
            raise DataError(
                f"{what}={name!r} names a column, but X is an array without column names. Pass a "
                "data frame, or one value for each item"
            )
        if name not in frame.columns:
            raise DataError(f"X has no column {name!r}; {did_you_mean(name, frame.columns)}")
        given[what] = frame[name].to_native()
    if len(set(names.values())) < len(names):
        raise DataError(f"y and groups both name {y!r}; groups need a separate column")
    assert frame is not None
    X = frame.drop(*names.values())
    if not X.columns:
        raise DataError(
            f"X has only {' and '.join(map(repr, names.values()))}; learners need features"
        )
    notes = [
        Note(
            "OP001",
            f"Column {name!r} of X contains the {HOLDS[what]} and is not used as a feature.",
        )
        for what, name in names.items()
    ]
    return X.to_native(), given["y"], given["groups"], notes


def read_data(X: Any, y: Any, groups: Any) -> Data:
    """Check what is to be learned; items, targets and groups are paired by position."""
    table, target = _table(X), _target(y)
    beside = None if groups is None else np.asarray(groups)
    if beside is not None and beside.ndim == 2 and beside.shape[1] == 1:
        beside = beside[:, 0]
    for name, part in (("y", target), ("groups", beside)):
        if part is not None and len(part) != table.n:
            raise DataError(
                f"X has {counted(table.n, 'item')} but {name} has {len(part)}; they must have the "
                "same length"
            )
    notes = check_pairing({"X": X, "y": y, "groups": groups})
    if table.n < 2:
        raise DataError(
            f"X has {counted(table.n, 'item')}; at least 2 are required, one to train and one to "
            "test"
        )
    kept = None if beside is None else encode(beside, table.n, "groups")
    return Data(table, target, kept, tuple(notes))


def _table(X: Any) -> Rows:
    if isinstance(X, np.ma.MaskedArray):
        raise DataError("X is masked; learners do not read masks. Pass X.filled(np.nan)")
    if not isinstance(X, np.ndarray):
        from scipy.sparse import issparse

        if issparse(X):
            rows = X.tocsr()
            return Rows("sparse", rows, int(rows.shape[0]))
        import narwhals as nw

        try:
            frame = nw.from_native(X, pass_through=True, allow_series=True)
        except nw.exceptions.DuplicateError:
            names = getattr(X, "column_names", None) or X.columns
            ((name, n_columns),) = Counter(map(repr, names)).most_common(1)
            raise DataError(
                f"X has {n_columns} columns with the name {name}. Rename all but one of them, or "
                "pass X.to_numpy()"
            ) from None
        if isinstance(frame, nw.LazyFrame):
            raise DataError("X is a lazy frame; rows are taken by position, so pass X.collect()")
        if isinstance(frame, nw.DataFrame):
            return Rows("frame", X, len(frame))
        X = frame.to_numpy() if isinstance(frame, nw.Series) else X
    try:
        rows = np.asarray(X)
    except ValueError:
        raise DataError(
            "X is ragged: its rows have different lengths. Every item needs the same features"
        ) from None
    if rows.ndim == 0:
        raise DataError(f"X is {type(X).__name__}; X must be an array or a data frame")
    return Rows("array", rows, int(rows.shape[0]))


def _target(y: Any) -> npt.NDArray[Any]:
    """Return the targets as an array without missing or infinite entries."""
    if not isinstance(y, np.ndarray | list | tuple):
        import narwhals as nw

        series = nw.from_native(y, pass_through=True, series_only=True)
        y = series.to_numpy() if isinstance(series, nw.Series) else y
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind in "biufc" and array.ndim in (1, 2):
        bad = ~np.isfinite(array)
        if bad.any():
            at = np.argwhere(bad)[0].tolist()
            raise DataError(
                f"y{at} is {array[bad].flat[0]}; every item needs a finite target. Drop the item "
                "from X and y alike"
            )
        return array
    return validation.labels(array, "y")


def check_pairing(parts: Mapping[str, Any]) -> list[Note]:
    """Refuse parts of one length whose row labels (as in pandas) differ; nothing is ever moved.

    A default index 0…n−1 says nothing beside labels of another kind. Where both share labels,
    nobody can tell whether rows were moved or dropped, or the index was rebuilt.
    """
    labelled = {
        name: part.index
        for name, part in parts.items()
        if hasattr(part, "reindex") and hasattr(part, "index")
    }
    notes = []
    for (first, labels), (second, others) in combinations(labelled.items(), 2):
        if labels.equals(others):
            continue
        seen, known = set(labels), set(others)
        counted = validation.counts_rows(labels) or validation.counts_rows(others)
        if not counted or seen & known:
            can_look_up = others.is_unique and seen <= known
            raise DataError(_differ(first, labels, second, others, can_look_up=can_look_up))
        notes.append(
            Note(
                "OP001",
                f"{first} and {second} are paired by position: of their row labels, one "
                "set is the default 0, 1, 2, …",
            )
        )
    return notes


def _differ(first: str, labels: Any, second: str, others: Any, *, can_look_up: bool) -> str:
    one, other = (list(map(repr, index)) for index in (labels, others))  # missing labels, too
    at = next((at for at, pair in enumerate(zip(one, other, strict=True)) if len(set(pair)) > 1), 0)
    moved = sorted(one) == sorted(other)
    what = "the same row labels in a different order" if moved else "different row labels"
    way = f", or {second}.loc[{first}.index] to pair them by label" if can_look_up else ""
    return (
        f"{first} and {second} carry {what}: at position {at} {first} has {one[at]} and {second} "
        f"has {other[at]}. Rows are paired by position, as in scikit-learn. Pass "
        f"{second}.to_numpy() if both are in the same order{way}"
    )


def fingerprint(data: Data) -> str:
    """Return a sha256 (hex) over types, shapes and contents of items, targets and groups."""
    mixer = sha256()
    for part in (*_columns(data.table), data.y, data.groups):
        if part is None or isinstance(part, str):
            mixer.update(f"{part}\n".encode("utf-8", "surrogatepass"))
            continue
        mixer.update(f"{part.dtype.str} {part.shape}\n".encode())
        if part.dtype.hasobject:
            for value in part.ravel().tolist():
                text = f"{type(value).__name__}:{value!r}".encode("utf-8", "surrogatepass")
                mixer.update(len(text).to_bytes(8, "little") + text)
        else:
            mixer.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
    return mixer.hexdigest()


def _columns(table: Rows) -> Iterable[Any]:
    if table.kind == "array":
        yield table.rows
    elif table.kind == "sparse":
        yield from (f"csr {table.rows.shape}", table.rows.indptr, table.rows.indices)
        yield table.rows.data
    else:
        import narwhals as nw

        frame = nw.from_native(table.rows, eager_only=True)
        for name, column in zip(frame.columns, frame.iter_columns(), strict=True):
            label = name if isinstance(name, str) else f"{type(name).__name__}:{name!r}"
            yield f"{label} {column.dtype}"
            if column.dtype == nw.Categorical:  # learners may read its categories in their order
                declared = getattr(getattr(column.to_native(), "cat", None), "categories", ())
                yield repr(list(declared))
            yield column.to_numpy()
