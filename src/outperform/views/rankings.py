"""How two models rank the items of two classes: what tests of areas under ROC curves read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError, MethodError
from ..notes import Note
from ..numerics.exact_sums import Array
from ..numerics.placements import area_difference, area_gaps, areas_of, placements
from ..scores.performance import of_shares
from ..scores.tested_items import ranked_items
from .contract import Case, Context, Generator, Inputs, View, asked_of, only, pair, register_view

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Rankings:
    """Areas of two models, their difference and its error, from the placements of all items."""

    gap: Any
    """The area of the first minus that of the second."""
    error: Any
    """Its standard error."""
    first: Any
    """The area of the first."""
    second: Any
    identical: Any
    """True where both rank all items alike."""
    n_positive: Any
    n_negative: Any
    null: float = 0.0

    @classmethod
    def of(cls, positive: Any, first: Array, second: Array) -> Rankings:
        """Compare twice the placements by two models, (..., items)."""
        gap, error = area_difference(positive, first - second)
        areas = [areas_of(positive, side) for side in (first, second)]
        same = ~np.any(first != second, axis=-1)
        return cls(gap, error, areas[0], areas[1], same, *class_sizes(positive))


def class_sizes(positive: Any) -> tuple[Any, Any]:
    """Return how many items are positive, and how many negative."""
    return positive.sum(axis=-1), (~positive).sum(axis=-1)


def from_arrays(
    layout: str,
    y: Any,
    a: Any,
    b: Any,
    *,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[Rankings, Context]:
    """Read the classes 0 and 1 of items, and the scores that two models give them.

    Parameters
    ----------
    y : array-like
        Classes 0 and 1.
    a : array-like
        Scores or probabilities of class 1 by the first model.
    b : array-like
        Scores or probabilities of class 1 by the second model.
    """
    parts, moved = validation.aligned([y, a, b], ("y", "a", "b"))
    truth, first, second = (
        validation.numbers(part, name) for part, name in zip(parts, "yab", strict=True)
    )
    for name, side in (("a", first), ("b", second)):
        if side.shape != truth.shape or (side.ndim != 1 and not batch):
            raise DataError(
                f"The '{name}' parameter must contain one score for each of the {truth.size} items "
                f"of 'y', got shape {side.shape}. Pass the scores of the positive class, such as "
                "model.predict_proba(X)[:, 1]."
            )
    if not ((truth == 0) | (truth == 1)).all():
        raise DataError(
            "The 'y' parameter must contain 0 and 1, got other values. Name the positive class, "
            "for example with y == 'yes'."
        )
    positive = truth == 1
    _check_classes(positive)
    view = Rankings.of(positive, placements(positive, first), placements(positive, second))
    n = truth.size if truth.ndim == 1 else 0
    notes = (Note("OP002"),) if moved else ()
    who = pair(names)
    scored = of_shares(who, [view.first, view.second], n) if n else ()
    return view, Context(who, n, metric="roc_auc", notes=notes, performances=scored)


def _check_classes(positive: Any) -> None:
    fewest = int(np.min(np.minimum(*class_sizes(positive))))
    if fewest < 2:
        raise DataError(
            f"The 'y' parameter must have at least 2 items of each class, got {fewest} of one: "
            "the variance of an area is estimated from items of both."
        )


def from_scores(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[Rankings, Context]:
    """Read how two models rank the items of one test set."""
    names = scores.pair(first, second)
    positive, ranked = _ranked(scores, [scores.index(name) for name in names])
    asked = asked_of(scores, names, positive.size)
    return Rankings.of(positive, *ranked), replace(asked, metric="roc_auc", lower_is_better=False)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[Rankings, int]:
    """Compare how pairs of models rank the items; each model is ranked once."""
    used, at = np.unique(np.concatenate([i, j]), return_inverse=True)
    positive, ranked = _ranked(scores, used.tolist())
    a, b = np.split(at, 2)
    gap, error, same = area_gaps(positive, ranked, a, b)
    areas = areas_of(positive, ranked)
    view = Rankings(gap, error, areas[a], areas[b], same, *class_sizes(positive))
    return view, int(positive.size)


def _ranked(scores: Scores, rows: list[int]) -> tuple[Any, Array]:
    """Return who is positive, and twice the placements by each model."""
    if scores.probabilities is None or scores.target is None:
        raise MethodError(
            "DeLong's test needs the predicted probabilities of every item; these scores do not "
            "have them. Pass them as arrays: outperform.delong(y_true, proba_a, proba_b), or "
            "compare a file with a column of true classes (0 and 1) and one of probabilities for "
            "each model."
        )
    positive, ranked = ranked_items(scores)
    _check_classes(positive)
    items = scores.measured
    if items is not None and items.probabilities is scores.probabilities:
        return positive, items.placements[rows]  # ranked once already
    return positive, placements(positive, ranked[rows])


def _drawn(n: int, rng: Generator, gain: float = 0.5) -> Case:
    y = np.concatenate([[0, 1, 0, 1], rng.integers(0, 2, n - 4)])
    shared = rng.normal(size=n)
    sides = (np.round(y * gain * k + shared + rng.normal(size=n), 1) for k in (2, 1))
    return Case(f"{n} ranked items", dict(zip("yab", (y, *sides), strict=True)))


def _draw(layout: str, rng: Generator) -> list[Case]:
    return [_drawn(60, rng), _drawn(60, rng, 0.2), _drawn(60, rng, -0.4), _drawn(25, rng)]


def _extreme(layout: str, rng: Generator, beyond: bool) -> Case:
    n = 6000 if beyond else 600
    case = _drawn(n, rng)
    y = case.arrays["y"]
    return case.but("far apart", a=2.5 * y + rng.normal(size=n), b=rng.normal(size=n))


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    order = rng.permutation(np.size(case.arrays["y"]))
    return case.each("in another order", lambda array: np.asarray(array)[order])


def _swapped(case: Case, layout: str) -> Case:
    return case.but("sides exchanged", a=case.arrays["b"], b=case.arrays["a"])


def _all_and_none(case: Case) -> Case:
    """One model ranks all pairs right, the other none: nothing varies."""
    y = np.asarray(case.arrays["y"], dtype=np.float64)
    return case.but("all pairs right, and none", a=y, b=-y)


def _case(label: str, **arrays: Any) -> Case:
    return Case(label, {name: np.asarray(array) for name, array in arrays.items()})


register_view(
    View(
        Rankings,
        from_arrays,
        from_scores,
        Inputs(
            _draw,
            _extreme,
            lambda _, rng: _case("whole numbers", y=[0, 1] * 6, a=range(12), b=[3, 1, 4, 2] * 3),
            only(_case("four items", y=[0, 0, 1, 1], a=[1, 3, 2, 4], b=[2, 1, 4, 3])),
            _reordered,
            _swapped,
            lambda case: case.but("the same ranks", b=2 * np.asarray(case.arrays["a"]) + 1),
            _all_and_none,
        ),
        of_pairs,
        of_items=True,
    )
)
