"""Call forms: how plain arrays and mappings become the view a method reads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from . import inputs, readings, views
from .designs import Design, parse
from .errors import DataError
from .notes import Note
from .readings import Asked
from .sums import Array

__all__ = ["AXES", "FORMS", "Asked", "Axes", "Form"]

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


@dataclass(frozen=True, slots=True)
class Form:
    """How one kind of view is built from arrays, and from `Scores`."""

    arrays: Callable[..., tuple[Any, Asked]]
    scores: Callable[..., tuple[Any, Asked]]


def differences(
    layout: str,
    a: Any,
    b: Any = None,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    design: Any = None,
    n_train: Any = None,
    n_test: Any = None,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[views.Differences, Asked]:
    """Read one array of scores or differences, or two arrays to subtract."""
    if b is None and isinstance(a, Mapping):
        names, a, b = _two(a, names)
    plan = None if design is None else parse(design)
    null = inputs.one_number(mu0, "mu0")
    parts, moved = inputs.aligned([a] if b is None else [a, b], ["a", "b"])
    arrays = [inputs.numbers(part, name) for part, name in zip(parts, "ab", strict=False)]
    if len(arrays) == 2 and arrays[0].shape != arrays[1].shape:
        raise DataError(
            f"a has shape {arrays[0].shape} and b has shape {arrays[1].shape}; scores are compared "
            "split by split, so both need the same shape"
        )
    notes = [Note("OP002")] if moved else []
    grids = [_grid(array, layout, plan, batch) for array in arrays]
    ratio = _ratio(plan, n_train, n_test, math.prod(grids[0].shape[-3:]))
    planned = None if plan is None else plan.test_train_ratio
    if ratio is not None and planned and not 0.8 < ratio / float(planned) < 1.25:
        raise DataError(
            f"design {plan} tests {float(planned):.3g} items for each it trains on, but n_test and "
            f"n_train give {ratio:.3g}. Pass the design that made the scores, or the sizes alone"
        )
    if ratio is None and not batch and arrays[0].ndim == 2 and layout == "splits":
        repeats, folds = arrays[0].shape
        if folds > 1:
            ratio = 1 / (folds - 1)
            notes.append(
                Note(
                    "OP001",
                    f"Rows read as {repeats} repeats of {folds}-fold "
                    f"cross-validation (design='{repeats}x{folds}cv').",
                )
            )
    if len(grids) == 1 and lower_is_better:
        grids, null = [-grids[0]], -null
    view = views.difference_view(
        grids[0],
        grids[1] if len(grids) == 2 else None,
        null=null,
        lower_is_better=lower_is_better,
        ratio=ratio,
        n_test=None if n_test is None else float(np.min(inputs.counts(n_test, "n_test"))),
    )
    return view, Asked(
        _pair(names) if b is not None else ((names or ("A",))[0], None),
        view.n_splits,
        design=plan,
        notes=tuple(notes),
        lower_is_better=lower_is_better,
    )


def contingency(
    layout: str,
    y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    table: Any = None,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[views.Contingency, Asked]:
    """Read labels and two arrays of predictions, or the counts [[n00, n01], [n10, n11]]."""
    notes: tuple[Note, ...] = ()
    if table is not None:
        if y is not None or a is not None or b is not None:
            raise DataError("labels and table= were both given; one is needed: pass either")
        cells = inputs.counts(table, "table")
        if cells.shape[-2:] != (2, 2) or (cells.ndim != 2 and not batch):
            raise DataError(
                f"table has shape {cells.shape}; counts [[n00, n01], [n10, n11]] are needed, where "
                "n01 counts items that the first got wrong and the second right"
            )
        (n00, n01), (n10, n11) = np.moveaxis(cells, (-2, -1), (0, 1))
        view = views.Contingency(n00[()], n01[()], n10[()], n11[()])
    elif y is None or a is None or b is None:
        raise DataError(
            "labels and both predictions, or table=, are needed: mcnemar(y_true, pred_a, pred_b) "
            "or mcnemar(table=[[n00, n01], [n10, n11]])"
        )
    else:
        (first, second), moved = inputs.right(y, [a, b], ("y", "a", "b"))
        view = views.contingency_of(first, second)
        notes = (Note("OP002"),) if moved else ()
    if not np.all(np.asarray(view.n) > 0):
        raise DataError("the table is empty; at least one item is needed")
    n = int(view.n) if np.ndim(view.n) == 0 else 0
    return view, Asked(_pair(names), n, metric="accuracy", notes=notes)


def item_losses(
    layout: str,
    losses: Any,
    *,
    lower_is_better: bool | None = None,
    names: tuple[str, ...] | None = None,
    batch: bool = False,
) -> tuple[views.ItemLosses, Asked]:
    """Read an (n_items, k) array, a mapping of names to arrays, or a frame with named columns."""
    moved = False
    if isinstance(losses, Mapping):
        names = names or tuple(str(name) for name in losses)
        columns, moved = inputs.aligned(list(losses.values()), names)
        values = np.stack([inputs.numbers(c, n) for c, n in zip(columns, names, strict=True)], -1)
    else:
        if names is None and hasattr(losses, "columns"):
            names = tuple(str(name) for name in losses.columns)
        values = inputs.numbers(losses, "losses")
    if values.ndim < 2 or (values.ndim > 2 and not batch) or values.shape[-1] < 2:
        raise DataError(
            f"losses have shape {values.shape}; one row per item and one column per learner are "
            "needed, shape (n_items, k) with k at least 2"
        )
    binary = bool(np.isin(values, (0.0, 1.0)).all())
    if layout == "right-wrong" and not binary:
        raise DataError(
            "entries other than 0 and 1 were given; right (1) or wrong (0) is needed for every "
            "item. For other losses use simultaneous(losses)"
        )
    names = inputs.learner_names(names or _numbered(values.shape[-1]), values.shape[-1])
    silent = lower_is_better is None and layout != "right-wrong"
    if lower_is_better:
        values = 1 - values if layout == "right-wrong" else -values
    view = views.ItemLosses(values, binary)
    said = (("OP002", moved), ("OP003", silent))
    return view, Asked(
        (f"{view.k} models", None),
        view.n,
        notes=tuple(Note(code) for code, true in said if true),
        learners=names,
        lower_is_better=bool(lower_is_better),
    )


def crossed(
    layout: str,
    losses_a: Any,
    losses_b: Any,
    *,
    lower_is_better: bool | None = None,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[views.Crossed, Asked]:
    """Read losses of two learners on training sets × common test items."""
    given = ("losses_a", "losses_b")
    parts, moved = inputs.aligned([losses_a, losses_b], given)
    a, b = (inputs.numbers(part, name) for part, name in zip(parts, given, strict=True))
    if a.shape != b.shape or a.ndim < 2 or (a.ndim > 2 and not batch) or min(a.shape[-2:]) < 2:
        raise DataError(
            f"losses have shapes {a.shape} and {b.shape}; both need (train sets, items) with at "
            "least 2 of each"
        )
    view = views.crossed_view(a, b, lower_is_better=bool(lower_is_better))
    said = (("OP002", moved), ("OP003", lower_is_better is None))
    return view, Asked(
        _pair(names),
        math.prod(a.shape[-2:]),
        notes=tuple(Note(code) for code, true in said if true),
        lower_is_better=bool(lower_is_better),
    )


def halves(
    layout: str,
    mean_or_scores: Any,
    halves: Any,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[views.Halves, Asked]:
    """Read J differences on all data (or their mean) and (M, 2) mean differences of halves."""
    whole = np.atleast_1d(inputs.numbers(mean_or_scores, "mean_or_scores"))
    pairs = inputs.numbers(halves, "halves")
    if pairs.ndim < 2 or pairs.shape[-1] != 2 or (pairs.ndim > 2 and not batch):
        raise DataError(
            f"halves has shape {pairs.shape}; the means of both halves of each halving are needed, "
            "shape (M, 2)"
        )
    if whole.ndim > 1 and not batch:
        raise DataError(
            f"mean_or_scores has shape {whole.shape}; one mean, or one difference for each "
            "resample of all data, shape (J,), is needed"
        )
    turn = -1.0 if lower_is_better else 1.0
    null = turn * inputs.one_number(mu0, "mu0")
    scale = np.maximum(np.max(np.abs(whole), axis=-1), np.max(np.abs(pairs), axis=(-2, -1)))
    view = views.Halves(turn * whole, turn * pairs, np.asarray(scale), null)
    return view, Asked(_pair(names), whole.shape[-1], lower_is_better=lower_is_better)


def samples(
    layout: str,
    a: Any,
    b: Any,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[views.Samples, Asked]:
    """Read item scores of two sides, of any two lengths."""
    first, second = inputs.numbers(a, "a"), inputs.numbers(b, "b")
    for name, side in (("a", first), ("b", second)):
        if (side.ndim != 1 and not batch) or side.shape[-1] < 2:
            raise DataError(
                f"{name} has shape {side.shape}; at least 2 item scores are needed, shape (n,)"
            )
    turn = -1.0 if lower_is_better else 1.0
    view = views.Samples(first, second, inputs.one_number(mu0, "mu0"), turn)
    n = min(first.shape[-1], second.shape[-1])
    return view, Asked(_pair(names), n, lower_is_better=lower_is_better)


def counts(
    layout: str,
    correct: Any,
    n: Any = None,
    *,
    mu0: float | None = None,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[views.Counts, Asked]:
    """Read a count of right items and their number, or one 0/1 entry for each item."""
    right = inputs.counts(correct, "correct")
    if n is None:
        if right.ndim != 1 or not np.isin(right, (0.0, 1.0)).all():
            raise DataError(
                "n is missing; the number right and the number of items are needed, as in "
                "accuracy_interval(83, 100), or one 0/1 entry for each item"
            )
        right, total = np.asarray(right.sum()), np.asarray(float(right.size))
    else:
        total = inputs.counts(n, "n")
        if (right.ndim or total.ndim) and not batch:
            raise DataError(
                f"correct has shape {right.shape} and n has shape {total.shape}; one number of "
                "each is needed, as in accuracy_interval(83, 100)"
            )
        if (total <= 0).any() or (right > total).any():
            raise DataError("correct is larger than n, or n is 0; 0 ≤ correct ≤ n is needed")
    null = None if mu0 is None else inputs.one_number(mu0, "mu0")
    if null is not None and not 0 < null < 1:
        raise DataError(f"mu0={null:g} was asked of an accuracy; it must lie between 0 and 1")
    view = views.Counts(right[()], total[()], null)
    return view, Asked(
        ((names or ("A",))[0], None),
        int(total) if total.ndim == 0 else 0,
        metric="accuracy",
    )


def values(
    layout: str, values: Any, *, names: tuple[str, str] | None = None, batch: bool = False
) -> tuple[views.Values, Asked]:
    """Read p-values of partitions, one-tailed and signed where the method says so."""
    array = inputs.numbers(values, "values")
    if array.ndim != 1 and not batch:
        raise DataError(f"values have shape {array.shape}; one number per partition is needed")
    size = np.abs(array) if layout == "signed p" else array
    if (size <= 0).any() or (size > 1).any():
        raise DataError(
            "a p-value outside (0, 1] was given; one p-value for each partition is needed"
        )
    return views.Values(array), Asked(_pair(names), array.shape[-1], metric="p-value")


FORMS: dict[str, Form] = {
    "Differences": Form(differences, readings.differences),
    "Contingency": Form(contingency, readings.contingency),
    "ItemLosses": Form(item_losses, readings.item_losses),
    "Crossed": Form(crossed, readings.crossed),
    "Halves": Form(halves, readings.halves),
    "Samples": Form(samples, readings.samples),
    "Counts": Form(counts, readings.counts),
    "Values": Form(values, readings.values),
}


def _pair(names: Any) -> tuple[str, str]:
    first, second = ("A", "B") if names is None else inputs.learner_names(names, 2)
    return first, second


def _numbered(k: int) -> tuple[str, ...]:
    return tuple(f"model {m + 1}" for m in range(k))


def _two(
    mapping: Mapping[Any, Any], names: tuple[str, str] | None
) -> tuple[tuple[str, str], Any, Any]:
    if len(mapping) != 2:
        raise DataError(
            f"the mapping holds {len(mapping)} learners; two are compared at a time. Pick two, or "
            "use Scores.from_arrays(mapping) and name the pair"
        )
    (first, a), (second, b) = mapping.items()
    return names or (str(first), str(second)), a, b


def _grid(array: Array, layout: str, plan: Design | None, batch: bool) -> Array:
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
            f"scores have shape {array.shape}; this method needs the axes {needed}. Reshape them, "
            "or use a method for this layout: outperform.methods()"
        )
    lead = array.shape[: array.ndim - len(axes)]
    grid = [1, 1, 1]
    for name, size in zip(axes, array.shape[len(lead) :], strict=True):
        grid[_PLACE.get(name, 2)] = size
        if name == "pair" and size != 2:
            raise DataError(
                f"scores have shape {array.shape}; the last axis must hold the 2 folds of each "
                "replication, shape (repeats, 2)"
            )
    shape = None if plan is None else plan.shape
    fits = shape is None or (tuple(grid) == shape if len(axes) > 1 else
                             math.prod(shape) == math.prod(grid))  # fmt: skip
    if not fits and plan is not None and plan.shape is not None:
        raise DataError(
            f"design {plan} makes {math.prod(plan.shape)} scores for each learner, but "
            f"{math.prod(grid)} were given, shape {array.shape}. Pass the design that made them"
        )
    return array.reshape(*lead, *grid)


def _ratio(plan: Design | None, n_train: Any, n_test: Any, n_splits: int) -> float | None:
    """Return n_test / n_train: of the sizes given, or of the design."""
    if (n_train is None) != (n_test is None):
        missing = "n_train" if n_train is None else "n_test"
        raise DataError(f"{missing} is missing; n_train and n_test are needed together")
    if n_train is not None:
        train, test = (
            math.fsum(inputs.sizes(value, name, n_splits).tolist())
            for value, name in ((n_train, "n_train"), (n_test, "n_test"))
        )
        return test / train
    ratio = None if plan is None else plan.test_train_ratio
    return None if ratio is None else float(ratio)
