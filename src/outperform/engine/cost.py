"""What a run will cost, told from its first fits, with a cheaper and a dearer design."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import fields, replace
from threading import Event, Lock, Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import registry
from ..designs import Design, parse
from ..designs.splitting import IntArray, class_codes
from ..errors import DesignError, MethodError, argument
from ..storage.contents import pack_one
from .environment import WATCHER
from .fitting import Batch, Cell
from .halves_check import check_halves
from .progress import span
from .split_plan import SplitPlan, draw_plan

LONG = 60.0
"""Seconds from which on a run's cost is reported."""
SURE = 20.0
"""Seconds of a first fit that need no second: libraries that are loaded in it take less."""
LOOKS = 10.0, 60.0, 600.0
"""Seconds after which the least that a run can take is reported, if too few fits have finished."""
LARGE = 50_000
"""Rows above which a hold-out is the cheaper choice: `benchmarks/bench_large.py` measures why."""
TRIED = 2 * 10**8
"""Rows of splits up to which a design is drawn in full before it is offered."""
LADDER = ("holdout@1/3", "10cv", "10x10cv", "5x5cv+20halves", "10x5cv+40halves")
"""Designs for independent rows, by cost."""
KINDS = ("holdout", "kfold", "repeated-kfold", "calibrated-kfold", "resampled", "loo")
CHEAPER, DEARER = 0.7, 1.05
"""Times the cost from which on another design is a cheaper or a dearer one."""


class Cost:
    """Watches the first fits of a run, and tells what all of them will take if that is long."""

    def __init__(
        self,
        plan: SplitPlan,
        cells: Sequence[Cell],
        n_jobs: int,
        tell: Callable[[str], object],
        choices: Callable[[], Sequence[Design]],
        *,
        stored: bool = False,
    ) -> None:
        self.plan, self.cells, self.n_jobs, self.tell = plan, cells, max(n_jobs, 1), tell
        self.choices, self.stored = choices, stored
        self._seen: dict[int, list[tuple[float, int]]] = {}
        self._n_learners = len({cell.learner for cell in cells})
        self._settled, self._lock = not cells, Lock()
        self._closed, self._over = False, Event()

    def __enter__(self) -> Cost:
        if not self._settled:
            whose = copy_context()  # by which options are spelt
            Thread(target=whose.run, args=(self._watch,), name=WATCHER, daemon=True).start()
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
                self._say(least, rates, "more than", f": {done} finished after {span(seconds)}.")

    def _settle(self) -> None:
        self._settled = True
        self._over.set()
        rates = {learner: self._rate(learner) for learner in self._seen}
        seconds = self._whole(rates)
        if seconds >= LONG:
            self._say(seconds, rates, "about", ", judging by the first ones.")

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

    def _say(self, seconds: float, rates: Mapping[int, float], word: str, why: str) -> None:
        workers = "" if self.n_jobs == 1 else f" with {self.n_jobs} workers"
        n = len(self.cells)
        said = [f"{n:,} fit{'s' * (n > 1)} will take {word} {span(seconds)}{workers}{why}"]
        rate = sum(rates.values()) / self.n_jobs
        own = float(self.plan.n_train.sum())  # splits that were given have no design to ask
        for design in self._others():
            rows = rows_of(design, self.plan.n)
            name = "Cheaper" if rows < own else "More thorough"
            took = f"{word} {span(rate * rows)}"
            said.append(f"{name}: {self._way(design)}, {took} ({_of(design)}).")
        if not self._closed:
            self.tell("\n".join(said))

    def _others(self) -> Sequence[Design]:
        """Return other designs; none where they cannot be found, for advice must not end a run."""
        try:
            return self.choices()
        except Exception:
            return ()

    def _way(self, design: Design) -> str:
        """Return how to ask for a design; other splits cannot go into the same store."""
        if not self.stored or design.family == self.plan.design.family:
            return argument(design=str(design))
        return argument(design=str(design), store="other.db")


def _of(design: Design) -> str:
    """Say what the verdict of a design is worth."""
    method = registry.get(registry.default_method(design))
    if design.kind == "holdout":
        return "a verdict on models fitted once, by the items of one test set"
    return f"evidence: {method.grade}"


def rows_of(design: Design, n: int) -> float:
    """Return how many rows each learner is trained on, over all splits."""
    return float(design.sizes(n).n_train.sum())


def choices(
    plan: SplitPlan,
    y: npt.NDArray[Any],
    groups: IntArray | None,
    metric: str,
    admit: Callable[[Design], object] | None,
    *,
    classes: bool,
    on_items: bool = True,
) -> list[Design]:
    """Return a cheaper and a more thorough one that these data can be split by.

    `on_items` tells whether the metric has a test on the items of one test set.
    """
    design, n = plan.design, plan.n
    if not design.drawn or design.kind not in KINDS:
        return []

    def works(other: Design) -> bool:
        if other.kind == "holdout" and not on_items:
            return False
        try:
            if admit is not None:
                admit(other)
            if rows_of(other, n) > TRIED:
                next(other.split(n, y, groups, random_state=plan.seed))
                return True
            codes = class_codes(y, n) if other.stratified else None
            drawn = draw_plan(other, n, plan.seed, codes, groups)
            if classes:
                check_halves(drawn, y, groups, metric)
        except (DesignError, MethodError):
            return False
        return True

    own = rows_of(design, n)
    known = [(rows_of(each, n), each) for each in _candidates(design)]
    cheaper = [each for rows, each in sorted(known, key=_by_rows) if rows <= CHEAPER * own]
    dearer = [each for rows, each in sorted(known, key=_by_rows) if rows >= DEARER * own]
    if n > LARGE:
        cheaper = [each for each in cheaper if each.kind == "holdout"]
    found = [next(filter(works, side), None) for side in (reversed(cheaper), dearer)]
    return [each for each in found if each is not None]


def _by_rows(known: tuple[float, Design]) -> float:
    return known[0]


def _candidates(design: Design) -> Iterator[Design]:
    """Yield the usual designs with the switches of this one, and this one with more repeats."""
    switches = "".join(
        f"/{each.name}"
        for each in fields(design)
        if each.name in ("stratified", "grouped") and getattr(design, each.name)
    )
    for text in LADDER:
        try:
            yield parse(text + switches)
        except DesignError:
            continue
    if design.kind == "calibrated-kfold":
        grown: Any = design
        yield replace(grown, repeats=2 * grown.repeats, halvings=2 * grown.halvings)
