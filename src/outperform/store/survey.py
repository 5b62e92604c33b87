"""The survey: read a file row by row, around what cannot be read, and part sound from damaged."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import claims, file, learners, rows
from .errors import FROM_SQLITE, StoreDamaged, printable, quoted, typed
from .learners import Entry
from .rows import CELL, NONE, SPLIT
from .values import Address, Experiment, Learner

__all__ = ["Damage", "Survey", "blob", "survey"]

Rows = npt.NDArray[np.void]
LOSSES = "SELECT losses FROM loss WHERE learner = ? AND address = ?"
ITEMS = "SELECT items FROM item WHERE address = ?"
REMARK = "SELECT text FROM remark WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not as it was written."""

    what: str
    learner: str | None = None
    address: Address | None = None

    def __str__(self) -> str:
        who = "" if self.learner is None else quoted(self.learner)
        where = "" if self.address is None else f"at {tuple(self.address)}"
        return ": ".join(part for part in (f"{who} {where}".strip(), self.what) if part)


@dataclass(slots=True)
class Survey:
    """What is sound in a file, and what is not."""

    experiment: Experiment | None = None
    seed: int = 0
    entries: list[Entry] = field(default_factory=list)
    splits: Rows = field(default_factory=lambda: np.empty(0, SPLIT))
    cells: dict[int, Rows] = field(default_factory=dict)
    damages: list[Damage] = field(default_factory=list)
    structure: list[str] = field(default_factory=list)
    """What SQLite has to say of the file."""
    stops: int = 0
    """How often reading stopped before the end."""


def survey(db: sqlite3.Connection, path: str) -> Survey:
    """Read everything; `db` may hand out bytes for text afterwards."""
    found = Survey()
    lines = _each(db, found, "PRAGMA integrity_check")
    found.structure = [printable(line) for (line,) in lines if line != "ok"] + found.structure
    try:
        with typed(path):
            found.experiment = file.read_experiment(db, path)
    except StoreDamaged as error:
        found.damages.append(Damage(error.what))
        return found
    found.seed = rows.digest(found.experiment.to_json())
    _learners(db, path, found)
    _splits(db, found, keeps_items=found.experiment.loss is not None)
    _cells(db, found)
    for learner, address, count, checksum in _each(db, found, "SELECT * FROM strike"):
        if not claims.is_sound(found.seed, learner, address, count, checksum):
            found.damages.append(Damage("the strikes are not as written", None, _where(address)))
    return found


def _learners(db: sqlite3.Connection, path: str, found: Survey) -> None:
    try:
        with typed(path):
            found.entries = learners.read(db, path)
            return
    except StoreDamaged as error:
        found.damages.append(Damage(error.what))
    db.text_factory = _lenient
    columns = "id, name, params, versions, planned, turn, about, checksum"
    for row in _each(db, found, f"SELECT {columns} FROM learner"):
        entry = Entry(row[0], Learner(*row[1:4]), *row[4:7])
        if entry.row != row:
            found.damages.append(Damage("the learner is not as written", str(row[1])))
        elif entry not in found.entries:
            found.entries.append(entry)


def _splits(db: sqlite3.Connection, found: Survey, *, keeps_items: bool) -> None:
    table, odd = _table(db, found, SPLIT, "split WHERE ? IS NULL", None, ())
    sound = rows.checksums(found.seed, table) == table["checksum"]
    for at in np.flatnonzero(sound).tolist() if keeps_items else ():
        address, digest = int(table["address"][at]), int(table["items"][at])
        sound[at] = blob(db, ITEMS, (address,), digest) is not None
    found.splits = table[sound]
    for key in [*odd, *table["address"][~sound].tolist()]:
        found.damages.append(Damage("the split is not as written", None, _where(key)))


def _cells(db: sqlite3.Connection, found: Survey) -> None:
    known = {entry.number: entry.learner.name for entry in found.entries}
    query = "SELECT learner, count(*) FROM cell GROUP BY learner"
    lost = sum(count for number, count in _each(db, found, query) if number not in known)
    if lost:
        found.damages.append(Damage(f"{lost} cells belong to no learner that is there"))
    splits = found.splits["address"].tolist()
    for number, name in known.items():
        table, odd = _table(db, found, CELL, "cell WHERE learner = ?", number, splits)
        sound = rows.checksums(found.seed, table) == table["checksum"]
        bad = [*odd, *table["address"][~sound].tolist()]
        reasons = dict.fromkeys(bad, "the cell is not as written")
        for at in np.flatnonzero(sound & (table["losses"] != NONE)).tolist():
            address, digest = int(table["address"][at]), int(table["losses"][at])
            if blob(db, LOSSES, (number, address), digest) is None:
                sound[at] = False
                reasons[address] = "its losses are missing or not as written"
        for key in np.unique(table["remark"][sound]).tolist():
            if key != NONE and blob(db, REMARK, (key,), key) is None:
                mute = sound & (table["remark"] == key)
                sound &= ~mute
                said = "its error or notes are missing or not as written"
                reasons |= dict.fromkeys(table["address"][mute].tolist(), said)
        found.cells[number] = table[sound]
        there = set(table["address"].tolist())
        query = "SELECT address FROM loss WHERE learner = ?"
        for (key,) in _each(db, found, query, (number,)):
            if key not in there:
                reasons.setdefault(key, "its losses are there, but the cell is not")
        found.damages += [Damage(what, name, _where(key)) for key, what in reasons.items()]


def _table(
    db: sqlite3.Connection,
    found: Survey,
    kind: np.dtype[np.void],
    source: str,
    value: object,
    expected: Iterable[int],
) -> tuple[Rows, list[object]]:
    """Return the rows that hold numbers, and the keys of those that hold something else.

    Where a page cannot be read, rows are sought from the other end, then one by one.
    """
    buffer, odd, seen = bytearray(), [], set()
    pack = rows.layout(kind).pack

    def take(found_rows: Iterable[tuple[Any, ...]]) -> None:
        for row in found_rows:
            if row[0] not in seen:
                try:
                    buffer.extend(pack(*row))
                except struct.error:
                    odd.append(row[0])

    query = f"SELECT {rows.select(kind)} FROM {source}"
    before = found.stops
    take(_each(db, found, f"{query} ORDER BY address", (value,)))
    if found.stops > before:
        seen = {row[0] for row in np.frombuffer(bytes(buffer), dtype=kind).tolist()}
        take(_each(db, found, f"{query} ORDER BY address DESC", (value,)))
        seen = {row[0] for row in np.frombuffer(bytes(buffer), dtype=kind).tolist()}
        for key in expected:
            take(_each(db, found, f"{query} AND address = ?", (value, key)))
    return np.frombuffer(bytes(buffer), dtype=kind), odd


def _each(
    db: sqlite3.Connection, found: Survey, query: str, values: tuple[object, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield rows as far as they can be read; note why if that is not to the end."""
    db.text_factory = _lenient
    try:
        yield from db.execute(query, values)
    except FROM_SQLITE as error:
        found.stops += 1
        if printable(error) not in found.structure:
            found.structure.append(printable(error))


def blob(
    db: sqlite3.Connection, query: str, values: tuple[object, ...], digest: int
) -> object | None:
    """Return the one value a query finds, if it can be read and has this digest."""
    try:
        row = db.execute(query, values).fetchone() or (None,)
    except FROM_SQLITE:
        return None
    return row[0] if rows.digest(row[0]) == digest else None


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _where(key: object) -> Address | None:
    return rows.unpack_one(key) if isinstance(key, int) else None
