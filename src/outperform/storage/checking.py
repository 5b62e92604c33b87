"""Checking: say what is damaged in a file, and copy out of it what can be read."""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from . import contents, sharing
from .contents import (
    CELL,
    NONE,
    RUN_FILE,
    SPLIT,
    Address,
    CellCounts,
    Entry,
    Learner,
    Problem,
    StoredExperiment,
    StoreIncomplete,
    current_learners,
    make_run_file,
    read_experiment,
    read_learners,
    unpack_one,
    write_meta,
)
from .kernel import FROM_SQLITE, PAGE, StoreDamaged, StoreError, one_line, quoted, transaction
from .run_reader import RunReader, problems_of
from .run_store import Store

CellRows = npt.NDArray[np.void]
LOSSES = "SELECT losses FROM loss WHERE learner = ? AND address = ?"
ITEMS = "SELECT items FROM item WHERE address = ?"
REMARK = "SELECT text FROM remark WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not as it was written."""

    what: str
    learner: str | None = None
    address: Address | None = None

    def __str__(self) -> str:
        who = "" if self.learner is None else quoted(self.learner)
        where = "" if self.address is None else f"at {tuple(self.address)}"
        return ": ".join(part for part in (f"{who} {where}".strip(), self.what) if part)


@dataclass(slots=True)
class Survey:
    """What is sound in a file, and what is not."""

    experiment: StoredExperiment | None = None
    seed: int = 0
    entries: list[Entry] = field(default_factory=list)
    splits: CellRows = field(default_factory=lambda: np.empty(0, SPLIT))
    cells: dict[int, CellRows] = field(default_factory=dict)
    damages: list[Damage] = field(default_factory=list)
    structure: list[str] = field(default_factory=list)
    """What SQLite has to say of the file."""
    stops: int = 0
    """How often reading stopped before the end."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check of a store found."""

    path: str
    counts: Mapping[str, CellCounts]
    """How far each learner is, counting what is sound."""
    damages: tuple[Damage, ...] = ()
    structure: tuple[str, ...] = ()
    """What SQLite says of the file, unless it is sound."""
    missing_splits: int = 0
    """Splits that are not there though their cells are; the next run writes them again."""
    problems: tuple[Problem, ...] = ()
    """What failed and what is missing in a sound store, with where the first is."""

    @property
    def ok(self) -> bool:
        return not self.damages and not self.structure


def check(path: Any) -> CheckReport:
    """Compare every row of a store with its checksum; nothing is changed."""
    real, _ = RUN_FILE.find(path, "read")
    return look(real)[1]


def look(real: str) -> tuple[Survey, CheckReport]:
    """Read all in one transaction: a run may be writing, and what it adds is not half seen."""
    with closing(RUN_FILE.for_reading(real)) as db:
        db.execute("BEGIN")
        db.text_factory = partial(str, encoding="utf-8", errors="backslashreplace")
        found = _survey(db, real)
        report = _report(found, real)
        if report.ok and found.experiment is not None:
            problems = _problems(RunReader(db, real, found.experiment), found)
            report = replace(report, problems=tuple(problems))
        return found, report


def _problems(reader: RunReader, found: Survey) -> Iterator[Problem]:
    for entry in current_learners(found.entries).values():
        cells = found.cells[entry.number]
        for problem in problems_of(reader, entry, cells):
            where = problem.address
            if problem.status == "missing":
                lacking = np.setdiff1d(found.splits["address"], cells["address"])
                where = unpack_one(int(lacking[0])) if lacking.size else None
            yield replace(problem, address=where)


def _report(found: Survey, real: str) -> CheckReport:
    counts = {}
    for name, entry in current_learners(found.entries).items():
        cells = found.cells.get(entry.number, np.empty(0, CELL))
        ok = int((cells["status"] == 0).sum())
        counts[name] = CellCounts(entry.planned, ok, cells.size - ok, entry.planned - cells.size)
    addresses = {at for cells in found.cells.values() for at in cells["address"].tolist()}
    lost = len(addresses.difference(found.splits["address"].tolist()))
    return CheckReport(real, counts, tuple(found.damages), tuple(found.structure), lost)


