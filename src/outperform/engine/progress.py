"""Progress: how far a run is, on a terminal or told to a function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TextIO

from ..errors import DataError

PERIOD = 0.1
"""Seconds between two reports."""


@dataclass(frozen=True, slots=True)
class ProgressState:
    """How far a run is. Prints as the line shown on a terminal."""

    done: int
    total: int
    failed: int
    seconds: float
    """Since the run began."""
    rate: float
    """Cells a second, of those that this run has made."""
    unit: str = "cells"

    @property
    def left(self) -> float | None:
        """Seconds until the end at this rate; None before the first cell."""
        return (self.total - self.done) / self.rate if self.rate else None

    def __str__(self) -> str:
        share = f"{100 * self.done / self.total:.0f}%" if self.total else "100%"
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.2g}"
        said = f"{self.done:,} of {self.total:,} {self.unit} ({share}), {rate} a second"
        if self.left is not None and self.done < self.total:
            said += f", {_span(self.left)} left"
        return said + (f", {self.failed:,} failed" if self.failed else "")


class Progress:
    """Counts cells and reports at most ten times a second, and at the end."""

    def __init__(
        self,
        show: bool | Callable[[ProgressState], object] | None,
        total: int,
        done: int = 0,
        *,
        unit: str = "cells",
        stream: TextIO | None = None,
    ) -> None:
        if show is not None and not isinstance(show, bool) and not callable(show):
            raise DataError(f"progress must be True, False or a function, got {show!r}")
        self.total, self.done, self.failed, self.unit = total, done, 0, unit
        self._made, self._began, self._shown = 0, monotonic(), 0.0
        self._call = show if callable(show) else None
        self._stream = stream if stream is not None else sys.stderr
        terminal = hasattr(self._stream, "isatty") and self._stream.isatty()
        self._draw = terminal and not callable(show) and show is not False
        self._drawn = 0

    def add(self, cells: int, *, failed: int = 0, made_here: bool = True) -> None:
        """Count finished cells; those of other processes do not change the rate."""
        self.done += cells
        self.failed += failed
        self._made += cells if made_here else 0
        now = monotonic()
        if now - self._shown >= PERIOD:
            self._shown = now
            self._report()

    def close(self) -> None:
        """Report for the last time, and leave the terminal with a clean line."""
        if self.total:
            self._report()
        if self._drawn:
            self._stream.write("\n")
            self._stream.flush()
            self._drawn = 0

    @property
    def state(self) -> ProgressState:
        seconds = monotonic() - self._began
        rate = self._made / seconds if seconds > 0 else 0.0
        return ProgressState(self.done, self.total, self.failed, seconds, rate, self.unit)

    def _report(self) -> None:
        if self._call is not None:
            self._call(self.state)
        elif self._draw:
            line = str(self.state)
            self._stream.write("\r" + line.ljust(self._drawn))
            self._stream.flush()
            self._drawn = len(line)


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
