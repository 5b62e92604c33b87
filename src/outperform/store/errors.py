"""What can go wrong with a store: each error says what came, what is kept and what to do."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DataError

__all__ = ["FROM_SQLITE", "StoreDamaged", "StoreError", "StoreFull", "StoreIncomplete"]
__all__ += ["damaged", "is_busy", "printable", "quoted", "typed"]


class StoreError(DataError):
    """A store cannot be opened, read or written as asked."""


class StoreFull(StoreError):
    """Nothing more can be written; everything committed before is kept."""


class StoreDamaged(StoreError):
    """Something in the file is not what was written."""

    what: str = ""
    """What it is, without the advice."""


class StoreIncomplete(StoreError):
    """Cells are missing or failed, so there is nothing to compare yet."""


def quoted(text: object, most: int = 80) -> str:
    """Quote hostile text for a message: one line, printable, not too long."""
    words = str(text)
    return ascii_safe(repr(words if len(words) <= most else words[: most - 1] + "…"))


def ascii_safe(text: str) -> str:
    """Replace what cannot be encoded, such as half of a surrogate pair."""
    return text.encode("utf-8", "backslashreplace").decode()


def printable(text: object) -> str:
    """Return the words of SQLite on one line; it quotes what it finds, whatever that is."""
    return "".join(c if c.isprintable() else " " for c in str(text)).strip()


def damaged(path: str, what: str) -> StoreDamaged:
    advice = f"Look closer: outperform check {printable(shlex.quote(path))}"
    error = StoreDamaged(f"{quoted(path)} is damaged: {what}. {advice}")
    error.what = what
    return error


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


def is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in BUSY


@contextmanager
def typed(path: str) -> Iterator[None]:
    """Turn errors of SQLite into errors of ours."""
    try:
        yield
    except FROM_SQLITE as error:
        raise _translated(error, path) from error


def _translated(error: Exception, path: str) -> StoreError:
    name, code = quoted(path), getattr(error, "sqlite_errorcode", None)
    said = printable(error)
    if isinstance(error, sqlite3.ProgrammingError) and code is None:
        return StoreError(f"{name} cannot be used any more ({said}); open it again")
    if code in FULL:
        return StoreFull(
            f"{name} cannot grow ({said}): the disk is full, or out of reach. Everything "
            "committed so far is kept; make room and run the same again, it resumes"
        )
    if is_busy(error):
        return StoreError(
            f"{name} is locked by another process ({said}); wait for it to finish, or end it, "
            "and run the same again, it resumes"
        )
    if code is not None and code & 0xFF in DENIED:
        return StoreError(
            f"{name} cannot be opened or written ({said}); check the permissions of the file "
            "and of its folder"
        )
    if code is not None and code & 0xFF == sqlite3.SQLITE_IOERR:
        return StoreError(f"{name} cannot be read or written ({said}); check the disk")
    # Malformed pages, and columns or text that cannot be what was written.
    return damaged(path, said)
