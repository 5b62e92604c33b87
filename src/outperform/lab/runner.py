"""How blocks of experiments are run, here or by workers, and written as they come.

A task is a few blocks. How many is found on the way: long enough that handing it over costs little,
few enough bytes that memory does not grow with the study, and few enough blocks that all workers
end together. Seeds belong to blocks, so none of this changes a bit of the answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeAlias

from .scenarios import Scenario, blocks
from .study_store import BlockNumbers, BlockPlace, Packed, StudyStore, packed

__all__ = ["BlockWork", "fill"]

Block: TypeAlias = tuple[BlockPlace, int]
"""Where a block belongs, and how many experiments it holds."""
TASK = 0.5
"""Seconds of work in one task: dispatch does not dominate, and little is lost to a kill."""
HELD = 2**22
"""Bytes of answers in one task: what it holds until they are written."""
TURNS = 4
"""Tasks that each worker still has to do, at least: the last ones are short, so none waits."""


class BlockWork(Protocol):
    """Work that fills blocks: a study's, or that of records."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def effects(self) -> tuple[float, ...]: ...
    def block(self, place: BlockPlace, size: int) -> tuple[BlockNumbers, list[Any]]:
        """Return the numbers of one block, and what is to be remembered of all blocks."""


class Answer(NamedTuple):
    """What a task found."""

    rows: list[Packed]
    laws: list[Any]
    """What the first of its blocks says of all."""
    seconds: float
    """How long the fastest of its blocks took."""


@dataclass(slots=True)
class Pace:
    """How many blocks the next task holds, by the fastest block that was met.

    The first blocks of a process build tables and compile; they say little of those that follow.
    """

    workers: int
    waiting: int
    """Blocks that no task holds yet."""
    together: int = field(default=1, init=False)
    seconds: float = field(default=float("inf"), init=False)

    def learn(self, answer: Answer) -> None:
        self.seconds = min(self.seconds, max(answer.seconds, 1e-9))
        largest = max(len(row.numbers) for row in answer.rows)
        self.together = max(1, min(int(TASK / self.seconds), HELD // max(largest, 1)))

    def tasks(self, left: Iterator[Block]) -> Iterator[list[Block]]:
        """Cut what is left into tasks, each when a worker is free for it."""
        while True:
            share = self.waiting // (TURNS * self.workers) if self.workers > 1 else self.waiting
            task = list(islice(left, max(1, min(self.together, share))))
            if not task:
                return
            self.waiting -= len(task)
            yield task


def fill(
    store: StudyStore, work: BlockWork, n_reps: int, n_jobs: int | None, progress: Any
) -> None:
    """Run every block that is not in the store; write as answers come."""
    from joblib import effective_n_jobs

    from ..engine.progress import Progress

    size = work.scenario.block
    done = store.places()
    ended = sum(min(size, n_reps - number * size) for _, number in done)
    total, n_blocks = n_reps * len(work.effects), -(-n_reps // size) * len(work.effects)
    if len(done) == n_blocks:
        return
    left = (
        ((effect, number), held)
        for effect in range(len(work.effects))
        for number, held in blocks(n_reps, size)
        if (effect, number) not in done
    )
    pace = Pace(effective_n_jobs(n_jobs), n_blocks - len(done))
    told = Progress(progress, total, ended, unit="experiments")
    try:
        for answer in _answers(work, pace.tasks(left), n_jobs, pace.workers):
            pace.learn(answer)
            if answer.rows[0][:2] == (0, 0):  # the same whoever comes first
                store.remember("laws", answer.laws)
            store.write(answer.rows)
            told.add(sum(row.size for row in answer.rows))
    finally:
        told.close()


def _answers(
    work: BlockWork, tasks: Iterator[list[Block]], n_jobs: int | None, workers: int
) -> Iterator[Answer]:
    from joblib import Parallel, delayed

    if workers == 1:
        yield from (_task(work, task) for task in tasks)
        return
    # Tasks have their length already: joblib must not put several of them into one.
    pool = Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1
    )
    yield from pool(delayed(_task)(work, task) for task in tasks)


def _task(work: BlockWork, task: Sequence[Block]) -> Answer:
    from ..engine.environment import pinned

    rows, said, seconds = [], [], []
    with pinned():
        for place, size in task:
            began = time.perf_counter()
            numbers, laws = work.block(place, size)
            seconds.append(time.perf_counter() - began)
            rows.append(packed(place, numbers))
            said.append(laws)
    return Answer(rows, said[0], min(seconds))
