"""The store of a study: one SQLite file with the numbers of every block, in columns.

Contract: a row holds one block of experiments of one effect as little-endian float64, methods ×
columns × experiments, with a checksum. Rows are written once, by the parent alone, and never
modified; what is left to do is derived from the rows that are there. A damaged row is an error
that names it, never an answer. A store of another study is refused, naming what differs; of
several processes that begin one, the first says what it is.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from .kernel import PAGE, FileKind, connected, quoted
from .sharing import Session

BlockPlace: TypeAlias = tuple[int, int]
"""Effect and block."""
BlockNumbers: TypeAlias = npt.NDArray[np.float64]

STUDY_FILE = FileKind(  # "OPST" in the header
    "a study store", 0x4F505354, 0, "Delete the file and run the study again"
)
IN_MEMORY = 2**24
"""Bytes up to which a store without a path stays in memory; a larger one is a temporary file."""
LARGE_PAGE = 2**16
"""Bytes of a page of a large store: a block of a megabyte is a chain of 20 pages, not of 320."""


class Packed(NamedTuple):
    """A block as it is stored; whoever computed it packs it."""

    effect: int
    number: int
    size: int
    numbers: bytes
    checksum: bytes


def packed(place: BlockPlace, numbers: BlockNumbers) -> Packed:
    """Return the row of a block of numbers, (methods, columns, experiments)."""
    body = np.ascontiguousarray(numbers, dtype="<f8").tobytes()
    return Packed(*place, numbers.shape[-1], body, _checksum(body))


class StudyStore:
    """Blocks of numbers by effect and block number."""

    def __init__(
        self, path: str | os.PathLike[str] | None, about: dict[str, Any], n_bytes: int
    ) -> None:
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        page, real = (LARGE_PAGE if n_bytes > IN_MEMORY else PAGE), ":memory:"
        if path is not None:
            real, _ = STUDY_FILE.find(path, "create")
            db = STUDY_FILE.for_writing(real, _make_tables, page=page)
        else:
            uri = "file:study?mode=memory"
            if n_bytes > IN_MEMORY:
                self._temporary = tempfile.TemporaryDirectory(prefix="outperform-")
                uri = f"{(Path(self._temporary.name) / 'study.db').as_uri()}?mode=rwc"
            db = connected(uri)
            db.execute(f"PRAGMA page_size={page}")
            db.execute("PRAGMA synchronous=OFF")
        self._session = Session(db, real, STUDY_FILE, writable=True)
        try:
            with self._session.writing():
                _make_tables(db)
                self._identify(about)
        except BaseException:
            self.close()
            raise

    def _identify(self, about: dict[str, Any]) -> None:
        """Write what the study is, or refuse to mix it with another."""
        asked = {key: _text(value) for key, value in about.items()}
        kept = {key: _text(self.remember(key, value)) for key, value in about.items()}
        differs = [key for key in asked if kept[key] != asked[key]]
        if differs:
            what = ", ".join(
                f"{key} is {asked[key][:80]} here, {kept[key][:80]} there" for key in differs
            )
            raise DataError(
                f"{quoted(self._session.path)} contains another study ({what}); pass the path of "
                "a new file"
            )

    def places(self) -> set[BlockPlace]:
        """Return the effects and blocks that are done."""
        with self._session.reading() as db:
            return set(db.execute("SELECT effect, number FROM block"))

    def write(self, rows: Iterable[Packed]) -> None:
        """Write blocks together; one that is there already is left as it is."""
        with self._session.writing() as db:
            db.executemany("INSERT OR IGNORE INTO block VALUES (?, ?, ?, ?, ?)", rows)

    def blocks(self, effect: int, shape: tuple[int, int]) -> Iterator[BlockNumbers]:
        """Yield the numbers of each block of an effect, (methods, columns, experiments)."""
        query = "SELECT size, numbers, checksum FROM block WHERE effect = ? AND number = ?"
        for place in sorted(place for place in self.places() if place[0] == effect):
            with self._session.reading() as db:
                size, body, checksum = db.execute(query, place).fetchone()
            if _checksum(body) != checksum or len(body) != 8 * size * shape[0] * shape[1]:
                what = f"effect {effect}, block {place[1]} is corrupt"
                raise STUDY_FILE.damaged(self._session.path, what)
            yield np.frombuffer(body, dtype="<f8").reshape(*shape, size)

    def remember(self, key: str, value: Any) -> Any:
        """Keep a fact that was found on the way; return the first that was kept."""
        with self._session.writing() as db:
            db.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (key, _text(value)))
            return self.recall(key)

    def recall(self, key: str) -> Any:
        with self._session.reading() as db:
            found = db.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        try:
            return None if found is None else json.loads(found[0])
        except (ValueError, TypeError, RecursionError):
            raise STUDY_FILE.damaged(self._session.path, f"its {key} is corrupt") from None

    def close(self) -> None:
        self._session.close()
        if self._temporary is not None:
            self._temporary.cleanup()


def _make_tables(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
    )
    # With rowids: a tree by key copies its large rows about.
    db.execute(
        "CREATE TABLE IF NOT EXISTS block (effect INTEGER NOT NULL, number INTEGER NOT NULL, "
        "size INTEGER NOT NULL, numbers BLOB NOT NULL, checksum BLOB NOT NULL, "
        "PRIMARY KEY (effect, number))"
    )


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _checksum(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).digest()
