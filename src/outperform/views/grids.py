"""Grids: scores as (partitions, repeats, folds), as the layout of a procedure says."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from .. import inputs
from ..designs import Design
from ..errors import DataError
from ..sums import Array

__all__ = ["AXES", "Axes", "as_grid", "ratio_of"]

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


def ratio_of(plan: Design | None, n_train: Any, n_test: Any, n_splits: int) -> float | None:
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
