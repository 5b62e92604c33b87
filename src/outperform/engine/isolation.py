"""Isolation: a worker that shows nothing of a learner; cells in forks, blamed if they die."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import takewhile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from time import perf_counter, sleep

from ..storage import Outcome
from .environment import (
    add,
    counted,
    drain,
    forked,
    muffled,
    pinned,
    same_random_state,
    silent,
)
from .estimators import Estimator
from .fitting import SOURCE, Cell, Job, run_cells
from .interruptions import (
    die_with,
)

OUT_OF_MEMORY = "often sent by the system when memory runs out"


def _hard_limit(seconds: float) -> float:
    """Return when a cell is killed that does not stop at its time limit."""
    return 1.5 * seconds + 1


def can_isolate(job: Job) -> bool:
    """Tell whether a worker can be forked here."""
    return sys.platform == "linux" and job.table.can_fork


def ended_in_time(
    job: Job, outcomes: Iterator[tuple[Cell, Outcome]], parent: int
) -> Iterator[tuple[Cell, Outcome]]:
    """End this process where a cell hangs in code that no exception reaches."""
    ours = os.getpid() != parent and threading.current_thread() is threading.main_thread()
    if job.time_limit is None or not ours:
        yield from outcomes
        return
    with open(os.devnull, "w") as nowhere:
        try:
            while True:
                limit = _hard_limit(job.time_limit)
                faulthandler.dump_traceback_later(limit, exit=True, file=nowhere)
                answer = next(outcomes, None)
                faulthandler.cancel_dump_traceback_later()
                if answer is None:
                    return
                yield answer
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def in_worker(parent: int) -> Iterator[None]:
    """Prepare a worker for a task, and leave it as it was: others may use it next."""
    with ExitStack() as stack:
        stack.enter_context(counted())
        stack.enter_context(pinned())
        if os.getpid() == parent:  # a thread of the caller: the run has muffled it
            stack.enter_context(silent())
        elif threading.current_thread() is threading.main_thread():
            stack.enter_context(same_random_state())
            stack.enter_context(_nothing_printed())
            stack.enter_context(_no_dump())
            # An interrupt at the keyboard reaches every process; the parent decides what it means.
            before = signal.signal(signal.SIGINT, signal.SIG_IGN)
            stack.callback(signal.signal, signal.SIGINT, before)
            die_with(parent)
        else:
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


def run_isolated(
    job: Job, estimators: Mapping[int, Estimator], cells: Sequence[Cell]
) -> Iterator[tuple[Cell, Outcome]]:
    """Run cells in a child process; when it dies, blame the cell it was at and go on after it."""
    left = list(cells)
    while left:
        receive, send = Pipe(duplex=False)
        trace = os.memfd_create("trace")
        with warnings.catch_warnings():  # of threads: the child touches none of them
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            _live(job, estimators, left, send, trace)
        send.close()
        try:
            yield from _listen(job, left, receive, child, trace)
        finally:
            receive.close()
            _end(child)
            os.close(trace)


def _live(
    job: Job,
    estimators: Mapping[int, Estimator],
    cells: Sequence[Cell],
    send: Connection,
    trace: int,
) -> None:
    """Be the child: send outcomes until all are sent, and never return."""
    code = 1
    try:
        os.setsid()  # so that what the learner starts can be ended with it
        _die_with_parent()
        faulthandler.enable(trace, all_threads=False)
        forked()
        for _, outcome in run_cells(job, estimators, cells, share=False):
            send.send((outcome, drain()))
        code = 0
    finally:
        os._exit(code)


def _listen(
    job: Job, left: list[Cell], receive: Connection, child: int, trace: int
) -> Iterator[tuple[Cell, Outcome]]:
    """Yield what the child sends, taking each cell off the list, until it ends."""
    limit = None if job.time_limit is None else _hard_limit(job.time_limit)
    while left:
        began = perf_counter()
        try:
            outcome, warned = receive.recv() if receive.poll(limit) else (None, {})
            add(warned)
        except Exception:  # closed, or something that no outcome of ours can be
            said = "\n".join([*_stack(trace), _epitaph(child)])
            outcome = Outcome(None, perf_counter() - began, None, "killed", said)
        if outcome is None:
            said = f"no answer within {job.time_limit:g} s, and its process had to be killed"
            outcome = Outcome(None, perf_counter() - began, None, "timeout", said)
        yield left.pop(0), outcome
        if outcome.status in ("killed", "timeout"):
            return  # the next cell gets a new child, for this one is dead or in doubt


def _stack(trace: int) -> list[str]:
    """Return where the learner was when its process crashed, as far as that was written."""
    lines = os.pread(trace, 20_000, 0).decode("utf-8", "replace").splitlines()
    calls = [line for line in lines if line.startswith('  File "')]
    own = list(takewhile(lambda line: not line.startswith(f'  File "{SOURCE}"'), calls))
    return ["Stack (most recent call first):", *own] if own else []


def _epitaph(child: int) -> str:
    """Say how a process died."""
    for _ in range(50):
        ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is not None:
            break
        sleep(0.02)
    else:
        return "it closed the connection to its worker"
    if ended.si_code == os.CLD_EXITED:
        return f"it killed its process: exit code {ended.si_status}"
    name = signal.Signals(ended.si_status).name
    often = f", {OUT_OF_MEMORY}" if name == "SIGKILL" else ""
    return f"it killed its process: signal {ended.si_status} ({name}){often}"


def _end(child: int) -> None:
    """End a child, if it still lives, and what it has started."""
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(child, signal.SIGKILL)
    with suppress(OSError):
        os.waitpid(child, 0)


def _die_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies."""
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
