"""What a run store holds, and how it is written: experiment, learners, addresses, checksums."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..designs import parse
from ..errors import DataError, argument
from ..numerics.exact_sums import Array
from .kernel import FileKind, StoreError, quoted

IntArray = npt.NDArray[np.int64]

RUN_FILE = FileKind(  # "OPRF" in the header
    "a store",
    0x4F505246,
    2,
    "Restore a copy, or rescue what SQLite can read: sqlite3 {} .recover | sqlite3 rescued.db",
)
SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) "
    "WITHOUT ROWID",
    "CREATE TABLE learner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, params TEXT NOT NULL, "
    "versions TEXT NOT NULL, turn INTEGER NOT NULL, "
    "about TEXT NOT NULL, checksum INTEGER NOT NULL, UNIQUE (name, params, versions))",
    "CREATE TABLE metric (id INTEGER PRIMARY KEY, scoring TEXT NOT NULL UNIQUE, "
    "name TEXT NOT NULL, greater INTEGER NOT NULL, loss TEXT, turn INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL)",
    "CREATE TABLE truth (id INTEGER PRIMARY KEY, body BLOB NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE split (address INTEGER PRIMARY KEY, n_train INTEGER NOT NULL, "
    "n_test INTEGER NOT NULL, items INTEGER NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE item (address INTEGER PRIMARY KEY, items BLOB NOT NULL)",
    "CREATE TABLE cell (learner INTEGER NOT NULL, metric INTEGER NOT NULL, "
    "address INTEGER NOT NULL, status INTEGER NOT NULL, score REAL, seconds REAL NOT NULL, "
    "remark INTEGER NOT NULL, losses INTEGER NOT NULL, kept INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL, PRIMARY KEY (learner, metric, address)) WITHOUT ROWID",
    "CREATE TABLE loss (learner INTEGER NOT NULL, metric INTEGER NOT NULL, "
    "address INTEGER NOT NULL, losses BLOB NOT NULL, PRIMARY KEY (learner, metric, address)) "
    "WITHOUT ROWID",
    "CREATE TABLE response (learner INTEGER NOT NULL, kind INTEGER NOT NULL, "
    "address INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL, "
    "PRIMARY KEY (learner, kind, address)) WITHOUT ROWID",
    "CREATE TABLE remark (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE TABLE strike (learner INTEGER NOT NULL, address INTEGER NOT NULL, "
    "count INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (learner, address)) "
    "WITHOUT ROWID",
    "CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, host TEXT NOT NULL, "
    "pid INTEGER NOT NULL, born TEXT NOT NULL, seconds REAL, until REAL)",
    "CREATE TABLE claim (learner INTEGER NOT NULL, address INTEGER NOT NULL, "
    "owner INTEGER NOT NULL, PRIMARY KEY (learner, address)) WITHOUT ROWID",
    # For people with the sqlite3 shell; nothing here reads it.
    "CREATE VIEW result AS SELECT learner.name AS learner, params, metric.name AS metric, "
    "cell.address >> 44 AS partition, "
    "cell.address >> 23 & 0x1FFFFF AS repeat, cell.address & 0x7FFFFF AS fold, "
    "CASE status WHEN 0 THEN 'ok' WHEN 1 THEN 'failed' WHEN 2 THEN 'timeout' ELSE 'killed' END "
    "AS status, score, seconds, n_train, n_test FROM cell "
    "JOIN learner ON learner.id = cell.learner JOIN metric ON metric.id = cell.metric "
    "LEFT JOIN split ON split.address = cell.address",
)


class Address(NamedTuple):
    """Where a split stands in its design."""

    partition: int
    repeat: int
    fold: int


# Bits of an address in one integer, so that its order is the order of addresses.
BITS = {"partition": 19, "repeat": 21, "fold": 23}
_FOLD, _REPEAT = BITS["fold"], BITS["fold"] + BITS["repeat"]
_LIMITS = tuple(1 << bits for bits in BITS.values())

NONE = 0
"""The digest of nothing: no remark, no losses."""

TEXT_LIMIT = 20_000
"""Characters kept of a traceback: its beginning and its end."""
DETAIL_LIMIT = 2_000


def _kind(names: str) -> np.dtype[np.void]:
    floats = ("score", "seconds")
    return np.dtype([(name, "<f8" if name in floats else "<i8") for name in names.split()])


# Rows as they are read: the address first, the checksum of all the others last.
CELL = _kind("address learner metric status score seconds remark losses kept checksum")
SPLIT = _kind("address n_train n_test items checksum")


def pack_one(address: Sequence[int]) -> int:
    """Return an address as one integer."""
    partition, repeat, fold = at = tuple(map(int, address))
    if not all(0 <= part < most for part, most in zip(at, _LIMITS, strict=True)):
        raise DataError(
            f"the address {at} is out of range; partition, repeat and fold must be at least 0 and "
            f"below {_LIMITS}"
        )
    return partition << _REPEAT | repeat << _FOLD | fold


def _fields(packed: Any) -> tuple[Any, Any, Any]:
    return packed >> _REPEAT, packed >> _FOLD & _LIMITS[1] - 1, packed & _LIMITS[2] - 1


def unpack_one(packed: int) -> Address:
    return Address(*_fields(packed))


def pack(addresses: npt.ArrayLike) -> IntArray:
    """Return addresses, shape (m, 3), as m integers."""
    rows = np.asarray(addresses, dtype=np.int64).reshape(-1, 3)
    outside = ((rows < 0) | (rows >= np.array(_LIMITS))).any(axis=1)
    if outside.any():
        pack_one(rows[int(outside.argmax())].tolist())
    packed: IntArray = rows[:, 0] << _REPEAT | rows[:, 1] << _FOLD | rows[:, 2]
    return packed


def unpack(packed: IntArray) -> IntArray:
    return np.stack(_fields(packed), axis=1).astype(np.int64, copy=False)


def digest(*parts: object) -> int:
    """Return 64 bits of BLAKE2b over parts and their types, as SQLite keeps integers; never 0."""
    if len(parts) == 1 and type(parts[0]) is bytes:  # every result: the same, without the loop
        whole = blake2b(b"bytes:%d:%b" % (len(parts[0]), parts[0]), digest_size=8).digest()
        return int.from_bytes(whole, "little", signed=True) or 1
    mixer = blake2b(digest_size=8)
    for part in parts:
        body = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        mixer.update(f"{type(part).__name__}:{len(body)}:".encode())
        mixer.update(body)
    return int.from_bytes(mixer.digest(), "little", signed=True) or 1


def checksums(seed: int, table: npt.NDArray[np.void]) -> IntArray:
    """Mix all columns but the last, row by row; each step is a bijection (splitmix64)."""
    mixed = np.full(table.shape, seed & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
    for name in (table.dtype.names or ())[:-1]:
        mixed ^= table[name].view(np.uint64)
        mixed += np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(30)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(27)
        mixed *= np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed.view(np.int64)


def select(kind: np.dtype[np.void]) -> tuple[str, struct.Struct]:
    """Return the columns of a kind of row, and how to pack them; no number reads as infinity."""
    kinds = {name: kind[name].kind for name in kind.names or ()}
    columns = [f"ifnull({name}, 9e999)" if kinds[name] == "f" else name for name in kinds]
    return ", ".join(columns), struct.Struct(
        "<" + "".join("d" if k == "f" else "q" for k in kinds.values())
    )


def gather(
    db: sqlite3.Connection, kind: np.dtype[np.void], source: str, *values: object
) -> npt.NDArray[np.void]:
    """Return the rows of `source` as a structured array.

    SQLite hands each row to a function that packs it: half the time of fetching tuples. A value of
    another type than written makes the function fail, hence the query.
    """
    buffer, (columns, layout) = bytearray(), select(kind)
    pack_row, extend = layout.pack, buffer.extend
    db.create_function("keep", len(kind.names or ()), lambda *row: extend(pack_row(*row)))
    db.execute(f"SELECT count(keep({columns})) FROM {source}", values).fetchone()
    return np.frombuffer(buffer, dtype=kind)


def encode_losses(losses: npt.NDArray[Any]) -> bytes:
    """Return losses as bytes: one bit each if all are 0 or 1, else float64."""
    if losses.dtype == np.bool_:
        return _bits(losses)
    values = np.ascontiguousarray(losses, dtype="<f8")
    ones = values.view("<u8") == np.array(1.0).view("<u8")
    if (ones | (values.view("<u8") == 0)).all():
        return _bits(ones)
    return b"d" + values.tobytes()


def _bits(ones: npt.NDArray[Any]) -> bytes:
    return b"b" + ones.size.to_bytes(4, "little") + np.packbits(ones).tobytes()


def decode_losses(blob: bytes) -> Array:
    if blob[:1] == b"d":
        return np.frombuffer(blob, dtype="<f8", offset=1).astype(np.float64)
    size = int.from_bytes(blob[1:5], "little")
    return np.unpackbits(np.frombuffer(blob, np.uint8, offset=5), count=size).astype(np.float64)


def encode_items(splits: Sequence[npt.ArrayLike], n_items: int) -> list[bytes]:
    """Return the item indices of each split as bytes, in the smallest integers for `n_items`."""
    parts = [np.asarray(items, dtype=np.int64).ravel() for items in splits]
    flat = np.concatenate([*parts, np.empty(0, np.int64)])
    if flat.size and not 0 <= flat.min() <= flat.max() < n_items:
        raise DataError(
            f"test items must be from 0 to {n_items - 1}, got {flat.min()} to {flat.max()}"
        )
    size = next(size for size in (1, 2, 4, 8) if n_items <= 1 << 8 * size)
    body, head = flat.astype(f"<u{size}").tobytes(), size.to_bytes(1, "little")
    ends = np.cumsum([part.size * size for part in parts]).tolist()
    return [head + body[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def decode_items(blob: bytes) -> IntArray:
    return np.frombuffer(blob, dtype=f"<u{blob[0]}", offset=1).astype(np.int64)


def bounded(text: str, most: int) -> str:
    """Cut the middle out of a long text."""
    if len(text) <= most:
        return text
    side = (most - 50) // 2
    return f"{text[:side]}\n… {len(text) - 2 * side:,} characters left out …\n{text[-side:]}"


def encode_remark(error: str | None, notes: Iterable[tuple[str, str]]) -> tuple[int, str] | None:
    """Return the text of an error and of notes, with its digest; None if there is neither.

    The digest is the key: a million cells that fail alike keep one text.
    """
    said = [[str(code), bounded(str(detail), DETAIL_LIMIT)] for code, detail in notes]
    if error is None and not said:
        return None
    kept = None if error is None else bounded(str(error), TEXT_LIMIT)
    text = json.dumps({"error": kept, "notes": said})
    return digest(text), text


def decode_remark(text: str) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    said = json.loads(text)
    return said["error"], tuple((code, detail) for code, detail in said["notes"])


Status = Literal["ok", "failed", "timeout", "killed"]
STATUSES: tuple[Status, ...] = ("ok", "failed", "timeout", "killed")
NAME_LIMIT = 10_000


class StoreIncomplete(StoreError):
    """Cells are missing or failed, so there is nothing to compare yet."""


class MetricKey(NamedTuple):
    """A metric as a store knows it."""

    scoring: str
    """Its name, with a hash where it is a function of the caller's own."""
    name: str
    greater_is_better: bool = True
    loss: str | None = None
    """The kind of loss of each item that is kept with its scores, or None."""


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """What a store is asked for, or holds.

    What identifies it must be the same for a store to be used again: the data, the seed, the family
    of the design and `extra`, of which keys that begin with an underscore are shown but not
    compared. The size of the design and the metrics may grow.
    """

    data: str
    """Fingerprint (hex) of the data: items, targets, groups."""
    design: str
    """The design as the string that `parse` reads back."""
    scoring: str
    seed: int
    n_items: int
    metric: str = "score"
    greater_is_better: bool = True
    loss: str | None = None
    """The kind of per-item loss that is kept, or None."""
    extra: Mapping[str, str] = field(default_factory=dict, hash=False)
    more: tuple[MetricKey, ...] = ()
    """The other metrics, after the first."""

    @property
    def metrics(self) -> tuple[MetricKey, ...]:
        own = MetricKey(self.scoring, self.metric, self.greater_is_better, self.loss)
        return (own, *self.more)

    @property
    def family(self) -> str:
        return parse(self.design).family if self.design else ""

    @property
    def planned(self) -> int:
        """How many splits the design has."""
        return parse(self.design).n_splits(self.n_items) if self.design else 0

    def identity(self) -> str:
        """Return what must stay the same, as JSON: the seed of all checksums is made of it."""
        same = {name: getattr(self, name) for name in ("data", "family", "seed", "n_items")}
        return json.dumps(same | {"extra": dict(self.extra)}, sort_keys=True)

    def with_metrics(self, metrics: Sequence[MetricKey]) -> StoredExperiment:
        (scoring, name, greater, loss), *more = metrics
        return replace(
            self,
            scoring=scoring,
            metric=name,
            greater_is_better=greater,
            loss=loss,
            more=tuple(more),
        )

    def differences(self, other: StoredExperiment) -> list[str]:
        """Say what differs in `other`, the experiment asked for."""
        if self.data != other.data:
            said = [f"the data differ (fingerprint {self.data[:8]}… there, {other.data[:8]}… now)"]
        else:
            said = []
        there, now = self._compared(), other._compared()
        names = [name for name in [*there, *now] if there.get(name) != now.get(name)]
        for name in dict.fromkeys(names):
            said.append(f"{name} is {there.get(name)!r} there, {now.get(name)!r} now")
        return said

    def _compared(self) -> dict[str, object]:
        plain: dict[str, object] = {
            "family of splits": self.family,
            "seed": self.seed,
            "n_items": self.n_items,
        }
        return plain | {key: text for key, text in self.extra.items() if not key.startswith("_")}


