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
    """One call of a method, as the conformance suite makes it.

    Attributes
    ----------
    label : str
        Name for messages.
    arrays : mapping
        Arrays by argument name.
    keywords : mapping
        Other arguments.

    Examples
    --------
    >>> from outperform.extend import Case
    >>> case = Case("two splits", {"a": [0.8, 0.9], "b": [0.7, 0.8]})
    >>> case.fits(case), case.null, case.but("other", b=[0.6, 0.6]).arrays["b"]
    (True, 0.0, [0.6, 0.6])
    >>> str(case.each("doubled", lambda array: [2 * one for one in array]))
    'two splits, doubled'
    """

    label: str
    arrays: Mapping[str, Any]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def null(self) -> float:
        """The difference under the null hypothesis, `mu0` or 0."""
        return float(self.keywords.get("mu0") or 0.0)

    def fits(self, other: Case) -> bool:
        """Return whether the arrays of two cases can be stacked.

        Parameters
        ----------
        other : Case
            Another case.

        Returns
        -------
        bool
            Whether shapes and keywords are the same.
        """
        shapes = [{name: np.shape(a) for name, a in case.arrays.items()} for case in (self, other)]
        return shapes[0] == shapes[1] and self.keywords == other.keywords

    def but(self, how: str, mu0: float | None = None, **arrays: Any) -> Case:
        """Return the case with other arrays, or another null value.

        Parameters
        ----------
        how : str
            What was changed, for messages.
        mu0 : float, optional
            Another null value.
        **arrays : array-like
            Arrays to replace, by argument name.

        Returns
        -------
        Case
            The changed case.
        """
        keywords = self.keywords if mu0 is None else {**self.keywords, "mu0": mu0}
        return Case(f"{self.label}, {how}", {**self.arrays, **arrays}, keywords)

    def each(self, how: str, change: Callable[[Array], Any], mu0: float | None = None) -> Case:
        """Return the case with the same change made to every array.

        Parameters
        ----------
        how : str
            What was changed, for messages.
        change : callable
            Returns a changed array.
        mu0 : float, optional
            Another null value.

        Returns
        -------
        Case
            The changed case.
        """
        return self.but(how, mu0, **{name: change(array) for name, array in self.arrays.items()})

    def __str__(self) -> str:
        keywords = "".join(f", {name}={value!r}" for name, value in self.keywords.items())
        return self.label + keywords


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one view for the conformance suite, and what may be done to them.

    Attributes
    ----------
    draw : Callable[[str, Generator], list of Case]
        Ordinary inputs of a layout; those that fit the first can be stacked.
    extreme : Callable[[str, Generator, bool], Case]
        The first side is far better: p near 1e-50, or too small for a float.
    whole : Callable[[str, Generator], Case]
        Small whole numbers, which every type of array can hold.
    smallest : Callable[[str], Case]
        The smallest input that a layout allows.
    reorder : Callable[[Case, str, Generator, bool], Case]
        The same input in another order; the flag keeps the first entry where it is.
    swap : Callable[[Case, str], Case or None]
        The same input with the sides exchanged; None if that is impossible.
    identical : Callable[[Case], Case] or None
        Sides that score the same everywhere.
    constant : Callable[[Case], Case] or None
        Sides with a constant non-zero difference.
    balanced : Callable[[Case], Case] or None
        Sides that differ item by item, yet are equally good.
    scales : bool
        Whether another unit may be used.
    shifts : bool
        Whether a constant may be added to both sides.
    has_null : bool
        Whether it takes `mu0`.
    orients : bool
        Whether it takes `lower_is_better`.
    centre : float
        Where estimates mirror when the sides change places.
    turns : bool
        Whether the estimate changes sign when the sides change places.

    Examples
    --------
    >>> from outperform.extend import Case, Inputs, exchanged
    >>> case = Case("one split", {"a": [0.8], "b": [0.7]})
    >>> tried = Inputs(
    ...     draw=lambda layout, rng: [case],
    ...     extreme=lambda layout, rng, beyond: case,
    ...     whole=lambda layout, rng: case,
    ...     smallest=lambda layout: case,
    ...     reorder=lambda case, layout, rng, keep: case,
    ...     swap=exchanged,
    ... )
    >>> tried.swap(case, "").arrays["a"]
    [0.7]
    """

    draw: Callable[[str, Generator], list[Case]]
    extreme: Callable[[str, Generator, bool], Case]
    whole: Callable[[str, Generator], Case]
    smallest: Callable[[str], Case]
    reorder: Callable[[Case, str, Generator, bool], Case]
    swap: Callable[[Case, str], Case | None]
    identical: Callable[[Case], Case] | None = None
    constant: Callable[[Case], Case] | None = None
    balanced: Callable[[Case], Case] | None = None
    scales: bool = False
    shifts: bool = False
    has_null: bool = False
    orients: bool = False
    centre: float = 0.0
    turns: bool = True


def dyadic(values: Any) -> Array:
    """Round to multiples of 2⁻²⁰, so that sums and shifts of such scores are exact."""
    return np.asarray(np.round(np.asarray(values) * 2**20) / 2**20)


def exchanged(case: Case, layout: str) -> Case:
    """Return a case with the sides exchanged, or with one array negated.

    Parameters
    ----------
    case : Case
        Arrays and keywords of one call.
    layout : str
        Layout of the arrays.

    Returns
    -------
    Case
        The changed case.

    Examples
    --------
    >>> from outperform.extend import Case, exchanged
    >>> exchanged(Case("one split", {"a": [0.8], "b": [0.7]}), "").arrays
    {'a': [0.7], 'b': [0.8]}
    """
    null = -case.null if "mu0" in case.keywords else None
    if len(case.arrays) == 1:
        return case.each("negated", np.negative, null)
    first, second = case.arrays
    sides = {first: case.arrays[second], second: case.arrays[first]}
    return case.but("sides exchanged", null, **sides)


def same_sides(case: Case) -> Case:
    """Return a case in which both sides score the same everywhere.

    Parameters
    ----------
    case : Case
        Arrays and keywords of one call.

    Returns
    -------
    Case
        The changed case.

    Examples
    --------
    >>> from outperform.extend import Case, same_sides
    >>> same_sides(Case("one split", {"a": [0.8], "b": [0.7]})).arrays
    {'a': [0.7], 'b': [0.7]}
    """
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
    """What a result shows beside the numbers: names, design, notes.

    Attributes
    ----------
    names : tuple[str, str or None]
        Names of the two sides.
    n : int
        Number of splits, items or datasets.
    metric : str
        Name of the metric.
    design : Design or None
        The design that made the scores.
    seed : int or None
        Seed of the run, if known.
    notes : tuple of Note
        Notes on assumptions and on what was done.
    learners : tuple of str
        All names, where more than two learners are judged together.
    lower_is_better : bool
        True where scores are errors or losses, so that the sign of differences was flipped.
    performances : tuple of Performance
        How each side scored, best first, where plain arrays tell it.

    Examples
    --------
    >>> from outperform.extend import Context
    >>> Context(("tree", "bayes"), 10).metric
    'score'
    """

    names: tuple[str, str | None] = ("A", "B")
    n: int = 0
    metric: str = "score"
    design: Design | None = None
    seed: int | None = None
    notes: tuple[Note, ...] = ()
    learners: tuple[str, ...] = ()
    lower_is_better: bool = False
    performances: tuple[Performance, ...] = ()


def _one(scores: Scores) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class View:
    """One kind of input that procedures read.

    Attributes
    ----------
    type : type
        Class of the input; a procedure's first argument is annotated with it.
    arrays : Callable[..., tuple[Any, Context]]
        Makes it from a layout and the arguments of a call; returns it with a `Context`.
    scores : Callable[..., tuple[Any, Context]]
        Makes it from a layout, `Scores` and the names of learners.
    cases : Inputs
        The inputs on which the conformance suite tries procedures that read this view.
    pairs : Callable[[str, Scores, Any, Any], tuple[Any, int]] or None
        Stacks the pairs at positions i and j; None where no procedure judges pairs by it.
    width : Callable[[Scores], int]
        How many numbers a stacked pair takes; pairs are stacked in blocks that fit in memory.
    layouts : tuple of str
        Layouts of the arrays, the default first.
    of_items : bool
        True where it holds what happened on single test items.
    in_order : bool
        True where the order of the items is part of what is judged.

    Examples
    --------
    >>> import outperform as op
    >>> op.corrected_t.view.name, op.corrected_t.view.layouts[0]
    ('Differences', 'splits')
    """

    type: type[Any]
    arrays: Callable[..., tuple[Any, Context]]
    scores: Callable[..., tuple[Any, Context]]
    cases: Inputs
    pairs: Callable[[str, Scores, Any, Any], tuple[Any, int]] | None = None
    width: Callable[[Scores], int] = _one
    layouts: tuple[str, ...] = ("",)
    of_items: bool = False
    in_order: bool = False

    @property
    def name(self) -> str:
        """Name of the class."""
        return self.type.__name__

    def read(self, layout: str, *arrays: Any, **keywords: Any) -> tuple[Any, Context]:
        """Read arrays; a direction that was not passed is assumed, with a note."""
        if not self.cases.orients:
            return self.arrays(layout, *arrays, **keywords)
        from ..readers.score_ranges import direction

        passed = keywords.pop("lower_is_better", None)
        view, asked = self.arrays(layout, *arrays, lower_is_better=bool(passed), **keywords)
        lower, judged = direction(asked.metric, passed)
        if lower and not passed:
            view, asked = self.arrays(layout, *arrays, lower_is_better=True, **keywords)
        notes = (Note("OP001", judged),) if judged else ()
        return view, replace(asked, notes=(*asked.notes, *notes))


VIEWS: dict[str, View] = {}
"""By the name of the class that a procedure's first argument is annotated with."""


def register_view(view: View) -> View:
    """Register a view, so that procedures can read it.

    Parameters
    ----------
    view : View
        The view.

    Returns
    -------
    View
        The same.

    Examples
    --------
    >>> import outperform as op
    >>> op.extend.register_view(op.corrected_t.view).name
    'Differences'
    """
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
    """Return the context of scores: names, metric, design, seed and notes.

    Parameters
    ----------
    scores : Scores
        Scores of the learners.
    names : tuple of two str
        Names of the two sides; the second may be None.
    n : int
        Number of splits, items or datasets.
    of_items : bool, default=False
        Whether items are judged one by one.

    Returns
    -------
    Context
        What a result shows beside the numbers.

    Examples
    --------
    >>> import outperform as op
    >>> scores = op.Scores.from_arrays({"a": [0.8, 0.9], "b": [0.7, 0.8]}, design="2cv")
    >>> str(op.extend.asked_of(scores, ("a", "b"), 2).design)
    '2cv'
    """
    return Context(
        names,
        n,
        metric_of_items(scores) if of_items else scores.metric,
        scores.design,
        scores.seed,
        (*scores.notes, *(notes_on_items(scores) if of_items else ())),
        lower_is_better=not scores.greater_is_better,
    )
