"""Workers: cells run here, in other processes or on a cluster, and one that kills is found."""

from __future__ import annotations

import faulthandler
import os
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from typing import Any, NamedTuple, Protocol

from ..errors import OutperformError
from ..store.values import Outcome
from .cage import OUT_OF_MEMORY, hard_limit, run_caged
from .candidates import Candidate
from .cells import Batch, Cell, Job, described, run_batches, run_cells
from .feed import Feed, Task
from .guards import (
    hushed,
    in_worker,
    left_threads,
    muffled,
    note_threads,
    other_threads,
    pinned,
    same_random_state,
)
from .learner_warnings import Heard, counted, drain

__all__ = ["Pool", "execute", "run_task"]

Sink = Callable[[Batch], None]


class Answer(NamedTuple):
    """What a worker sends back."""

    number: int
    """Of the task."""
    outcomes: Batch
    warned: Heard
    keeps_threads: bool
    """Whether learners have left threads behind that keep the worker from ending."""


class Pool(Protocol):
    """Something that runs tasks elsewhere."""

    n_jobs: int

    def close(self) -> None:
        """Leave no worker behind that could not end by itself."""

    def answers(
        self,
        job: Job,
        candidates: list[Candidate],
        take: Callable[[], Task | None],
        give_back: Callable[[Task], None],
    ) -> Generator[tuple[Task, Batch | Exception]]:
        """Yield each task with its answer, or with what broke while it was in flight."""

    def is_death(self, error: Exception) -> bool:
        """Tell whether an exception means that a worker process died."""


def run_task(job: Job, candidates: Mapping[int, Candidate], task: Task, parent: int) -> Answer:
    """Run a task in a worker."""
    at_home = os.getpid() == parent
    with in_worker(parent):
        if at_home:
            candidates = {at: candidate.own() for at, candidate in candidates.items()}
        if task.caged:
            outcomes = list(run_caged(job, candidates, task.cells))
        else:
            outcomes = list(_ended_in_time(job, run_cells(job, candidates, task.cells), parent))
        return Answer(
            task.number, outcomes, {} if at_home else drain(), not at_home and bool(other_threads())
        )


def _ended_in_time(
    job: Job, outcomes: Iterator[tuple[Cell, Outcome]], parent: int
) -> Iterator[tuple[Cell, Outcome]]:
    """End this process where a cell hangs in code that no exception reaches."""
    ours = os.getpid() != parent and threading.current_thread() is threading.main_thread()
    if job.time_limit is None or not ours:
        yield from outcomes
        return
    with open(os.devnull, "w") as nowhere:
        try:
            while True:
                limit = hard_limit(job.time_limit)
                faulthandler.dump_traceback_later(limit, exit=True, file=nowhere)
                answer = next(outcomes, None)
                faulthandler.cancel_dump_traceback_later()
                if answer is None:
                    return
                yield answer
        finally:
            faulthandler.cancel_dump_traceback_later()


def execute(
    job: Job, candidates: list[Candidate], feed: Feed, sink: Sink, pool: Pool | None
) -> None:
    """Run all cells of a feed and hand each outcome to `sink`, in this thread."""
    if pool is None:
        _in_process(job, candidates, feed, sink)
        return
    with same_random_state(), muffled(), pinned(), _quiet_joblib(), closing(pool):
        while True:
            with closing(pool.answers(job, candidates, feed.next, feed.give_back)) as answers:
                for task, answer in answers:
                    if isinstance(answer, Exception):
                        together = pool.is_death(answer) and feed.can_cage
                        feed.suspect(task.cells, together=together)
                        continue
                    # With others beside it, a neighbour may have been the one that ate the memory.
                    starved = [
                        cell
                        for cell, outcome in answer
                        if pool.n_jobs > 1 and OUT_OF_MEMORY in (outcome.error or "")
                    ]
                    feed.suspect(starved)
                    told = [(cell, outcome) for cell, outcome in answer if cell not in starved]
                    feed.observe(told, caged=task.caged)
                    sink(told)
            if feed.suspects:
                told = list(_alone(job, candidates, feed, pool, feed.suspects.popleft()))
                feed.observe(told, caged=True)
                sink(told)
            elif not (feed.caged or feed.granted or feed.waiting):
                return


def _in_process(job: Job, candidates: list[Candidate], feed: Feed, sink: Sink) -> None:
    drawing = job.metric.is_own or not all(candidate.is_closed for candidate in candidates)
    known = other_threads()
    with same_random_state() if drawing else nullcontext(), muffled(), pinned(), counted():
        while task := feed.next():
            with pinned():  # again: a learner may have imported a library of threads by now
                batches = run_batches(job, dict(enumerate(candidates)), task.cells)
                while batch := hushed(batches):
                    name = candidates[batch[0][0].learner].name
                    known |= note_threads(name, known)
                    feed.observe(batch)
                    sink(batch)
    _tell_of_threads()


def _tell_of_threads() -> None:
    """Warn of learners whose threads outlive the run."""
    for name, count in left_threads().items():
        some = "a thread" if count == 1 else f"{count:,} threads"
        warnings.warn(
            f"{name!r} has left {some} running. Python waits for them when it exits; let the "
            "learner end them, or make them daemon threads.",
            RuntimeWarning,
            stacklevel=2,
        )


def _alone(
    job: Job, candidates: list[Candidate], feed: Feed, pool: Pool, cells: tuple[Cell, ...]
) -> Iterator[tuple[Cell, Outcome]]:
    """Run cells with nothing beside them, so that whatever breaks is their doing."""

    def only(*tasks: Task) -> Any:
        left = list(tasks)
        answers = pool.answers(job, candidates, lambda: left.pop() if left else None, left.append)
        (given,) = [answer for _, answer in answers]  # all, so that the pool is left in order
        return given

    answer = only(Task(0, cells, feed.can_cage))
    if not isinstance(answer, Exception):
        yield from answer
        return
    if len(cells) > 1:  # something broke outside their cage
        feed.suspect(cells)
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
    for each in [cell, *feed.drop(cell.learner)]:
        yield each, Outcome(None, 0.0, None, "failed", said)


@contextmanager
def _quiet_joblib() -> Iterator[None]:
    """Leave out what joblib warns of when workers die or are stopped: both are reported here."""
    with warnings.catch_warnings():
        for text in ("A worker stopped while", ".*tasks? .*have been", ".*leaked .* objects"):
            warnings.filterwarnings("ignore", message=text)
        yield
