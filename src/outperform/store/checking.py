"""Checking: say what is damaged in a store, and take that, and only that, away."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import numpy as np

from . import claims, file, learners, survey
from .errors import FROM_SQLITE, StoreError, damaged, quoted, typed
from .reading import Reader, problems_of
from .rows import CELL, NONE, unpack_one
from .survey import Damage, Survey
from .values import Counts, Experiment, Problem

__all__ = ["CheckReport", "Damage", "check", "drop_damaged"]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check of a store found."""

    path: str
    counts: Mapping[str, Counts]
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

    def __str__(self) -> str:
        said = [f"{quoted(self.path)} is {'sound' if self.ok else 'damaged'}"]
        said += [str(damage) for damage in self.damages]
        said += [f"SQLite says: {line}" for line in self.structure]
        for name, (planned, ok, failed, missing) in self.counts.items():
            tail = f"{ok} ok, {failed} failed, {missing} missing"
            said.append(f"{quoted(name)}: {planned} cells planned, {tail}")
        if self.missing_splits:
            said.append(f"{self.missing_splits} splits are missing; the next run writes them")
        return "\n".join(said)


def check(path: Any) -> CheckReport:
    """Compare every row of a store with its checksum; nothing is changed."""
    real, _ = file.find(path, "read")
    return _look(real)[1]


def _look(real: str) -> tuple[Survey, CheckReport]:
    """Read all in one transaction: a run may be writing, and what it adds is not half seen."""
    with closing(file.for_reading(real)) as db:
        db.execute("BEGIN")
        found = survey.survey(db, real)
        report = _report(found, real)
        if report.ok and found.experiment is not None:
            problems = _problems(Reader(db, real, found.experiment), found)
            report = replace(report, problems=tuple(problems))
        return found, report


def _problems(reader: Reader, found: Survey) -> Iterator[Problem]:
    for name, entry in learners.current(found.entries).items():
        cells = found.cells[entry.number]
        for problem in problems_of(reader, name, cells, entry.planned):
            where = problem.address
            if problem.status == "missing":
                lacking = np.setdiff1d(found.splits["address"], cells["address"])
                where = unpack_one(int(lacking[0])) if lacking.size else None
            yield replace(problem, address=where)


def _report(found: Survey, real: str) -> CheckReport:
    counts = {}
    for name, entry in learners.current(found.entries).items():
        cells = found.cells.get(entry.number, np.empty(0, CELL))
        ok = int((cells["status"] == 0).sum())
        counts[name] = Counts(entry.planned, ok, cells.size - ok, entry.planned - cells.size)
    addresses = {at for cells in found.cells.values() for at in cells["address"].tolist()}
    lost = len(addresses.difference(found.splits["address"].tolist()))
    return CheckReport(real, counts, tuple(found.damages), tuple(found.structure), lost)


def drop_damaged(path: Any) -> CheckReport:
    """Take damaged cells away, so that the next run computes them; return what was found.

    All that is sound is copied into a new file, which takes the place of the old one; that is kept
    beside it, with `.damaged` at the end of its name. A sound store is left as it is.
    """
    real, _ = file.find(path, "write")
    found, report = _look(real)
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
            found, _ = _look(headed)
        if found.experiment is None:
            raise damaged(real, "what it belongs to cannot be read; restore a copy")
        _copy(source, fresh, found, found.experiment)
        if not check(fresh).ok:
            raise damaged(real, "no sound copy could be made; restore one")
        _keep(real)
        os.replace(fresh, real)
        _remove(real, "-wal", "-shm")
    finally:
        for draft in (fresh, headed):
            _remove(draft, "", "-wal", "-shm")
    return report


def _in_use(real: str) -> bool:
    with suppress(*FROM_SQLITE), closing(file.for_reading(real)) as db:
        return any(alive for alive, _ in claims.owners(db).values())
    return False


def _give_head(real: str, to: str) -> None:
    """Copy a store under the first page of a new one: it holds the tables, always the same."""
    file.for_writing(to, Experiment("", "", "", 0, 0)).close()
    with open(to, "rb") as new:
        page = bytearray(new.read(file.PAGE))
    pages = -(-max(os.path.getsize(real), os.path.getsize(to)) // file.PAGE)
    page[24:28] = page[92:96] = (1).to_bytes(4, "big")  # the number of changes: the next is valid
    page[28:32] = pages.to_bytes(4, "big")
    page[32:40] = bytes(8)  # no free pages
    shutil.copyfile(real, to)
    with open(to, "r+b") as copy:
        copy.write(page)
        copy.truncate(pages * file.PAGE)


def _copy(source: str, fresh: str, found: Survey, experiment: Experiment) -> None:
    """Write what is sound into a new store, row by row as it was."""
    with (
        typed(fresh),
        closing(file.for_reading(source)) as db,
        closing(file.for_writing(fresh, experiment)) as new,
    ):
        new.execute("BEGIN IMMEDIATE")
        marks = ", ".join("?" * 8)
        new.executemany(f"INSERT INTO learner VALUES ({marks})", [e.row for e in found.entries])
        file.write_meta(new, "learners", str(len(found.entries)))
        new.executemany("INSERT OR IGNORE INTO split VALUES (?, ?, ?, ?, ?)", found.splits.tolist())
        if experiment.loss is not None:
            for address, _, _, digest, _ in found.splits.tolist():
                items = survey.blob(db, survey.ITEMS, (address,), digest)
                new.execute("INSERT OR IGNORE INTO item VALUES (?, ?)", (address, items))
        for cells in found.cells.values():
            for row in cells.tolist():
                score, losses = (None if math.isinf(row[3]) else row[3]), row[6]
                cell = (row[1], row[0], row[2], score, *row[4:])
                new.execute(f"INSERT OR IGNORE INTO cell VALUES ({marks})", cell)
                if losses != NONE:
                    key = (row[1], row[0])
                    body = survey.blob(db, survey.LOSSES, key, losses)
                    new.execute("INSERT OR IGNORE INTO loss VALUES (?, ?, ?)", (*key, body))
            for key in set(cells["remark"].tolist()) - {NONE}:
                text = survey.blob(db, survey.REMARK, (key,), key)
                new.execute("INSERT OR IGNORE INTO remark VALUES (?, ?)", (key, text))
        new.execute("COMMIT")


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
        with suppress(FileNotFoundError):
            os.remove(path + ending)
