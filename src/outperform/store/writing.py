"""Writing: results and splits become rows; what is there already is compared, never changed."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError
from . import rows
from .errors import StoreError, quoted
from .rows import CELL, NONE, SPLIT
from .values import STATUSES, Address, Outcome

__all__ = ["Row", "row_of", "write_cells", "write_splits"]


class Row(NamedTuple):
    """A result on its way into the file."""

    learner: int
    address: int
    status: int
    score: float | None
    seconds: float
    remark: tuple[int, str] | None
    losses: bytes | None
    digest: int

    @property
    def content(self) -> tuple[int, float | None, int]:
        """What must be the same when a cell is stored again."""
        return self.status, self.score, self.digest


def row_of(number: int, name: str, address: Address, outcome: Outcome) -> Row:
    """Check an outcome and return it as a row."""
    packed, where = rows.pack_one(address), f"{quoted(name)} at {tuple(address)}"
    if outcome.status not in STATUSES:
        raise DataError(f"the status of {where} is {outcome.status!r}; use one of {STATUSES}")
    if not (math.isfinite(outcome.seconds) and outcome.seconds >= 0):
        raise DataError(f"{where} took {outcome.seconds} s; a finite time is needed")
    score = blob = None
    if outcome.status == "ok":
        if outcome.score is None or not math.isfinite(outcome.score):
            raise DataError(
                f"the score of {where} is {outcome.score}; an ok cell needs a finite one. Store it "
                "as failed, saying why"
            )
        score = float(outcome.score) + 0.0  # SQLite does not tell −0 from 0
        if outcome.losses is not None:
            losses = np.asarray(outcome.losses, dtype=np.float64).ravel()
            if not np.isfinite(losses).all():
                raise DataError(
                    f"the losses of {where} hold NaN or infinity; an ok cell needs finite ones. "
                    "Store it as failed, saying why"
                )
            blob = rows.encode_losses(losses)
    remark = rows.encode_remark(outcome.error, outcome.notes)
    digest = NONE if blob is None else rows.digest(blob)
    status = STATUSES.index(outcome.status)
    return Row(number, packed, status, score, float(outcome.seconds), remark, blob, digest)


def write_cells(db: sqlite3.Connection, seed: int, results: Sequence[Row]) -> list[Row]:
    """Insert cells that are new; return those that contradict what is there."""
    query = "SELECT status, score, losses FROM cell WHERE learner = ? AND address = ?"
    fresh: dict[tuple[int, int], Row] = {}
    contrary = []
    for row in results:
        twin = fresh.get(row[:2])
        known = twin.content if twin else db.execute(query, row[:2]).fetchone()
        if known is None:
            fresh[row[:2]] = row
        elif known != row.content:
            contrary.append(row)
    new = list(fresh.values())
    db.executemany(
        "INSERT INTO remark VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
        {row.remark for row in new if row.remark},
    )
    db.executemany("INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _cells(new, seed))
    losses = [(row.learner, row.address, row.losses) for row in new if row.losses is not None]
    db.executemany("INSERT OR REPLACE INTO loss VALUES (?, ?, ?)", losses)
    for table in ("claim", "strike"):
        if db.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0]:
            query = f"DELETE FROM {table} WHERE learner = ? AND address = ?"
            db.executemany(query, [row[:2] for row in results])
    return contrary


def _cells(new: Sequence[Row], seed: int) -> list[tuple[Any, ...]]:
    """Return the columns of cells, with their checksums."""
    table = np.zeros(len(new), dtype=CELL)
    remarks = [NONE if row.remark is None else row.remark[0] for row in new]
    table["address"], table["status"] = [r.address for r in new], [r.status for r in new]
    table["score"] = [math.inf if row.score is None else row.score for row in new]
    table["seconds"], table["remark"] = [r.seconds for r in new], remarks
    table["losses"] = [row.digest for row in new]
    table["learner"] = [row.learner for row in new]
    sums = rows.checksums(seed, table).tolist()
    return [
        (*row[:5], remark, row.digest, checksum)
        for row, remark, checksum in zip(new, remarks, sums, strict=True)
    ]


def write_splits(
    db: sqlite3.Connection,
    seed: int,
    splits: Sequence[tuple[Address, int, int, Any]],
    n_items: int,
    *,
    keep_items: bool,
) -> None:
    """Insert splits that are new; refuse one that is there but was another."""
    blobs = rows.encode_items([items for *_, items in splits], n_items)
    table = np.zeros(len(splits), dtype=SPLIT)
    table["address"] = packed = rows.pack([address for address, *_ in splits])
    table["n_train"], table["n_test"] = [s[1] for s in splits], [s[2] for s in splits]
    table["items"] = rows.digests(blobs)
    table["checksum"] = rows.checksums(seed, table)
    query = (
        "SELECT address, n_train, n_test, items, checksum FROM split WHERE address BETWEEN ? AND ?"
    )
    bounds = (int(packed.min()), int(packed.max()))
    known = {row[0]: row for row in db.execute(query, bounds)}
    for row, blob in zip(table.tolist(), blobs, strict=True):
        if known.setdefault(row[0], row) != row:
            raise StoreError(
                f"the split {tuple(rows.unpack_one(row[0]))} is not the one this store was begun "
                "with; use another file, or the version of outperform that made it"
            )
        if known[row[0]] is row:
            db.execute("INSERT INTO split VALUES (?, ?, ?, ?, ?)", row)
            if keep_items:
                db.execute("INSERT OR REPLACE INTO item VALUES (?, ?)", (row[0], blob))
