"""What a run will cost, told once from its first fits, with a cheaper and a dearer design."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import registry
from ..designs import Design, parse
from ..designs.splitting import IntArray, class_codes
from ..errors import DesignError, MethodError, argument
from ..storage.contents import pack_one
from .fitting import Batch, Cell
from .halves_check import check_halves
from .progress import span
from .split_plan import SplitPlan, draw_plan

LONG = 60.0
"""Seconds from which on a run's cost is told."""
SURE = 20.0
"""Seconds of a first fit that need no second: libraries that are loaded in it take less."""
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
        self._settled = not cells

    def observe(self, answer: Batch) -> None:
        """Learn from finished fits until every learner is known."""
        if self._settled:
            return
        for (learner, address), outcome in answer:
            at = int(np.searchsorted(self.plan.keys, pack_one(address)))
            rows = max(int(self.plan.n_train[at]), 1)
            self._seen.setdefault(learner, []).append((outcome.seconds, rows))
        if not self._known():
            return
        self._settled = True
        seconds = self._whole()
        if seconds >= LONG:
            self.tell("\n".join(self._lines(seconds)))

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

    def _whole(self) -> float:
        """Return the seconds of all fits if each takes as long, row for row, as those seen."""
        rates = np.array([self._rate(learner) for learner in sorted(self._seen)])
        most = len(self.cells) * rates.max() * self.plan.n_train.max() / self.n_jobs
        if most < LONG:
            return 0.0
        place = {learner: at for at, learner in enumerate(sorted(self._seen))}
        learners = np.array([place[cell.learner] for cell in self.cells])
        keys = np.array([pack_one(cell.address) for cell in self.cells])
        rows = self.plan.n_train[np.searchsorted(self.plan.keys, keys)]
        return float((rates[learners] * rows).sum() / self.n_jobs)

    def _lines(self, seconds: float) -> Iterator[str]:
        workers = "" if self.n_jobs == 1 else f" with {self.n_jobs} workers"
        yield (
            f"{len(self.cells):,} fits will take about {span(seconds)}{workers}, judging by the "
            "first ones."
        )
        rate = sum(map(self._rate, self._seen)) / self.n_jobs
        own = rows_of(self.plan.design, self.plan.n)
        for design in self.choices():
            rows = rows_of(design, self.plan.n)
            word = "Cheaper" if rows < own else "More thorough"
            yield f"{word}: {self._way(design)}, about {span(rate * rows)} ({_of(design)})."

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
) -> list[Design]:
    """Return a cheaper and a more thorough one that these data can be split by."""
    design, n = plan.design, plan.n
    if not design.drawn or design.kind not in KINDS:
        return []

    def works(other: Design) -> bool:
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
