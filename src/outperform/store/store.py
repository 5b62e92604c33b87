"""Store: what a run writes and everybody reads; the contract stands in the package."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from ..errors import DataError, did_you_mean
from ..scores.split_scores import Scores
from . import claims, file, learners, rows
from .errors import StoreError, StoreIncomplete, damaged, printable, quoted
from .learners import Entry
from .reading import Reader, problems_of, scores_of
from .session import Buffer, Session
from .values import Address, Counts, Experiment, IntArray, Learner, Outcome, Problem, Splits
from .writing import row_of, write_splits

__all__ = ["Store"]

CHUNK = 10_000
"""Splits in a commit."""


class Store:
    """An open store; use it in a `with` statement, or close it."""

    def __init__(self, session: Session, experiment: Experiment) -> None:
        self.path, self.experiment = session.path, experiment
        self._session = session
        self._reader = Reader(session.db, session.path, experiment)
        self._buffer = Buffer(session, self._reader.seed)
        self._numbers: dict[Learner, int] = {}
        self._owners: set[int] = set()

    @classmethod
    def open(
        cls, path: Any, experiment: Experiment | None = None, *, mode: file.Mode = "create"
    ) -> Store:
        """Open a store; "create" makes it if need be, "write" and "read" want one to be there."""
        real, there = file.find(path, mode)
        if not there and (experiment is None or mode != "create"):
            raise StoreError(f"{quoted(path)} is empty; it takes an experiment to make a store")
        if there and experiment is not None:
            file.same_experiment(real, file.glance(real), experiment)
        make = experiment if mode == "create" else None
        db = file.for_reading(real) if mode == "read" else file.for_writing(real, make)
        session = Session(db, real, writable=mode != "read")
        try:
            return cls._enter(session, experiment)
        except BaseException:
            session.close()
            raise

    @classmethod
    def _enter(cls, session: Session, asked: Experiment | None) -> Store:
        with session.reading() as db:
            experiment = file.read_experiment(db, session.path)
            file.same_experiment(session.path, experiment, asked)
            unclosed = claims.unclosed(db)
            if unclosed:
                said = [printable(line) for (line,) in db.execute("PRAGMA integrity_check(5)")]
                if said != ["ok"]:
                    raise damaged(session.path, f"it was not closed, and {'; '.join(said)}")
            learners.read(db, session.path)
        store = cls(session, experiment)
        if session.writable:
            with session.writing() as db:
                claims.forget(db, unclosed)
                store._owners.add(claims.join(db, f"store {uuid4().hex}", None))
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What stopped the run is told, not what it may have kept the store from doing.
        with suppress(*([] if error is None else [StoreError])):
            self.close()

    def close(self) -> None:
        """Commit what waits, give up our claims and close the file."""
        with self._session.lock:
            try:
                if self._session.writable:
                    self.flush()
                    with suppress(StoreError), self._session.writing() as db:
                        claims.forget(db, sorted(self._owners))
            finally:
                self._buffer.stop()
                self._session.close()

    @contextmanager
    def _settled(self) -> Iterator[Reader]:
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

    def register(
        self, learner: Learner, *, planned: int, describe: Mapping[str, Any]
    ) -> str | None:
        """Enter a learner: its planned number of cells, its parameters, the versions it uses.

        Return a sentence if the name was there with others.
        """
        with self._session.writing() as db:
            return learners.register(db, self.path, learner, planned, describe)

    def learners(self) -> list[Learner]:
        """Return every learner ever registered, in order."""
        return [entry.learner for entry in self._entries()]

    def current(self) -> dict[str, Learner]:
        """Return the latest registration of each name, in the order the names came."""
        latest = learners.current(self._entries())
        return {name: entry.learner for name, entry in latest.items()}

    def describe(self, learner: Learner) -> dict[str, Any]:
        """Return what was said of a learner when it was registered."""
        number = self._number(learner)
        return next(json.loads(entry.about) for entry in self._entries() if entry.number == number)

    def _entries(self) -> list[Entry]:
        with self._session.reading() as db:
            return learners.read(db, self.path)

    def _number(self, learner: Learner) -> int:
        if learner not in self._numbers:
            self._numbers = {entry.learner: entry.number for entry in self._entries()}
        if learner not in self._numbers:
            raise DataError(f"{quoted(learner.name)} is not registered as such; register it first")
        return self._numbers[learner]

    def _chosen(self, names: Sequence[str] | None) -> list[Entry]:
        latest = learners.current(self._entries())
        for name in names or ():
            if name not in latest:
                hint = did_you_mean(name, latest) if latest else "there is none"
                raise DataError(f"{quoted(name)} is not a learner of {quoted(self.path)}; {hint}")
        return [latest[name] for name in (latest if names is None else names)]

    def put_splits(self, splits: Iterable[tuple[Address, int, int, npt.ArrayLike]]) -> None:
        """Write (address, n_train, n_test, test items); what is there already must be the same.

        The items themselves are kept if the experiment keeps losses, else only their digest.
        """
        left, seed, n_items = iter(splits), self._reader.seed, self.experiment.n_items
        while chunk := list(islice(left, CHUNK)):
            with self._session.writing() as db:
                keep = self.experiment.loss is not None
                write_splits(db, seed, chunk, n_items, keep_items=keep)

    def splits(self) -> Splits:
        """Return addresses (m, 3), n_train, n_test and a look-up of test items, by address."""
        with self._session.reading():
            return self._reader.splits()

    # Cells

    def add(self, results: Sequence[tuple[Learner, Address, Outcome]]) -> None:
        """Take results; they are committed with others, 0.2 s later at most."""
        self._buffer.add(
            [row_of(self._number(who), who.name, where, what) for who, where, what in results]
        )

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
            found = reader.cells(number, learner.name)["address"] if reader.holds(number) else ()
            return rows.unpack(np.asarray(found, dtype=np.int64))

    def outcome(self, learner: Learner, address: Address) -> Outcome | None:
        """Return what came of a cell; None if it is not finished."""
        number, packed = self._number(learner), rows.pack_one(address)
        with self._settled() as reader:
            return reader.outcome(number, packed)

    def forget_failed(self, names: Sequence[str] | None = None) -> int:
        """Take away cells that are not ok, so that they are run again; return how many."""
        self.flush()
        chosen = [(entry.number,) for entry in self._chosen(names)]
        with self._session.writing() as db:
            gone = db.executemany("DELETE FROM cell WHERE learner = ? AND status != 0", chosen)
            db.executemany("DELETE FROM strike WHERE learner = ?", chosen)
            return gone.rowcount

    # Results

    def scores(
        self, names: Sequence[str] | None = None, *, items: bool = True, gaps: bool = False
    ) -> Scores:
        """Return the scores of learners, all by default; refuse if cells are missing or failed.

        With `gaps` these are NaN instead.
        """
        with self._settled() as reader:
            reader.strangers({entry.number for entry in self._entries()})
            chosen = [(e.number, e.learner, e.planned) for e in self._chosen(names)]
            if not chosen:
                raise StoreIncomplete(f"incomplete: there are no learners in {quoted(self.path)}")
            return scores_of(reader, chosen, items=items, gaps=gaps)

    def problems(self, names: Sequence[str] | None = None) -> list[Problem]:
        """Return what stands in the way of scores: missing and failed cells, grouped."""
        with self._settled() as reader:
            found = []
            for entry in self._chosen(names):
                cells = reader.cells(entry.number, entry.learner.name)
                found += problems_of(reader, entry.learner.name, cells, entry.planned)
            return found

    def state(self) -> dict[str, Counts]:
        """Return how far each learner is, counted from its results."""
        with self._settled() as reader:
            counts = {}
            for entry in self._chosen(None):
                cells = reader.cells(entry.number, entry.learner.name)
                ok = int((cells["status"] == 0).sum())
                missing = entry.planned - cells.size
                counts[entry.learner.name] = Counts(entry.planned, ok, cells.size - ok, missing)
            return counts

    # Claims

    def claim(
        self, learner: Learner, addresses: npt.ArrayLike, *, owner: str, seconds: float
    ) -> IntArray:
        """Claim cells for `owner`; return those (m, 3) that are ours now and not finished."""
        return self.claim_all({learner: addresses}, owner=owner, seconds=seconds)[learner]

    def claim_all(
        self, wanted: Mapping[Learner, npt.ArrayLike], *, owner: str, seconds: float
    ) -> dict[Learner, IntArray]:
        """Claim cells of several learners at once; return those that are ours and not finished.

        A claim ends with its result, with `release`, `seconds` after it was last renewed, or with
        the process that made it (if that ran on this host); then others may claim the cell.
        """
        numbers = {self._number(learner): learner for learner in wanted}
        with self._session.lock:
            packed = {}
            for number, learner in numbers.items():
                waiting = self._buffer.addresses(number)
                asked = rows.pack(wanted[learner]).tolist()
                packed[number] = [at for at in asked if at not in waiting]
            with self._session.writing() as db:
                mine = claims.join(db, owner, seconds)
                ours = claims.claim(db, packed, mine)
            self._owners.add(mine)
        return {numbers[number]: rows.unpack(held) for number, held in ours.items()}

    def renew(self, owner: str) -> int:
        """Extend the lease of an owner from now; return how many cells it still holds."""
        with self._session.writing() as db:
            return claims.renew(db, owner)

    def release(self, owner: str) -> None:
        """Give up every claim of an owner."""
        with self._session.writing() as db:
            claims.forget(db, claims.named(db, owner))

    def deaths(self) -> list[tuple[Learner, Address, int, bool]]:
        """Count the runs that died with cells in flight, and set these cells free.

        Return the unfinished cells of all deaths so far, how often a run died there, and whether
        the last had no other in flight. The count of a cell ends with its result.
        """
        names = {entry.number: entry.learner for entry in self._entries()}
        with self._session.writing() as db:
            found = claims.count_deaths(db, self._reader.seed)
        for death in found:
            if death.times < 1 or death.learner not in names:
                where = tuple(rows.unpack_one(death.address))
                raise damaged(self.path, f"the strikes at {where} are not as written")
        return [(names[d.learner], rows.unpack_one(d.address), d.times, d.alone) for d in found]
