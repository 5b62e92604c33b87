"""Checking: every row of a store is compared with its checksum, and what is damaged is named."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import counted
from . import contents, sharing
from .cell_writer import response_sum
from .contents import (
    CELL,
    NONE,
    RUN_FILE,
    SPLIT,
    Address,
    CellCounts,
    Learner,
    Problem,
    StoredExperiment,
    unpack_one,
)
from .kernel import FROM_SQLITE, StoreDamaged, one_line, quoted
from .registrations import Entry, MetricEntry, current_learners
from .responses import KINDS
from .run_reader import CellRows, RunReader, of_design, problems_of

LOSSES = "SELECT losses FROM loss WHERE learner = ? AND metric = ? AND address = ?"
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
    metrics: list[MetricEntry] = field(default_factory=list)
    """The primary one first."""
    splits: CellRows = field(default_factory=lambda: np.empty(0, SPLIT))
    wanted: Any = None
    """The addresses of the design, packed."""
    cells: dict[tuple[int, int], CellRows] = field(default_factory=dict)
    """By learner and metric."""
    responses: dict[int, dict[int, int]] = field(default_factory=dict)
    """Of each learner, by address, the kinds of sound responses, a bit for each."""
    damages: list[Damage] = field(default_factory=list)
    structure: list[str] = field(default_factory=list)
    """What SQLite has to say of the file."""


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
            problems = _problems(RunReader(db, real), found)
            report = replace(report, problems=tuple(problems))
        return found, report


def _problems(reader: RunReader, found: Survey) -> Iterator[Problem]:
    """Yield what stands in the way of scores by the primary metric."""
    splits = of_design(found.splits, found.wanted)
    for entry in current_learners(found.entries).values():
        cells = _by_primary(found, entry)
        for problem in problems_of(reader, entry, found.metrics[0], cells) if found.metrics else ():
            where = problem.address
            if problem.status == "missing":
                lacking = np.setdiff1d(splits["address"], cells["address"])
                where = unpack_one(int(lacking[0])) if lacking.size else None
            yield replace(problem, address=where)


def _by_primary(found: Survey, entry: Entry) -> CellRows:
    metric = found.metrics[0].number if found.metrics else 0
    return of_design(found.cells.get((entry.number, metric), np.empty(0, CELL)), found.wanted)


def _report(found: Survey, real: str) -> CheckReport:
    counts = {}
    planned = found.splits.size if found.wanted is None else found.wanted.size
    for name, entry in current_learners(found.entries).items():
        cells = _by_primary(found, entry)
        ok = int((cells["status"] == 0).sum())
        counts[name] = CellCounts(planned, ok, cells.size - ok, planned - cells.size)
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
            reader = RunReader(db, path)
    except StoreDamaged as error:
        found.damages.append(Damage(error.what))
        return found
    found.experiment, found.seed, found.metrics = reader.experiment, reader.seed, reader.metrics
    found.wanted = reader.wanted()
    _about(reader, found)
    _learners(reader, found)
    _splits(db, found)
    _cells(db, found)
    for row in _each(db, found, "SELECT * FROM strike"):
        if not sharing.is_sound(found.seed, *row):
            found.damages.append(Damage("the strikes are corrupt", None, _where(row[1])))
    return found


def _about(reader: RunReader, found: Survey) -> None:
    """Look at the targets and the notes of the last run."""
    for read in (reader.truth, reader.notes):
        try:
            with RUN_FILE.typed(reader.path):
                read()
        except StoreDamaged as error:
            found.damages.append(Damage(error.what))


def _learners(reader: RunReader, found: Survey) -> None:
    try:
        with RUN_FILE.typed(reader.path):
            found.entries = reader.learners()
            return
    except StoreDamaged as error:
        found.damages.append(Damage(error.what))
    columns = "id, name, params, versions, turn, about, checksum"
    for row in _each(reader.db, found, f"SELECT {columns} FROM learner"):
        if contents.digest(*row[:-1]) != row[-1]:
            found.damages.append(Damage("the learner is corrupt", str(row[1])))
        else:
            found.entries.append(Entry(row[0], Learner(*row[1:4]), *row[4:6]))


def _splits(db: sqlite3.Connection, found: Survey) -> None:
    table, odd = _table(db, found, SPLIT, "split", ())
    sound = contents.checksums(found.seed, table) == table["checksum"]
    for at in np.flatnonzero(sound).tolist():
        address, digest = int(table["address"][at]), int(table["items"][at])
        sound[at] = blob(db, ITEMS, (address,), digest) is not None
    found.splits = table[sound]
    for key in [*odd, *table["address"][~sound].tolist()]:
        found.damages.append(Damage("the split is corrupt", None, _where(key)))


def _cells(db: sqlite3.Connection, found: Survey) -> None:
    known = {entry.number: entry.learner.name for entry in found.entries}
    metrics = [entry.number for entry in found.metrics]
    query = "SELECT learner, metric, count(*) FROM cell GROUP BY 1, 2"
    lost = sum(
        count
        for number, metric, count in _each(db, found, query)
        if number not in known or metric not in metrics
    )
    if lost:
        found.damages.append(Damage(f"{counted(lost, 'fit')} of an unknown learner or metric"))
    for number, name in known.items():
        broken = _responses(db, found, number)
        reasons: dict[object, str] = {}
        for metric in metrics:
            reasons |= _cells_by(db, found, number, metric)
        for at, what in broken.items():
            reasons.setdefault(at, what)
        found.damages += [Damage(what, name, _where(key)) for key, what in reasons.items()]


def _responses(db: sqlite3.Connection, found: Survey, learner: int) -> dict[object, str]:
    """Look at the responses of a learner; return where one is corrupt."""
    sound, broken = found.responses.setdefault(learner, {}), {}
    query = "SELECT address, body, checksum FROM response WHERE learner = ? AND kind = ?"
    for kind in range(len(KINDS)):
        for at, body, checksum in _each(db, found, query, (learner, kind)):
            if response_sum(found.seed, learner, kind, at, body) == checksum:
                sound[at] = sound.get(at, 0) | 1 << kind
            else:
                broken[at] = "its responses are missing or corrupt"
    return broken


def _cells_by(db: sqlite3.Connection, found: Survey, number: int, metric: int) -> dict[object, str]:
    """Look at the fits of a learner by one metric; return what is wrong and where."""
    values, where = (number, metric), "WHERE learner = ? AND metric = ?"
    table, odd = _table(db, found, CELL, f"cell {where}", values)
    sound = contents.checksums(found.seed, table) == table["checksum"]
    bad = [*odd, *table["address"][~sound].tolist()]
    reasons: dict[object, str] = dict.fromkeys(bad, "the fit is corrupt")
    for at in np.flatnonzero(sound & (table["losses"] != NONE)).tolist():
        address, digest = int(table["address"][at]), int(table["losses"][at])
        if blob(db, LOSSES, (*values, address), digest) is None:
            sound[at] = False
            reasons[address] = "its losses are missing or corrupt"
    there_now = found.responses.get(number, {})
    for at in np.flatnonzero(sound & (table["kept"] != 0)).tolist():
        address, kept = int(table["address"][at]), int(table["kept"][at])
        if there_now.get(address, 0) & kept != kept:
            sound[at] = False
            reasons[address] = "its responses are missing or corrupt"
    for key in np.unique(table["remark"][sound]).tolist():
        if key != NONE and blob(db, REMARK, (key,), key) is None:
            mute = sound & (table["remark"] == key)
            sound &= ~mute
            said = "its error or notes are missing or corrupt"
            reasons |= dict.fromkeys(table["address"][mute].tolist(), said)
    found.cells[number, metric] = table[sound]
    there = set(table["address"].tolist())
    for (key,) in _each(db, found, f"SELECT address FROM loss {where}", values):
        if key not in there:
            reasons.setdefault(key, "there are losses, but no fit")
    return reasons


def _table(
    db: sqlite3.Connection,
    found: Survey,
    kind: np.dtype[np.void],
    source: str,
    values: tuple[object, ...],
) -> tuple[CellRows, list[object]]:
    """Return the rows that hold numbers, and the keys of those that hold something else."""
    columns, layout = contents.select(kind)
    buffer, odd = bytearray(), []
    for row in _each(db, found, f"SELECT {columns} FROM {source} ORDER BY address", values):
        try:
            buffer.extend(layout.pack(*row))
        except struct.error:
            odd.append(row[0])
    return np.frombuffer(bytes(buffer), dtype=kind), odd


def _each(
    db: sqlite3.Connection, found: Survey, query: str, values: tuple[object, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield rows as far as they can be read; note why if that is not to the end."""
    try:
        yield from db.execute(query, values)
    except FROM_SQLITE as error:
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
