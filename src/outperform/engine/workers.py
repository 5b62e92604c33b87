"""Workers: cells cut into tasks and run here, each in a process of its own, or by a pool."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain, count
from operator import itemgetter
from time import monotonic
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..errors import OutperformError
from ..storage import Outcome
from .environment import (
    Heard,
    counted,
    drain,
    muffled,
    pinned,
    same_filters,
    same_random_state,
    silent,
)
from .estimators import Estimator
from .fitting import Batch, Cell, Job, described, run_cells
from .interruptions import (
    exit_despite_threads,
    note_threads,
    other_threads,
    tell_of_threads,
)
from .isolation import OUT_OF_MEMORY, ended_in_time, in_worker, run_isolated

SHORTEST, LONGEST = 0.05, 0.5
"""Seconds that a task should take: dispatching one costs about a millisecond."""
LEAST = 1e-4
WINDOW = 2.0, 10.0
"""Seconds of work for each worker that are claimed at once: few at first, for others to join in."""
NUMBERS = count(1)
"""Of tasks, whatever queue they come from: workers answer by them."""
Grant = Callable[[list[Cell]], list[Cell]]
Assigned: TypeAlias = "tuple[Work, Task]"
Take = Callable[[], "Assigned | None"]
GiveBack = Callable[["Work", "Task"], None]
Sink = Callable[[Batch], None]


class Task(NamedTuple):
    """Cells that travel together; an isolated one runs in a process of its own."""

    number: int
    cells: tuple[Cell, ...]
    isolated: bool = False


class TaskQueue:
    """The cells that wait, cut into tasks by how long the cells before them took."""

    def __init__(self, cells: Iterable[Cell] = ()) -> None:
        self.waiting, self.granted = deque(cells), deque[Cell]()
        self.doubtful = deque[Cell]()
        self.isolated = deque[tuple[Cell, ...]]()
        """Cells of learners that are known to kill."""
        self.suspects = deque[tuple[Cell, ...]]()
        """Cells that were in flight when a worker died: run by themselves, so that whatever breaks
        then is their doing, and none is started a third time."""
        self.risky: set[int] = set()
        self.n_jobs, self.can_isolate, self.all_isolated = 1, False, False
        self.grant: Grant | None = None
        self._began = monotonic()
        self._times: dict[int, tuple[int, float]] = {}

    def observe(self, answer: Batch, *, isolated: bool = False) -> None:
        """Learn how long cells take, leaving out the first, which warms up, and who kills."""
        for (learner, _), outcome in answer:
            n, total = self._times.get(learner, (0, 0.0))
            self._times[learner] = (n + 1, outcome.seconds + (total if n > 1 else 0.0))
            if outcome.status == "killed" or (isolated and outcome.status == "timeout"):
                self.risky.add(learner)

    def estimate(self, learner: int) -> float | None:
        n, total = self._times.get(learner, (0, 0.0))
        return max(total / max(n - 1, 1), LEAST) if n else None

    def next(self) -> Task | None:
        """Return the next task, or None if all are taken; suspects are not among them."""
        while True:
            if self.isolated:
                return self._task(self.isolated.popleft(), isolated=True)
            if not self.granted and not self._claim():
                return None
            cells = sorted(self._cut(self.granted, self._target()), key=itemgetter(0))
            risky = tuple(cell for cell in cells if cell.learner in self.risky)
            if risky and self.can_isolate:
                self.isolated.append(risky)
            else:
                self.suspects.extend((cell,) for cell in risky)
            plain = tuple(cell for cell in cells if cell.learner not in self.risky)
            if plain:
                return self._task(plain, isolated=self.all_isolated)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to be taken; suspects aside."""
        return not (self.isolated or self.granted or self.waiting or self.doubtful)

    def doubt(self, cells: Set[Cell]) -> None:
        """Claim these first, one by one: an earlier run died with one of them in flight."""
        self.doubtful.extend(cell for cell in self.waiting if cell in cells)
        self.waiting = deque(cell for cell in self.waiting if cell not in cells)

    def give_back(self, task: Task) -> None:
        """Take a task that was never begun."""
        if task.isolated:
            self.isolated.appendleft(task.cells)
        else:
            self.granted.extendleft(reversed(task.cells))

    def suspect(self, cells: Sequence[Cell], *, together: bool = False) -> None:
        """Take cells that were in flight when something broke, to be run one by one or together."""
        self.suspects.extend([tuple(cells)] if together else [(cell,) for cell in cells])

    def drop(self, learner: int) -> list[Cell]:
        """Take all waiting cells of a learner out, and return them."""
        groups = [*self.isolated, *self.suspects]
        self.isolated.clear()
        self.suspects.clear()
        lone = deque(cell for cells in groups for cell in cells)
        dropped: list[Cell] = []
        for queue in (self.waiting, self.granted, lone):
            dropped += [cell for cell in queue if cell.learner == learner]
            kept = [cell for cell in queue if cell.learner != learner]
            queue.clear()
            queue.extend(kept)
        self.suspect(lone)
        return dropped

    def _task(self, cells: tuple[Cell, ...], *, isolated: bool) -> Task:
        return Task(next(NUMBERS), cells, isolated)

    def _target(self) -> float:
        """Aim at an eighth of what is left for each worker, so that all end together."""
        if self.n_jobs == 1:
            return LONGEST
        known = [estimate for learner in self._times if (estimate := self.estimate(learner))]
        left = len(self.granted) * sum(known) / len(known) if known else 0.0
        return min(max(left / (8 * self.n_jobs), SHORTEST), LONGEST)

    def _cut(self, queue: deque[Cell], seconds: float, *, alone: bool = True) -> list[Cell]:
        """Take cells off a queue until they last so long; a learner not yet timed comes alone."""
        taken: list[Cell] = []
        times = {learner: self.estimate(learner) for learner in self._times}
        while queue and seconds > 0:
            known = times.get(queue[0][0])
            if known is None and alone and taken:
                break
            taken.append(queue.popleft())
            seconds -= (seconds if alone else SHORTEST) if known is None else known
        return taken

    def _claim(self) -> bool:
        """Move cells from those that wait to those that are ours; False if none is left."""
        if self.grant is None:
            self.granted, self.waiting = self.waiting, deque()
        while (self.waiting or self.doubtful) and not self.granted:
            assert self.grant is not None
            if self.doubtful:
                window = [self.doubtful.popleft()]
            else:
                # In this process a learner's first cell is claimed alone: should it end the
                # process, it is known.
                in_process = self.n_jobs == 1 and not self.all_isolated
                seconds = min(max((monotonic() - self._began) / 10, WINDOW[0]), WINDOW[1])
                window = self._cut(self.waiting, seconds * self.n_jobs, alone=in_process)
            self.granted.extend(self.grant(window))
        return bool(self.granted)


