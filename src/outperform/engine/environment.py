"""Environment: seeds, threads of libraries, output and warnings, apart for learners and caller."""

from __future__ import annotations

import faulthandler
import io
import os
import random
import re
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from .interruptions import die_with

__all__ = ["add", "counted", "drain", "in_worker", "muffled", "pinned", "same_random_state",
           "shown_once", "silent", "speaks", "thread_libraries"]  # fmt: skip

MOST = 20
"""Different warnings that are shown; beyond, they are counted together."""
LONGEST = 2_000
NUMBER = re.compile(r"0x[0-9a-f]+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
"""Warnings that differ in numbers alone are the same."""


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
            die_with(parent)
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

    The cell is run again in isolation, which tells where it was. Dumps that are asked for stay.
    """
    if not faulthandler.is_enabled() or os.environ.get("PYTHONFAULTHANDLER"):
        yield
        return
    faulthandler.disable()
    try:
        yield
    finally:
        faulthandler.enable()


class Kind(NamedTuple):
    """What warnings have in common that are counted together."""

    module: str
    category: str
    file: str
    line: int
    words: str


Heard = dict[Kind, tuple[str, Counter[str]]]
"""The first text of each kind, and how often each learner raised it."""


class _State:
    heard: Heard = {}  # noqa: RUF012
    learner = ""
    depth = 0
    lock = threading.Lock()
    shown: Any = None
    outside: Any = None


_thread = threading.local()


def speaks(learner: str) -> None:
    """Say whose code runs from now on in this thread, and in those that it starts."""
    _thread.learner = _State.learner = learner


@contextmanager
def counted() -> Iterator[None]:
    """Count what learners warn of in this process instead of showing it.

    What is ignored, or an error, stays so; what would be shown once for each place is counted.
    """
    with _State.lock:
        if not _State.depth:
            _State.outside = warnings.catch_warnings()
            _State.outside.__enter__()
            stays = ("ignore", "error")
            rules: Any = [(a if a in stays else "always", *rest) for a, *rest in warnings.filters]
            filters: Any = warnings.filters
            filters[:] = rules
            warnings.simplefilter("always", append=True)  # and they are looked up anew
            _State.shown, warnings.showwarning = warnings.showwarning, _hear
        _State.depth += 1
    try:
        yield
    finally:
        with _State.lock:
            _State.depth -= 1
            if not _State.depth:
                _State.outside.__exit__(None, None, None)
                speaks("")


def _hear(
    message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    learner = getattr(_thread, "learner", "") or _State.learner
    if not learner:
        _State.shown(message, category, filename, lineno, file, line)
        return
    try:
        text = _printable(str(message))
    except Exception:  # its text cannot be made, which is not for the learner to meet here
        text = "(its text cannot be shown)"
    words = NUMBER.sub("0", text)
    kind = Kind(category.__module__, category.__qualname__, filename, lineno, words)
    add({kind: (text, Counter({learner: 1}))})


def _printable(text: str) -> str:
    """Return text without what a terminal would obey."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else f"<U+{ord(c):04X}>" for c in text[:LONGEST]
    )


def add(heard: Heard) -> None:
    """Count what another process has heard."""
    for kind, (text, by) in heard.items():
        if kind not in _State.heard and len(_State.heard) >= MOST:
            kind, text = Kind("builtins", "UserWarning", "", 0, ""), ""
        _State.heard.setdefault(kind, (text, Counter()))[1].update(by)


def drain() -> Heard:
    """Return what was heard since the last time, and forget it."""
    heard, _State.heard = _State.heard, {}
    return heard


@contextmanager
def shown_once() -> Iterator[None]:
    """Show what was heard meanwhile, in this process or by `add`, at the end."""
    before = drain()
    try:
        yield
    finally:
        heard, _State.heard = drain(), before
        for kind, (text, by) in heard.items():
            _show(kind, text, by)


def _show(kind: Kind, text: str, by: Counter[str]) -> None:
    names = [repr(name) for name in sorted(by)]
    who = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    n = by.total()
    often = "once" if n == 1 else f"{n:,} times"
    if not kind.file:
        text, kind = "Other warnings", kind._replace(file="learners")
    said = f"{text}{chr(10) if chr(10) in text else ' '}(raised {often}, by {who})"
    category = _category(kind)
    files = {getattr(module, "__file__", None): name for name, module in [*sys.modules.items()]}
    module = files.get(kind.file, kind.file)
    try:
        warnings.warn_explicit(said, category, kind.file, kind.line, module)
    except category:  # where warnings are errors: the run has its result all the same
        warnings.showwarning(said, category, kind.file, kind.line)


def _category(kind: Kind) -> type[Warning]:
    """Return a class of warnings by its name, if it is known here."""
    try:
        found: Any = reduce(getattr, kind.category.split("."), sys.modules[kind.module])
    except (KeyError, AttributeError):
        return UserWarning
    return found if isinstance(found, type) and issubclass(found, Warning) else UserWarning
