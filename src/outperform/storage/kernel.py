"""The SQLite kernel of every file we keep: found, made, opened, refused, used in transactions.

It does not know what is kept. What cannot be used is refused in one line and left as it was;
errors of SQLite become errors that say what came, what is kept and what to do.
"""

from __future__ import annotations

import errno
import os
import random
import shlex
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import DataError, argument, spelt

Mode = Literal["create", "write", "read"]
Make = Callable[[sqlite3.Connection], None]

MAGIC = b"SQLite format 3\0"
PAGE = 4096
PATIENCE = 60.0
"""Seconds to wait for other processes before giving up."""

FULL = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
}
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
DENIED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}

FROM_SQLITE = (sqlite3.Error, UnicodeDecodeError)
"""What a query raises; of a damaged file even the message may not be text."""


class StoreError(DataError):
    """A store cannot be opened, read or written as asked."""


class StoreFull(StoreError):
    """Nothing more can be written; everything committed before is kept."""


class StoreDamaged(StoreError):
    """Something in the file is not what was written."""

    what: str = ""
    """What it is, without the advice."""


def quoted(text: object, most: int = 80) -> str:
    """Quote hostile text for a message: one line, printable, not too long."""
    words = str(text)
    return repr(words if len(words) <= most else words[: most - 1] + "…")


def one_line(text: object) -> str:
    """Return the words of SQLite on one line; it quotes what it finds, whatever that is."""
    return spelt(str(text).replace("\n", " ")).strip()


def _shell_word(path: str) -> str:
    """Return a path as a shell reads it; what cannot be printed as its bytes."""
    if path.isprintable():
        return shlex.quote(path)
    plain = {c for c in path if c.isprintable() and c not in "\\'"}
    codes = (c if c in plain else "".join(f"\\x{b:02x}" for b in os.fsencode(c)) for c in path)
    return f"$'{''.join(codes)}'"