def _survey(db: sqlite3.Connection, path: str) -> Survey:
    """Read everything."""
    found = Survey()
    lines = _each(db, found, "PRAGMA integrity_check")
    found.structure = [one_line(line) for (line,) in lines if line != "ok"] + found.structure
    try:
        with RUN_FILE.typed(path):
            found.experiment = read_experiment(db, path)
    except StoreDamaged as error:
        found.damages.append(Damage(error.what))
        return found
    found.seed = contents.digest(found.experiment.to_json())
    _learners(db, path, found)
    _splits(db, found, keeps_items=found.experiment.loss is not None)
    _cells(db, found)
    for row in _each(db, found, "SELECT * FROM strike"):
        if not sharing.is_sound(found.seed, *row):
            found.damages.append(Damage("the strikes are not as written", None, _where(row[1])))
    return found


def _learners(db: sqlite3.Connection, path: str, found: Survey) -> None:
    try:
        with RUN_FILE.typed(path):
            found.entries = read_learners(db, path)
            return
    except StoreDamaged as error:
        found.damages.append(Damage(error.what))
    columns = "id, name, params, versions, planned, turn, about, checksum"
    for row in _each(db, found, f"SELECT {columns} FROM learner"):
        entry = Entry(row[0], Learner(*row[1:4]), *row[4:7])
        if entry.row != row:
            found.damages.append(Damage("the learner is not as written", str(row[1])))
        elif entry not in found.entries:
            found.entries.append(entry)


def _splits(db: sqlite3.Connection, found: Survey, *, keeps_items: bool) -> None:
    table, odd = _table(db, found, SPLIT, "split WHERE ? IS NULL", None, ())
    sound = contents.checksums(found.seed, table) == table["checksum"]
    for at in np.flatnonzero(sound).tolist() if keeps_items else ():
        address, digest = int(table["address"][at]), int(table["items"][at])
        sound[at] = blob(db, ITEMS, (address,), digest) is not None
    found.splits = table[sound]
    for key in [*odd, *table["address"][~sound].tolist()]:
        found.damages.append(Damage("the split is not as written", None, _where(key)))


def _cells(db: sqlite3.Connection, found: Survey) -> None:
    known = {entry.number: entry.learner.name for entry in found.entries}
    query = "SELECT learner, count(*) FROM cell GROUP BY learner"
    lost = sum(count for number, count in _each(db, found, query) if number not in known)
    if lost:
        found.damages.append(Damage(f"{lost} cells belong to no learner that is there"))
    splits = found.splits["address"].tolist()
    for number, name in known.items():
        table, odd = _table(db, found, CELL, "cell WHERE learner = ?", number, splits)
        sound = contents.checksums(found.seed, table) == table["checksum"]
        bad = [*odd, *table["address"][~sound].tolist()]
        reasons = dict.fromkeys(bad, "the cell is not as written")
        for at in np.flatnonzero(sound & (table["losses"] != NONE)).tolist():
            address, digest = int(table["address"][at]), int(table["losses"][at])
            if blob(db, LOSSES, (number, address), digest) is None:
                sound[at] = False
                reasons[address] = "its losses are missing or not as written"
        for key in np.unique(table["remark"][sound]).tolist():
            if key != NONE and blob(db, REMARK, (key,), key) is None:
                mute = sound & (table["remark"] == key)
                sound &= ~mute
                said = "its error or notes are missing or not as written"
                reasons |= dict.fromkeys(table["address"][mute].tolist(), said)
        found.cells[number] = table[sound]
        there = set(table["address"].tolist())
        query = "SELECT address FROM loss WHERE learner = ?"
        for (key,) in _each(db, found, query, (number,)):
            if key not in there:
                reasons.setdefault(key, "its losses are there, but the cell is not")
        found.damages += [Damage(what, name, _where(key)) for key, what in reasons.items()]


