"""Interruptions: time limits, signals to stop, and what learners and dead runs leave behind."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import stat
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from ..storage.sharing import Process


T = TypeVar("T")


FOLDERS = "joblib_memmapping_folder_"


MARK = "outperform_run_"
"""A file so named, beside joblib's folders, says which process they are of."""


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
    me, late = ctypes.c_ulong(threading.get_ident()), ctypes.py_object(OutOfTime)
    armed, sent, over = [False], [False], threading.Event()
    lock = threading.Lock()

    def watch() -> None:
        wait = seconds
        while not over.wait(wait):
            wait = 0.2
            with lock:
                if armed[0]:
                    sent[0] = True
                    send(me, late)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        armed[0] = True  # only here: sent while the watcher starts, it would leave it behind
        return act()
    finally:
        armed[0] = False
        while True:
            try:
                over.set()
                watcher.join()
                if not sent[0]:
                    break
                # One may be on its way. Taking it back would leave Python 3.11 looking for it for
                # ever, and stop any profiler; one more takes its place, and is waited for.
                sent[0] = False
                send(me, late)
                while True:
                    time.sleep(0)
            except OutOfTime:
                continue


class Stopped(BaseException):
    """The run was told to stop; not an Exception, so that no learner takes it for its own."""


class Stops:
    """SIGINT, SIGTERM and SIGHUP raise Stopped in the main thread, which says so once."""

    SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

    def __init__(self) -> None:
        self.number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stops:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name, None) for name in self.SIGNALS):
                # Ignored signals stay ignored (nohup), and so do handlers not set from Python.
                if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._stop)
        return self

    def _stop(self, number: int, _: object) -> None:
        self.number = self.number or number
        raise Stopped

    def check(self) -> None:
        """Raise if a learner has swallowed what was raised at the signal."""
        if self.number:
            raise Stopped

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def leave(self) -> BaseException:
        """Return what tells the caller: KeyboardInterrupt, or SystemExit with 128 + n."""
        if self.number in (0, signal.SIGINT):
            return KeyboardInterrupt()
        return SystemExit(128 + self.number)


_mask = threading.local()
HANDLED = (*Stops.SIGNALS, "SIGALRM")


def _hold_signals() -> None:
    numbers = {getattr(signal, name) for name in HANDLED}
    _mask.before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def _release_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _mask.before)


def _disinherit() -> None:
    """Let a fork, such as a worker of a learner's pool, die of a signal: it may hold a lock."""
    ours = __name__.partition(".")[0]
    for number in (getattr(signal, name) for name in HANDLED):
        if str(getattr(signal.getsignal(number), "__module__", "")).startswith(ours):
            plain = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if plain else signal.SIG_DFL)
    _release_signals()


if hasattr(os, "register_at_fork"):
    # Held meanwhile: Python forgets in a fork what has come before our handlers are gone.
    os.register_at_fork(
        before=_hold_signals, after_in_parent=_release_signals, after_in_child=_disinherit
    )


def other_threads() -> set[threading.Thread]:
    """Return the threads beside the main one that Python waits for when it exits."""
    main = threading.main_thread()
    return {t for t in threading.enumerate() if t is not main and not t.daemon}


_left = WeakKeyDictionary[threading.Thread, str]()


def note_threads(learner: str, known: set[threading.Thread]) -> set[threading.Thread]:
    """Return the threads that a learner has just started in this process, and remember whose."""
    new = other_threads() - known
    _left.update(dict.fromkeys(new, learner))
    return new


def left_threads() -> Counter[str]:
    """Count the threads that learners have left running in this process."""
    return Counter(learner for thread, learner in [*_left.items()] if thread.is_alive())


def tell_of_threads() -> None:
    """Warn of learners whose threads outlive the run."""
    for name, count in left_threads().items():
        some = "a thread" if count == 1 else f"{count:,} threads"
        warnings.warn(
            f"{name!r} has left {some} running. Python waits for them when it exits; let the "
            "learner end them, or make them daemon threads.",
            RuntimeWarning,
            stacklevel=2,
        )


_exits_at_once = False


def exit_despite_threads() -> None:
    """Let this worker end, once it is asked to, without the threads that learners have left in it.

    Python would wait for them, and whoever asked for this worker. To kill it now would break the
    work of others: joblib shares its workers.
    """
    global _exits_at_once
    if not _exits_at_once and other_threads():
        from multiprocessing.util import Finalize

        _exits_at_once = True
        Finalize(None, os._exit, args=(0,), exitpriority=-100)  # the last thing, before it waits


_watching = False


def _born_of(parent: int) -> bool:
    """Tell whether a process began this one, though it may be dead by now: imports take seconds."""
    from multiprocessing import parent_process

    began = parent_process()
    return parent in (os.getppid(), began and began.pid)


def die_with(parent: int) -> None:
    """Leave no orphan behind: end this process soon after the one that began it."""
    global _watching
    if _watching or not _born_of(parent):
        return
    if os.getppid() != parent:
        os._exit(1)
    _watching = True

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def clean_up() -> None:
    """Remove what joblib keeps in shared memory of dead runs, and mark what is this process's."""
    if os.name != "posix":
        return
    from ..storage.sharing import Process

    places = _places()
    for mark in _ours(places, MARK, stat.S_ISREG):
        with suppress(OSError, ValueError, TypeError):
            with open(mark, encoding="utf-8") as file:
                process = Process(*json.load(file))
            if _is_gone(process):
                for folder in _ours(places, f"{FOLDERS}{process.pid}_", stat.S_ISDIR):
                    shutil.rmtree(folder, ignore_errors=True)
                os.remove(mark)
    _mark(os.getpid())


@cache
def _mark(pid: int) -> None:
    from ..storage.sharing import this_process

    for place in _places():
        path = os.path.join(place, f"{MARK}{pid}")
        with suppress(OSError):
            with suppress(FileNotFoundError):  # of an earlier process with this number
                os.remove(path)
            how = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(path, how, 0o600), "w", encoding="utf-8") as file:
                json.dump(this_process(), file)
            atexit.register(_unmark, pid, path)
            return


def _unmark(pid: int, path: str) -> None:
    if os.getpid() == pid:  # and not a fork of it
        with suppress(OSError):
            os.remove(path)


def _places() -> list[str]:
    """Return where joblib may put its folders, as it looks for a place."""
    chosen = os.environ.get("JOBLIB_TEMP_FOLDER")
    return [os.path.expanduser(chosen)] if chosen else ["/dev/shm", tempfile.gettempdir()]


def _ours(places: list[str], start: str, kind: Callable[[int], bool]) -> Iterator[str]:
    """Yield what is named so and belongs to this user; links are not followed."""
    for place in places:
        with suppress(OSError):
            for name in os.listdir(place):
                path = os.path.join(place, name)
                if name.startswith(start):
                    found = os.lstat(path)
                    if found.st_uid == os.geteuid() and kind(found.st_mode):
                        yield path


def _is_gone(process: Process) -> bool:
    """Tell whether a process of this machine is dead and nobody else has its number."""
    from ..storage.sharing import is_alive

    if is_alive(process) is not False:
        return False
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    return False
