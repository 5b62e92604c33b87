"""The session: one connection, its lock and transactions, and the results that wait in it."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from .errors import StoreError, quoted, typed
from .rows import unpack_one
from .writing import Row, write_cells

__all__ = ["Buffer", "Session"]

BATCH = 100
"""Results in a commit: 8,800 rows a second, where one a commit gives 200."""
LOG, SMALL_LOG = 1000, 50
"""Pages of the log at which it is moved into the file; the first is SQLite's own choice."""
DELAY = 0.2
"""Seconds a result may wait for its commit."""


class Session:
    """The only connection of an open store; any thread may use it, one at a time."""

    def __init__(self, db: sqlite3.Connection, path: str, *, writable: bool) -> None:
        self.db, self.path, self.writable = db, path, writable
        self.lock = threading.RLock()
        self._in_writing = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection; what is read within belongs to one state of the file."""
        with self.lock, typed(self.path):
            if self.db.in_transaction:
                yield self.db
                return
            self.db.execute("BEGIN")
            try:
                yield self.db
            finally:
                with suppress(sqlite3.Error):
                    self.db.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection in a transaction that is committed, or undone whole.

        Inside another it is part of that one.
        """
        if not self.writable:
            raise StoreError(f"{quoted(self.path)} is not open for writing; use mode='write'")
        with self.lock, typed(self.path):
            if self._in_writing:
                yield self.db
                return
            self.db.execute("BEGIN IMMEDIATE")
            self._in_writing = True
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.db.execute("ROLLBACK")
                raise
            finally:
                self._in_writing = False

    @contextmanager
    def syncing(self, always: bool) -> Iterator[None]:
        """Hold the connection, and wait for the disk at the commits within only if `always`."""
        with self.lock, typed(self.path):
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


class Buffer:
    """Results that wait for a commit: for 99 others, or 0.2 s."""

    def __init__(self, session: Session, seed: int) -> None:
        self._session, self._seed = session, seed
        self._waiting: list[Row] = []
        self._committed = 0.0
        self._due = math.inf
        self._changed = threading.Condition(session.lock)
        self._keeper: threading.Thread | None = None
        self._contrary: StoreError | None = None
        self.late = True
        """Whether what waits is committed though nothing comes after it."""

    def add(self, new: Sequence[Row]) -> None:
        with self._session.lock:
            self._waiting.extend(new)
            idle = time.monotonic() - self._committed >= DELAY
            if idle or len(self._waiting) >= BATCH:
                self.flush()
            elif self.late and self._due == math.inf and self._waiting:
                self._due = time.monotonic() + DELAY
                if self._keeper is None:
                    # Without it, results could wait as long as the next cell takes. It is kept: to
                    # start a thread for every commit takes as long as the commit.
                    self._keeper = threading.Thread(target=self._flush_late, daemon=True)
                    self._keeper.start()
                self._changed.notify()

    def addresses(self, learner: int) -> set[int]:
        return {row.address for row in self._waiting if row.learner == learner}

    def flush(self) -> None:
        """Commit what waits, and raise what went wrong since the last time."""
        with self._session.lock:
            if self._waiting:
                self._commit()
            if self._contrary is not None:
                error, self._contrary = self._contrary, None
                raise error

    def stop(self) -> None:
        """End the thread that commits late."""
        with self._changed:
            self._keeper, self._due = None, math.inf
            self._changed.notify()

    def _flush_late(self) -> None:
        """Commit when it is due; what cannot be written waits: the next call raises."""
        with self._changed:
            while self._keeper is threading.current_thread() and self._session.writable:
                left = self._due - time.monotonic()
                if left > 0:
                    self._changed.wait(None if left == math.inf else left)
                    continue
                self._due = math.inf
                if self._waiting:
                    with suppress(StoreError):
                        self._commit()

    def _commit(self) -> None:
        with self.together():
            pass

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit what waits in one transaction with what is written within."""
        with self._session.lock:
            with self._session.writing() as db:
                contrary = write_cells(db, self._seed, self._waiting) if self._waiting else []
                yield
            self._waiting = []
            self._committed, self._due = time.monotonic(), math.inf
        if contrary:
            where = tuple(unpack_one(contrary[0].address))
            self._contrary = StoreError(
                f"{len(contrary)} finished cells of {quoted(self._session.path)} came again with "
                f"other results, the first at {where}; they stay as they were. A learner should "
                "depend on its data and its random_state alone"
            )
