"""Around a fit: time limits and signals; seeds, threads, output and warnings of learners."""

from __future__ import annotations

import atexit
import io
import json
import os
import random
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, reduce
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

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


class WarningKind(NamedTuple):
    """What warnings have in common that are counted together."""

    module: str
    category: str
    file: str
    line: int
    words: str


Heard = dict[WarningKind, tuple[str, Counter[str]]]
"""The first text of each kind, and how often each learner raised it."""


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
            _State.others = frozenset(sys._current_frames())
            _State.outside = warnings.catch_warnings()
            _State.outside.__enter__()
            filters: Any = warnings.filters
            _State.rules, _State.shown_places = tuple(filters), set()
            stays = ("ignore", "error")
            filters[:] = [(a if a in stays else "always", *rest) for a, *rest in filters]
            warnings.simplefilter("always", append=True)  # and they are looked up anew
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
    """Begin anew in a forked process, whose parent's threads may have held the lock."""
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
