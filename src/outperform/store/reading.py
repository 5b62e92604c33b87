"""Reading: rows become arrays, each checked against its checksum, and arrays become Scores."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..designs import Design, Given, parse
from ..errors import DataError
from ..notes import NOTES, Note
from ..numerics.exact_sums import Array
from ..scores.split_scores import Items, ItemsToRead, Loss, Scores
from . import file, rows
from .errors import StoreDamaged, StoreError, StoreIncomplete, damaged, quoted, typed
from .rows import CELL, NONE, SPLIT, gather, unpack, unpack_one
from .values import STATUSES, Address, Experiment, IntArray, Learner, Outcome, Problem, Splits

Rows = npt.NDArray[np.void]
T = TypeVar("T", bound=np.generic)

MANY = 10**6
"""Item losses above which they are read when a method asks for them, not with the scores."""


class Reader:
    """The rows of one store, checked as they are read."""

    def __init__(self, db: sqlite3.Connection, path: str, experiment: Experiment) -> None:
        self.db, self.path, self.experiment = db, path, experiment
        self.seed = rows.digest(experiment.to_json())

    def cells(self, learner: int, name: str) -> Rows:
        """Return the finished cells of a learner, by address."""
        found = gather(self.db, CELL, "cell WHERE learner = ? ORDER BY address", learner)
        bad = rows.checksums(self.seed, found) != found["checksum"]
        if bad.any():
            where = tuple(unpack_one(int(found["address"][bad.argmax()])))
            more = f" ({bad.sum()} cells in all)" if bad.sum() > 1 else ""
            raise self._damaged(f"the cell of {quoted(name)} at {where} is not as written{more}")
        self._ordered(found["address"], f"cells of {quoted(name)}")
        return found

    def holds(self, learner: int) -> bool:
        """Tell whether any cell of a learner is finished."""
        query = "SELECT EXISTS (SELECT 1 FROM cell WHERE learner = ?)"
        return bool(self.db.execute(query, (learner,)).fetchone()[0])

    def split_rows(self) -> Rows:
        found = gather(self.db, SPLIT, "split ORDER BY address")
        bad = rows.checksums(self.seed, found) != found["checksum"]
        if bad.any():
            where = tuple(unpack_one(int(found["address"][bad.argmax()])))
            raise self._damaged(f"the split {where} is not as written")
        self._ordered(found["address"], "splits")
        return found

    def splits(self) -> Splits:
        found = self.split_rows()
        packed = found["address"]

        def items(address: Address) -> IntArray:
            key = rows.pack_one(address)
            at = int(np.searchsorted(packed, key))
            if at == packed.size or packed[at] != key:
                raise DataError(f"there is no split at {tuple(address)}")
            query = "SELECT items FROM item WHERE address = ?"
            with typed(self.path):
                row = self.db.execute(query, (key,)).fetchone() or (None,)
            blob = self._blob(row[0], found["items"][at], f"test items of {tuple(address)}")
            return rows.decode_items(blob)

        n_train, n_test = (found[name].astype(np.int64) for name in ("n_train", "n_test"))
        return Splits(unpack(packed), n_train, n_test, items)

    def outcome(self, learner: int, packed: int) -> Outcome | None:
        source = "cell WHERE learner = ? AND address = ?"
        found = gather(self.db, CELL, source, learner, packed)
        where = tuple(unpack_one(packed))
        if not found.size:
            return None
        if found.size > 1 or rows.checksums(self.seed, found) != found["checksum"]:
            raise self._damaged(f"the cell at {where} is not as written")
        cell = found[0]
        losses = None
        if cell["losses"] != NONE:
            query = "SELECT losses FROM loss WHERE learner = ? AND address = ?"
            row = self.db.execute(query, (learner, packed)).fetchone() or (None,)
            losses = rows.decode_losses(self._blob(row[0], cell["losses"], f"losses at {where}"))
        error, notes = self.remark(int(cell["remark"]))
        score = float(cell["score"]) if cell["status"] == 0 else None
        status = STATUSES[cell["status"]]
        return Outcome(score, float(cell["seconds"]), losses, status, error, notes)

    def remark(self, key: int) -> tuple[str | None, tuple[tuple[str, str], ...]]:
        if key == NONE:
            return None, ()
        row = self.db.execute("SELECT text FROM remark WHERE id = ?", (key,)).fetchone()
        if row is None or rows.digest(row[0]) != key:
            raise self._damaged("the text of an error is not as written")
        return rows.decode_remark(row[0])

    def strangers(self, known: Container[int]) -> None:
        """Refuse cells of learners that are not there: their rows were lost."""
        lost = {row for row in self._learners_of("cell") if row not in known}
        if lost:
            raise self._damaged(f"there are cells of {len(lost)} learners it does not know")

    def _learners_of(self, table: str) -> Iterator[int]:
        """Yield the learners in a table, each found by one step down its index."""
        query = f"SELECT min(learner) FROM {table} WHERE learner > ?"
        found = self.db.execute(query, (-(2**63),)).fetchone()[0]
        while found is not None:
            yield found
            found = self.db.execute(query, (found,)).fetchone()[0]

    def losses(self, learner: int, cells: Rows, sizes: IntArray) -> Array:
        """Return the item losses of all cells of a learner, one after the other."""
        query = "SELECT address, losses FROM loss WHERE learner = ? ORDER BY address"
        found = self.db.execute(query, (learner,)).fetchall()
        blobs = self._blobs(found, cells["address"], cells["losses"], "losses")
        return self._as_many(rows.decode_all_losses(blobs, sizes), "losses")

    def items(self, splits: Rows) -> IntArray:
        """Return the test items of all splits, one after the other."""
        found = self.db.execute("SELECT address, items FROM item ORDER BY address").fetchall()
        blobs = self._blobs(found, splits["address"], splits["items"], "test items")
        sizes = splits["n_test"].astype(np.int64)
        return self._as_many(rows.decode_all_items(blobs, sizes), "items")

    def _blobs(
        self, found: list[tuple[Any, Any]], addresses: IntArray, keys: IntArray, what: str
    ) -> list[bytes]:
        """Return what was found at addresses, if it is all that was written there."""
        blobs = [blob for _, blob in found]
        whole = [address for address, _ in found] == addresses.tolist()
        if whole and all(type(blob) is bytes for blob in blobs):
            bad = rows.digests(blobs) != keys
            if not bad.any():
                return blobs
            where = int(addresses[bad.argmax()])
        else:
            there = {address for address, blob in found if isinstance(blob, bytes)}
            lost = [address for address in addresses.tolist() if address not in there]
            if not lost:
                raise self._damaged(f"there are {what} that belong to no cell")
            where = lost[0]
        what = f"{what} at {tuple(unpack_one(where))}"
        raise self._damaged(f"the {what} are missing or not as written")

    def _as_many(self, decoded: npt.NDArray[T] | None, what: str) -> npt.NDArray[T]:
        if decoded is None:
            raise self._damaged(f"there are not as many {what} as test items")
        return decoded

    def _blob(self, blob: object, key: int, what: str) -> bytes:
        if not isinstance(blob, bytes) or rows.digest(blob) != key:
            raise self._damaged(f"the {what} are missing or not as written")
        return blob

    def _ordered(self, packed: IntArray, what: str) -> None:
        if not (packed[1:] > packed[:-1]).all():
            raise self._damaged(f"the {what} are out of order")

    def _damaged(self, what: str) -> StoreDamaged:
        return damaged(self.path, what)


def problems_of(reader: Reader, name: str, cells: Rows, planned: int) -> list[Problem]:
    """Group what is missing and what failed, by status and by the last line of the traceback."""
    found = []
    if cells.size < planned:
        found.append(Problem(name, "missing", planned - cells.size))
    groups: dict[tuple[int, str], list[int]] = {}
    texts: dict[int, str] = {}
    for at in np.flatnonzero(cells["status"] != 0).tolist():
        key = int(cells["remark"][at])
        if key not in texts:
            texts[key] = reader.remark(key)[0] or ""
        line = texts[key].rstrip().rpartition("\n")[2].strip()
        groups.setdefault((int(cells["status"][at]), line), []).append(at)
    for (status, line), places in sorted(groups.items(), key=lambda group: -len(group[1])):
        first = cells[places[0]]
        example, where = texts[int(first["remark"])], unpack_one(int(first["address"]))
        kind = cast(Any, STATUSES[status])
        found.append(Problem(name, kind, len(places), line, example, where))
    return found


def refusal(problems: Sequence[Problem], planned: int, path: str) -> StoreIncomplete:
    """Say what is missing and what failed, with one traceback in full."""
    ok = planned - sum(problem.count for problem in problems)
    lacking = [p for p in problems if p.status == "missing"]
    failed = [p for p in problems if p.status != "missing"]
    said = [f"incomplete: {ok} of {planned} cells are there and ok"]
    if lacking:
        names = ", ".join(f"{quoted(p.learner)} lacks {p.count}" for p in lacking)
        said[0] += f"; {names}. To compute them run the same again with store={path!r}"
    for p in failed:
        words = {"failed": "failed", "timeout": "ran out of time", "killed": "killed its process"}
        cells = f"{p.count} cell" + "s" * (p.count > 1)
        said.append(f"{quoted(p.learner)}: {cells} {words[p.status]}: {p.line or 'no message'}")
    if failed:
        example = failed[0]
        where = tuple(example.address or ())
        said.append(f"The first of {quoted(example.learner)}, at {where}:\n{example.example}")
    return StoreIncomplete("\n".join(said))


def scores_of(
    reader: Reader,
    chosen: Sequence[tuple[int, Learner, int]],
    *,
    items: bool,
    gaps: bool = False,
) -> Scores:
    """Return the scores of learners, given as (number, learner, planned); refuse if incomplete.

    With `gaps` scores that are missing or failed are NaN.
    """
    splits = reader.split_rows()
    packed = splits["address"]
    names = [learner.name for _, learner, _ in chosen]
    tables = [reader.cells(number, learner.name) for number, learner, _ in chosen]
    planned = [count for _, _, count in chosen]
    problems = [
        problem
        for name, cells, count in zip(names, tables, planned, strict=True)
        for problem in problems_of(reader, name, cells, count)
    ]
    if problems and gaps:
        tables = [_with_gaps(cells, packed) for cells in tables]
    elif problems:
        raise refusal(problems, sum(planned), reader.path)
    for name, cells in zip(names, tables, strict=True):
        if np.array_equal(cells["address"], packed):
            continue
        lost = np.setdiff1d(cells["address"], packed).size
        if lost:
            raise StoreIncomplete(
                f"incomplete: {lost} splits are missing, though their cells are there. To write "
                f"them run the same again with store={reader.path!r}"
            )
        raise damaged(reader.path, f"{quoted(name)} has not as many cells as there are splits")
    experiment = reader.experiment
    kept: Items | ItemsToRead | None = None
    if items and experiment.loss and all((cells["losses"] != NONE).all() for cells in tables):
        who = [(number, learner.name) for number, learner, _ in chosen]
        if int(splits["n_test"].sum()) * len(who) <= MANY:
            kept = _items(reader, who, tables, splits)
        else:
            written = _losses_written(tables, splits)
            later = partial(_read_items, reader.path, experiment, who, written)
            kept = ItemsToRead(cast(Loss, experiment.loss), later)
    return Scores(
        tuple(names),
        np.stack([cells["score"].astype(np.float64) for cells in tables]),
        unpack(packed),
        splits["n_train"].astype(np.float64),
        splits["n_test"].astype(np.float64),
        experiment.metric,
        experiment.greater_is_better,
        _design(experiment),
        items=kept,
        seed=experiment.seed,
        notes=_notes(reader, tables),
    )


def _design(experiment: Experiment) -> Design | None:
    if not experiment.design:
        return None
    design, by = parse(experiment.design), experiment.extra.get("_splits given by", "")
    return replace(design, by=by) if isinstance(design, Given) else design


def _with_gaps(cells: Rows, packed: IntArray) -> Rows:
    """Return a cell for each split, with no score where there is none that is ok."""
    found = np.zeros(packed.size, dtype=cells.dtype)
    found["address"], found["score"] = packed, np.nan
    found["losses"] = found["remark"] = NONE
    known = cells[(cells["status"] == 0) & np.isin(cells["address"], packed)]
    found[np.searchsorted(packed, known["address"])] = known
    return found


def _items(
    reader: Reader, who: Sequence[tuple[int, str]], tables: Sequence[Rows], splits: Rows
) -> Items:
    sizes = splits["n_test"].astype(np.int64)
    losses = np.empty((len(who), int(sizes.sum())))
    for row, (number, _), cells in zip(losses, who, tables, strict=True):
        row[:] = reader.losses(number, cells, sizes)
    entries = np.repeat(np.arange(sizes.size, dtype=np.int64), sizes)
    return Items(cast(Loss, reader.experiment.loss), losses, entries, reader.items(splits))


def _losses_written(tables: Sequence[Rows], splits: Rows) -> int:
    """Return the digest of what was written of losses and items, by which they are known again."""
    columns = [(cells["address"], cells["losses"]) for cells in tables]
    columns.append((splits["address"], splits["items"]))
    return rows.digest(*(column.tobytes() for pair in columns for column in pair))


def _read_items(
    path: str, experiment: Experiment, who: Sequence[tuple[int, str]], written: int
) -> Items:
    """Open the store again for the item losses of scores that were read before."""
    real, _ = file.find(path, "read")
    with typed(real), closing(file.for_reading(real)) as db:
        db.execute("BEGIN")
        file.same_experiment(real, file.read_experiment(db, real), experiment)
        reader = Reader(db, real, experiment)
        tables = [reader.cells(number, name) for number, name in who]
        splits = reader.split_rows()
        if _losses_written(tables, splits) != written:
            raise StoreError(
                f"{quoted(real)} has changed since these scores were read from it; read them again"
            )
        return _items(reader, who, tables, splits)


def _notes(reader: Reader, tables: Sequence[Rows]) -> tuple[Note, ...]:
    """Return every distinct note of the cells that has an OP code."""
    keys = {key for cells in tables for key in np.unique(cells["remark"]).tolist()}
    said = sorted({pair for key in keys for pair in reader.remark(key)[1]})
    return tuple(Note(code, detail) for code, detail in said if code in NOTES)
