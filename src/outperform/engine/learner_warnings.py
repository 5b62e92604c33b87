"""Warnings of learners: shown once, when the run ends, with how often and by whom raised."""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any, NamedTuple

__all__ = ["add", "counted", "drain", "shown_once", "speaks"]

MOST = 20
"""Different warnings that are shown; beyond, they are counted together."""
LONGEST = 2_000
NUMBER = re.compile(r"0x[0-9a-f]+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
"""Warnings that differ in numbers alone are the same."""


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
