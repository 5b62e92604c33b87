"""The errors users meet: each says what came, what is needed and what to do.

Characters nobody sees, or sees to differ, are spelt out in them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Control, format, surrogate and private characters, and the separators that break a line."""


def spelt(text: str, keep: Collection[str] = ()) -> str:
    """Return text whose control, format and bidirectional characters are spelt out, as <U+202E>.

    A terminal would obey them; left out, two texts that differ by them alone would look the same.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in keep or unicodedata.category(c) not in UNSEEN else _code(c) for c in text
    )


def spelt_name(name: str) -> str:
    """Return a name in which marks that could be part of a letter, and odd spaces, are seen too."""
    ends = len(name) - len(name.lstrip(" ")), len(name.rstrip(" "))
    if name.isascii() and name.isprintable() and ends == (0, len(name)):
        return name
    marks = () if unicodedata.is_normalized("NFC", name) else ("Mn",)
    return "".join(
        _code(c)
        if unicodedata.category(c) in (*UNSEEN, *marks)
        or (c.isspace() and (c != " " or not ends[0] <= at < ends[1]))
        else c
        for at, c in enumerate(name)
    )


def is_blank(name: str) -> bool:
    """Tell whether a name shows nothing: it is empty, or holds spaces and unseen characters."""
    return all(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Zs") for c in name)


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return "1 pair" or "3 pairs"; with `many`, "1 item has" or "3 items have"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two names that look the same: they differ in how letters are composed, or unseen."""
    seen: dict[str, str] = {}
    for name in names:
        look = "".join(c for c in name if unicodedata.category(c) != "Cf")
        look = unicodedata.normalize("NFC", look).strip()
        if seen.setdefault(look, name) != name:
            return seen[look], name
    return None


def _code(character: str) -> str:
    return f"<U+{ord(character):04X}>"


Writer = Callable[[str, tuple[Any, ...], Mapping[str, Any]], str]
"""Writes a call: the verb ("" for arguments alone), what is given by position, and by name."""


def _in_python(verb: str, given: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    words = [_value(value) for value in given]
    words += [f"{name}={_value(value)}" for name, value in named.items()]
    name = "methods.table" if verb == "methods" else verb
    return f"outperform.{name}({', '.join(words)})" if verb else ", ".join(words)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(repr('…') if one is ... else repr(one) for one in value)}]"
    return "…" if value is ... else repr(value)


_writer: ContextVar[Writer] = ContextVar("writer", default=_in_python)


def argument(**named: Any) -> str:
    """Return arguments as the reader passes them, for a hint; `...` is left open.

    In Python that is ``design='10cv'``; the command line writes ``--design 10cv`` instead.

    >>> argument(design="10cv"), argument(method=...)
    ("design='10cv'", 'method=…')
    """
    return _writer.get()("", (), named)


def call(verb: str, *given: Any, **named: Any) -> str:
    """Return a call of this package as the reader makes it, for a hint.

    >>> call("methods", design="10cv")
    "outperform.methods.table(design='10cv')"
    """
    return _writer.get()(verb, given, named)


def either(*, python: str, typed: str) -> str:
    """Return what the reader does where Python and the command line have different ways."""
    return python if _writer.get() is _in_python else typed


@contextmanager
def written_by(writer: Writer) -> Iterator[None]:
    """Write arguments and calls in another way: the command line has options."""
    token = _writer.set(writer)
    try:
        yield
    finally:
        _writer.reset(token)


class OutperformError(ValueError):
    """Base class of the errors that this package raises on purpose.

    It is a `ValueError`. Control characters in the message are escaped.

    Examples
    --------
    >>> import outperform as op
    >>> try:
    ...     op.parse("10 folds")
    ... except op.OutperformError as error:
    ...     print(type(error).__name__)
    DesignError
    """

    def __str__(self) -> str:

        return spelt(super().__str__(), keep="\n\t")


class DataError(OutperformError):
    """The numbers, labels or file passed cannot be used as they are.

    Examples
    --------
    >>> import outperform as op
    >>> try:
    ...     op.paired_t([1, 2, float("nan")], [1, 2, 3], unit="items")
    ... except op.DataError as error:
    ...     print(str(error).partition(";")[0])
    a[2] is nan
    """


class LogIncomplete(DataError):
    """A log is of a run that did not finish."""


class DesignError(OutperformError):
    """A design cannot be read, or cannot split these data.

    Examples
    --------
    >>> import outperform as op
    >>> try:
    ...     op.KFold(1)
    ... except op.DesignError as error:
    ...     print(str(error).partition(";")[0])
    folds must be an integer of at least 2, got 1
    """


class MethodError(OutperformError):
    """A method is unknown, or cannot answer the question.

    Examples
    --------
    >>> import outperform as op
    >>> try:
    ...     op.explain("corected_t")
    ... except op.MethodError as error:
    ...     print(error)
    'corected_t' is neither a method nor an OP code; did you mean 'corrected_t' or 'calibrated_t'?
    """


class RunFailed(OutperformError):
    """Fits of a run failed, so that its scores are not complete.

    Attributes
    ----------
    failures : tuple of Any
        What failed, grouped: learner, status, count, line, example and address.
    scores : object
        Scores of the learners without failures; None if there are none.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [1.0]] * 10, [0, 1] * 10
    >>> try:
    ...     op.run(LogisticRegression(C=-1), X, y, design="2cv", random_state=0, progress=False)
    ... except op.RunFailed as error:
    ...     print(error.failures[0].learner, error.scores)
    LogisticRegression None
    """

    failures: tuple[Any, ...] = ()
    scores: Any = None


def naming_line(traceback: str) -> str:
    """Return the line of a traceback that names the exception; its message may have more lines."""
    lines = traceback.rstrip().split("\n")
    if "\nTraceback (most recent" in traceback and not traceback.startswith("Traceback"):
        return lines[0]  # an error of ours, before that of what it describes
    begins = [at for at, line in enumerate(lines) if line.startswith("Traceback (most recent")]
    after = lines[begins[-1] + 1 :] if begins else lines[-1:]
    return next((line for line in after if not line.startswith(" ")), lines[-1]).strip()


def did_you_mean(word: str, known: Iterable[object]) -> str:
    """Return a hint that names the nearest known words, or lists them all."""
    from difflib import get_close_matches

    names = sorted(name[:60] for name in map(str, known) if name.isprintable())[:100]
    near = get_close_matches(word, names, n=2, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(repr(name) for name in near) + "?"
    return "known: " + ", ".join(names)
