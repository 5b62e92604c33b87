"""Differences on the splits of several datasets: what the hierarchical model reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..designs import CalibratedKFold, parse
from ..errors import DataError, argument
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.benchmark import on_dataset
from ..scores.performance import of_arrays
from .calibration import of_pairs as calibrated_pairs
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    dyadic,
    exchanged,
    pair,
    register_view,
    same_sides,
)
from .differences import two_sides

if TYPE_CHECKING:
    from ..scores.split_scores import Scores

FEWEST = 3
"""Datasets, and splits of each: with fewer the model has no posterior."""


@dataclass(frozen=True, eq=False)
class FoldsByDataset:
    """For each dataset the mean difference, the t law of its error and its spread, (..., N)."""

    means: Array
    scales: Array
    """The scale of the Student t that the mean's error follows."""
    df: Array
    spread: Array
    """The standard deviation of the splits of each dataset (by n)."""
    largest: Array
    """The largest |difference| of any split, (...)."""
    scale: Array
    """The largest magnitude of the scores, (...)."""
    cells: tuple[Any, ...] = ()
    """What calibrated_t reads of each dataset, None where its design measures no variance."""

    @classmethod
    def of(cls, each: list[Array], rho: Array, scale: Array) -> FoldsByDataset:
        """Build from the differences of each dataset, (..., splits), and how splits correlate."""
        means, scales, df, spread = [], [], [], []
        for x, r in zip(each, rho.tolist(), strict=True):
            n = x.shape[-1]
            middle, off = exact_sums.centre(x)
            still = exact_sums.largest(off) <= ROUNDING * scale
            within = np.where(still, 0.0, exact_sums.root_sum_squares(off))
            means.append(middle)
            scales.append(within * np.sqrt((1 + (n - 1) * r) / (n * (1 - r) * (n - 2))))
            df.append(np.full(np.shape(middle), n - 2.0))
            spread.append(within / np.sqrt(n))
        top = np.max(np.stack([exact_sums.largest(x) for x in each], axis=-1), axis=-1)
        wide = [np.stack(part, axis=-1) for part in (means, scales, df, spread)]
        return cls(wide[0], wide[1], wide[2], wide[3], np.asarray(top), np.asarray(scale))

    @property
    def n_datasets(self) -> int:
        return int(self.means.shape[-1])

    @property
    def identical(self) -> Any:
        return self.largest <= ROUNDING * self.scale


