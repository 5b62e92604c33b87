"""What a view is: how arrays and `Scores` become one, and the inputs it is tried on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from .. import validation
from ..designs import Design
from ..errors import DataError, MethodError, call
from ..notes import Note
from ..numerics.exact_sums import Array
from ..scores.item_losses import metric_of
from ..scores.performance import Performance, Unit

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


Axes: TypeAlias = tuple[tuple[str, ...], ...]

AXES: dict[str, Axes] = {
    "folds": (("fold",),),
    "splits": (("split",), ("repeat", "fold")),
    "twofold": (("repeat", "pair"),),
    "partitions": (("partition", "fold"), ("partition", "repeat", "pair")),
    "items": (("item",),),
    "datasets": (("dataset",),),
}
_PLACE = {"partition": 0, "repeat": 1}
UNITS: dict[str, Unit] = {"items": "item", "datasets": "dataset"}
"""What a score of a layout is of, where it is not a split."""


def as_grid(array: Array, layout: str, plan: Design | None, batch: bool) -> Array:
    """Shape an array to (..., partitions, repeats, folds) as the method's axes say."""
    allowed = AXES[layout]
    if plan is not None and (array.ndim == 1 or batch):
        shape = plan.shape
        if shape is not None and math.prod(shape) == array.shape[-1]:
            return array.reshape(*array.shape[:-1], *shape)
    axes = allowed[0] if batch else next((ax for ax in allowed if len(ax) == array.ndim), None)
    if axes is None or array.ndim < len(axes):
        needed = " or ".join("(" + ", ".join(f"{name}s" for name in ax) + ")" for ax in allowed)
        raise DataError(
            f"Scores must have the axes {needed} for this method, got shape {array.shape}. "
            f"Reshape them, or use a method for this layout: {call('methods')}"
        )
    lead = array.shape[: array.ndim - len(axes)]
    grid = [1, 1, 1]
    for name, size in zip(axes, array.shape[len(lead) :], strict=True):
        grid[_PLACE.get(name, 2)] = size
        if name == "pair" and size != 2:
            raise DataError(
                "The last axis of the scores must contain the 2 folds of each replication, shape "
                f"(repeats, 2), got shape {array.shape}."
            )
    shape = None if plan is None else plan.shape
    fits = shape is None or (
        tuple(grid) == shape if len(axes) > 1 else math.prod(shape) == math.prod(grid)
    )
    if not fits and plan is not None and plan.shape is not None:
        raise DataError(
            f"Design {plan} has {math.prod(plan.shape)} scores per learner, got {math.prod(grid)} "
            f"(shape {array.shape}). Pass the design that produced the scores."
        )
    return array.reshape(*lead, *grid)


def ratio_of(plan: Design | None, n_train: Any, n_test: Any, n_splits: int) -> float | None:
    """Return n_test / n_train: of the sizes given, or of the design."""
    if (n_train is None) != (n_test is None):
        missing = "n_train" if n_train is None else "n_test"
        raise DataError(f"{missing} is missing; n_train and n_test must be passed together.")
    if n_train is not None:
        train, test = (
            math.fsum(validation.sizes(value, name, n_splits).tolist())
            for value, name in ((n_train, "n_train"), (n_test, "n_test"))
        )
        return test / train
    ratio = None if plan is None else plan.test_train_ratio
    return None if ratio is None else float(ratio)


Generator: TypeAlias = np.random.Generator


