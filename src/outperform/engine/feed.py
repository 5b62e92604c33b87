"""The feed: cells that wait, cut into tasks, and those that are run with more care than others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from operator import itemgetter
from time import monotonic
from typing import NamedTuple

from .cells import Batch, Cell

__all__ = ["Feed", "Task"]

SHORTEST, LONGEST = 0.05, 0.5
"""Seconds that a task should take: dispatching one costs about a millisecond."""
LEAST = 1e-4
WINDOW = 2.0, 10.0
"""Seconds of work for each worker that are claimed at once: few at first, for others to join in."""
Grant = Callable[[list[Cell]], list[Cell]]


class Task(NamedTuple):
    """Cells that travel together; a caged one runs in a process of its own."""

    number: int
    cells: tuple[Cell, ...]
    caged: bool = False


class Feed:
    """The cells that wait, cut into tasks by how long the cells before them took."""

    def __init__(self, cells: Iterable[Cell] = ()) -> None:
        self.waiting, self.granted = deque(cells), deque[Cell]()
        self.doubtful = deque[Cell]()
        self.caged = deque[tuple[Cell, ...]]()
        """Cells of learners that are known to kill."""
        self.suspects = deque[tuple[Cell, ...]]()
        """Cells that were in flight when a worker died: run by themselves, so that whatever breaks
        then is their doing, and none is started a third time."""
        self.risky: set[int] = set()
        self.n_jobs, self.can_cage, self.all_caged = 1, False, False
        self.grant: Grant | None = None
        self._count, self._began = 0, monotonic()
        self._times: dict[int, tuple[int, float]] = {}

    def observe(self, answer: Batch, *, caged: bool = False) -> None:
        """Learn how long cells take, leaving out the first, which warms up, and who kills."""
        for (learner, _), outcome in answer:
            n, total = self._times.get(learner, (0, 0.0))
            self._times[learner] = (n + 1, outcome.seconds + (total if n > 1 else 0.0))
            if outcome.status == "killed" or (caged and outcome.status == "timeout"):
                self.risky.add(learner)

    def estimate(self, learner: int) -> float | None:
        n, total = self._times.get(learner, (0, 0.0))
        return max(total / max(n - 1, 1), LEAST) if n else None

    def next(self) -> Task | None:
        """Return the next task, or None if all are taken; suspects are not among them."""
        while True:
            if self.caged:
                return self._task(self.caged.popleft(), caged=True)
            if not self.granted and not self._claim():
                return None
            cells = sorted(self._cut(self.granted, self._target()), key=itemgetter(0))
            risky = tuple(cell for cell in cells if cell.learner in self.risky)
            if risky and self.can_cage:
                self.caged.append(risky)
            else:
                self.suspects.extend((cell,) for cell in risky)
            plain = tuple(cell for cell in cells if cell.learner not in self.risky)
            if plain:
                return self._task(plain, caged=self.all_caged)

    def doubt(self, cells: Set[Cell]) -> None:
        """Claim these first, one by one: an earlier run died with one of them in flight."""
        self.doubtful.extend(cell for cell in self.waiting if cell in cells)
        self.waiting = deque(cell for cell in self.waiting if cell not in cells)

    def give_back(self, task: Task) -> None:
        """Take a task that was never begun."""
        if task.caged:
            self.caged.appendleft(task.cells)
        else:
            self.granted.extendleft(reversed(task.cells))

    def suspect(self, cells: Sequence[Cell], *, together: bool = False) -> None:
        """Take cells that were in flight when something broke; one by one, unless in one cage."""
        self.suspects.extend([tuple(cells)] if together else [(cell,) for cell in cells])

    def drop(self, learner: int) -> list[Cell]:
        """Take all waiting cells of a learner out, and return them."""
        groups = [*self.caged, *self.suspects]
        self.caged.clear()
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

    def _task(self, cells: tuple[Cell, ...], *, caged: bool) -> Task:
        self._count += 1
        return Task(self._count, cells, caged)

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
                in_process = self.n_jobs == 1 and not self.all_caged
                seconds = min(max((monotonic() - self._began) / 10, WINDOW[0]), WINDOW[1])
                window = self._cut(self.waiting, seconds * self.n_jobs, alone=in_process)
            self.granted.extend(self.grant(window))
        return bool(self.granted)
