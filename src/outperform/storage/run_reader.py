"""Reading: rows become arrays, many at a time, and each is checked against its checksum."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Container, Sequence
from contextlib import closing
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..designs import parse
from ..errors import DataError, argument, counted, naming_line
from ..numerics.exact_sums import Array
from . import contents, meta_texts
from .cell_writer import response_sum
from .contents import (
    CELL,
    NONE,
    RUN_FILE,
    SPLIT,
    STATUSES,
    IntArray,
    Problem,
    StoredExperiment,
    StoreIncomplete,
    decode_items,
    decode_losses,
    gather,
    pack,
    read_meta,
    unpack_one,
)
from .kernel import StoreDamaged, quoted
from .registrations import Entry, MetricEntry, read_experiment, read_learners, read_metrics
from .responses import decode_truth

CellRows = npt.NDArray[np.void]
T = TypeVar("T", bound=np.generic)


class RunReader:
    """The rows of one store, checked as they are read."""

    def __init__(self, db: sqlite3.Connection, path: str) -> None:
        self.db, self.path = db, path
        self.experiment = read_experiment(db, path)
        self.seed = contents.digest(self.experiment.identity())
        self.metrics = read_metrics(db, path)
        self.asked = False
        """Whether design and metrics are those that were asked for, not all that there are."""

    def ask(self, experiment: StoredExperiment, metrics: Sequence[MetricEntry]) -> None:
        """Read by the design and the metrics of a run from now on."""
        self.experiment = replace(experiment, extra=self.experiment.extra)
        self.metrics, self.asked = list(metrics), True

    def sized(self, design: Any) -> RunReader:
        """Return a reader of the splits of another design of the same family."""
        there, plan = self.experiment.design, parse(design)
        known = parse(there) if there else None
        if known is None or plan in (known, getattr(known, "of", None)):
            return self
        n = self.experiment.n_items
        if plan.family != known.family or plan.n_splits(n) > known.n_splits(n):
            raise DataError(
                f"{quoted(self.path)} contains a run of {known}, not of {plan}; leave "
                f"{argument(design=str(plan))} out"
            )
        reader = copy(self)
        reader.experiment = replace(self.experiment, design=str(plan))
        return reader

    def all_metrics(self) -> list[MetricEntry]:
        """Return every metric of the store, asked for or not."""
        return read_metrics(self.db, self.path)

    def learners(self) -> list[Entry]:
        return read_learners(self.db, self.path)

    def wanted(self) -> IntArray | None:
        """Return the addresses of the design, packed; None where it is not known."""
        if not self.experiment.design:
            return None
        design, n_items = self.experiment.design, self.experiment.n_items
        if not self.asked and meta_texts.is_unwritten(self.db, design, n_items):
            planned = f"{parse(design).n_splits(n_items):,}"
            raise StoreIncomplete(
                f"incomplete: {quoted(self.path)} lacks some of {quoted(planned)} splits. To "
                f"compute them, run the same again with {argument(store=self.path)}"
            )
        return pack(parse(self.experiment.design).addresses(self.experiment.n_items))

    def truth(self) -> npt.NDArray[Any] | None:
        """Return the targets, if they are kept."""
        row = self.db.execute("SELECT body, checksum FROM truth WHERE id = 1").fetchone()
        if row is None:
            return None
        if not isinstance(row[0], bytes) or contents.digest(self.seed, "truth", row[0]) != row[1]:
            raise self._damaged("the targets are corrupt")
        try:
            return decode_truth(row[0])
        except (LookupError, TypeError, ValueError, RecursionError, zlib.error):
            raise self._damaged("the targets are not as a run writes them") from None

    def notes(self) -> list[tuple[str, str]]:
        """Return what the last run had to say of itself."""
        text = read_meta(self.db, self.path, "notes")
        said = meta_texts.read_json(self.path, text, "the notes of its run", meta_texts.NOTES)
        return [(code, detail) for code, detail in said]

    def cells(self, learner: int, name: str, metric: MetricEntry) -> CellRows:
        """Return the finished cells of a learner by a metric, by address."""
        source = "cell WHERE learner = ? AND metric = ? ORDER BY address"
        return self._sound(CELL, f"fit of {quoted(name)} at", source, learner, metric.number)

    def responses(self, learner: int, kind: int) -> dict[int, bytes]:
        """Return what is kept of one kind of response, by address."""
        query = "SELECT address, body, checksum FROM response WHERE learner = ? AND kind = ?"
        found = {}
        for at, body, checksum in self.db.execute(query, (learner, kind)):
            if response_sum(self.seed, learner, kind, at, body) != checksum:
                where = tuple(unpack_one(at)) if isinstance(at, int) else at
                raise self._damaged(f"the responses at {where} are corrupt")
            found[at] = body
        return found

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
            raise self._damaged(f"the {what} {where} is corrupt{more}")
        return found

    def remark(self, key: int) -> tuple[str | None, tuple[tuple[str, str], ...]]:
        if key == NONE:
            return None, ()
        row = self.db.execute("SELECT text FROM remark WHERE id = ?", (key,)).fetchone()
        if row is None or contents.digest(row[0]) != key:
            raise self._damaged("the text of an error is corrupt")
        meta_texts.read_json(self.path, row[0], "the text of an error", meta_texts.REMARK)
        return contents.decode_remark(row[0])

    def strangers(self, known: Container[int]) -> None:
        """Refuse cells of learners that are not there: their rows were lost."""
        # Each learner is found by one step down the index.
        query, lost, last = "SELECT min(learner) FROM cell WHERE learner > ?", 0, -(2**63)
        while (last := self.db.execute(query, (last,)).fetchone()[0]) is not None:
            lost += last not in known
        if lost:
            raise self._damaged(f"it contains fits of {counted(lost, 'unknown learner')}")

    def losses(self, learner: int, metric: int, cells: CellRows, sizes: IntArray) -> Array:
        """Return the item losses of these cells of a learner, one after the other."""
        source = "losses FROM loss WHERE learner = ? AND metric = ?"
        return self._decoded(source, (learner, metric), cells, sizes, decode_losses)

    def items(self, splits: CellRows) -> IntArray:
        """Return the test items of these splits, one after the other."""
        source = "items FROM item WHERE ? IS NULL"
        orphans = (
            "SELECT EXISTS (SELECT 1 FROM item WHERE address NOT IN (SELECT address FROM split))"
        )
        if self.db.execute(orphans).fetchone()[0]:
            raise self._damaged("it contains items that belong to no split")
        return self._decoded(source, (None,), splits, splits["n_test"], decode_items)

    def _decoded(
        self,
        source: str,
        values: tuple[int | None, ...],
        rows: CellRows,
        sizes: IntArray,
        decode: Callable[[bytes], npt.NDArray[T]],
    ) -> npt.NDArray[T]:
        """Return what belongs to rows, if it is as it was written."""
        what, bounds = source.partition(" ")[0], "AND address BETWEEN ? AND ?"
        ends = (int(rows["address"].min()), int(rows["address"].max())) if rows.size else (0, -1)
        query = f"SELECT address, {source} {bounds}"
        blobs = dict(self.db.execute(query, (*values, *ends)).fetchall())
        parts = []
        for at, key, size in zip(
            rows["address"].tolist(), rows[what].tolist(), sizes.tolist(), strict=True
        ):
            blob = blobs.pop(at, None)
            if not isinstance(blob, bytes) or contents.digest(blob) != key:
                raise self._damaged(f"the {what} at {tuple(unpack_one(at))} are missing or corrupt")
            parts.append(decode(blob))
            if parts[-1].size != size:
                raise self._damaged(f"the number of {what} differs from that of test items")
        return np.concatenate(parts)

    def _damaged(self, what: str) -> StoreDamaged:
        return RUN_FILE.damaged(self.path, what)


def of_design(rows: CellRows, wanted: IntArray | None) -> CellRows:
    """Return the rows whose addresses belong to the design."""
    return rows if wanted is None else rows[np.isin(rows["address"], wanted)]


def problems_of(
    reader: RunReader, entry: Entry, metric: MetricEntry, cells: CellRows
) -> list[Problem]:
    """Group what is missing and what failed, by status and by the line that names the exception."""
    name, found = entry.learner.name, []
    by = metric.key.name if len(reader.metrics) > 1 else ""
    wanted = reader.wanted()
    cells = of_design(cells, wanted)
    planned = reader.splits().size if wanted is None else wanted.size
    if cells.size < planned:
        found.append(Problem(name, "missing", planned - cells.size, metric=by))
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
        found.append(Problem(name, kind, len(places), line, example, where, by))
    return found


def seconds_of_fits(path: Any) -> tuple[float, float] | None:
    """Return the mean seconds of a fit on all data, and on parts of them; None without fits.

    Partition 0 has all data; where no others were run, the two are equal.
    """
    real, _ = RUN_FILE.find(path, "read")
    with RUN_FILE.typed(real), closing(RUN_FILE.for_reading(real)) as db:
        # A fit that was scored by further metrics later took what its first score took.
        each = (
            "SELECT address >> 44 > 0 AS part, max(seconds) AS s FROM cell WHERE status = 0 "
            "GROUP BY learner, address"
        )
        means = db.execute(f"SELECT part, avg(s) FROM ({each}) GROUP BY part ORDER BY part")
        found = [float(seconds) for _, seconds in means]
    return (found[0], found[-1]) if found else None
