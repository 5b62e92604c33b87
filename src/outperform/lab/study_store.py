"""The store of a study: one SQLite file with the numbers of every block, in columns.

Contract: a row holds one block of experiments of one effect as little-endian float64, methods ×
columns × experiments, with a checksum. Rows are written once, by the parent alone, and never
modified; what is left to do is derived from the rows that are there. A damaged row is an error
that names it, never an answer. A store of another study is refused, naming what differs.
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

__all__ = ["BlockPlace", "Packed", "StudyStore", "packed"]

BlockPlace: TypeAlias = tuple[int, int]
"""Effect and block."""
BlockNumbers: TypeAlias = npt.NDArray[np.float64]

APPLICATION = 0x4F505354  # "OPST", in the header of every such file
IN_MEMORY = 2**24
"""Bytes up to which a store without a path stays in memory; a larger one is a temporary file."""
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS block (effect INTEGER NOT NULL, number INTEGER NOT NULL, "
    "size INTEGER NOT NULL, numbers BLOB NOT NULL, checksum BLOB NOT NULL, "
    "PRIMARY KEY (effect, number))",  # with rowids: a tree by key copies its large rows about
)
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
        self.path = None if path is None else str(path)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        where = ":memory:" if path is None else str(path)
        if path is None and n_bytes > IN_MEMORY:
            self._temporary = tempfile.TemporaryDirectory(prefix="outperform-")
            where = str(Path(self._temporary.name) / "study.db")
        elif path is not None:
            _refuse_strangers(Path(path))
        self._db = sqlite3.connect(where, timeout=60, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(n_bytes)
            self._identify(about)
        except sqlite3.DatabaseError as error:
            self.close()
            raise self._damaged(str(error)) from None
        except BaseException:
            self.close()
            raise

    def _prepare(self, n_bytes: int) -> None:
        if n_bytes > IN_MEMORY:
            self._db.execute(f"PRAGMA page_size={LARGE_PAGE}")  # of a file that is new
        # Before WAL: strangers look for it in the header of the file itself.
        self._db.execute(f"PRAGMA application_id={APPLICATION}")
        if self.path is None:
            self._db.execute("PRAGMA synchronous=OFF")
        else:
            os.chmod(self.path, 0o600)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
        for statement in SCHEMA:
            self._db.execute(statement)

    def _damaged(self, where: str) -> DataError:
        return DataError(
            f"{self.path!r} is damaged ({where}); delete the file and run the study again"
        )

    def _identify(self, about: dict[str, Any]) -> None:
        """Write what the study is, or refuse to mix it with another."""
        told = {key: json.dumps(value, sort_keys=True) for key, value in about.items()}
        kept = dict(self._db.execute("SELECT key, value FROM about"))
        differs = [key for key in told if key in kept and kept[key] != told[key]]
        if differs:
            what = ", ".join(
                f"{key} is {told[key][:80]}, there {kept[key][:80]}" for key in differs
            )
            raise DataError(
                f"{self.path!r} holds another study ({what}); pass a path that is not taken"
            )
        self._db.executemany("INSERT OR IGNORE INTO about VALUES (?, ?)", list(told.items()))

    def places(self) -> set[BlockPlace]:
        """Return the effects and blocks that are done."""
        return set(self._db.execute("SELECT effect, number FROM block"))

    def write(self, rows: Iterable[Packed]) -> None:
        """Write blocks together; one that is there already is left as it is."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR IGNORE INTO block VALUES (?, ?, ?, ?, ?)", rows)

    def blocks(self, effect: int, shape: tuple[int, int]) -> Iterator[BlockNumbers]:
        """Yield the numbers of each block of an effect, (methods, columns, experiments)."""
        asked = "SELECT number, size, numbers, checksum FROM block WHERE effect = ? ORDER BY number"
        rows = self._db.execute(asked, (effect,))
        while True:
            try:
                row = rows.fetchone()
            except sqlite3.DatabaseError as error:
                raise self._damaged(str(error)) from None
            if row is None:
                return
            number, size, body, checksum = row
            if _checksum(body) != checksum or len(body) != 8 * size * shape[0] * shape[1]:
                raise self._damaged(f"effect {effect}, block {number}")
            yield np.frombuffer(body, dtype="<f8").reshape(*shape, size)

    def remember(self, key: str, value: Any) -> None:
        """Keep a fact that was found on the way."""
        text = json.dumps(value, sort_keys=True)
        self._db.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (key, text))

    def recall(self, key: str) -> Any:
        found = self._db.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return None if found is None else json.loads(found[0])

    def close(self) -> None:
        self._db.close()
        if self._temporary is not None:
            self._temporary.cleanup()


def _checksum(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).digest()


def _refuse_strangers(path: Path) -> None:
    """Refuse what is not such a store without touching it."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise DataError(f"{str(path)!r} is not a file that can be made; pass store='study.db'")
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        head = file.read(100)
    if not head.startswith(b"SQLite format 3\0") or int.from_bytes(head[68:72]) != APPLICATION:
        raise DataError(
            f"{str(path)!r} is not the ledger of a study; pass a path that is not taken"
        )