@dataclass(frozen=True, slots=True)
class Case:
    """One call of a method: arrays by argument name, other keywords, a name for messages."""

    label: str
    arrays: Mapping[str, Any]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def null(self) -> float:
        return float(self.keywords.get("mu0") or 0.0)

    def fits(self, other: Case) -> bool:
        """Tell whether the arrays of two cases can be stacked."""
        shapes = [{name: np.shape(a) for name, a in case.arrays.items()} for case in (self, other)]
        return shapes[0] == shapes[1] and self.keywords == other.keywords

    def but(self, how: str, mu0: float | None = None, **arrays: Any) -> Case:
        """Return the case with other arrays, or another null value."""
        keywords = self.keywords if mu0 is None else {**self.keywords, "mu0": mu0}
        return Case(f"{self.label}, {how}", {**self.arrays, **arrays}, keywords)

    def each(self, how: str, change: Callable[[Array], Any], mu0: float | None = None) -> Case:
        """Return the case with the same change made to every array."""
        return self.but(how, mu0, **{name: change(array) for name, array in self.arrays.items()})

    def __str__(self) -> str:
        keywords = "".join(f", {name}={value!r}" for name, value in self.keywords.items())
        return self.label + keywords


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one view, and what may be done to them."""

    draw: Callable[[str, Generator], list[Case]]
    """Ordinary inputs of a layout; those that fit the first can be stacked."""
    extreme: Callable[[str, Generator, bool], Case]
    """The first side is far better: p near 1e-50, or too small for a float."""
    whole: Callable[[str, Generator], Case]
    """Small whole numbers, which every type of array can hold."""
    smallest: Callable[[str], Case]
    reorder: Callable[[Case, str, Generator, bool], Case]
    """The same input in another order; the flag keeps the first entry where it is."""
    swap: Callable[[Case, str], Case | None]
    identical: Callable[[Case], Case] | None = None
    constant: Callable[[Case], Case] | None = None
    balanced: Callable[[Case], Case] | None = None
    """Sides that differ item by item, yet are equally good."""
    scales: bool = False
    shifts: bool = False
    has_null: bool = False
    orients: bool = False
    """Takes lower_is_better."""
    centre: float = 0.0
    """Where estimates mirror when the sides change places."""
    turns: bool = True
    """Whether the estimate changes sign when the sides change places."""


def dyadic(values: Any) -> Array:
    """Round to multiples of 2⁻²⁰, so that sums and shifts of such scores are exact."""
    return np.asarray(np.round(np.asarray(values) * 2**20) / 2**20)


def exchanged(case: Case, layout: str) -> Case:
    null = -case.null if "mu0" in case.keywords else None
    if len(case.arrays) == 1:
        return case.each("negated", np.negative, null)
    first, second = case.arrays
    sides = {first: case.arrays[second], second: case.arrays[first]}
    return case.but("sides exchanged", null, **sides)


def same_sides(case: Case) -> Case:
    first, *second = case.arrays
    if not second:
        return case.each("all at the null", lambda array: np.full_like(array, case.null))
    known = case.arrays[second[0]]
    return case.but("the same on both sides", 0.0 if case.null else None, **{first: known})


def a_hundredth_apart(case: Case) -> Case:
    """Return scores 0.01 apart as a reader would type them: 0.81 and 0.80, 0.79 and 0.78."""
    first, *second = case.arrays
    if not second:
        return case.each("all above the null", lambda x: np.full_like(x, case.null + 0.01))
    known = np.round(case.arrays[second[0]], 2)
    arrays = {first: np.round(known + 0.01, 2), second[0]: known}
    return case.but("always 0.01 apart", **arrays)


def reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    return case.each("in another order", lambda array: rng.permutation(np.asarray(array)))


def whole_numbers(label: str, **arrays: Any) -> Any:
    def make(layout: str, rng: Generator) -> Case:
        return Case(label, {name: np.asarray(a, dtype=float) for name, a in arrays.items()})

    return make


def only(case: Case) -> Any:
    return lambda layout: case


V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Context:
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
    performances: tuple[Performance, ...] = ()
    """How each side scored, best first, where plain arrays tell it."""


def _one(scores: Scores) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class View:
    """One kind of numbers that procedures read, in the order of a registered method's layouts."""

    type: type[Any]
    arrays: Callable[..., tuple[Any, Context]]
    scores: Callable[..., tuple[Any, Context]]
    cases: Inputs
    """The inputs on which the conformance suite tries procedures that read this view."""
    pairs: Callable[[str, Scores, Any, Any], tuple[Any, int]] | None = None
    """Stacks the pairs at positions i and j; None where no procedure judges pairs by it."""
    width: Callable[[Scores], int] = _one
    """How many numbers a stacked pair takes; pairs are stacked in blocks that fit in memory."""
    layouts: tuple[str, ...] = ("",)
    of_items: bool = False
    """True where it holds what happened on single test items."""
    in_order: bool = False
    """True where the order of the items is part of what is judged."""

    @property
    def name(self) -> str:
        return self.type.__name__


VIEWS: dict[str, View] = {}
"""By the name of the class that a procedure's first argument is annotated with."""


def register_view(view: View) -> View:
    """Let procedures read a view."""
    taken = VIEWS.get(view.name)
    if taken is not None and taken.type.__module__ != view.type.__module__:
        raise MethodError(
            f"A view must have a unique name, got {view.name!r}, which is already a view in "
            f"{taken.type.__module__}; rename the class."
        )
    VIEWS[view.name] = view
    return view


def stacked(each: Sequence[V]) -> V:
    """Put views of single experiments into one with a leading axis."""
    like: Any = each[0]
    made: dict[str, Any] = {"residual": None} if hasattr(like, "residual") else {}
    for each_field in fields(like):
        parts = [getattr(view, each_field.name) for view in each]
        if each_field.name not in made and isinstance(parts[0], np.ndarray | np.generic):
            made[each_field.name] = np.stack([np.asarray(part) for part in parts])
    stack: V = replace(like, **made)
    return stack


def at(view: V, row: int) -> V:
    """Return the view of one experiment of many."""
    like: Any = view
    made = {
        each_field.name: value[row]
        for each_field in fields(like)
        if isinstance(value := getattr(view, each_field.name), np.ndarray) and value.ndim
    }
    one: V = replace(like, **made)
    return one


def pair(names: Any) -> tuple[str, str]:
    first, second = ("A", "B") if names is None else validation.learner_names(names, 2)
    return first, second


def numbered_names(k: int) -> tuple[str, ...]:
    return tuple(f"model {m + 1}" for m in range(k))


def over_seeds(scores: Scores) -> bool:
    """Tell whether what varies is the seed alone, so that methods of items read seeds instead."""
    return scores.design is not None and scores.design.kind in ("seeds", "unpaired-seeds")


def metric_of_items(scores: Scores) -> str:
    """Name what a mean over items is of: their losses are known, but not an r2 of each."""
    items = None if over_seeds(scores) or scores.measured is not None else scores.items
    return scores.metric if items is None else metric_of(items.loss, scores.metric)


def notes_on_items(scores: Scores) -> tuple[Note, ...]:
    """Say what is judged item by item, where the metric is of a whole test set."""
    judged = metric_of_items(scores)
    if scores.metric in ("score", judged):
        return ()
    said = f"{scores.metric} has no value for a single item: {judged} was compared instead."
    return (Note("OP406", said),)


def asked_of(
    scores: Scores, names: tuple[str, str | None], n: int, *, of_items: bool = False
) -> Context:
    """Return what is known of scores beside the numbers."""
    return Context(
        names,
        n,
        metric_of_items(scores) if of_items else scores.metric,
        scores.design,
        scores.seed,
        (*scores.notes, *(notes_on_items(scores) if of_items else ())),
        lower_is_better=not scores.greater_is_better,
    )
