"""What a view is: how arrays and `Scores` become one, and the inputs it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .. import inputs
from ..designs import Design
from ..items import METRIC_OF_LOSS
from ..notes import Note
from .cases import Kind

if TYPE_CHECKING:
    from ..scores import Scores

__all__ = [
    "VIEWS",
    "Asked",
    "View",
    "asked_of",
    "metric_of_items",
    "numbered_names",
    "pair",
    "register",
    "stacked",
]

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a method beside the numbers: names, design, what was inferred."""

    names: tuple[str, str | None] = ("A", "B")
    n: int = 0
    metric: str = "score"
    design: Design | None = None
    seed: int | None = None
    notes: tuple[Note, ...] = ()
    learners: tuple[str, ...] = ()
    """All names, where more than two learners are judged together."""
    lower_is_better: bool = False
    """True where scores are errors or losses, so that differences were turned."""


def _one(scores: Scores) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class View:
    """One kind of numbers that procedures read, in the order of a registered method's layouts."""

    type: type[Any]
    arrays: Callable[..., tuple[Any, Asked]]
    scores: Callable[..., tuple[Any, Asked]]
    cases: Kind
    """The inputs on which the conformance suite tries procedures that read this view."""
    pairs: Callable[[str, Scores, Any, Any], tuple[Any, int]] | None = None
    """Stacks the pairs at positions i and j; None where no procedure judges pairs by it."""
    width: Callable[[Scores], int] = _one
    """How many numbers a stacked pair takes; pairs are stacked in blocks that fit in memory."""
    layouts: tuple[str, ...] = ("",)
    of_items: bool = False
    """True where it holds what happened on single test items."""

    @property
    def name(self) -> str:
        return self.type.__name__


VIEWS: dict[str, View] = {}
"""By the name of the class that a procedure's first argument is annotated with."""


def register(view: View) -> View:
    """Let procedures read a view."""
    VIEWS[view.name] = view
    return view


def stacked(each: Sequence[V]) -> V:
    """Put views of single experiments into one with a leading axis."""
    like: Any = each[0]
    made: dict[str, Any] = {"residual": None} if hasattr(like, "residual") else {}
    for field in fields(like):
        parts = [getattr(view, field.name) for view in each]
        if field.name not in made and isinstance(parts[0], np.ndarray | np.generic):
            made[field.name] = np.stack([np.asarray(part) for part in parts])
    stack: V = replace(like, **made)
    return stack


def pair(names: Any) -> tuple[str, str]:
    first, second = ("A", "B") if names is None else inputs.learner_names(names, 2)
    return first, second


def numbered_names(k: int) -> tuple[str, ...]:
    return tuple(f"model {m + 1}" for m in range(k))


def metric_of_items(scores: Scores) -> str:
    """Name what a mean over items is of: their losses are known, but not an r2 of each."""
    return scores.metric if scores.items is None else METRIC_OF_LOSS[scores.items.loss]


def asked_of(
    scores: Scores, names: tuple[str, str | None], n: int, *, of_items: bool = False
) -> Asked:
    """Return what is known of scores beside the numbers."""
    return Asked(
        names,
        n,
        metric_of_items(scores) if of_items else scores.metric,
        scores.design,
        scores.seed,
        scores.notes,
        lower_is_better=not scores.greater_is_better,
    )
