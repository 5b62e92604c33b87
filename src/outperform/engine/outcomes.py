"""Outcomes: where those of a run are kept, in memory or in a store shared with others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol
from uuid import uuid4

import numpy as np

from ..errors import RunFailed, argument, either, naming_line
from ..notes import Note
from ..scores.split_scores import OtherScores, Scores, SplitLosses
from ..storage import Address, Learner, Outcome, Problem, Store, StoreError, StoreIncomplete
from ..storage.cell_writer import DELAY
from ..storage.contents import pack
from ..storage.responses import decode_response, rankings
from .fitting import Batch, Cell, Job
from .split_plan import SplitPlan

LEASE = 60.0
"""Seconds that cells stay claimed by a process on another machine that may have died."""
LONG = 1.0
"""Seconds from which on a cell counts as long, as all do of a learner that was not timed yet."""
STRIKES = 2
"""How often a cell may end the process it runs in before it is recorded as killing."""


class Outcomes(Protocol):
    """What the engine asks of outcomes, in memory or in a store."""

    deferred: list[Cell]
    """Cells that other processes have claimed."""

    @property
    def grant(self) -> Callable[[list[Cell]], list[Cell]] | None:
        """Claims cells and returns those that are ours; None where all are."""

    def missing(self) -> list[Cell]:
        """Return the cells that have no outcome yet, split by split."""

    def abandoned(self) -> tuple[set[Cell], set[Cell]]:
        """Return the cells that have killed runs often enough, and others that may do so.

        The latter were in flight, among others perhaps, when a run died.
        """

    def keep(self, answer: Batch) -> None: ...

    def flush(self) -> None:
        """Write what waits."""

    def wait_for_others(self) -> tuple[list[Cell], int]:
        """Wait a moment; return the cells still to be had, and how many others have finished."""

    def problems(self) -> list[Problem]:
        """Return what failed, grouped."""

    def scores(self, names: Sequence[str]) -> Scores:
        """Return scores, or raise StoreIncomplete if a cell is missing or failed."""


class MemoryOutcomes:
    """Outcomes of a run without a store."""

    def __init__(self, names: Sequence[str], job: Job) -> None:
        self.names, self.plan, self._job = tuple(names), job.splits, job
        self.metrics = (job.metric, *(metric for metric, _ in job.others))
        self.addresses = self.plan.addresses
        self.deferred: list[Cell] = []
        self.grant = None
        self._outcomes: dict[Cell, Outcome] = {}

    def missing(self) -> list[Cell]:
        every = range(len(self.names))
        return [Cell(learner, address) for address in self.addresses for learner in every]

    def abandoned(self) -> tuple[set[Cell], set[Cell]]:
        return set(), set()

    def flush(self) -> None:
        """All is there."""

    def wait_for_others(self) -> tuple[list[Cell], int]:
        return [], 0

    def keep(self, answer: Batch) -> None:
        self._outcomes.update(answer)

    def _of(self, name: str) -> list[tuple[Address, Outcome]]:
        learner = self.names.index(name)
        return [(where, self._outcomes[Cell(learner, where)]) for where in self.addresses]

    def problems(self) -> list[Problem]:
        groups: dict[tuple[str, Any, str, str], list[tuple[Address, str]]] = {}
        several = len(self.metrics) > 1
        for name in self.names:
            for address, outcome in self._of(name):
                for metric, one in zip(self.metrics, (outcome, *outcome.more), strict=False):
                    if one.status != "ok":
                        text, by = one.error or "", metric.title if several else ""
                        key = name, one.status, naming_line(text), by
                        groups.setdefault(key, []).append((address, text))
        return [
            Problem(name, status, len(cells), line, cells[0][1], cells[0][0], by)
            for (name, status, line, by), cells in groups.items()
        ]

    def scores(self, names: Sequence[str]) -> Scores:
        rows = [[outcome for _, outcome in self._of(name)] for name in names]
        if any(one.status != "ok" for row in rows for o in row for one in (o, *o.more)):
            raise StoreIncomplete("fits have failed")
        plan = self.plan
        first, *more = (self._by(at, rows) for at in range(len(self.metrics)))
        said = {note for row in rows for outcome in row for note in outcome.notes}
        return Scores(
            tuple(names),
            first.values,
            plan.grid,
            plan.n_train.astype(np.float64),
            plan.n_test.astype(np.float64),
            first.metric,
            True,
            plan.design,
            items=first.items,
            notes=tuple(Note(*note) for note in sorted(said)),
            more=tuple(more),
            probabilities=self._rankings(rows),
        )

    def _rankings(self, rows: list[list[Outcome]]) -> Any:
        """Return by what models rank the items of a hold-out, where that was asked for."""
        if self._job.keeping is None:
            return None
        known = self._job.keeping.classes
        answers = [
            {kind: decode_response(body, known) for kind, body in row[0].responses} for row in rows
        ]
        return rankings(answers, len(self._job.y), self.plan.tests)

    def _by(self, at: int, rows: list[list[Outcome]]) -> OtherScores:
        """Return the scores by one of the metrics."""
        metric, plan, items = self.metrics[at], self.plan, None
        if at:
            rows = [[outcome.more[at - 1] for outcome in row] for row in rows]
        values = np.array([[outcome.score for outcome in row] for row in rows], dtype=np.float64)
        if metric.loss is not None:
            losses: Any = [np.concatenate([outcome.losses for outcome in row]) for row in rows]
            table = np.array(losses, dtype=np.float64)
            items = SplitLosses(metric.loss, table, plan.entries, plan.tests)
        return OtherScores(metric.title, True, values, items)


class StoredOutcomes:
    """Outcomes in a store; cells are claimed, so that several processes share the work."""

    def __init__(self, store: Store, learners: Sequence[Learner], plan: SplitPlan) -> None:
        self.store, self.learners, self.plan = store, tuple(learners), plan
        self.addresses = plan.addresses
        self.deferred: list[Cell] = []
        self._owner = f"run {uuid4().hex}"
        self._slowest: dict[int, float] = {}
        self._doubtful: set[Cell] = set()
        self._synced = 0.0
        self._closed = threading.Event()
        self._renewing: threading.Thread | None = None

    def __enter__(self) -> StoredOutcomes:
        return self

    def __exit__(self, *_: object) -> None:
        self._watch(on=False)

    def _watch(self, *, on: bool) -> None:
        """Let threads renew the lease and commit what waits while a cell may take long.

        Where cells are known to be brief, claiming and keeping do both: a second thread, though it
        sleeps, slows down every fit.
        """
        self.store.commits_late = on
        if on and self._renewing is None:
            self._closed.clear()
            self._renewing = threading.Thread(target=self._renew, daemon=True)
            self._renewing.start()
        elif not on and self._renewing is not None:
            self._closed.set()
            self._renewing.join()
            self._renewing = None

    def _renew(self) -> None:
        while not self._closed.wait(LEASE / 4):
            with suppress(StoreError):  # the next result tells what is wrong
                self.store.renew(self._owner)

    def missing(self) -> list[Cell]:
        packed = self.plan.keys
        lacking = []
        for who in self.learners:
            done = pack(self.store.done(who))  # in order, and so a search is a short one
            at = np.searchsorted(done, packed)
            lacking.append(np.append(done, -1)[at] != packed)
        where = np.argwhere(np.array(lacking).T)
        return [Cell(learner, self.addresses[split]) for split, learner in where.tolist()]

    def keep(self, answer: Batch) -> None:
        slowest, learners = self._slowest, self.learners
        for (learner, _), outcome in answer:
            slowest[learner] = max(slowest.get(learner, 0.0), outcome.seconds)
        self.store.add([(learners[learner], where, what) for (learner, where), what in answer])

    def grant(self, cells: list[Cell]) -> list[Cell]:
        """Claim cells and return those that are ours; the others wait for their owners."""
        ours: set[Cell] = set()
        self._watch(on=any(self._slowest.get(cell.learner, LONG) >= LONG for cell in cells))
        # With the results that wait: only what is claimed now is unfinished, should we die.
        wanted: dict[int, list[Address]] = {}
        for learner, address in cells:
            wanted.setdefault(learner, []).append(address)
        asked = {self.learners[learner]: addresses for learner, addresses in wanted.items()}
        # Doubtful ones come one by one, and to wait for the disk takes longer than most fits.
        hasty = not self._doubtful.isdisjoint(cells) and time.monotonic() - self._synced < DELAY
        self._synced = self._synced if hasty else time.monotonic()
        with self.store.at_once(durable=not hasty):
            given = self.store.claim_all(asked, owner=self._owner, seconds=LEASE)
        for learner in wanted:
            held = given[self.learners[learner]].tolist()
            ours.update(Cell(learner, Address(*row)) for row in held)
        self.deferred += [cell for cell in cells if cell not in ours]
        return [cell for cell in cells if cell in ours]

    def abandoned(self) -> tuple[set[Cell], set[Cell]]:
        known, numbers = set(self.addresses), {w: at for at, w in enumerate(self.learners)}
        killers: set[Cell] = set()
        for who, address, count, alone in self.store.deaths():
            if who in numbers and address in known:
                cell = Cell(numbers[who], address)
                (killers if alone and count >= STRIKES else self._doubtful).add(cell)
        return killers, self._doubtful

    def wait_for_others(self) -> tuple[list[Cell], int]:
        time.sleep(0.2)
        left, self.deferred = self.deferred, []
        done = {
            learner: {tuple(row) for row in self.store.done(self.learners[learner]).tolist()}
            for learner in {cell.learner for cell in left}
        }
        still = [cell for cell in left if tuple(cell.address) not in done[cell.learner]]
        return still, len(left) - len(still)

    def flush(self) -> None:
        self.store.flush()

    def problems(self) -> list[Problem]:
        return self.store.problems([who.name for who in self.learners])

    def scores(self, names: Sequence[str]) -> Scores:
        return self.store.scores(names)


def failure(outcomes: Outcomes, names: Sequence[str], total: int, store: Any) -> RunFailed:
    """Return what to raise when cells failed: grouped, with one traceback in full."""
    problems, path = outcomes.problems(), None if store is None else str(store)
    words = {"failed": "failed", "timeout": "ran out of time", "killed": "killed their process"}
    words["missing"] = "are missing"
    n_bad = sum(problem.count for problem in problems)
    has = "has" if n_bad == 1 else "have"
    lines = [f"incomplete: {n_bad} of {total} fits {has} no score, so there is no result"]
    for p in problems:
        by = f" by {p.metric}" if p.metric else ""
        lines.append(f"  {p.learner!r}{by}: {p.count} {words[p.status]}: {p.line}".rstrip(": "))
    first = next((p for p in problems if p.example), None)
    if first is not None:
        where = tuple(first.address or ())
        lines.append(f"The first of {first.learner!r}, at {where}:\n{first.example}")
    again = either(
        python=f"first outperform.storage.Store.open({path!r}, mode='write').forget_failed()",
        typed="add --retry",
    )
    lines.append(
        f"Fix or remove what failed, then run again; pass {argument(store='results.db')} to keep "
        "what succeeds"
        if path is None
        else f"What succeeded is kept in {path!r}. Fix or remove what failed, then run again; to "
        f"retry it unchanged, {again}"
    )
    error = RunFailed("\n".join(lines))
    error.failures = tuple(problems)
    whole = [name for name in names if name not in {problem.learner for problem in problems}]
    error.scores = outcomes.scores(whole) if whole else None
    return error