@dataclass(frozen=True, eq=False, slots=True)
class Work:
    """The fits of one dataset: what workers are sent, what waits, and who is told."""

    job: Job
    estimators: list[Estimator]
    queue: TaskQueue
    sink: Sink
    ended: Callable[[], object] = lambda: None
    """Called when no fit is left."""


class TaskResult(NamedTuple):
    """What a worker sends back."""

    number: int
    """Of the task."""
    outcomes: Batch
    warned: Heard


Answers = Generator[tuple[Work, Task, Batch | Exception]]


class WorkerPool(Protocol):
    """Something that runs tasks elsewhere."""

    n_jobs: int

    def close(self) -> None: ...

    def answers(self, take: Take, give_back: GiveBack) -> Answers:
        """Yield each task with its answer, or with what broke while it was in flight."""

    def is_death(self, error: Exception) -> bool:
        """Tell whether an exception means that a worker process died."""


def run_task(job: Job, estimators: Mapping[int, Estimator], task: Task, parent: int) -> TaskResult:
    """Run a task in a worker."""
    at_home = os.getpid() == parent
    if not at_home and multiprocessing.get_start_method(allow_none=True) == "loky":
        # The processes that a learner spawns inherit the name, do not know it, and die for ever.
        multiprocessing.set_start_method(None, force=True)
    with in_worker(parent):
        if task.isolated:
            outcomes = list(run_isolated(job, estimators, task.cells))
        else:
            outcomes = list(ended_in_time(job, run_cells(job, estimators, task.cells), parent))
        if parent and not at_home:
            exit_despite_threads()
        return TaskResult(task.number, outcomes, {} if at_home else drain())


def execute(works: Iterable[Work], pool: WorkerPool | None) -> None:
    """Run all fits of every dataset and hand each outcome to its sink, in this thread.

    A dataset is begun when those before it have nothing left to take, so that the last fits of
    one run beside the first of the next.
    """
    if pool is None:
        for work in works:
            _in_process(work)
            work.ended()
        return
    shared = _Shared(works)
    with _undisturbed(), _quiet_joblib(), closing(pool):
        while True:
            with closing(pool.answers(shared.take, shared.give_back)) as answers:
                for work, task, answer in answers:
                    if isinstance(answer, Exception):
                        together = pool.is_death(answer) and work.queue.can_isolate
                        work.queue.suspect(task.cells, together=together)
                    else:
                        _heard(work, task, answer, alone=pool.n_jobs == 1)
                    shared.answered(work)
            suspected = shared.suspected()
            if suspected is not None:
                told = list(_alone(suspected, pool, suspected.queue.suspects.popleft()))
                suspected.queue.observe(told, isolated=True)
                suspected.sink(told)
                shared.settle(suspected)
            elif shared.is_over:
                return


