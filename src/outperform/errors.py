"""The errors users meet: each says what came, what is needed and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = [
    "DataError",
    "DesignError",
    "MethodError",
    "OutperformError",
    "RunFailed",
    "did_you_mean",
]


class OutperformError(ValueError):
    """Anything this package refuses on purpose; what a terminal would obey is spelt out."""

    def __str__(self) -> str:
        from .characters import spelt

        return spelt(super().__str__(), keep="\n\t")


class DataError(OutperformError):
    """The numbers, labels or file handed in cannot be used as they are."""


class DesignError(OutperformError):
    """A design cannot be read, or cannot split these data."""


class MethodError(OutperformError):
    """A method is unknown, or was asked for something it cannot answer."""


class RunFailed(OutperformError):
    """Cells of a run failed, so that its scores are not complete."""

    failures: tuple[Any, ...] = ()
    """What failed, grouped: learner, status, count, line, example, address."""
    scores: Any = None
    """The scores of the learners that finished everywhere; None if there is none."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint that names the nearest known words, or lists them all."""
    from difflib import get_close_matches

    names = sorted(name[:60] for name in known if name.isprintable())[:100]
    near = get_close_matches(word, names, n=2, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(repr(name) for name in near) + "?"
    return "known: " + ", ".join(names)
