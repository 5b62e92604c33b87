"""Sharing a file: one connection for all threads, and which process works on which cells."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import NamedTuple

import numpy as np

from .contents import IntArray, digest
from .kernel import FileKind, StoreError, quoted, transaction

LOG, SMALL_LOG = 1000, 50
"""Pages of the log at which it is moved into the file; the first is SQLite's own choice."""


class Session:
    """The only connection of an open file; any thread may use it, one at a time."""

    def __init__(self, db: sqlite3.Connection, path: str, kind: FileKind, *, writable: bool):
        self.db, self.path, self.kind, self.writable = db, path, kind, writable
        self.lock = threading.RLock()
        self._in_writing = False
        # A study that nobody looks at any more is closed, and no warning of it is left to Python.
        weakref.finalize(self, db.close).atexit = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection; what is read within belongs to one state of the file."""
        with self.lock, self.kind.typed(self.path):
            if self.db.in_transaction:
                yield self.db
                return
            try:
                self.db.execute("BEGIN")
                yield self.db
            finally:
                with suppress(sqlite3.Error):
                    self.db.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection in a transaction; inside another it is part of that one."""
        if not self.writable:
            raise StoreError(f"{quoted(self.path)} is not open for writing; use mode='write'")
        with self.lock, self.kind.typed(self.path):
            if self._in_writing:
                yield self.db
                return
            self._in_writing = True
            try:
                with transaction(self.db):
                    yield self.db
            finally:
                self._in_writing = False

    @contextmanager
    def syncing(self, always: bool) -> Iterator[None]:
        """Hold the connection, and wait for the disk at the commits within only if `always`."""
        with self.lock, self.kind.typed(self.path):
            if always:
                yield
                return
            self.db.execute("PRAGMA synchronous=NORMAL")
            # Many small commits: the log beside the file would grow to twenty times their results.
            self.db.execute(f"PRAGMA wal_autocheckpoint={SMALL_LOG}")
            try:
                yield
            finally:
                self.db.execute("PRAGMA synchronous=FULL")
                self.db.execute(f"PRAGMA wal_autocheckpoint={LOG}")

    def close(self) -> None:
        with self.lock:
            self.writable = False
            self.db.close()


class Process(NamedTuple):
    """A process, distinguished from a later one with the same number."""

    host: str
    pid: int
    born: str


def this_process() -> Process:
    """Return who we are."""
    return _process(os.getpid())


@cache
def _process(pid: int) -> Process:
    """Return what stays as it is; the host is a name and, on Linux, a space of process numbers."""
    space = boot = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return Process(f"{host} {space}".strip(), pid, f"{boot} {_ticks(pid)}".strip())


def _ticks(pid: int) -> str:
    """Return when a process began, in ticks since the machine started (Linux); a zombie is dead."""
    with (
        suppress(OSError, IndexError),
        open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file,
    ):
        facts = file.read().rpartition(")")[2].split()
        return "dead" if facts[0] in "ZX" else facts[19]
    return ""


def is_alive(process: Process) -> bool | None:
    """Tell whether a process lives; None if that cannot be told from here."""
    here = this_process()
    # On Windows, os.kill(pid, 0) is no question: leases alone decide there.
    if process.host != here.host or os.name != "posix":
        return None
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    ticks, boot = _ticks(process.pid), here.born.rpartition(" ")[0]
    return not ticks or f"{boot} {ticks}" == process.born


def join(db: sqlite3.Connection, name: str, seconds: float | None) -> int:
    """Enter an owner, with a lease of `seconds` or none, and return its number."""
    until = None if seconds is None else time.time() + seconds
    found = db.execute("SELECT id, host, pid, born FROM owner WHERE name = ?", (name,)).fetchone()
    me = this_process()
    if found is None:
        row = (name, *me, seconds, until)
        query = "INSERT INTO owner VALUES (NULL, ?, ?, ?, ?, ?, ?)"
        return int(db.execute(query, row).lastrowid or 0)
    if Process(*found[1:]) != me and is_alive(Process(*found[1:])) is not False:
        raise StoreError(
            f"{quoted(name)} is already used by another process; every process needs a name of "
            "its own, such as a random one"
        )
    query = "UPDATE owner SET host = ?, pid = ?, born = ?, seconds = ?, until = ? WHERE id = ?"
    db.execute(query, (*me, seconds, until, found[0]))
    return int(found[0])


