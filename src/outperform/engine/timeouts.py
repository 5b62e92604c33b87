"""Timeouts: an act that is stopped when its time is up, in any thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["OutOfTime", "within"]

T = TypeVar("T")


class OutOfTime(BaseException):
    """A cell has used up its time."""


def within(seconds: float, act: Callable[[], T]) -> T:
    """Raise OutOfTime in `act` after so many seconds, and again every 0.2 s while it goes on.

    Code that does not return to Python is not reached: only its process can be ended.
    """
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        return _by_alarm(seconds, act)
    return _by_thread(seconds, act)


def _by_alarm(seconds: float, act: Callable[[], T]) -> T:
    armed = [True]

    def ring(*_: object) -> None:
        if armed[0]:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
        return act()
    finally:
        armed[0] = False  # first, and not by a call: the alarm could ring before it was made
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _by_thread(seconds: float, act: Callable[[], T]) -> T:
    """The same where signals do not reach: another thread sends the exception."""
    import ctypes

    send = ctypes.pythonapi.PyThreadState_SetAsyncExc
    me, armed, over = ctypes.c_ulong(threading.get_ident()), [True], threading.Event()
    lock = threading.Lock()

    def watch() -> None:
        wait = seconds
        while not over.wait(wait):
            wait = 0.2
            with lock:
                if armed[0]:
                    send(me, ctypes.py_object(OutOfTime))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        return act()
    finally:
        armed[0] = False
        while True:
            try:
                over.set()
                watcher.join()
                send(me, None)  # one that was sent but has not arrived
                break
            except OutOfTime:
                continue
