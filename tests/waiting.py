"""Waiting for an event, never for so many seconds: the one place of the tests with a clock."""

from __future__ import annotations

import time
from collections.abc import Callable

LIMIT = 300.0
"""Seconds after which an event is given up: on a machine however busy, something is wrong."""


def wait_until(happened: Callable[[], object], what: str, *, every: float = 0.01) -> None:
    """Return as soon as `happened` is true; fail, saying what was waited for, after LIMIT."""
    end = time.monotonic() + LIMIT
    while not happened():
        if time.monotonic() > end:
            raise AssertionError(f"waited {LIMIT:g} s for {what}")
        time.sleep(every)


def spin(seconds: float) -> str:
    """Be busy in Python for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return "done"


class HandClock:
    """A clock that stands still until it is moved; put in place of a module's `time`."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def time(self) -> float:
        return self.now

    monotonic = perf_counter = time
