"""What a run store holds, and how it is written: experiment, learners, addresses, checksums."""

from __future__ import annotations

import json
import math
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..numerics.exact_sums import Array
from .kernel import FileKind, StoreError, quoted

IntArray = npt.NDArray[np.int64]

RUN_FILE = FileKind("a store", 0x4F505246, 1, "Look closer: outperform check {}")  # "OPRF"
SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) "
    "WITHOUT ROWID",
    "CREATE TABLE learner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, params TEXT NOT NULL, "
    "versions TEXT NOT NULL, planned INTEGER NOT NULL, turn INTEGER NOT NULL, "
    "about TEXT NOT NULL, checksum INTEGER NOT NULL, UNIQUE (name, params, versions))",
    "CREATE TABLE split (address INTEGER PRIMARY KEY, n_train INTEGER NOT NULL, "
    "n_test INTEGER NOT NULL, items INTEGER NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE item (address INTEGER PRIMARY KEY, items BLOB NOT NULL)",
    "CREATE TABLE cell (learner INTEGER NOT NULL, address INTEGER NOT NULL, "
    "status INTEGER NOT NULL, score REAL, seconds REAL NOT NULL, remark INTEGER NOT NULL, "
    "losses INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (learner, address)) "
    "WITHOUT ROWID",
    "CREATE TABLE loss (learner INTEGER NOT NULL, address INTEGER NOT NULL, "
    "losses BLOB NOT NULL, PRIMARY KEY (learner, address)) WITHOUT ROWID",
    "CREATE TABLE remark (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE TABLE strike (learner INTEGER NOT NULL, address INTEGER NOT NULL, "
    "count INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (learner, address)) "
    "WITHOUT ROWID",
    "CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, host TEXT NOT NULL, "
    "pid INTEGER NOT NULL, born TEXT NOT NULL, seconds REAL, until REAL)",
    "CREATE TABLE claim (learner INTEGER NOT NULL, address INTEGER NOT NULL, "
    "owner INTEGER NOT NULL, PRIMARY KEY (learner, address)) WITHOUT ROWID",
    # For people with the sqlite3 shell; nothing here reads it.
    "CREATE VIEW result AS SELECT name AS learner, params, cell.address >> 44 AS partition, "
    "cell.address >> 23 & 0x1FFFFF AS repeat, cell.address & 0x7FFFFF AS fold, "
    "CASE status WHEN 0 THEN 'ok' WHEN 1 THEN 'failed' WHEN 2 THEN 'timeout' ELSE 'killed' END "
    "AS status, score, seconds, n_train, n_test FROM cell JOIN learner ON learner.id = learner "
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
CELL = _kind("address learner status score seconds remark losses checksum")
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


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """What a store belongs to. Everything here must be the same for a store to be used again.

    Of `extra`, keys that begin with an underscore are kept to be shown but are not compared.
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

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"extra": dict(self.extra)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> StoredExperiment:
        return cls(**json.loads(text))

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
        plain = {f.name: getattr(self, f.name) for f in fields(self)[1:-1]}
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


def make_run_file(db: sqlite3.Connection, experiment: StoredExperiment) -> None:
    """Write the tables of a new store and what it belongs to."""
    for statement in SCHEMA:
        db.execute(statement)
    write_meta(db, "experiment", experiment.to_json())
    write_meta(db, "learners", "0")


def write_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    row = (key, value, digest(key, value))
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", row)


def read_meta(db: sqlite3.Connection, real: str, key: str) -> str:
    query = "SELECT key, value, checksum FROM meta WHERE key = ?"
    found = db.execute(query, (key,)).fetchone()
    if found is None or found[0] != key or digest(key, found[1]) != found[2]:
        raise RUN_FILE.damaged(real, f"the row about its {key} is missing or changed")
    return str(found[1])


def read_experiment(db: sqlite3.Connection, real: str) -> StoredExperiment:
    """Check that the schema is ours to the letter, and return the experiment."""
    found = db.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
    if sorted(str(sql) for (sql,) in found) != sorted(SCHEMA):
        raise RUN_FILE.damaged(real, "its tables are not those of a store")
    return StoredExperiment.from_json(read_meta(db, real, "experiment"))


def same_experiment(real: str, there: StoredExperiment, asked: StoredExperiment | None) -> None:
    """Refuse a store of another experiment, naming what differs."""
    differences = [] if asked is None else there.differences(asked)
    if differences:
        raise StoreError(
            f"{quoted(real)} holds another experiment: {'; '.join(differences)}. Use another file "
            "for this one: store='another.db'"
        )


class Entry(NamedTuple):
    """One registration."""

    number: int
    learner: Learner
    planned: int
    turn: int
    """Grows with each registration that changed something: the highest of a name is current."""
    about: str
    """What the learner is, as JSON."""

    @property
    def row(self) -> tuple[Any, ...]:
        plain = (self.number, *self.learner, self.planned, self.turn, self.about)
        return (*plain, digest(*plain))


def read_learners(db: sqlite3.Connection, path: str) -> list[Entry]:
    """Return all registrations in order; refuse if one is changed or lost."""
    query = (
        "SELECT id, name, params, versions, planned, turn, about, checksum FROM learner ORDER BY id"
    )
    found = []
    for row in db.execute(query).fetchall():
        entry = Entry(row[0], Learner(*row[1:4]), *row[4:7])
        if entry.row != row:
            raise RUN_FILE.damaged(
                path, f"the row of learner {row[0]}, {quoted(row[1])}, is not as written"
            )
        found.append(entry)
    if str(len(found)) != read_meta(db, path, "learners"):
        raise RUN_FILE.damaged(
            path, f"{len(found)} learners are there, but more or fewer were written"
        )
    return found


def current_learners(entries: list[Entry]) -> dict[str, Entry]:
    """Return the latest registration of each name, in the order the names came."""
    latest: dict[str, Entry] = {}
    for entry in entries:
        known = latest.get(entry.learner.name)
        if known is None or known.turn < entry.turn:
            latest[entry.learner.name] = entry
    return latest


def register(
    db: sqlite3.Connection, path: str, learner: Learner, planned: int, describe: Mapping[str, Any]
) -> str | None:
    """Enter a learner, or make an earlier registration current again; say what changed."""
    name = str(learner.name)
    if not 0 < len(name) <= NAME_LIMIT or name.encode("utf-8", "ignore").decode() != name:
        raise DataError(f"{quoted(name)} cannot name a learner; use 1 to {NAME_LIMIT:,} characters")
    entries = read_learners(db, path)
    about = json.dumps(_plain(describe), sort_keys=True)
    turn = 1 + max((entry.turn for entry in entries), default=0)
    before = current_learners(entries).get(name)
    same = next((entry for entry in entries if entry.learner == learner), None)
    if same is not None and same.planned != planned:
        raise StoreError(
            f"{quoted(name)} was planned with {same.planned} cells in {quoted(path)}, now with "
            f"{planned}; use another file"
        )
    if before is not None and before == same:
        return None
    if same is None:
        number = 1 + max((entry.number for entry in entries), default=0)
        entry = Entry(number, Learner(*map(str, learner)), int(planned), turn, about)
        db.execute("INSERT INTO learner VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry.row)
        write_meta(db, "learners", str(len(entries) + 1))
    else:
        row = same._replace(turn=turn).row
        db.execute(
            "UPDATE learner SET turn = ?, checksum = ? WHERE id = ?", (turn, row[-1], row[0])
        )
    if before is None:
        return None
    told = _changes(before, learner, json.loads(about))
    if same is None:
        return f"{quoted(name)} is run anew: {told}"
    return f"{quoted(name)} is as it was before, and its earlier cells count again: {told}"


def _changes(before: Entry, now: Learner, about: dict[str, Any]) -> str:
    old, new = dict(_leaves(json.loads(before.about))), dict(_leaves(about))
    said = [
        f"{key} was {_told(old, key)}, now {_told(new, key)}"
        for key in dict.fromkeys([*old, *new])
        if (key in old, old.get(key)) != (key in new, new.get(key))
    ]
    if not said:
        pairs = {"parameters": "params", "library versions": "versions"}
        differ = [
            what for what, f in pairs.items() if getattr(before.learner, f) != getattr(now, f)
        ]
        said = [f"its {' and '.join(differ)} changed"]
    return "; ".join(said[:5]) + (f"; and {len(said) - 5} more" if len(said) > 5 else "")


def _told(facts: dict[str, Any], key: str) -> str:
    value = facts.get(key, "not set")
    return quoted(value) if isinstance(value, str) and key in facts else bounded(str(value), 80)


def _leaves(about: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield parameters by name; groups at the top, such as "params", are left out of the names."""
    for key, value in about.items():
        path = (*above, key)
        if isinstance(value, dict) and value:
            yield from _leaves(value, path)
        else:
            yield ".".join(path[1:] or path), value


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it; what it cannot hold, as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return bounded(value if isinstance(value, str) else repr(value), DETAIL_LIMIT)
