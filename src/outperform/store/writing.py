"""Writing: results and splits become rows; what is there already is compared, never changed."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from . import rows
from .errors import StoreError, quoted
from .rows import CELL, NONE, SPLIT
from .values import STATUSES, Address, Outcome

__all__ = ["Row", "row_of", "write_cells", "write_splits"]


CODES = {status: code for code, status in enumerate(STATUSES)}


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
    packed = rows.pack_one(address)
    score, seconds, losses, status, error, notes = outcome
    code = CODES.get(status)
    if code is None or not (math.isfinite(seconds) and seconds >= 0):
        raise _refused(name, address, outcome)
    if code:
        remark = rows.encode_remark(error, notes)
        return Row(number, packed, code, None, float(seconds), remark, None, NONE)
    if score is None or not math.isfinite(score):
        raise _refused(name, address, outcome)
    blob = None if losses is None else _encoded(losses, name, address, outcome)
    remark = rows.encode_remark(error, notes) if error or notes else None
    digest = NONE if blob is None else rows.digest(blob)
    # SQLite does not tell −0 from 0.
    return Row(number, packed, code, float(score) + 0.0, float(seconds), remark, blob, digest)


def _encoded(given: Any, name: str, address: Address, outcome: Outcome) -> bytes:
    losses: npt.NDArray[Any] = np.asarray(given)
    if losses.dtype.kind != "b":
        losses = losses.astype(np.float64).ravel()
        if not np.isfinite(losses).all():
            raise _refused(name, address, outcome)
    return rows.encode_losses(losses)


def _refused(name: str, address: Address, outcome: Outcome) -> DataError:
    """Return what is wrong with an outcome."""
    where = f"{quoted(name)} at {tuple(address)}"
    if outcome.status not in STATUSES:
        return DataError(f"the status of {where} is {outcome.status!r}; use one of {STATUSES}")
    if not (math.isfinite(outcome.seconds) and outcome.seconds >= 0):
        return DataError(f"{where} took {outcome.seconds} s; a finite time is needed")
    if outcome.score is None or not math.isfinite(outcome.score):
        wrong = f"the score of {where} is {outcome.score}; an ok cell needs a finite one"
    else:
        wrong = f"the losses of {where} hold NaN or infinity; an ok cell needs finite ones"
    return DataError(f"{wrong}. Store it as failed, saying why")


def write_cells(db: sqlite3.Connection, seed: int, results: Sequence[Row]) -> list[Row]:
    """Insert cells that are new; return those that contradict what is there."""
    query = "SELECT status, score, losses FROM cell WHERE learner = ? AND address = ?"
    fresh: dict[tuple[int, int], Row] = {}
    contrary = []
    taken = _taken(db, results)
    for row in results:
        known = None
        if (twin := fresh.get(row[:2])) is not None:
            known = twin.content
        elif row.learner in taken:
            known = db.execute(query, row[:2]).fetchone()
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


def _taken(db: sqlite3.Connection, results: Sequence[Row]) -> set[int]:
    """Return the learners that have finished cells between those of these results."""
    reach: dict[int, tuple[int, int]] = {}
    for row in results:
        low, high = reach.get(row.learner, (row.address, row.address))
        reach[row.learner] = min(low, row.address), max(high, row.address)
    query = "SELECT EXISTS (SELECT 1 FROM cell WHERE learner = ? AND address BETWEEN ? AND ?)"
    return {who for who, ends in reach.items() if db.execute(query, (who, *ends)).fetchone()[0]}


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
    new: dict[int, tuple[tuple[int, ...], bytes]] = {}
    for row, blob in zip(table.tolist(), blobs, strict=True):
        if known.setdefault(row[0], row) != row:
            raise StoreError(
                f"the split {tuple(rows.unpack_one(row[0]))} is not the one this store was begun "
                "with; use another file, or the version of outperform that made it"
            )
        if known[row[0]] is row:
            new[row[0]] = row, blob
    db.executemany("INSERT INTO split VALUES (?, ?, ?, ?, ?)", [row for row, _ in new.values()])
    if keep_items:
        items = [(address, blob) for address, (_, blob) in new.items()]
        db.executemany("INSERT OR REPLACE INTO item VALUES (?, ?)", items)