def _table(
    db: sqlite3.Connection,
    found: Survey,
    kind: np.dtype[np.void],
    source: str,
    value: object,
    expected: Iterable[int],
) -> tuple[CellRows, list[object]]:
    """Return the rows that hold numbers, and the keys of those that hold something else.

    Where a page cannot be read, rows are sought from the other end, then one by one.
    """
    columns, layout = contents.select(kind)
    buffer, odd, seen = bytearray(), [], set()

    def take(tail: str, *more: object) -> None:
        query = f"SELECT {columns} FROM {source} {tail}"
        for row in _each(db, found, query, (value, *more)):
            if row[0] not in seen:
                seen.add(row[0])
                try:
                    buffer.extend(layout.pack(*row))
                except struct.error:
                    odd.append(row[0])

    before = found.stops
    take("ORDER BY address")
    if found.stops > before:
        take("ORDER BY address DESC")
        for key in expected:
            take("AND address = ?", key)
    return np.frombuffer(bytes(buffer), dtype=kind), odd


def _each(
    db: sqlite3.Connection, found: Survey, query: str, values: tuple[object, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield rows as far as they can be read; note why if that is not to the end."""
    try:
        yield from db.execute(query, values)
    except FROM_SQLITE as error:
        found.stops += 1
        if one_line(error) not in found.structure:
            found.structure.append(one_line(error))


def blob(
    db: sqlite3.Connection, query: str, values: tuple[object, ...], digest: int
) -> object | None:
    """Return the one value a query finds, if it can be read and has this digest."""
    try:
        row = db.execute(query, values).fetchone() or (None,)
    except FROM_SQLITE:
        return None
    return row[0] if contents.digest(row[0]) == digest else None


def _where(key: object) -> Address | None:
    return contents.unpack_one(key) if isinstance(key, int) else None


def drop_damaged(path: Any) -> CheckReport:
    """Take damaged cells away, so that the next run computes them; return what was found.

    All that is sound is copied into a new file, which takes the place of the old one; that is kept
    beside it, with `.damaged` at the end of its name. A sound store is left as it is.
    """
    real, _ = RUN_FILE.find(path, "write")
    found, report = look(real)
    if report.ok:
        return report
    if _in_use(real):
        raise StoreError(f"{quoted(real)} is in use; wait for the run to end")
    fresh, headed = (f"{real}.{uuid4().hex}" for _ in range(2))
    try:
        source = real
        if found.experiment is None:
            source = headed
            _give_head(real, headed)
            found, _ = look(headed)
        if found.experiment is None:
            raise RUN_FILE.damaged(real, "what it belongs to cannot be read; restore a copy")
        _copy(source, fresh, found, found.experiment)
        if not check(fresh).ok:
            raise RUN_FILE.damaged(real, "no sound copy could be made; restore one")
        _keep(real)
        os.replace(fresh, real)
        _remove(real, "-wal", "-shm")
    finally:
        for draft in (fresh, headed):
            _remove(draft, "", "-wal", "-shm")
    return report


def _in_use(real: str) -> bool:
    with suppress(*FROM_SQLITE), closing(RUN_FILE.for_reading(real)) as db:
        return any(alive for alive, _ in sharing.owners(db).values())
    return False


def _new_store(real: str, experiment: StoredExperiment) -> sqlite3.Connection:
    return RUN_FILE.for_writing(real, partial(make_run_file, experiment=experiment))


def _give_head(real: str, to: str) -> None:
    """Copy a store under the first page of a new one: it holds the tables, always the same."""
    _new_store(to, StoredExperiment("", "", "", 0, 0)).close()
    with open(to, "rb") as new:
        page = bytearray(new.read(PAGE))
    pages = -(-max(os.path.getsize(real), os.path.getsize(to)) // PAGE)
    page[24:28] = page[92:96] = (1).to_bytes(4, "big")  # the number of changes: the next is valid
    page[28:32] = pages.to_bytes(4, "big")
    page[32:40] = bytes(8)  # no free pages
    shutil.copyfile(real, to)
    with open(to, "r+b") as copy:
        copy.write(page)
        copy.truncate(pages * PAGE)


def _copy(source: str, fresh: str, found: Survey, experiment: StoredExperiment) -> None:
    """Write what is sound into a new store, row by row as it was."""
    with (
        RUN_FILE.typed(fresh),
        closing(RUN_FILE.for_reading(source)) as db,
        closing(_new_store(fresh, experiment)) as new,
        transaction(new),
    ):

        def put(table: str, rows: Iterable[tuple[Any, ...]]) -> None:
            for row in rows:
                marks = ", ".join("?" * len(row))
                new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)

        splits = found.splits.tolist()
        put("learner", (entry.row for entry in found.entries))
        write_meta(new, "learners", str(len(found.entries)))
        put("split", splits)
        if experiment.loss is not None:
            put("item", ((row[0], blob(db, ITEMS, row[:1], row[3])) for row in splits))
        for number, cells in found.cells.items():
            rows = cells.tolist()
            for at, _, status, score, *rest in rows:
                put("cell", [(number, at, status, None if math.isinf(score) else score, *rest)])
            kept = [(number, row[0], row[6]) for row in rows if row[6] != NONE]
            put("loss", ((*row[:2], blob(db, LOSSES, row[:2], row[2])) for row in kept))
            said = set(cells["remark"].tolist()) - {NONE}
            put("remark", ((key, blob(db, REMARK, (key,), key)) for key in said))


def _keep(real: str) -> None:
    """Keep the damaged file under another name."""
    name, n = f"{real}.damaged", 1
    while os.path.exists(name):
        n += 1
        name = f"{real}.damaged{n}"
    for ending in ("", "-wal"):
        if os.path.exists(real + ending):
            shutil.copy2(real + ending, name + ending)


def _remove(path: str, *endings: str) -> None:
    for ending in endings:
        Path(path + ending).unlink(missing_ok=True)


def export(path: Any, to: Any, *, force: bool = False, incomplete: bool = False) -> None:
    """Write the scores of the store at `path` to `to`, one row for each learner and split.

    `Scores.read` reads them back, with names and design. Refuses an incomplete store, unless that
    is asked for: then scores that are missing or failed are empty. Refuses a file that is there
    unless `force`d.
    """
    import polars as pl

    from ..readers.own_files import COLUMNS, harmless

    target = os.path.realpath(os.fspath(to))
    ending = os.path.splitext(target)[1].lower()
    if ending not in (".csv", ".parquet"):
        raise DataError(f"{quoted(to)} ends in {ending!r}; a name in .csv or .parquet is needed")
    if os.path.exists(target) and not force:
        raise DataError(f"{quoted(to)} is there already; choose another name, or force=True")
    with Store.open(path, mode="read") as store:
        try:
            scores = store.scores(items=False, gaps=incomplete)
        except StoreIncomplete as error:
            raise StoreIncomplete(
                f"{error}\nTo export what is there, the rest as empty scores: incomplete=True"
            ) from None
    (k, m), experiment = scores.values.shape, store.experiment
    safe = harmless if ending == ".csv" else str
    addresses = np.tile(scores.addresses, (k, 1))
    columns = {
        "learner": [safe(name) for name in scores.names for _ in range(m)],
        **dict(zip(Address._fields, addresses.T, strict=True)),
        "score": pl.Series(scores.values.ravel(), nan_to_null=True),
        "n_train": np.tile(np.asarray(scores.n_train, dtype=np.int64), k),
        "n_test": np.tile(np.asarray(scores.n_test, dtype=np.int64), k),
    }
    seed = experiment.seed
    same = {
        "metric": safe(scores.metric),
        "seed": seed if abs(seed) < 2**63 else str(seed),
        "design": "" if scores.design is None else str(scores.design),
        "greater_is_better": scores.greater_is_better,
    }
    frame = pl.DataFrame(columns).with_columns(**{name: pl.lit(it) for name, it in same.items()})
    assert tuple(frame.columns) == COLUMNS
    # Written whole under another name first, so that a file of this name is never half of one.
    draft = f"{target}.{uuid4().hex}"
    try:
        (frame.write_csv if ending == ".csv" else frame.write_parquet)(draft)
        os.replace(draft, target)
    except OSError as error:
        raise DataError(f"{quoted(to)} cannot be written ({error}); use another folder") from None
    finally:
        _remove(draft, "")
