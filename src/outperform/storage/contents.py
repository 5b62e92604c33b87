"""What a run store holds: its experiment, who was registered in it, and what came of cells."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, NamedTuple

from ..errors import DataError
from ..numerics.exact_sums import Array
from .encoding import DETAIL_LIMIT, RUN_FILE, SCHEMA, Address, bounded, digest
from .kernel import StoreError, quoted

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
