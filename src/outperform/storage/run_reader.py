"""Results become rows, many at a time; rows become arrays, each checked, and arrays Scores."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Container, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..designs import Design, Given, parse
from ..errors import naming_line
from ..notes import NOTES, Note
from ..numerics.exact_sums import Array
from ..scores.split_scores import Items, ItemsToRead, Loss, Scores
from . import contents
from .contents import (
    CELL,
    NONE,
    RUN_FILE,
    SPLIT,
    STATUSES,
    Entry,
    IntArray,
    Problem,
    StoredExperiment,
    StoreIncomplete,
    decode_items,
    decode_losses,
    gather,
    read_experiment,
    same_experiment,
    unpack,
    unpack_one,
)
from .kernel import StoreDamaged, StoreError, quoted

CellRows = npt.NDArray[np.void]
T = TypeVar("T", bound=np.generic)

MANY = 10**6
"""Item losses above which they are read when a method asks for them, not with the scores."""


class RunReader:
    """The rows of one store, checked as they are read."""

    def __init__(self, db: sqlite3.Connection, path: str, experiment: StoredExperiment) -> None:
        self.db, self.path, self.experiment = db, path, experiment
        self.seed = contents.digest(experiment.to_json())

    def cells(self, learner: int, name: str) -> CellRows:
        """Return the finished cells of a learner, by address."""
        source = "cell WHERE learner = ? ORDER BY address"
        return self._sound(CELL, f"cell of {quoted(name)} at", source, learner)

    def splits(self) -> CellRows:
        return self._sound(SPLIT, "split", "split ORDER BY address")

    def _sound(self, kind: np.dtype[np.void], what: str, source: str, *values: object) -> CellRows:
        """Return rows, each as it was written and in order."""
        found = gather(self.db, kind, source, *values)
        bad = contents.checksums(self.seed, found) != found["checksum"]
        # Equal addresses, or a wrong order, come of a damaged index.
        bad[1:] |= found["address"][1:] <= found["address"][:-1]
        if bad.any():
            where = tuple(unpack_one(int(found["address"][bad.argmax()])))
            more = f" ({bad.sum()} in all)" if bad.sum() > 1 else ""
            raise self._damaged(f"the {what} {where} is not as written{more}")
        return found

    def remark(self, key: int) -> tuple[str | None, tuple[tuple[str, str], ...]]:
        if key == NONE:
            return None, ()
        row = self.db.execute("SELECT text FROM remark WHERE id = ?", (key,)).fetchone()
        if row is None or contents.digest(row[0]) != key:
            raise self._damaged("the text of an error is not as written")
        return contents.decode_remark(row[0])

    def strangers(self, known: Container[int]) -> None:
        """Refuse cells of learners that are not there: their rows were lost."""
        # Each learner is found by one step down the index.
        query, lost, last = "SELECT min(learner) FROM cell WHERE learner > ?", 0, -(2**63)
        while (last := self.db.execute(query, (last,)).fetchone()[0]) is not None:
            lost += last not in known
        if lost:
            raise self._damaged(f"there are cells of {lost} learners it does not know")

    def losses(self, learner: int, cells: CellRows, sizes: IntArray) -> Array:
        """Return the item losses of all cells of a learner, one after the other."""
        source = "losses FROM loss WHERE learner = ? ORDER BY address"
        return self._decoded(source, (learner,), cells, sizes, decode_losses)

    def items(self, splits: CellRows) -> IntArray:
        """Return the test items of all splits, one after the other."""
        source = "items FROM item ORDER BY address"
        return self._decoded(source, (), splits, splits["n_test"], decode_items)

    def _decoded(
        self,
        source: str,
        values: tuple[int, ...],
        rows: CellRows,
        sizes: IntArray,
        decode: Callable[[bytes], npt.NDArray[T]],
    ) -> npt.NDArray[T]:
        """Return what belongs to rows, if it is all that was written."""
        what = source.partition(" ")[0]
        blobs = dict(self.db.execute(f"SELECT address, {source}", values).fetchall())
        parts = []
        for at, key, size in zip(
            rows["address"].tolist(), rows[what].tolist(), sizes.tolist(), strict=True
        ):
            blob = blobs.pop(at, None)
            if not isinstance(blob, bytes) or contents.digest(blob) != key:
                raise self._damaged(
                    f"the {what} at {tuple(unpack_one(at))} are missing or not as written"
                )
            parts.append(decode(blob))
            if parts[-1].size != size:
                raise self._damaged(f"there are not as many {what} as test items")
        if blobs:
            raise self._damaged(f"there are {what} that belong to no cell")
        return np.concatenate(parts)

    def _damaged(self, what: str) -> StoreDamaged:
        return RUN_FILE.damaged(self.path, what)


def problems_of(reader: RunReader, entry: Entry, cells: CellRows) -> list[Problem]:
    """Group what is missing and what failed, by status and by the line that names the exception."""
    name, found = entry.learner.name, []
    if cells.size < entry.planned:
        found.append(Problem(name, "missing", entry.planned - cells.size))
    groups: dict[tuple[int, str], list[int]] = {}
    texts: dict[int, str] = {}
    for at in np.flatnonzero(cells["status"] != 0).tolist():
        key = int(cells["remark"][at])
        if key not in texts:
            texts[key] = reader.remark(key)[0] or ""
        line = naming_line(texts[key])
        groups.setdefault((int(cells["status"][at]), line), []).append(at)
    for (status, line), places in sorted(groups.items(), key=lambda group: -len(group[1])):
        first = cells[places[0]]
        example, where = texts[int(first["remark"])], unpack_one(int(first["address"]))
        kind = cast(Any, STATUSES[status])
        found.append(Problem(name, kind, len(places), line, example, where))
    return found


def _refusal(problems: Sequence[Problem], planned: int, path: str) -> StoreIncomplete:
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
    for p in failed[:1]:
        where = tuple(p.address or ())
        said.append(f"The first of {quoted(p.learner)}, at {where}:\n{p.example}")
    return StoreIncomplete("\n".join(said))


def scores_of(reader: RunReader, chosen: Sequence[Entry], *, items: bool, gaps: bool) -> Scores:
    """Return the scores of learners; refuse if incomplete, or with `gaps` fill in NaN."""
    splits = reader.splits()
    packed = splits["address"]
    who = [(entry.number, entry.learner.name) for entry in chosen]
    tables = [reader.cells(*one) for one in who]
    problems = [
        problem
        for entry, cells in zip(chosen, tables, strict=True)
        for problem in problems_of(reader, entry, cells)
    ]
    if problems and gaps:
        tables = [_with_gaps(cells, packed) for cells in tables]
    elif problems:
        raise _refusal(problems, sum(entry.planned for entry in chosen), reader.path)
    for (_, name), cells in zip(who, tables, strict=True):
        if np.array_equal(cells["address"], packed):
            continue
        lost = np.setdiff1d(cells["address"], packed).size
        if lost:
            raise StoreIncomplete(
                f"incomplete: {lost} splits are missing, though their cells are there. To write "
                f"them run the same again with store={reader.path!r}"
            )
        raise RUN_FILE.damaged(
            reader.path, f"{quoted(name)} has not as many cells as there are splits"
        )
    experiment = reader.experiment
    kept: Items | ItemsToRead | None = None
    if items and experiment.loss and all((cells["losses"] != NONE).all() for cells in tables):
        if int(splits["n_test"].sum()) * len(who) <= MANY:
            kept = _items(reader, who, tables, splits)
        else:
            later = partial(_read_items, reader.path, experiment, who, _written(tables, splits))
            kept = ItemsToRead(cast(Loss, experiment.loss), later)
    return Scores(
        tuple(name for _, name in who),
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
        n_groups=int(experiment.extra["_groups"]) if "_groups" in experiment.extra else None,
    )


def _design(experiment: StoredExperiment) -> Design | None:
    if not experiment.design:
        return None
    design, by = parse(experiment.design), experiment.extra.get("_splits given by", "")
    return replace(design, by=by) if isinstance(design, Given) else design


def _with_gaps(cells: CellRows, packed: IntArray) -> CellRows:
    """Return a cell for each split, with no score where there is none that is ok."""
    found = np.zeros(packed.size, dtype=cells.dtype)
    found["address"], found["score"] = packed, np.nan
    found["losses"] = found["remark"] = NONE
    known = cells[(cells["status"] == 0) & np.isin(cells["address"], packed)]
    found[np.searchsorted(packed, known["address"])] = known
    return found


def _items(
    reader: RunReader, who: Sequence[tuple[int, str]], tables: Sequence[CellRows], splits: CellRows
) -> Items:
    sizes = splits["n_test"].astype(np.int64)
    losses = np.empty((len(who), int(sizes.sum())))
    for row, (number, _), cells in zip(losses, who, tables, strict=True):
        row[:] = reader.losses(number, cells, sizes)
    entries = np.repeat(np.arange(sizes.size, dtype=np.int64), sizes)
    return Items(cast(Loss, reader.experiment.loss), losses, entries, reader.items(splits))


def _written(tables: Sequence[CellRows], splits: CellRows) -> int:
    """Return a digest by which the same rows are known again."""
    return contents.digest(*(rows.tobytes() for rows in (*tables, splits)))


def _read_items(
    path: str, experiment: StoredExperiment, who: Sequence[tuple[int, str]], written: int
) -> Items:
    """Open the store again for the item losses of scores that were read before."""
    real, _ = RUN_FILE.find(path, "read")
    with RUN_FILE.typed(real), closing(RUN_FILE.for_reading(real)) as db:
        db.execute("BEGIN")
        same_experiment(real, read_experiment(db, real), experiment)
        reader = RunReader(db, real, experiment)
        tables, splits = [reader.cells(*one) for one in who], reader.splits()
        if _written(tables, splits) != written:
            raise StoreError(
                f"{quoted(real)} has changed since these scores were read from it; read them again"
            )
        return _items(reader, who, tables, splits)


def _notes(reader: RunReader, tables: Sequence[CellRows]) -> tuple[Note, ...]:
    """Return every distinct note of the cells that has an OP code."""
    keys = {key for cells in tables for key in np.unique(cells["remark"]).tolist()}
    said = sorted({pair for key in keys for pair in reader.remark(key)[1]})
    return tuple(Note(code, detail) for code, detail in said if code in NOTES)