def _heard(work: Work, task: Task, answer: Batch, *, alone: bool) -> None:
    """Tell what came of a task; who lacked memory is tried again by itself.

    With others beside it, a neighbour may have been the one that ate the memory.
    """
    starved = [
        cell for cell, outcome in answer if not alone and OUT_OF_MEMORY in (outcome.error or "")
    ]
    work.queue.suspect(starved)
    told = [(cell, outcome) for cell, outcome in answer if cell not in starved]
    work.queue.observe(told, isolated=task.isolated)
    work.sink(told)


class _Shared:
    """The datasets whose fits share the workers: those begun, and those still to come."""

    def __init__(self, works: Iterable[Work]) -> None:
        self._coming: Iterator[Work] | None = iter(works)
        self._taken: dict[Work, int] = {}
        """Of each dataset begun, how many tasks are with the pool."""

    @property
    def is_over(self) -> bool:
        return self._coming is None and not self._taken

    def take(self) -> Assigned | None:
        """Return the next task, of the first dataset that has one."""
        for work in chain(list(self._taken), self._begun()):
            task = work.queue.next()
            if task is not None:
                self._taken[work] += 1
                return work, task
            self.settle(work)
        return None

    def _begun(self) -> Iterator[Work]:
        """Begin further datasets; none while fits wait that may only run alone."""
        while self._coming is not None and self.suspected() is None:
            work = next(self._coming, None)
            if work is None:
                self._coming = None
            else:
                self._taken[work] = 0
                yield work

    def give_back(self, work: Work, task: Task) -> None:
        """Take a task that was never begun."""
        work.queue.give_back(task)
        self._taken[work] -= 1

    def answered(self, work: Work) -> None:
        self._taken[work] -= 1
        self.settle(work)

    def settle(self, work: Work) -> None:
        """End a dataset if nothing of it is left."""
        if not self._taken[work] and work.queue.is_empty and not work.queue.suspects:
            del self._taken[work]
            work.ended()

    def suspected(self) -> Work | None:
        return next((work for work in self._taken if work.queue.suspects), None)


def _in_process(work: Work) -> None:
    known, queue = other_threads(), work.queue
    with _undisturbed(), counted():
        while task := queue.next():
            with pinned():  # again: a learner may have imported a library of threads by now
                answers = run_cells(work.job, dict(enumerate(work.estimators)), task.cells)
                while answer := _next(answers):
                    known |= note_threads(work.estimators[answer[0].learner].name, known)
                    queue.observe([answer])
                    work.sink([answer])
    tell_of_threads()


def _next(answers: Iterator[tuple[Cell, Outcome]]) -> tuple[Cell, Outcome] | None:
    with silent():
        return next(answers, None)


def _alone(work: Work, pool: WorkerPool, cells: tuple[Cell, ...]) -> Iterator[tuple[Cell, Outcome]]:
    """Run cells with nothing beside them, so that whatever breaks is their doing."""
    queue = work.queue

    def only(task: Task) -> Any:
        left = [(work, task)]
        answers = pool.answers(
            lambda: left.pop() if left else None, lambda *assigned: left.append(assigned)
        )
        (given,) = [answer for _, _, answer in answers]  # all, so that the pool is left in order
        return given

    answer = only(Task(0, cells, queue.can_isolate))
    if not isinstance(answer, Exception):
        yield from answer
        return
    if len(cells) > 1:  # something broke outside their process
        queue.suspect(cells)
        return
    (cell,) = cells
    text = f"{type(answer).__name__}: {answer}".strip()
    if pool.is_death(answer):
        yield cell, Outcome(None, 0.0, None, "killed", f"{text}\nits worker process died")
        return
    nothing = only(Task(0, ()))
    if isinstance(nothing, Exception):  # not this learner: no task at all gets through
        raise OutperformError(f"the workers cannot be reached: {text}") from nothing
    said = f"{described(answer)}\nit cannot be sent to a worker process: {text}"
    for each in [cell, *queue.drop(cell.learner)]:
        yield each, Outcome(None, 0.0, None, "failed", said)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Give the process back as it was, also where runs in several threads overlap."""
    with same_filters(), same_random_state(), muffled(), pinned():
        yield


@contextmanager
def _quiet_joblib() -> Iterator[None]:
    """Leave out what joblib warns of when workers die or are stopped: both are reported here."""
    with warnings.catch_warnings():
        for text in ("A worker stopped while", ".*tasks? .*have been", ".*leaked .* objects"):
            warnings.filterwarnings("ignore", message=text)
        yield