@dataclass(frozen=True, slots=True)
class FileKind:
    """One kind of file: what its header says, and what to do when one is damaged."""

    noun: str
    application: int
    version: int
    advice: str
    """What to do with a damaged file; {} is its path."""

    def damaged(self, path: str, what: str) -> StoreDamaged:
        advice = self.advice.format(_shell_word(path))
        error = StoreDamaged(f"{quoted(path)} is damaged: {what}. {advice}")
        error.what = what
        return error

    @contextmanager
    def typed(self, path: str) -> Iterator[None]:
        """Turn errors of SQLite into errors of ours."""
        try:
            yield
        except FROM_SQLITE as error:
            raise self._translated(error, path) from error

    def _translated(self, error: Exception, path: str) -> StoreError:
        name, code = quoted(path), getattr(error, "sqlite_errorcode", None)
        said = one_line(error)
        if isinstance(error, sqlite3.ProgrammingError) and code is None:
            return StoreError(f"{name} can no longer be used ({said}); open it again")
        if code in FULL:
            return StoreFull(
                f"{name} cannot grow ({said}): the disk is full or not available. Everything "
                "committed so far is kept; free some space and run the same again to resume"
            )
        if _is_busy(error):
            return StoreError(
                f"{name} is locked by another process ({said}); wait for it to finish, or end it, "
                "and run the same again to resume"
            )
        if code is not None and code & 0xFF in DENIED:
            return StoreError(
                f"{name} cannot be opened or written ({said}); check the permissions of the file "
                "and of its folder"
            )
        if code is not None and code & 0xFF == sqlite3.SQLITE_IOERR:
            return StoreError(f"{name} cannot be read or written ({said}); check the disk")
        # Malformed pages, and columns or text that cannot be what was written.
        return self.damaged(path, said)

    def find(self, path: object, mode: Mode) -> tuple[str, bool]:
        """Return the real path and whether such a file is there; refuse whatever else is.

        Only the first bytes are read, and not by SQLite, so that a refused file stays as it was.
        """
        if mode not in ("create", "write", "read"):
            raise DataError(f"mode must be 'create', 'write' or 'read', got {mode!r}")
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise DataError(f"{self.noun} is a path such as 'results.db', got {path!r}")
        name = quoted(os.fsdecode(path), 4096)
        try:
            real, head = os.path.realpath(os.fsdecode(path)), b""
            sort = os.stat(real).st_mode
            if stat.S_ISREG(sort):
                with open(real, "rb") as file:
                    head = file.read(100)
        except FileNotFoundError:
            if mode != "create":
                raise StoreError(
                    f"{name} was not found; check the path, or create the store with a run"
                ) from None
            _check_folder(real, name)
            return real, False
        except PermissionError:
            raise StoreError(f"{name} is not readable by this user; chmod u+r {name}") from None
        except (OSError, ValueError) as error:
            raise StoreError(f"{name} cannot be opened ({error}); check the path") from None
        if stat.S_ISDIR(sort):
            raise StoreError(
                f"{name} is a directory; {self.noun} is a file, such as results.db inside it"
            )
        if not stat.S_ISREG(sort):
            raise StoreError(f"{name} is not a regular file; {self.noun} must be one")
        if head:
            self._check_head(head, name)
        elif mode == "read":
            raise StoreError(f"{name} is empty; there are no results in it yet")
        if mode != "read":
            if not _marked_writable(real):
                raise StoreError(
                    f"{name} is read-only; chmod u+w {name}, or {argument(store='another.db')}"
                )
            _check_folder(real, name)
        return real, bool(head)

    def _check_head(self, head: bytes, name: str) -> None:
        if not head.startswith(MAGIC):
            raise StoreError(
                f"{name} is not {self.noun} (its first bytes are different); pass the path of a "
                f"new file. If it used to be {self.noun}, it is damaged: restore a copy"
            )
        if int.from_bytes(head[68:72], "big") != self.application:
            raise StoreError(
                f"{name} is a database, but not {self.noun}; pass the path of a new file"
            )
        version = int.from_bytes(head[60:64], "big")
        if version > self.version:
            raise StoreError(
                f"{name} was written by a newer version of outperform (schema {version}, this one "
                f"supports {self.version}); pip install -U outperform"
            )
        if version < self.version:
            raise StoreError(
                f"{name} was written by an older version of outperform (schema {version}, this one "
                f"reads {self.version}); run again into another file: "
                f"{argument(store='another.db')}"
            )

    def for_reading(self, real: str) -> sqlite3.Connection:
        """Open a file that is there for reading, on read-only media too."""
        with self.typed(real):
            if _marked_writable(real) and _marked_writable(os.path.dirname(real)):
                db = connected(_uri(real, "mode=rw"))
                db.execute("PRAGMA query_only=ON")
                return db
            return without_trace(real)

    def for_writing(
        self, real: str, make: Make | None = None, *, page: int = PAGE
    ) -> sqlite3.Connection:
        """Open a file for writing; with `make`, which fills it, make it if nobody has yet."""
        with self.typed(real):
            if make is not None:
                _touch(real)
            db = connected(_uri(real, "mode=rw"))
            try:
                if make is not None:
                    _patiently(lambda: self._make(db, real, make, page))
                # Beside other processes that open the same new file, this can be refused at once.
                _patiently(lambda: db.execute("PRAGMA journal_mode=WAL"))
                db.execute("PRAGMA synchronous=FULL")
            except BaseException:
                db.close()
                raise
            return db

    def _make(self, db: sqlite3.Connection, real: str, make: Make, page: int) -> None:
        """Fill a new file in one transaction, before WAL: the header then says what it is."""
        db.execute(f"PRAGMA page_size={page}")
        with transaction(db):
            # Under the lock, and after SQLite has undone what a killed process left half made.
            if os.path.getsize(real) == 0:
                make(db)
                db.execute(f"PRAGMA application_id={self.application}")
                db.execute(f"PRAGMA user_version={self.version}")


def _is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in BUSY


def _check_folder(real: str, name: str) -> None:
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        raise StoreError(
            f"The folder of {name} was not found; create it: mkdir -p {quoted(folder, 4096)}"
        )
    if not _marked_writable(folder):
        raise StoreError(f"The folder of {name} is not writable; use another folder")


def _marked_writable(path: str) -> bool:
    """Tell whether a file may be written, and is not marked read-only (which root could ignore)."""
    return os.access(path, os.W_OK) and bool(os.stat(path).st_mode & 0o222)


def _uri(real: str, options: str) -> str:
    return f"{Path(real).as_uri()}?{options}"


def connected(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(
        uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA cell_size_check=ON")
    return db


def without_trace(real: str) -> sqlite3.Connection:
    """Open a file for reading in such a way that nothing is written, not even beside it."""
    pending = False  # results beside the file that were not moved into it yet
    with suppress(OSError):
        pending = os.path.getsize(real + "-wal") > 0
    return connected(_uri(real, "mode=ro" if pending else "mode=ro&immutable=1"))


def _patiently(act: Callable[[], object]) -> None:
    """Try again while other processes are in the way."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            act()
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > end:
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
            f"{quoted(real)} cannot be created ({error.strerror}); free some space, or use "
            "another folder"
        ) from None


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit what is written within, or undo it whole."""
    if db.in_transaction:  # left open where a signal came between two lines of ours
        db.execute("ROLLBACK")
    try:
        db.execute("BEGIN IMMEDIATE")  # within: a signal may come as soon as it is done
        yield
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise
