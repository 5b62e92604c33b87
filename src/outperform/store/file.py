"""The file: what makes it a store, how one is made, opened and refused without a trace."""

from __future__ import annotations

import errno
import os
import random
import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal

from ..errors import DataError
from .errors import (
    FROM_SQLITE,
    StoreDamaged,
    StoreError,
    StoreFull,
    damaged,
    is_busy,
    quoted,
    typed,
)
from .rows import digest
from .values import Experiment

__all__ = ["Mode", "find", "for_reading", "for_writing", "glance", "read_experiment"]
__all__ += ["read_meta", "same_experiment", "write_meta"]

Mode = Literal["create", "write", "read"]

MAGIC = b"SQLite format 3\0"
APPLICATION = 0x4F505246  # "OPRF", in the header of every store
VERSION = 1
PAGE = 4096
PATIENCE = 60.0
"""Seconds to wait for other processes before giving up."""

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


def find(path: object, mode: Mode) -> tuple[str, bool]:
    """Return the real path and whether a store is there already; refuse whatever else is.

    Only the first bytes are read here, and not by SQLite, so that a refused file stays as it was.
    """
    if mode not in ("create", "write", "read"):
        raise DataError(f"mode must be 'create', 'write' or 'read', got {mode!r}")
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise DataError(f"a store is a path such as 'results.db', got {path!r}")
    name = quoted(os.fsdecode(path), 4096)
    try:
        real = os.path.realpath(os.fsdecode(path))
        head = _head(real, name)
    except FileNotFoundError:
        if mode != "create":
            raise StoreError(f"{name} is not there; check the path, or run to make it") from None
        _check_folder(real, name)
        return real, False
    except PermissionError:
        raise StoreError(f"{name} may not be read by this user; chmod u+r {name}") from None
    except StoreError:
        raise
    except (OSError, ValueError) as error:
        raise StoreError(f"{name} cannot be opened ({error}); check the path") from None
    if head:
        _check_head(head, name, real)
    elif mode == "read":
        raise StoreError(f"{name} is empty; there are no results in it yet")
    if mode != "read":
        if not _marked_writable(real):
            raise StoreError(f"{name} is read-only; chmod u+w {name}, or store='another.db'")
        _check_folder(real, name)
    return real, bool(head)


def _head(real: str, name: str) -> bytes:
    kind = os.stat(real).st_mode
    if stat.S_ISDIR(kind):
        raise StoreError(f"{name} is a directory; a store is a file, such as results.db in it")
    if not stat.S_ISREG(kind):
        raise StoreError(f"{name} is not a regular file; a store must be one")
    with open(real, "rb") as file:
        return file.read(100)


def _check_head(head: bytes, name: str, real: str) -> None:
    if not head.startswith(MAGIC):
        raise StoreError(
            f"{name} is not a store (it does not begin as one); pass a path that is not taken. "
            "If it was a store, it is damaged: restore a copy"
        )
    if int.from_bytes(head[68:72], "big") != APPLICATION:
        raise StoreError(f"{name} is a database of another program; pass a path that is not taken")
    version = int.from_bytes(head[60:64], "big")
    if version > VERSION:
        raise StoreError(
            f"{name} was made by a newer outperform (schema {version}, this one knows {VERSION}); "
            "pip install -U outperform"
        )
    if version < VERSION:
        raise damaged(real, f"there is no schema {version}")


def _check_folder(real: str, name: str) -> None:
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        raise StoreError(f"{name} has no folder; make it: mkdir -p {quoted(folder, 4096)}")
    if not _marked_writable(folder):
        raise StoreError(f"{name} is in a folder that may not be written; use another folder")


def _marked_writable(path: str) -> bool:
    """Tell whether a file may be written, and is not marked read-only (which root could ignore)."""
    return os.access(path, os.W_OK) and bool(os.stat(path).st_mode & 0o222)


def _pending(real: str) -> bool:
    """Tell whether there are results beside the file that were not moved into it yet."""
    with suppress(OSError):
        return os.path.getsize(real + "-wal") > 0
    return False