class Learner(NamedTuple):
    """The identity of a column of cells."""

    name: str
    params: str
    """Hash (hex) of its parameters."""
    versions: str
    """Hash (hex) of the versions of the libraries it uses."""


class Outcome(NamedTuple):
    """What came of one cell. Only an ok cell keeps a score and losses; both must be finite."""

    score: float | None
    seconds: float
    losses: Array | None
    status: Status
    error: str | None = None
    notes: tuple[tuple[str, str], ...] = ()
    more: tuple[Any, ...] = ()
    """By the other metrics of the run; empty where the fit itself failed."""
    responses: tuple[tuple[int, bytes], ...] = ()
    """What is kept of the model's answers: kind and content."""


class CellCounts(NamedTuple):
    """How far a learner is."""

    planned: int
    ok: int
    failed: int
    missing: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Cells of one learner that stand in the way of a comparison for the same reason."""

    learner: str
    status: Literal["missing", "failed", "timeout", "killed"]
    count: int
    line: str = ""
    """The line of the traceback that names the exception."""
    example: str = ""
    """One traceback in full."""
    address: Address | None = None
    """Where the example happened."""
    metric: str = ""
    """By which metric, where there are several."""


def make_run_file(db: sqlite3.Connection, experiment: StoredExperiment) -> None:
    """Write the tables of a new store and what it belongs to."""
    for statement in SCHEMA:
        db.execute(statement)
    write_meta(db, "experiment", experiment.identity())
    write_meta(db, "design", experiment.design)
    write_meta(db, "notes", "[]")
    write_meta(db, "learners", "0")
    write_meta(db, "metrics", "0")


def write_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    row = (key, value, digest(key, value))
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", row)


def read_meta(db: sqlite3.Connection, real: str, key: str) -> str:
    query = "SELECT key, value, checksum FROM meta WHERE key = ?"
    found = db.execute(query, (key,)).fetchone()
    if found is None or found[0] != key or digest(key, found[1]) != found[2]:
        raise RUN_FILE.damaged(real, f"the row about its {key} is missing or changed")
    return str(found[1])


def has_tables(db: sqlite3.Connection, schema: Sequence[str]) -> bool:
    """Tell whether the tables of a file are these, to the letter."""
    found = db.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
    return sorted(str(sql) for (sql,) in found) == sorted(schema)


def same_experiment(real: str, there: StoredExperiment, asked: StoredExperiment | None) -> None:
    """Refuse a store of another experiment, naming what differs."""
    differences = [] if asked is None else there.differences(asked)
    if differences:
        raise StoreError(
            f"{quoted(real)} contains another experiment: {'; '.join(differences)}. Use another "
            f"file for this one: {argument(store='another.db')}"
        )
