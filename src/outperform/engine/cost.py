"""What a run will cost, told from its first fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event, Lock, Thread

import numpy as np

from ..storage.contents import pack_one
from .environment import WATCHER
from .fitting import Batch, Cell
from .progress import span
from .split_plan import SplitPlan

LONG = 60.0
"""Seconds from which on a run's cost is reported."""
SURE = 20.0
"""Seconds of a first fit that need no second: libraries that are loaded in it take less."""
LOOKS = 10.0, 60.0, 600.0
"""Seconds after which the least that a run can take is reported, if too few fits have finished."""


class Cost:
    """Watches the first fits of a run, and tells what all of them will take if that is long."""

    def __init__(
        self,
        plan: SplitPlan,
        cells: Sequence[Cell],
        n_jobs: int,
        tell: Callable[[str], object],
    ) -> None:
        self.plan, self.cells, self.n_jobs, self.tell = plan, cells, max(n_jobs, 1), tell
        self._seen: dict[int, list[tuple[float, int]]] = {}
        self._n_learners = len({cell.learner for cell in cells})
        self._settled, self._lock = not cells, Lock()
        self._closed, self._over = False, Event()

    def __enter__(self) -> Cost:
        if not self._settled:
            Thread(target=self._watch, name=WATCHER, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._settled = self._closed = True
        self._over.set()

    def _watch(self) -> None:
        """Look at the run now and then: a first fit may be so long that nothing else would."""
        since = 0.0
        for seconds in LOOKS:
            if self._over.wait(seconds - since):
                return
            since = seconds
            self.look(seconds)

    def observe(self, answer: Batch) -> None:
        """Learn from finished fits until every learner is known."""
        if self._settled:
            return
        with self._lock:
            for (learner, address), outcome in answer:
                at = int(np.searchsorted(self.plan.keys, pack_one(address)))
                rows = max(int(self.plan.n_train[at]), 1)
                self._seen.setdefault(learner, []).append((outcome.seconds, rows))
            if self._known():
                self._settle()

    def look(self, seconds: float) -> None:
        """Tell what is known after so many seconds: of all learners, or the least it can be."""
        with self._lock:
            if self._settled:
                return
            if len(self._seen) == self._n_learners:
                self._settle()
                return
            rates = {learner: self._rate(learner) for learner in self._seen}
            spent = sum(taken for fits in self._seen.values() for taken, _ in fits)
            running = self.cells[0] if not rates else self._first_unseen()
            rates[running.learner] = max(seconds - spent, 0.0) / float(self.plan.n_train.max())
            least = max(self._whole(rates), seconds)
            if least >= LONG:
                n = sum(map(len, self._seen.values()))
                done = f"only {n} fit{'s have' if n > 1 else ' has'}" if n else "no fit has"
                self._say(least, "more than", f": {done} finished after {span(seconds)}.")

    def _settle(self) -> None:
        self._settled = True
        self._over.set()
        rates = {learner: self._rate(learner) for learner in self._seen}
        seconds = self._whole(rates)
        if seconds >= LONG:
            self._say(seconds, "about", ", judging by the first ones.")

    def _first_unseen(self) -> Cell:
        return next(cell for cell in self.cells if cell.learner not in self._seen)

    def _known(self) -> bool:
        """Tell whether each learner was fitted twice, or once and long."""
        if any(len(fits) < 2 and fits[0][0] < SURE for fits in self._seen.values()):
            return False
        return len(self._seen) == self._n_learners

    def _rate(self, learner: int) -> float:
        """Return the seconds for each row trained on, without the first fit, which warms up."""
        fits = self._seen[learner]
        seconds, rows = np.array(fits[1:] or fits).sum(axis=0)
        return float(seconds / rows)

    def _whole(self, rates: Mapping[int, float]) -> float:
        """Return the seconds of all fits if each takes as long, row for row, as these rates."""
        most = len(self.cells) * max(rates.values()) * self.plan.n_train.max() / self.n_jobs
        if most < LONG:
            return 0.0
        each = np.array([rates.get(cell.learner, 0.0) for cell in self.cells])
        keys = np.array([pack_one(cell.address) for cell in self.cells])
        rows = self.plan.n_train[np.searchsorted(self.plan.keys, keys)]
        return float((each * rows).sum() / self.n_jobs)

    def _say(self, seconds: float, word: str, why: str) -> None:
        workers = "" if self.n_jobs == 1 else f" with {self.n_jobs} workers"
        n = len(self.cells)
        if not self._closed:
            self.tell(f"{n:,} fit{'s' * (n > 1)} will take {word} {span(seconds)}{workers}{why}")
