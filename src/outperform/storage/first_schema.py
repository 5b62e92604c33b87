"""The first schema of run stores: read as they are, and the rows that an upgrade makes of them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np

from ..designs import Given, parse
from ..errors import counted
from ..numerics.exact_sums import Array
from . import contents, metadata
from .contents import (
    CELL,
    RUN_FILE,
    IntArray,
    Learner,
    StoredExperiment,
    decode_losses,
    digest,
    has_tables,
    read_meta,
)
from .kernel import quoted
from .registrations import Entry, MetricEntry
from .run_reader import CellRows, RunReader

ROW_ORDER = "order of training rows"
"""What tells apart fits on shuffled rows from those of the first schema, in the file's order."""

SCHEMA_1 = (
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
    "CREATE VIEW result AS SELECT name AS learner, params, cell.address >> 44 AS partition, "
    "cell.address >> 23 & 0x1FFFFF AS repeat, cell.address & 0x7FFFFF AS fold, "
    "CASE status WHEN 0 THEN 'ok' WHEN 1 THEN 'failed' WHEN 2 THEN 'timeout' ELSE 'killed' END "
    "AS status, score, seconds, n_train, n_test FROM cell JOIN learner ON learner.id = learner "
    "LEFT JOIN split ON split.address = cell.address",
)
FIRST_FILE = replace(RUN_FILE, version=1, oldest=0)
CELL_1 = np.dtype(
    [
        (name, "<f8" if name in ("score", "seconds") else "<i8")
        for name in [
            "address",
            "learner",
            "status",
            "score",
            "seconds",
            "remark",
            "losses",
            "checksum",
        ]
    ]
)


def open_reader(db: sqlite3.Connection, path: str) -> RunReader:
    """Return what reads a store, by the schema it was written in."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return FirstReader(db, path) if version == 1 else RunReader(db, path)


class FirstReader(RunReader):
    """The rows of a store of the first schema, as those of this one."""

    def __init__(self, db: sqlite3.Connection, path: str) -> None:
        self.db, self.path, self.asked = db, path, False
        if not has_tables(db, SCHEMA_1):
            raise RUN_FILE.damaged(path, "its tables are not those of a store")
        text = read_meta(db, path, "experiment")
        self.experiment, self.seed = upgraded(path, text), digest(text)
        self.metrics = [MetricEntry(1, self.experiment.metrics[0], 1)]

    def learners(self) -> list[Entry]:
        columns = "id, name, params, versions, planned, turn, about, checksum"
        found = []
        for row in self.db.execute(f"SELECT {columns} FROM learner ORDER BY id").fetchall():
            if digest(*row[:-1]) != row[-1]:
                raise self._damaged(f"the row of learner {row[0]}, {quoted(row[1])}, is corrupt")
            found.append(entry_of(row))
            metadata.check_row(
                self.path, f"learner {row[0]}", (*row[:4], *row[5:7]), metadata.LEARNER
            )
        if str(len(found)) != read_meta(self.db, self.path, "learners"):
            raise self._damaged(f"it has {counted(len(found), 'learner')}, not as many as recorded")
        return found

    def truth(self) -> None:
        return None

    def notes(self) -> list[tuple[str, str]]:
        return []

    def responses(self, learner: int, kind: int) -> dict[int, bytes]:
        return {}

    def cells(self, learner: int, name: str, metric: MetricEntry) -> CellRows:
        source = "cell WHERE learner = ? ORDER BY address"
        found = self._sound(CELL_1, f"fit of {quoted(name)} at", source, learner)
        return cells_of(found, contents.digest(self.experiment.identity()))

    def losses(self, learner: int, metric: int, cells: CellRows, sizes: IntArray) -> Array:
        source = "losses FROM loss WHERE learner = ?"
        return self._decoded(source, (learner,), cells, sizes, decode_losses)


def upgraded(path: str, text: str) -> StoredExperiment:
    """Return the experiment that a store of the first schema belongs to."""
    old = metadata.read_experiment(path, text, metadata.FIRST_EXPERIMENT)
    metadata.check_design(path, old["design"], old["n_items"])
    drawn = bool(old["design"]) and not isinstance(parse(old["design"]), Given)
    old["extra"] = {**old["extra"], **({ROW_ORDER: "as in the file"} if drawn else {})}
    return StoredExperiment(**old)


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return a learner without the number of fits that was planned for it."""
    return Entry(row[0], Learner(*row[1:4]), *row[5:7])


def cells_of(rows: CellRows, seed: int) -> CellRows:
    """Return cells as this schema has them, by its only metric, with their checksums."""
    found = np.zeros(rows.size, dtype=CELL)
    for name in CELL_1.names or ():
        found[name] = rows[name]
    found["metric"] = 1
    found["checksum"] = contents.checksums(seed, found)
    return found


def rows_of_split(rows: CellRows, seed: int) -> CellRows:
    """Return splits with the checksums of this schema."""
    found = rows.copy()
    found["checksum"] = contents.checksums(seed, found)
    return found


def make_first_file(db: sqlite3.Connection) -> None:
    """Write the tables of an empty store of the first schema."""
    for statement in SCHEMA_1:
        db.execute(statement)
