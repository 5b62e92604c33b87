"""How benchmarks measure: ratios of interleaved runs in one process, or of fresh processes."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


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


def ratio_of(
    ours: Callable[[], object],
    theirs: Callable[[], object],
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


def _cpu(work: Callable[[], object], runs: int) -> float:
    started = time.process_time()
    for _ in range(runs):
        work()
    return (time.process_time() - started) / runs


def _process_cpu(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
