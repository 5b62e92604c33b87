"""Guards: what keeps a learner from harming the run, and the run from harming its caller."""

from __future__ import annotations

import faulthandler
import io
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from .learner_warnings import counted

__all__ = ["Stopped", "Stops", "pinned", "same_random_state", "silent"]

T = TypeVar("T")


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


@contextmanager
def same_random_state() -> Iterator[None]:
    """Give the caller's global generators back as they were."""
    plain, numpy_state = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(plain)
        np.random.set_state(numpy_state)  # noqa: NPY002


class _Threads:
    """The thread pools of BLAS and OpenMP, found again when new modules may have brought more."""

    n_modules = -1
    controller: Any = None

    @classmethod
    def find(cls) -> Any:
        if cls.n_modules != len(sys.modules):
            from threadpoolctl import ThreadpoolController

            cls.controller = ThreadpoolController()
            cls.n_modules = len(sys.modules)
        return cls.controller


def pinned() -> Any:
    """Return a context of one BLAS thread: how many there are changes the last bits."""
    found = _Threads.find()
    if all(library.num_threads == 1 for library in found.lib_controllers):
        return nullcontext()
    return found.limit(limits=1)


def thread_libraries() -> str:
    """Name the libraries that are pinned, with their versions."""
    found = {f"{lib['internal_api']} {lib['version']}" for lib in _Threads.find().info()}
    return ", ".join(sorted(found))


_speaker = threading.local()


class _Muffler(io.TextIOBase):
    """Standard output that drops what threads inside `silent` print."""

    def __init__(self, real: Any) -> None:
        self.real = real

    def write(self, text: str) -> int:
        return len(text) if getattr(_speaker, "silent", False) else self.real.write(text)

    def flush(self) -> None:
        with suppress(Exception):  # a stream that is closed or broken: nothing can be said there
            self.real.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@contextmanager
def muffled() -> Iterator[None]:
    """Put a muffler on standard output for the length of a run in this process."""
    real = sys.stdout
    sys.stdout = _Muffler(real)
    try:
        yield
    finally:
        sys.stdout = real


@contextmanager
def silent() -> Iterator[None]:
    """Drop what this thread prints."""
    _speaker.silent = True
    try:
        yield
    finally:
        _speaker.silent = False


def hushed(answers: Iterator[T]) -> T | None:
    """Return the next answer, or None after the last; what is printed meanwhile is dropped."""
    _speaker.silent = True
    try:
        return next(answers, None)
    finally:
        _speaker.silent = False


@contextmanager
def in_worker(parent: int) -> Iterator[None]:
    """Prepare a worker for a task, and leave it as it was: others may use it next."""
    with ExitStack() as stack:
        stack.enter_context(counted())
        limits = pinned()
        if os.getpid() == parent:  # a thread of the caller: the run has muffled it
            stack.enter_context(limits)
            stack.enter_context(silent())
        elif threading.current_thread() is threading.main_thread():
            stack.enter_context(limits)
            stack.enter_context(same_random_state())
            stack.enter_context(_nothing_printed())
            stack.enter_context(_no_dump())
            # An interrupt at the keyboard reaches every process; the parent decides what it means.
            before = signal.signal(signal.SIGINT, signal.SIG_IGN)
            stack.callback(signal.signal, signal.SIGINT, before)
            if _born_of(parent):
                _die_with(parent)
        else:  # one of several threads, which share the limits: they stay, or end for all
            stack.enter_context(muffled())
            stack.enter_context(silent())
        yield


@contextmanager
def _nothing_printed() -> Iterator[None]:
    """Close standard output, for C code too."""
    try:
        kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is none
        yield
        return
    with suppress(Exception):  # as above: what cannot be written now cannot be written later
        sys.stdout.flush()
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        with suppress(Exception):  # a learner may have closed it
            sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


@contextmanager
def _no_dump() -> Iterator[None]:
    """Let a crash say nothing: joblib's workers would print all their stacks at every one.

    The cell is run again in a cage, which tells where it was. Who asks Python for dumps gets them.
    """
    if not faulthandler.is_enabled() or os.environ.get("PYTHONFAULTHANDLER"):
        yield
        return
    faulthandler.disable()
    try:
        yield
    finally:
        faulthandler.enable()


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


_watching = False


def _born_of(parent: int) -> bool:
    """Tell whether a process began this one, though it may be dead by now: imports take seconds."""
    from multiprocessing import parent_process

    began = parent_process()
    return parent in (os.getppid(), began and began.pid)


def _die_with(parent: int) -> None:
    """Leave no orphan behind: end this process soon after its parent."""
    global _watching
    if _watching:
        return
    if os.getppid() != parent:
        os._exit(1)
    _watching = True

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
