"""Store: what a run writes and everybody reads; the contract stands in the package."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial, reduce
from itertools import islice
from typing import Any, Self
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from ..errors import DataError, did_you_mean
from ..scores.split_scores import Scores
from . import sharing
from .cell_writer import ResultBuffer, rows_of, write_splits
from .contents import (
    RUN_FILE,
    Address,
    IntArray,
    Learner,
    Outcome,
    Problem,
    StoredExperiment,
    StoreIncomplete,
    digest,
    make_run_file,
    pack,
    same_experiment,
    unpack,
    unpack_one,
    write_meta,
)
from .kernel import FROM_SQLITE, Mode, StoreDamaged, StoreError, one_line, quoted, without_trace
from .registrations import (
    Entry,
    current_learners,
    enlarge,
    register,
    register_metrics,
)
from .responses import KINDS, KeptResponses, encode_truth
from .run_reader import RunReader, of_design, problems_of
from .sharing import Session
from .stored_scores import scores_of

CHUNK = 10_000
"""Splits in a commit."""


class Store:
    """An open store; use it in a `with` statement, or close it."""

    def __init__(self, session: Session, reader: RunReader) -> None:
        self.path, self.experiment = session.path, reader.experiment
        self._session = session
        self._reader = reader
        self._buffer = ResultBuffer(session, reader.seed)
        self._numbers: dict[Learner, int] = {}
        self._owners: set[int] = set()

    @classmethod
    def open(
        cls, path: Any, experiment: StoredExperiment | None = None, *, mode: Mode = "create"
    ) -> Store:
        """Open a store; "create" makes it if need be, "write" and "read" want one to be there."""
        real, there = RUN_FILE.find(path, mode)
        if not there and (experiment is None or mode != "create"):
            raise StoreError(f"{quoted(path)} is empty; create the store with a run")
        if there and experiment is not None:
            # Another process may be writing: what looks odd from here is left to the opening.
            with suppress(*FROM_SQLITE, StoreDamaged), closing(without_trace(real)) as db:
                same_experiment(real, RunReader(db, real).experiment, experiment)
        if mode == "read":
            db = RUN_FILE.for_reading(real)
        else:
            fill = None if experiment is None else partial(make_run_file, experiment=experiment)
            db = RUN_FILE.for_writing(real, fill if mode == "create" else None)
        session = Session(db, real, RUN_FILE, writable=mode != "read")
        try:
            return cls._enter(session, experiment)
        except BaseException:
            session.close()
            raise

    @classmethod
    def _enter(cls, session: Session, asked: StoredExperiment | None) -> Store:
        with session.reading() as db:
            reader = RunReader(db, session.path)
            same_experiment(session.path, reader.experiment, asked)
            unclosed = sharing.unclosed(db)
            if unclosed:
                said = [one_line(line) for (line,) in db.execute("PRAGMA integrity_check(5)")]
                if said != ["ok"]:
                    raise RUN_FILE.damaged(
                        session.path, f"it was not closed, and {'; '.join(said)}"
                    )
            reader.learners()
        if session.writable and asked is not None:
            with session.writing() as db:
                enlarge(db, session.path, asked)
                reader.ask(asked, register_metrics(db, session.path, asked.metrics))
        store = cls(session, reader)
        if session.writable:
            with session.writing() as db:
                sharing.forget(db, unclosed)
                store._owners.add(sharing.join(db, f"store {uuid4().hex}", None))
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        # What stopped the run is told, not what it may have kept the store from doing.
        with suppress(*([] if error[1] is None else [StoreError])):
            self.close()

    def close(self) -> None:
        """Commit what waits, give up our claims and close the file."""
        with self._session.lock:
            try:
                if self._session.writable:
                    self.flush()
                    with suppress(StoreError), self._session.writing() as db:
                        sharing.forget(db, sorted(self._owners))
            finally:
                self._buffer.stop()
                self._session.close()

    @contextmanager
    def _settled(self) -> Iterator[RunReader]:
        """Commit what waits, then read."""
        with self._session.lock:
            self.flush()
            with self._session.reading():
                yield self._reader

    @contextmanager
    def at_once(self, *, durable: bool = True) -> Iterator[None]:
        """Write splits, learners and claims within as one transaction, with results that wait.

        What is not durable survives the death of the process, but that of the machine only once
        something durable was written after it.
        """
        with self._session.syncing(durable), self._buffer.together():
            yield

    # Learners and splits

    def register(self, learner: Learner, *, describe: Mapping[str, Any]) -> str | None:
        """Enter a learner: its parameters, and the versions of the libraries it uses.

        Return a sentence if the name was there with others.
        """
        with self._session.writing() as db:
            return register(db, self.path, learner, describe)

    def put_truth(self, y: npt.NDArray[Any]) -> None:
        """Keep the targets, so that further metrics need nothing but the store."""
        body = encode_truth(y)
        if body is not None:
            row = (1, body, digest(self._reader.seed, "truth", body))
            with self._session.writing() as db:
                db.execute("INSERT OR REPLACE INTO truth VALUES (?, ?, ?)", row)

    def put_notes(self, notes: Sequence[tuple[str, str]]) -> None:
        """Keep what the last run has to say of itself."""
        text = json.dumps([list(note) for note in notes])
        with self._session.writing() as db:
            write_meta(db, "notes", text)

    def _entries(self) -> list[Entry]:
        with self._session.reading():
            return self._reader.learners()

    def _number(self, learner: Learner) -> int:
        if learner not in self._numbers:
            self._numbers = {entry.learner: entry.number for entry in self._entries()}
        if learner not in self._numbers:
            raise DataError(f"{quoted(learner.name)} is not registered; register it first")
        return self._numbers[learner]

    def _chosen(self, names: Sequence[str] | None) -> list[Entry]:
        latest = current_learners(self._entries())
        for name in names or ():
            if name not in latest:
                hint = did_you_mean(name, latest) if latest else "it has none"
                raise DataError(f"{quoted(name)} is not a learner of {quoted(self.path)}; {hint}")
        return [latest[name] for name in (latest if names is None else names)]

    def put_splits(self, splits: Iterable[tuple[Address, int, int, npt.ArrayLike]]) -> None:
        """Write (address, n_train, n_test, test items); what is there already must be the same.

        The items are kept, for losses and responses belong to them.
        """
        left, seed, n_items = iter(splits), self._reader.seed, self.experiment.n_items
        while chunk := list(islice(left, CHUNK)):
            with self._session.writing() as db:
                write_splits(db, seed, chunk, n_items)

    # Cells

    def add(self, results: Sequence[tuple[Learner, Address, Outcome]]) -> None:
        """Take results; they are committed with others, 0.2 s later at most."""
        numbers = [entry.number for entry in self._reader.metrics]
        self._buffer.add(
            [
                row
                for who, where, what in results
                for row in rows_of(self._number(who), who.name, where, what, numbers)
            ]
        )

    def add_scores(
        self, learner: Learner, at: int, results: Sequence[tuple[Address, Outcome]]
    ) -> None:
        """Take scores by one of the metrics, by its position, of fits that were made before."""
        number, metric = self._number(learner), self._reader.metrics[at].number
        self._buffer.add(
            [
                row
                for where, what in results
                for row in rows_of(number, learner.name, where, what, [metric])
            ]
        )

    def unscored(self, learner: Learner) -> list[list[Address]]:
        """Return for each metric where a fit of the design has a score, but none by this one."""
        number = self._number(learner)
        with self._settled() as reader:
            wanted = reader.wanted()
            every = reader.all_metrics()
            there = {
                metric.number: of_design(reader.cells(number, learner.name, metric), wanted)
                for metric in every
            }
            fitted = [cells["address"][cells["status"] == 0] for cells in there.values()]
            known = np.unique(np.concatenate([np.empty(0, np.int64), *fitted]))
            found = []
            for metric in reader.metrics:
                lacking = np.setdiff1d(known, there[metric.number]["address"])
                found.append([Address(*row) for row in unpack(lacking).tolist()])
            return found

    def kept(self, learner: Learner, classes: npt.NDArray[Any] | None) -> KeptResponses:
        """Return what is kept of the responses of a learner."""
        number = self._number(learner)
        with self._settled() as reader:
            return KeptResponses(
                classes, tuple(reader.responses(number, kind) for kind in range(len(KINDS)))
            )

    def described(self) -> list[tuple[Learner, dict[str, Any]]]:
        """Return the current learners, with what was said of each when it was registered."""
        latest = current_learners(self._entries()).values()
        return [(entry.learner, json.loads(entry.about)) for entry in latest]

    def test_items(self, addresses: Sequence[Address]) -> list[IntArray]:
        """Return the test items of splits."""
        with self._settled() as reader:
            rows = of_design(reader.splits(), pack(addresses))
            if rows.size != len(addresses):
                raise StoreIncomplete(f"incomplete: splits are missing in {quoted(self.path)}")
            return np.split(reader.items(rows), np.cumsum(rows["n_test"])[:-1])

    @property
    def commits_late(self) -> bool:
        """Whether results are committed 0.2 s after they came though no others follow.

        It takes a thread. Without it they are committed with the first that comes later than that.
        """
        return self._buffer.late

    @commits_late.setter
    def commits_late(self, value: bool) -> None:
        if not value:
            self._buffer.stop()
        self._buffer.late = value

    def flush(self) -> None:
        """Commit what waits."""
        self._buffer.flush()

    def done(self, learner: Learner) -> IntArray:
        """Return the addresses (m, 3) of finished cells, whatever their status, in order."""
        number = self._number(learner)
        with self._settled() as reader:
            found = [
                reader.cells(number, learner.name, metric)["address"] for metric in reader.metrics
            ]
            return unpack(reduce(np.intersect1d, found))

    def forget_failed(self, names: Sequence[str] | None = None) -> int:
        """Take away fits that are not ok, so that they are run again; return how many."""
        self.flush()
        chosen = [(entry.number,) for entry in self._chosen(names)]
        with self._session.writing() as db:
            gone = db.executemany("DELETE FROM cell WHERE learner = ? AND status != 0", chosen)
            db.executemany("DELETE FROM strike WHERE learner = ?", chosen)
            return gone.rowcount

    # Results

    def scores(
        self,
        names: Sequence[str] | None = None,
        *,
        items: bool = True,
        gaps: bool = False,
        design: Any = None,
    ) -> Scores:
        """Return the scores of learners, all by default; refuse if fits are missing or failed.

        With `gaps` these are NaN instead. A `design` of the same family, and no larger, is read by
        its own splits alone.
        """
        with self._settled() as reader:
            if design is not None:
                reader = reader.sized(design)
            reader.strangers({entry.number for entry in self._entries()})
            chosen = self._chosen(names)
            if not chosen:
                raise StoreIncomplete(f"incomplete: there are no learners in {quoted(self.path)}")
            return scores_of(reader, chosen, items=items, gaps=gaps)

    def problems(self, names: Sequence[str] | None = None) -> list[Problem]:
        """Return what stands in the way of scores: missing and failed cells, grouped."""
        with self._settled() as reader:
            found = []
            for entry in self._chosen(names):
                for metric in reader.metrics:
                    cells = reader.cells(entry.number, entry.learner.name, metric)
                    found += problems_of(reader, entry, metric, cells)
            return found

    # Claims

    def claim_all(
        self, wanted: Mapping[Learner, npt.ArrayLike], *, owner: str, seconds: float
    ) -> dict[Learner, IntArray]:
        """Claim cells of several learners at once; return those that are ours and not finished.

        A claim ends with its result, `seconds` after it was last renewed, or with
        the process that made it (if that ran on this host); then others may claim the cell.
        """
        numbers = {self._number(learner): learner for learner in wanted}
        with self._session.lock:
            packed = {}
            for number, learner in numbers.items():
                waiting = self._buffer.addresses(number)
                asked = pack(wanted[learner]).tolist()
                packed[number] = [at for at in asked if at not in waiting]
            with self._session.writing() as db:
                mine = sharing.join(db, owner, seconds)
                metrics = [entry.number for entry in self._reader.metrics]
                ours = sharing.claim(db, packed, mine, metrics)
            self._owners.add(mine)
        return {numbers[number]: unpack(held) for number, held in ours.items()}

    def renew(self, owner: str) -> None:
        """Extend the lease of an owner from now."""
        with self._session.writing() as db:
            sharing.renew(db, owner)

    def deaths(self) -> list[tuple[Learner, Address, int, bool]]:
        """Count the runs that died with cells in flight, and set these cells free.

        Return the unfinished cells of all deaths so far, how often a run died there, and whether
        the last had no other in flight. The count of a cell ends with its result.
        """
        names = {entry.number: entry.learner for entry in self._entries()}
        with self._session.writing() as db:
            found = sharing.count_deaths(db, self._reader.seed)
        for death in found:
            if death.times < 1 or death.learner not in names:
                where = tuple(unpack_one(death.address))
                raise RUN_FILE.damaged(self.path, f"the strikes at {where} are corrupt")
        return [(names[d.learner], unpack_one(d.address), d.times, d.alone) for d in found]
