"""Around a fit: time limits and signals; seeds, threads, output and warnings of learners."""

from __future__ import annotations

import io
import random
import re
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

MOST = 20
"""Different warnings that are shown; beyond, they are counted together."""
LONGEST = 2_000
NUMBER = re.compile(r"0x[0-9a-f]+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
"""Warnings that differ in numbers alone are the same."""


def until_the_last(
    make: Callable[[], AbstractContextManager[Any]],
) -> Callable[[], AbstractContextManager[None]]:
    """Return a context of the whole process, which threads that overlap have in common.

    It begins with the first of them and ends with the last: given back by each in turn, what one
    has changed would be taken by another for what there was before.
    """
    n_users, stack = 0, ExitStack()

    @contextmanager
    def shared() -> Iterator[None]:
        nonlocal n_users
        with _State.lock:
            if not n_users:
                stack.enter_context(make())
            n_users += 1
        try:
            yield
        finally:
            with _State.lock:
                n_users -= 1
                if not n_users:
                    stack.close()

    return shared


@contextmanager
def _random_state() -> Iterator[None]:
    plain, numpy_state = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(plain)
        np.random.set_state(numpy_state)  # noqa: NPY002


_first_random_state = until_the_last(_random_state)
same_filters = until_the_last(warnings.catch_warnings)


@contextmanager
def same_random_state() -> Iterator[None]:
    """Give the caller's global generators back as they were; a run inside a fit, those of it."""
    with _first_random_state(), _random_state():
        yield


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


_blas = ExitStack()


@until_the_last
@contextmanager
def _same_blas() -> Iterator[None]:
    with _blas:
        try:
            yield
        finally:
            _may_limit_blas()


def _may_limit_blas() -> None:
    """Let this thread limit OpenBLAS: threadpoolctl from 3.8 on listens to one thread alone."""
    from threadpoolctl import OpenBLASController

    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@contextmanager
def pinned() -> Iterator[None]:
    """Use one BLAS thread: how many there are changes the last bits.

    BLAS has one number for the process, and OpenMP one for each thread that calls it.
    """
    found = _Threads.find()
    with _same_blas(), ExitStack() as own:
        for api, stack in (("blas", _blas), ("openmp", own)):
            libraries = found.select(user_api=api)
            with _State.lock:
                if any(library.num_threads != 1 for library in libraries.lib_controllers):
                    _may_limit_blas()
                    stack.enter_context(libraries.limit(limits=1))
        yield


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


@until_the_last
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
    before = getattr(_speaker, "silent", False)
    _speaker.silent = True
    try:
        yield
    finally:
        _speaker.silent = before


class WarningKind(NamedTuple):
    """What warnings have in common that are counted together."""

    module: str
    category: str
    file: str
    line: int
    words: str


Heard = dict[WarningKind, tuple[str, Counter[str]]]
"""The first text of each kind, and how often each learner raised it."""


WATCHER = "outperform cost"
"""The thread that tells what a run costs while its first fits last."""


class _State:
    heard: Heard = {}  # noqa: RUF012
    learner = ""
    others: frozenset[int] = frozenset()
    """Threads that were there before learners ran: whatever they warn of is not theirs."""
    depth = 0
    lock = threading.RLock()
    shown: Any = None
    outside: Any = None
    rules: tuple[Any, ...] = ()
    """The caller's own filters, by which other threads are shown."""
    shown_places: set[Any] = set()  # noqa: RUF012


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
            # A thread of ours may end, and a learner's then be known by the same number.
            ours = {one.ident for one in threading.enumerate() if one.name == WATCHER}
            _State.others = frozenset(sys._current_frames()) - ours
            _State.outside = warnings.catch_warnings()
            _State.outside.__enter__()
            filters: Any = warnings.filters
            _State.rules, _State.shown_places = tuple(filters), set()
            stays = ("ignore", "error")
            filters[:] = [(a if a in stays else "always", *rest) for a, *rest in filters]
            warnings.simplefilter("always", append=True)  # and they are looked up again
            _State.shown, warnings.showwarning = warnings.showwarning, _hear
        _State.depth += 1
    try:
        yield
    finally:
        with _State.lock:
            _State.depth -= 1
            _thread.learner = ""
            if not _State.depth:
                _State.learner = ""
                _State.outside.__exit__(None, None, None)


def _hear(
    message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    learner = getattr(_thread, "learner", "")
    if not learner and threading.get_ident() not in _State.others:
        learner = _State.learner
    try:
        text = str(message)
    except Exception:  # its text cannot be made, which is not for the learner to meet here
        text = "(its text cannot be shown)"
    if not learner:
        place = text, category, filename, lineno
        if place not in _State.shown_places or _shown_again(category):
            _State.shown_places.add(place)
            _State.shown(message, category, filename, lineno, file, line)
        return
    text = _printable(text)
    words = NUMBER.sub("0", text)
    kind = WarningKind(category.__module__, category.__qualname__, filename, lineno, words)
    add({kind: (text, Counter({learner: 1}))})


def _shown_again(category: type[Warning]) -> bool:
    """Tell whether the caller wants to see such warnings each time, and not once for each place."""
    whole = (rule for rule in _State.rules if rule[1] is rule[3] is None)
    return next((rule[0] for rule in whole if issubclass(category, rule[2])), "") == "always"


def _module_of(filename: str) -> str:
    files = {getattr(module, "__file__", None): name for name, module in [*sys.modules.items()]}
    return files.get(filename, filename)


def _printable(text: str) -> str:
    """Return text without what a terminal would obey."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else f"<U+{ord(c):04X}>" for c in text[:LONGEST]
    )


def add(heard: Heard) -> None:
    """Count what another process has heard."""
    with _State.lock:
        for kind, (text, by) in heard.items():
            if kind not in _State.heard and len(_State.heard) >= MOST:
                kind, text = WarningKind("builtins", "UserWarning", "", 0, ""), ""
            _State.heard.setdefault(kind, (text, Counter()))[1].update(by)


def drain() -> Heard:
    """Return what was heard since the last time, and forget it."""
    with _State.lock:
        heard, _State.heard = _State.heard, {}
    return heard


def forked() -> None:
    """Start over in a forked process, whose parent's threads may have held the lock."""
    _State.lock, _State.heard = threading.RLock(), {}


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


def _show(kind: WarningKind, text: str, by: Counter[str]) -> None:
    names = [repr(name) for name in sorted(by)]
    who = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    n = by.total()
    often = "once" if n == 1 else f"{n:,} times"
    if not kind.file:
        text, kind = "Other warnings", kind._replace(file="learners")
    said = f"{text}{chr(10) if chr(10) in text else ' '}(raised {often}, by {who})"
    category = _category(kind)
    try:
        warnings.warn_explicit(said, category, kind.file, kind.line, _module_of(kind.file))
    except category:  # where warnings are errors: the run has its result all the same
        warnings.showwarning(said, category, kind.file, kind.line)


def _category(kind: WarningKind) -> type[Warning]:
    """Return a class of warnings by its name, if it is known here."""
    try:
        found: Any = reduce(getattr, kind.category.split("."), sys.modules[kind.module])
    except (KeyError, AttributeError):
        return UserWarning
    return found if isinstance(found, type) and issubclass(found, Warning) else UserWarning