def _connect(real: str, options: str) -> sqlite3.Connection:
    db = sqlite3.connect(
        f"{Path(real).as_uri()}?{options}",
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
    )
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA cell_size_check=ON")
    return db


def glance(real: str) -> Experiment | None:
    """Read whose store this is without leaving a trace; None if that cannot be told so."""
    options = "mode=ro" if _pending(real) else "mode=ro&immutable=1"
    # Another process may be writing: what looks odd from here is left to the real opening.
    with suppress(*FROM_SQLITE, StoreDamaged), closing(_connect(real, options)) as db:
        return read_experiment(db, real)
    return None


def for_reading(real: str) -> sqlite3.Connection:
    """Open a store that is there for reading, on read-only media too."""
    with typed(real):
        if _marked_writable(real) and _marked_writable(os.path.dirname(real)):
            db = _connect(real, "mode=rw")
            db.execute("PRAGMA query_only=ON")
        else:
            db = _connect(real, "mode=ro" if _pending(real) else "mode=ro&immutable=1")
        return db


def for_writing(real: str, experiment: Experiment | None) -> sqlite3.Connection:
    """Open a store for writing; with an experiment, make it first if nobody has yet."""
    with typed(real):
        if experiment is not None:
            _touch(real)
        db = _connect(real, "mode=rw")
        try:
            if experiment is not None:
                patiently(lambda: _make(db, real, experiment))
            # Beside other processes that open the same new store, this can be refused at once.
            patiently(lambda: db.execute("PRAGMA journal_mode=WAL"))
            db.execute("PRAGMA synchronous=FULL")
        except BaseException:
            db.close()
            raise
        return db


def patiently(act: Callable[[], object]) -> None:
    """Try again while other processes are in the way."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            act()
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0.001, 0.02))


def _touch(real: str) -> None:
    """Make an empty file that only its owner may read, unless there is one."""
    try:
        os.close(os.open(real, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreError
        raise kind(
            f"{quoted(real)} cannot be made ({error.strerror}); make room, or use another folder"
        ) from None


def _make(db: sqlite3.Connection, real: str, experiment: Experiment) -> None:
    """Write the schema in one transaction, before WAL: the header then says what the file is."""
    db.execute(f"PRAGMA page_size={PAGE}")
    db.execute("BEGIN IMMEDIATE")
    try:
        # Under the lock, and after SQLite has undone what a killed process left half made.
        if os.path.getsize(real) == 0:
            for statement in SCHEMA:
                db.execute(statement)
            write_meta(db, "experiment", experiment.to_json())
            write_meta(db, "learners", "0")
            db.execute(f"PRAGMA application_id={APPLICATION}")
            db.execute(f"PRAGMA user_version={VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def write_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    row = (key, value, digest(key, value))
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", row)


def read_meta(db: sqlite3.Connection, real: str, key: str) -> str:
    query = "SELECT key, value, checksum FROM meta WHERE key = ?"
    found = db.execute(query, (key,)).fetchone()
    if found is None or found[0] != key or digest(key, found[1]) != found[2]:
        raise damaged(real, f"the row about its {key} is missing or changed")
    return str(found[1])


def read_experiment(db: sqlite3.Connection, real: str) -> Experiment:
    """Check that the schema is ours to the letter, and return the experiment."""
    found = db.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
    if sorted(str(sql) for (sql,) in found) != sorted(SCHEMA):
        raise damaged(real, "its tables are not those of a store")
    return Experiment.from_json(read_meta(db, real, "experiment"))


def same_experiment(real: str, there: Experiment | None, asked: Experiment | None) -> None:
    """Refuse a store of another experiment, naming what differs."""
    differences = there.differences(asked) if there is not None and asked is not None else []
    if differences:
        raise StoreError(
            f"{quoted(real)} holds another experiment: {'; '.join(differences)}. Use another file "
            "for this one: store='another.db'"
        )
