"""Progress: how far a run is, as a bar, as lines of a log, or told to a function."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Any, TextIO

from ..errors import DataError

PERIOD = 0.1
"""Seconds between two reports."""
LINE_PERIOD = 30.0
"""Seconds between two lines where there is no terminal: a log stays short."""
WIDEST_BAR, NARROWEST_BAR = 30, 8


@dataclass(frozen=True, slots=True)
class ProgressState:
    """How far a run is. Prints as the line shown beside the bar."""

    done: int
    total: int
    failed: int
    seconds: float
    """Since the run began."""
    rate: float
    """Fits a second, of those that this run has made."""
    unit: str = "fits"
    failures: Mapping[str, int] = field(default_factory=dict)
    """How many fits failed, by learner."""

    @property
    def left(self) -> float | None:
        """Seconds until the end at this rate; None before the first fit."""
        return (self.total - self.done) / self.rate if self.rate else None

    def __str__(self) -> str:
        share = f"{100 * self.done / self.total:.0f}%" if self.total else "100%"
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.2g}"
        said = f"{self.done:,} of {self.total:,} {self.unit} ({share}), {rate} {self.unit}/s"
        if self.left is not None and self.done < self.total:
            said += f", {span(self.left)} left"
        if self.failed:
            by = ", ".join(f"{name} {count:,}" for name, count in self.failures.items())
            said += f", {self.failed:,} failed" + (f" ({by})" if by else "")
        return said


class Progress:
    """Counts fits and reports at most ten times a second, and at the end unless it was stopped."""

    def __init__(
        self,
        show: bool | Callable[[ProgressState], object] | None,
        total: int,
        done: int = 0,
        *,
        unit: str = "fits",
        stream: TextIO | None = None,
    ) -> None:
        if show is not None and not isinstance(show, bool) and not callable(show):
            raise DataError(
                f"The 'progress' parameter must be True, False or a function, got {show!r}"
            )
        self.total, self.done, self.unit = total, done, unit
        self._expected = total
        self._failures: Counter[str] = Counter()
        self._made, self._began = 0, monotonic()
        self._open, self._lock = True, Lock()
        self._display: _Told | _Bar | _NotebookBar | _Lines | None = None
        if callable(show):
            self._display = _Told(show)
        elif show is not False:
            self._display = _display(stream if stream is not None else sys.stderr)
        self._shown = self._began if isinstance(self._display, _Lines) else 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, _: Any, error: BaseException | None, __: TracebackType | None) -> None:
        self.close(last=error is None)

    def expect(self, fits: int, done: int, times: float = 1.0) -> None:
        """Count the fits of a further run, some of them done; all runs are so many times those."""
        self._expected += fits
        self.done += done
        self.total = round(self._expected * times)

    def add(self, fits: int, *, failed: Iterable[str] = (), made_here: bool = True) -> None:
        """Count finished fits, and the learners of those that failed.

        What other processes have fitted does not change the rate.
        """
        self.done += fits
        self._failures.update(failed)
        self._made += fits if made_here else 0
        now = monotonic()
        if self._display is not None and now - self._shown >= self._display.period:
            self._shown = now
            with self._lock:
                self._display.show(self.state)

    def say(self, text: str) -> None:
        """Write lines of text above the bar; nothing where a function is told, or nobody."""
        if self._display is not None:
            with self._lock:  # another thread may say it, and too late
                if self._open:
                    self._display.say(text)

    def close(self, *, last: bool = True) -> None:
        """End the bar; with `last` it shows how far the run came, else nothing more is shown."""
        with self._lock:
            if self._open and self._display is not None:
                self._display.close(self.state if last and self.total else None)
            self._open = False

    @property
    def state(self) -> ProgressState:
        seconds = monotonic() - self._began
        rate = self._made / seconds if seconds > 0 else 0.0
        failed = dict(sorted(self._failures.items()))
        return ProgressState(
            self.done, self.total, sum(failed.values()), seconds, rate, self.unit, failed
        )


def _display(stream: TextIO) -> _Bar | _NotebookBar | _Lines:
    if _in_notebook():
        return _NotebookBar()
    terminal = hasattr(stream, "isatty") and stream.isatty()
    return _Bar(stream) if terminal else _Lines(stream)


def _in_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook, without importing IPython."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class _Told:
    """A function of the caller."""

    @property
    def period(self) -> float:
        return PERIOD

    def __init__(self, call: Callable[[ProgressState], object]) -> None:
        self.show = call

    def say(self, text: str) -> None:
        """Leave it: a function is told numbers alone."""

    def close(self, state: ProgressState | None) -> None:
        if state is not None:
            self.show(state)


class _Lines:
    """A line now and then, for logs; a run that ends before the first leaves none."""

    def __init__(self, stream: TextIO) -> None:
        self.period, self._stream, self._begun = LINE_PERIOD, stream, False

    def show(self, state: ProgressState) -> None:
        self._begun = True
        self.say(str(state))

    def say(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def close(self, state: ProgressState | None) -> None:
        if state is not None and self._begun:
            self.show(state)


class _Bar:
    """One line of a terminal, redrawn.

    It is written without rich's live display, which hides the cursor and starts a thread: a run
    that is killed must leave the terminal as it was, and workers are forked beside it.
    """

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self._console = Console(file=stream, highlight=False, soft_wrap=True)
        self._stream, self._drawn = stream, False
        self.period = LINE_PERIOD if self._console.is_dumb_terminal else PERIOD

    def show(self, state: ProgressState) -> None:
        if self._console.is_dumb_terminal:
            self._stream.write(f"{state}\n")
        else:
            with self._console.capture() as drawn:
                self._console.print(_drawing(state, self._console.width - 1))
            self._drawn = True  # first: a signal to stop may come while it is being written
            self._stream.write("\r" + drawn.get().rstrip("\n") + "\x1b[K")
        self._stream.flush()

    def say(self, text: str) -> None:
        self._stream.write("\r\x1b[K" * self._drawn + f"{text}\n")
        self._drawn = False
        self._stream.flush()

    def close(self, state: ProgressState | None) -> None:
        if state is not None:
            self.show(state)
        if self._drawn:
            self._stream.write("\n")
            self._stream.flush()


class _NotebookBar:
    """The same line as an output of the cell, updated in place."""

    def __init__(self) -> None:
        self._handle: Any = None
        self.period = PERIOD

    def show(self, state: ProgressState) -> None:
        from rich.console import Console

        display = import_module("IPython.display").display  # that of the kernel this runs in
        drawing = _drawing(state, Console().width)
        if self._handle is None:
            self._handle = display(drawing, display_id=True)
        else:
            self._handle.update(drawing)

    def say(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")

    def close(self, state: ProgressState | None) -> None:
        if state is not None:
            self.show(state)


def _drawing(state: ProgressState, width: int) -> Any:
    """Return a bar and its line, cut to a width; without room for the bar, the line alone."""
    from rich.cells import cell_len
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    line = Text(str(state), no_wrap=True, overflow="ellipsis", end="")
    room = min(width - cell_len(line.plain) - 1, WIDEST_BAR)
    grid = Table.grid(padding=(0, 1))
    if room < NARROWEST_BAR:
        grid.add_column(max_width=width)
        grid.add_row(line)
    else:
        bar = ProgressBar(
            max(state.total, 1), state.done, room, complete_style="cyan", finished_style="green"
        )
        grid.add_row(bar, line)
    return grid


def span(seconds: float) -> str:
    """Return seconds in words: 45 s, 12 min 5 s, 3 h 20 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
