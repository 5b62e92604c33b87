"""Results and splits become rows, committed together; what is there is compared, never changed."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from . import contents
from .contents import (
    CELL,
    NONE,
    SPLIT,
    STATUSES,
    Address,
    Outcome,
    unpack_one,
)
from .kernel import StoreError, quoted
from .sharing import Session

BATCH = 100
"""Results in a commit: 8,800 rows a second, where one a commit gives 200."""


DELAY = 0.2
"""Seconds a result may wait for its commit."""


COLUMNS = (
    *("learner", "metric", "address", "status"),
    *("score", "seconds", "remark", "losses", "kept"),
)


CODES = {status: code for code, status in enumerate(STATUSES)}


class CellRow(NamedTuple):
    """A result on its way into the file."""

    learner: int
    metric: int
    address: int
    status: int
    score: float | None
    seconds: float
    remark: tuple[int, str] | None
    losses: bytes | None
    digest: int
    kept: int
    """Which kinds of responses are kept with it, a bit for each."""
    responses: tuple[tuple[int, bytes], ...] = ()

    @property
    def content(self) -> tuple[int, float | None, int]:
        """What must be the same when a cell is stored again."""
        return self.status, self.score, self.digest


def rows_of(
    number: int, name: str, address: Address, outcome: Outcome, metrics: Sequence[int]
) -> list[CellRow]:
    """Check an outcome and return it as rows, one for each metric."""
    beside = outcome.more or (outcome,) * (len(metrics) - 1)
    if outcome.more and len(outcome.more) != len(metrics) - 1:
        raise DataError(
            f"{_where(name, address)} has scores by {1 + len(outcome.more)} metrics; the store was "
            f"opened for {len(metrics)}"
        )
    if not outcome.more and outcome.status == "ok" and len(metrics) > 1:
        raise DataError(f"{_where(name, address)} lacks scores by {len(metrics) - 1} metrics")
    kept = sum(1 << kind for kind, _ in outcome.responses)
    first = _row_of(number, metrics[0], name, address, outcome, kept)
    rest = (
        _row_of(number, metric, name, address, one, kept)
        for metric, one in zip(metrics[1:], beside, strict=True)
    )
    return [first._replace(responses=outcome.responses), *rest]


def _row_of(
    number: int, metric: int, name: str, address: Address, outcome: Outcome, kept: int
) -> CellRow:
    packed = contents.pack_one(address)
    score, seconds, losses, status, error, notes = outcome[:6]
    code = CODES.get(status)
    if code is None:
        raise DataError(
            f"the status of {_where(name, address)} is {status!r}; use one of {STATUSES}"
        )
    if not (math.isfinite(seconds) and seconds >= 0):
        raise DataError(f"{_where(name, address)} took {seconds} s; the time must be finite")
    remark = contents.encode_remark(error, notes) if error or notes or code else None
    if code:
        return CellRow(number, metric, packed, code, None, float(seconds), remark, None, NONE, kept)
    if score is None or not math.isfinite(score):
        raise DataError(
            f"the score of {_where(name, address)} is {score}; an ok fit needs a finite one. "
            "Store it as failed, saying why"
        )
    blob, key = None, NONE
    if losses is not None:
        blob = _encoded(losses, name, address)
        key = contents.digest(blob)
    # SQLite does not tell −0 from 0.
    value = float(score) + 0.0
    return CellRow(number, metric, packed, code, value, float(seconds), remark, blob, key, kept)


def _encoded(given: Any, name: str, address: Address) -> bytes:
    losses: npt.NDArray[Any] = np.asarray(given)
    if losses.dtype.kind != "b":
        losses = losses.astype(np.float64).ravel()
        if not np.isfinite(losses).all():
            raise DataError(
                f"the losses of {_where(name, address)} contain NaN or infinity; a successful fit "
                "needs finite losses. Store it as failed, with a reason"
            )
    return contents.encode_losses(losses)


def _where(name: str, address: Address) -> str:
    return f"{quoted(name)} at {tuple(address)}"


def write_cells(db: sqlite3.Connection, seed: int, results: Sequence[CellRow]) -> list[CellRow]:
    """Insert cells that are new; return those that contradict what is there."""
    insert = "INSERT OR IGNORE INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    contrary, kept = [], results
    if db.executemany(insert, _cells(results, seed)).rowcount < len(results):
        query = (
            "SELECT status, score, losses FROM cell "
            "WHERE learner = ? AND metric = ? AND address = ?"
        )
        same = [db.execute(query, row[:3]).fetchone() == row.content for row in results]
        contrary = [row for row, fits in zip(results, same, strict=True) if not fits]
        kept = [row for row, fits in zip(results, same, strict=True) if fits]
    db.executemany(
        "INSERT OR IGNORE INTO remark VALUES (?, ?)", {r.remark for r in kept if r.remark}
    )
    losses = [(*row[:3], row.losses) for row in kept if row.losses is not None]
    db.executemany("INSERT OR REPLACE INTO loss VALUES (?, ?, ?, ?)", losses)
    contrary += _write_responses(db, seed, [row for row in kept if row.responses])
    for table in ("claim", "strike"):
        if db.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0]:
            query = f"DELETE FROM {table} WHERE learner = ? AND address = ?"
            db.executemany(query, [(row.learner, row.address) for row in results])
    return contrary


def _write_responses(
    db: sqlite3.Connection, seed: int, results: Sequence[CellRow]
) -> list[CellRow]:
    """Insert responses that are new; return the results that came with others than are there."""
    rows = [
        (
            row.learner,
            kind,
            row.address,
            body,
            response_sum(seed, row.learner, kind, row.address, body),
        )
        for row in results
        for kind, body in row.responses
    ]
    insert = "INSERT OR IGNORE INTO response VALUES (?, ?, ?, ?, ?)"
    if db.executemany(insert, rows).rowcount == len(rows):
        return []
    query = "SELECT checksum FROM response WHERE learner = ? AND kind = ? AND address = ?"
    other = {(row[0], row[2]) for row in rows if db.execute(query, row[:3]).fetchone() != (row[4],)}
    return [row for row in results if (row.learner, row.address) in other]


def response_sum(seed: int, learner: int, kind: int, address: int, body: object) -> int:
    """Return the checksum of a response; its place belongs to it."""
    return contents.digest(seed, learner, kind, address, body)


def _cells(results: Sequence[CellRow], seed: int) -> list[tuple[Any, ...]]:
    """Return the columns of cells, with their checksums."""
    rows = [
        (*row[:6], NONE if row.remark is None else row.remark[0], row.digest, row.kept)
        for row in results
    ]
    table = np.zeros(len(rows), dtype=CELL)
    for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True):
        table[name] = column if name != "score" else [math.inf if s is None else s for s in column]
    return [
        (*row, n) for row, n in zip(rows, contents.checksums(seed, table).tolist(), strict=True)
    ]


def write_splits(
    db: sqlite3.Connection,
    seed: int,
    splits: Sequence[tuple[Address, int, int, Any]],
    n_items: int,
) -> None:
    """Insert splits that are new; refuse one that is there but was another."""
    blobs = contents.encode_items([items for *_, items in splits], n_items)
    table = np.zeros(len(splits), dtype=SPLIT)
    table["address"] = packed = contents.pack([address for address, *_ in splits])
    table["n_train"], table["n_test"] = [s[1] for s in splits], [s[2] for s in splits]
    table["items"] = [contents.digest(blob) for blob in blobs]
    table["checksum"] = contents.checksums(seed, table)
    query = (
        "SELECT address, n_train, n_test, items, checksum FROM split WHERE address BETWEEN ? AND ?"
    )
    bounds = (int(packed.min()), int(packed.max()))
    known = {row[0]: row for row in db.execute(query, bounds)}
    rows = table.tolist()
    new = [(row, blob) for row, blob in zip(rows, blobs, strict=True) if row[0] not in known]
    for row in rows:
        if known.setdefault(row[0], row) != row:
            raise StoreError(
                f"The split {tuple(unpack_one(row[0]))} is not the one this store was started "
                "with; use another file, or the version of outperform that wrote it"
            )
    db.executemany("INSERT OR IGNORE INTO split VALUES (?, ?, ?, ?, ?)", [row for row, _ in new])
    items = [(row[0], blob) for row, blob in new]
    db.executemany("INSERT OR REPLACE INTO item VALUES (?, ?)", items)


class ResultBuffer:
    """Results that wait for a commit: for 99 others, or 0.2 s."""

    def __init__(self, session: Session, seed: int) -> None:
        self._session, self._seed = session, seed
        self._waiting: list[CellRow] = []
        self._committed = 0.0
        self._due = math.inf
        self._changed = threading.Condition(session.lock)
        self._keeper: threading.Thread | None = None
        self._contrary: StoreError | None = None
        self.late = True
        """Whether what waits is committed though nothing comes after it."""

    def add(self, new: Sequence[CellRow]) -> None:
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
        """Return where results of a learner wait."""
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
                f"{len(contrary)} finished fits of {quoted(self._session.path)} were run again "
                f"with different results, the first at {where}; the stored results were kept. A "
                "learner should depend only on its data and its random_state"
            )
