"""How benchmarks measure: ratios of interleaved runs in one process, or of fresh processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

import numpy as np
import numpy.typing as npt

Work = Callable[[], object]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Row:
    """One mark: the ratio measured, the limit, and whether it is a floor or a ceiling."""

    name: str
    ratio: float
    mark: float
    floor: bool = True
    note: str = ""

    @property
    def met(self) -> bool:
        return self.ratio >= self.mark if self.floor else self.ratio <= self.mark

    @property
    def cells(self) -> tuple[str, str, str]:
        """What was measured, the limit, and whether it is kept, as text."""
        digits = 4 if 0.5 < self.ratio < 2 else 3  # overheads differ in the third decimal
        sign = "≥" if self.floor else "≤"
        return f"{self.ratio:.{digits}g}", f"{sign} {self.mark:g}", "met" if self.met else "MISS"

    def __str__(self) -> str:
        measured, mark, met = self.cells
        note = f"  ({self.note})" if self.note else ""
        return f"{met:4} {measured:>9}  {mark:>9}  {self.name}{note}"


@dataclass(frozen=True, slots=True)
class Table:
    """What stands behind the marks: figures to read, without a limit."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        rows = (self.columns, *self.lines)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        text = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n     ".join(["", self.title, *text, ""]).rstrip(" ")


def interleaved(
    works: Sequence[Work],
    *,
    clock: Clock = time.process_time,
    budget: float = 5.0,
    rounds: tuple[int, int] = (5, 25),
) -> npt.NDArray[np.float64]:
    """Return the time of each work in each round, the order rotated.

    There are as many rounds as `budget` seconds hold, within limits: short works get more of them.
    """
    fewest, most = rounds
    spent: list[list[float]] = []
    began = time.perf_counter()
    while len(spent) <= fewest or (len(spent) <= most and time.perf_counter() - began < budget):
        order = [(at + len(spent)) % len(works) for at in range(len(works))]
        times = {at: _seconds(works[at], clock) for at in order}
        spent.append([times[at] for at in range(len(works))])
    return np.array(spent[1:])  # the first round warms up


def _seconds(work: Work, clock: Clock) -> float:
    began = clock()
    work()
    return clock() - began


def ratio_of(
    ours: Work,
    theirs: Work,
    *,
    rounds: int = 7,
    our_runs: int = 1,
    their_share: float = 1.0,
) -> float:
    """Return the median over rounds of (their CPU time / ours), the order rotated.

    `our_runs` repeats a short run; `their_share` scales a peer timed on a part of the work.
    """
    ratios = []
    for number in range(rounds):
        if number % 2:
            mine = _cpu(ours, our_runs)
            other = _cpu(theirs, 1)
        else:
            other = _cpu(theirs, 1)
            mine = _cpu(ours, our_runs)
        ratios.append(other / their_share / mine)
    return median(ratios)


def process_ratio(ours: str, theirs: str, *, rounds: int = 15) -> float:
    """Return the median over rounds of (CPU time of `python -c ours` / that of `theirs`)."""
    ratios = []
    for number in range(rounds + 1):
        first, second = (ours, theirs) if number % 2 else (theirs, ours)
        spent = {code: _process_cpu(code) for code in (first, second)}
        if number:  # the first round only fills the disk cache
            ratios.append(spent[ours] / spent[theirs])
    return median(ratios)


def as_installed() -> dict[str, str]:
    """Return an environment in which every module, ours and theirs, finds its bytecode.

    Installing writes it; a work tree may not have it, and would then be compiled in each process.
    A first round, which is not counted, fills the cache.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": _bytecode().name}


@cache
def _bytecode() -> tempfile.TemporaryDirectory[str]:
    """Make one folder for this run of the benchmarks, removed at its end."""
    return tempfile.TemporaryDirectory(prefix="bytecode-")


def _cpu(work: Work, runs: int) -> float:
    started = time.process_time()
    for _ in range(runs):
        work()
    return (time.process_time() - started) / runs


def _process_cpu(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, env=as_installed())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
