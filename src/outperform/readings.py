"""Readings: how `Scores` become the view a method reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from . import inputs, views
from .designs import Design
from .errors import DataError, MethodError
from .items import METRIC_OF_LOSS
from .notes import Note
from .scores import Scores
from .sums import Array

__all__ = ["Asked", "metric_of_items"]


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


def differences(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[views.Differences, Asked]:
    """Read the differences of two learners: of splits, items or datasets as the method asks."""
    null = inputs.one_number(mu0, "mu0")
    if (
        second is None
        and layout not in ("items", "datasets")
        and (first is not None or len(scores.names) == 1)
    ):
        alone = first or scores.names[0]
        view = scores.differences(alone, None, null=null)
        return view, _asked(scores, (alone, None), view.n_splits)
    first, second = scores.pair(first, second)
    if layout == "datasets":
        view = replace(scores.over_datasets(first, second), null=null)
    elif layout == "items" and scores.items is not None:
        items = scores.item_losses((first, second)).values
        grid = (1, 1, items.shape[0])
        view = views.difference_view(
            items[:, 0].reshape(grid), items[:, 1].reshape(grid), null=null
        )
        return view, _of_items(scores, (first, second), view.n_splits)
    else:
        view = scores.differences(first, second, null=null)
    return view, _asked(scores, (first, second), view.n_splits)


def contingency(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[views.Contingency, Asked]:
    first, second = scores.pair(first, second)
    view = scores.contingency(first, second)
    return view, _asked(scores, (first, second), int(view.n))


def item_losses(
    layout: str, scores: Scores, *, names: tuple[str, ...] | None = None
) -> tuple[views.ItemLosses, Asked]:
    view = scores.item_losses(names)
    if layout == "right-wrong":
        view = views.ItemLosses(_right(view), binary=True)
    chosen = tuple(names or scores.names)
    asked = _of_items(scores, (f"{view.k} models", None), view.n)
    return view, replace(asked, learners=chosen)


def crossed(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[views.Crossed, Asked]:
    first, second = scores.pair(first, second)
    view = scores.crossed(first, second)
    return view, _of_items(scores, (first, second), view.values.size)


def halves(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[views.Halves, Asked]:
    first, second = scores.pair(first, second)
    view = scores.halves(first, second, null=inputs.one_number(mu0, "mu0"))
    return view, _asked(scores, (first, second), view.whole.size)


def samples(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[views.Samples, Asked]:
    first, second = scores.pair(first, second)
    items = scores.item_losses((first, second)).values
    view = views.Samples(items[:, 0], items[:, 1], inputs.one_number(mu0, "mu0"))
    return view, _of_items(scores, (first, second), items.shape[0])


def counts(
    layout: str, scores: Scores, name: str | None = None, *, mu0: float | None = None
) -> tuple[views.Counts, Asked]:
    name = scores.names[0] if name is None and len(scores.names) == 1 else name
    if name is None:
        raise DataError(f"name one learner of {', '.join(scores.names)}")
    right = _right(scores.item_losses((name,)))
    null = None if mu0 is None else inputs.fraction(mu0, "mu0")
    view = views.Counts(float(right.sum()), float(right.size), null)
    return view, _asked(scores, (name, None), right.size)


def values(layout: str, scores: Scores, *_: Any, **__: Any) -> tuple[Any, Asked]:
    raise MethodError(
        "this method combines p-values of partitions, not scores; pass the p-values, or use "
        "averaged_t(scores)"
    )


def _right(items: views.ItemLosses) -> Array:
    """Return 1 for right and 0 for wrong, from items that carry zero-one losses."""
    if not items.binary:
        raise DataError(
            "the items carry losses other than zero-one; right or wrong is needed for every item. "
            "Use simultaneous(scores) for other losses"
        )
    return items.values + 1.0


def _asked(scores: Scores, names: tuple[str, str | None], n: int) -> Asked:
    return Asked(
        names, n, scores.metric, scores.design, scores.seed, scores.notes,
        lower_is_better=not scores.greater_is_better,
    )  # fmt: skip


def _of_items(scores: Scores, names: tuple[str, str | None], n: int) -> Asked:
    return replace(_asked(scores, names, n), metric=metric_of_items(scores))


def metric_of_items(scores: Scores) -> str:
    """Name what a mean over items is of: their losses are known, but not an r2 of each."""
    return scores.metric if scores.items is None else METRIC_OF_LOSS[scores.items.loss]