def from_arrays(
    layout: str,
    a: Any,
    b: Any = None,
    *,
    rho: float | None = None,
    design: Any = None,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[FoldsByDataset, Context]:
    """Read scores of shape (n_datasets, n_splits), or their differences.

    Parameters
    ----------
    a : array-like of shape (datasets, splits) or mapping
        Scores of the first side; differences if `b` is left out; or a mapping of two names to
        scores.
    b : array-like of shape (datasets, splits), optional
        Scores of the second side.
    rho : float, optional
        Correlation of the splits of a dataset; by default n_test / n of the design.
    """
    if b is None and isinstance(a, Mapping):
        names, a, b = two_sides(a, names)
    sides = [validation.numbers(a, "a")]
    if b is not None:
        sides.append(validation.numbers(b, "b"))
    if sides[0].shape != sides[-1].shape:
        raise DataError(
            "a and b must have the same shape because scores are compared split by split, got "
            f"{sides[0].shape} and {sides[1].shape}."
        )
    first = sides[0]
    if first.ndim < 2 or (first.ndim > 2 and not batch) or min(first.shape[-2:]) < FEWEST:
        raise DataError(
            f"The scores must have shape (n_datasets, n_splits), at least {FEWEST} of each, got "
            f"shape {first.shape} for 'a'."
        )
    x = first if b is None else (first - sides[1])
    x = -x if lower_is_better else x + 0.0
    notes: tuple[Note, ...] = ()
    if rho is None:
        ratio = None if design is None else parse(design).test_train_ratio
        if ratio is None:
            n = x.shape[-1]
            said = f"ρ = 1/{n}: each row was read as the {n} folds of a cross-validation."
            notes, rho = (Note("OP001", f"{said} Pass rho or design for others."),), 1 / n
        else:
            rho = float(ratio) / (1 + float(ratio))
    rho = validation.one_number(rho, "rho")
    if not 0 <= rho < 1:
        raise DataError(
            f"The 'rho' parameter must be at least 0 and less than 1, got {rho:g}. Use the share "
            f"of the data that is tested on, for example {argument(rho=0.1)}"
        )
    scale = np.max(np.stack([np.abs(side).max(axis=(-2, -1)) for side in sides]), axis=0)
    each = [x[..., at, :] for at in range(x.shape[-2])]
    view = FoldsByDataset.of(each, np.full(len(each), rho), scale)
    who = pair(names) if b is not None else ((names or ("A",))[0], None)
    means = [side.mean(axis=-1) for side in sides]
    scored = () if batch else of_arrays(who, means, "dataset", lower_is_better=lower_is_better)
    return view, Context(
        who, view.n_datasets, notes=notes, lower_is_better=lower_is_better, performances=scored
    )


def from_scores(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[FoldsByDataset, Context]:
    """Read the differences of two learners on the splits of each dataset."""
    names = scores.pair(first, second)
    i, j = (np.array([scores.index(name)]) for name in names)
    view, n = of_pairs(layout, scores, i, j)
    one = FoldsByDataset(
        view.means[0],
        view.scales[0],
        view.df[0],
        view.spread[0],
        view.largest[0],
        view.scale[0],
        view.cells,
    )
    return one, asked_of(scores, names, n)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[FoldsByDataset, int]:
    """Stack the differences of pairs, on the datasets that all of their learners have."""
    asked = {scores.names[at] for at in (*np.ravel(i), *np.ravel(j))}
    every = [on_dataset(scores, name) for name in dict.fromkeys(scores.datasets or ())]
    parts = [part for part in every if asked <= set(part.names)]
    fewest = min((part.n_splits for part in parts), default=0)
    if len(parts) < FEWEST or fewest < FEWEST:
        raise DataError(
            f"The hierarchical model needs at least {FEWEST} datasets with {FEWEST} splits each, "
            f"got {len(parts)} datasets, with {fewest} splits on one. Use "
            f"{argument(method='wilcoxon')} on one score for each dataset"
        )
    sign = 1.0 if scores.greater_is_better else -1.0
    cells, each = list[Any](), list[Array]()
    for part in parts:
        first, second = ([part.index(scores.names[at]) for at in side] for side in (i, j))
        measured = isinstance(part.design, CalibratedKFold)
        cells.append(calibrated_pairs("", part, first, second)[0] if measured else None)
        if measured:
            each.append(cells[-1].whole.reshape(len(i), -1))
        else:
            each.append(sign * (part.values[first] - part.values[second]))
    scale = np.nanmax(np.abs(scores.values))
    rho = np.array([0.0 if cell else _correlation(p) for p, cell in zip(parts, cells, strict=True)])
    made = FoldsByDataset.of(each, rho, np.full(len(i), scale))
    return replace(made, cells=tuple(cells) if any(cells) else ()), len(parts)


def _correlation(part: Scores) -> float:
    """Return n_test / n, the share of the data tested on, or one by the number of splits."""
    ratio = part.test_train_ratio
    return 1 / part.n_splits if ratio is None else ratio / (1 + ratio)


def _cases(layout: str, rng: Generator) -> list[Case]:
    def one(n: int) -> Case:
        level = rng.normal(0.0, 0.03, (n, 1))
        a, b = (dyadic(0.8 + part + rng.normal(0, 0.02, (n, 10))) for part in (level, 0.0))
        return Case(f"{n} datasets of 10 folds", {"a": a, "b": b}, {"rho": 0.125})

    return [one(8), one(8), one(5)]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    b = dyadic(rng.normal(0.8, 0.03, (12, 10)))
    return Case("far apart", {"a": b + 1 + rng.normal(0, 0.01, b.shape), "b": b}, {"rho": 0.125})


def _whole(layout: str, rng: Generator) -> Case:
    a, b = (rng.integers(low, low + 50, (5, 6)).astype(float) for low in (40, 50))
    return Case("whole scores", {"a": a, "b": b}, {"rho": 0.125})


def _smallest(layout: str) -> Case:
    a = np.array([[0.81, 0.79, 0.8], [0.7, 0.72, 0.69], [0.9, 0.88, 0.91]])
    return Case("3 datasets of 3 folds", {"a": a, "b": a[::-1] - 0.01}, {"rho": 0.25})


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    order = rng.permutation(len(case.arrays["a"]))
    return case.each("in another order", lambda array: np.asarray(array)[order])


register_view(
    View(
        FoldsByDataset,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _far_apart,
            _whole,
            _smallest,
            _reordered,
            exchanged,
            same_sides,
            scales=True,
            shifts=True,
            orients=True,
        ),
        of_pairs,
        lambda scores: scores.n_splits,
    )
)