def owners(db: sqlite3.Connection) -> dict[int, tuple[bool | None, float | None]]:
    """Return of each owner whether its process lives and when its lease ends."""
    rows = db.execute("SELECT id, host, pid, born, until FROM owner").fetchall()
    lives = {process: is_alive(process) for process in {Process(*row[1:4]) for row in rows}}
    return {row[0]: (lives[Process(*row[1:4])], row[4]) for row in rows}


def unclosed(db: sqlite3.Connection) -> list[int]:
    """Return the open stores, which are owners without a lease, of processes not known to live."""
    return [n for n, (alive, until) in owners(db).items() if until is None and not alive]


def claim(
    db: sqlite3.Connection, wanted: Mapping[int, list[int]], mine: int, metrics: Sequence[int]
) -> dict[int, IntArray]:
    """Claim the cells, by learner, that are neither finished nor held by another; return ours.

    A cell is finished once it has an outcome by each of these metrics.
    """
    now = time.time()
    stale = {
        number
        for number, (alive, until) in owners(db).items()
        if number != mine and (alive is False or (until is not None and until < now))
    }
    gone = f"IN ({', '.join(map(str, stale))})"
    db.executemany(
        "INSERT INTO claim SELECT ?, ?, ? WHERE (SELECT count(*) FROM cell WHERE learner = ? "
        f"AND metric IN ({', '.join(map(str, metrics))}) AND address = ?) < {len(metrics)} "
        f"ON CONFLICT (learner, address) DO UPDATE SET owner = excluded.owner WHERE owner {gone}",
        [(one, at, mine, one, at) for one, packed in wanted.items() for at in packed],
    )
    if stale:
        # An owner without a lease is an open store: it stays, to tell that it was not closed.
        db.execute(
            f"DELETE FROM owner WHERE id {gone} AND until IS NOT NULL "
            "AND id NOT IN (SELECT owner FROM claim)"
        )
    query = "SELECT address FROM claim WHERE learner = ? AND owner = ?"
    ours = {}
    for learner, packed in wanted.items():
        held = {address for (address,) in db.execute(query, (learner, mine))}
        ours[learner] = np.array([at for at in packed if at in held], dtype=np.int64)
    return ours


def renew(db: sqlite3.Connection, owner: str) -> None:
    """Extend a lease by its length from now."""
    query = "UPDATE owner SET until = ? + seconds WHERE name = ? AND seconds IS NOT NULL"
    db.execute(query, (time.time(), owner))


def forget(db: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Remove owners and what they claim."""
    rows = [(number,) for number in numbers]
    db.executemany("DELETE FROM claim WHERE owner = ?", rows)
    db.executemany("DELETE FROM owner WHERE id = ?", rows)


ALONE = 1 << 32
"""Added to the deaths counted at a cell if the last process had nothing else in flight."""


class Death(NamedTuple):
    """A cell that was in flight when processes died."""

    learner: int
    address: int
    times: int
    """How often; 0 if that is corrupt."""
    alone: bool
    """Whether the last of them had nothing else in flight."""


def count_deaths(db: sqlite3.Connection, seed: int) -> list[Death]:
    """Count one more death at the cells that dead processes hold, and set these free.

    Return every unfinished cell with a death.
    """
    dead = [number for number, (alive, _) in owners(db).items() if alive is False]
    for owner in dead:
        held = db.execute("SELECT learner, address FROM claim WHERE owner = ?", (owner,)).fetchall()
        for cell in held:
            _strike(db, seed, *cell, alone=len(held) == 1)
        db.execute("DELETE FROM claim WHERE owner = ?", (owner,))
        # An owner without a lease is an open store: it stays, to tell that it was not closed.
        db.execute("DELETE FROM owner WHERE id = ? AND until IS NOT NULL", (owner,))
    found = []
    for row in db.execute("SELECT * FROM strike ORDER BY learner, address"):
        count = row[2] if is_sound(seed, *row) else 0
        found.append(Death(row[0], row[1], count % ALONE, count >= ALONE))
    return found


def _strike(db: sqlite3.Connection, seed: int, learner: int, address: int, *, alone: bool) -> None:
    """Count one more death at a cell, unless the old count is not sound."""
    query = "SELECT * FROM strike WHERE learner = ? AND address = ?"
    known = db.execute(query, (learner, address)).fetchone()
    if known is None or is_sound(seed, *known):
        times = 1 if known is None else known[2] % ALONE + 1
        row = (learner, address, times + ALONE * alone)
        db.execute("INSERT OR REPLACE INTO strike VALUES (?, ?, ?, ?)", (*row, digest(seed, *row)))


def is_sound(seed: int, learner: object, address: object, count: object, checksum: object) -> bool:
    """Tell whether strikes are as they were written."""
    return digest(seed, learner, address, count) == checksum
