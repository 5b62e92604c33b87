"""Differences of scores on splits, on a (partition, repeat, fold) grid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .. import validation
from ..designs import parse
from ..errors import DataError, argument, counted
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.performance import SEEDS, of_arrays
from .contract import (
    UNITS,
    Case,
    Context,
    Generator,
    Inputs,
    View,
    a_hundredth_apart,
    as_grid,
    asked_of,
    dyadic,
    exchanged,
    pair,
    ratio_of,
    register_view,
    same_sides,
)
from .item_order import in_arrays

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of scores on a (partition, repeat, fold) grid, or the scores of one side.

    Attributes
    ----------
    values : ndarray
        Differences, shape (..., partitions, repeats, folds).
    first : ndarray
        Scores of the first side.
    second : ndarray or None
        Scores of the second side, if there are two.
    null : float
        Difference under the null hypothesis.
    residual : ndarray or None
        What rounding took from the differences.
    test_train_ratio : float or None
        n_test / n_train.
    n_test : float or None
        Number of test items of a split.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> scores = op.Scores.from_arrays({"a": [0.8, 0.9], "b": [0.7, 0.85]}, design="2cv")
    >>> d = op.extend.Differences.of(scores, "a", "b")
    >>> d.values.shape, d.n_splits, round(float(d.mean), 3), round(float(d.sd), 3)
    ((1, 1, 2), 2, 0.075, 0.035)
    >>> d.is_rounding(np.zeros(2)), d.only(0).n_splits, d.partition(d.values).values.shape
    (np.True_, 2, (1, 1, 2))
    >>> a, b = np.array([[[0.8, 0.9]]]), np.array([[[0.7, 0.8]]])
    >>> op.extend.Differences.subtract(a, b).flat.round(2)
    array([0.1, 0.1])
    """

    values: Array
    first: Array
    second: Array | None = None
    null: float = 0.0
    residual: Array | None = None
    test_train_ratio: float | None = None
    n_test: float | None = None
    independent: ClassVar[bool] = False
    """True where each entry is an item, taken for independent of the others (F-13)."""

    @classmethod
    def subtract(
        cls,
        a: Array,
        b: Array | None,
        *,
        null: float = 0.0,
        lower_is_better: bool = False,
        ratio: float | None = None,
        n_test: float | None = None,
    ) -> Self:
        """Subtract grids of scores of the same shape.

        Parameters
        ----------
        a : ndarray
            Scores of the first side.
        b : ndarray or None
            Scores of the second side; None if `a` holds differences.
        null : float, default=0.0
            Difference under the null hypothesis.
        lower_is_better : bool, default=False
            Whether smaller scores are better, as with errors and losses.
        ratio : float, optional
            n_test / n_train.
        n_test : float, optional
            Number of test items of a split.

        Returns
        -------
        Differences
            Positive where the first side is better.
        """
        single = a.ndim == 3
        if b is None:
            # A result must not change when the caller's array does; a batch may be too large.
            values, residual = a.copy() if single else a, None
        else:
            better, worse = (b, a) if lower_is_better else (a, b)
            values, residual = (
                exact_sums.split_difference(better, worse) if single else (better - worse, None)
            )
        return cls(values, a, b, null, residual, ratio, n_test)

    @classmethod
    def of(
        cls, scores: Scores, first: str, second: str | None = None, *, null: float = 0.0
    ) -> Self:
        """Return the differences of two learners on the grid of the splits.

        Parameters
        ----------
        scores : Scores
            Scores of the learners.
        first : str
            Name of the first learner.
        second : str, optional
            Name of the second learner; by default the scores of the first are taken.
        null : float, default=0.0
            Difference under the null hypothesis.

        Returns
        -------
        Differences
            Positive where the first learner is better.
        """
        grid = scores.grid()
        a = scores.values[scores.index(first)]
        b = None if second is None else scores.values[scores.index(second)]
        return cls.subtract(
            a.reshape(grid),
            None if b is None else b.reshape(grid),
            null=null,
            lower_is_better=not scores.greater_is_better and b is not None,
            ratio=scores.test_train_ratio,
            n_test=None if scores.n_test is None else float(scores.n_test.min()),
        )

    @cached_property
    def scale(self) -> Array:
        """The largest magnitude among an experiment's scores: rounding is judged by it."""
        sides = [self.first] if self.second is None else [self.first, self.second]
        each = [exact_sums.largest(side.reshape(*self.values.shape[:-3], -1)) for side in sides]
        return np.asarray(np.maximum(each[0], each[-1]))

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return math.prod(self.values.shape[-3:])

    @cached_property
    def flat(self) -> Array:
        """The differences in order, shape (..., n_splits)."""
        return self.values.reshape(*self.values.shape[:-3], self.n_splits)

    @property
    def runs(self) -> Array:
        """The differences of each repeat, shape (..., repeats, folds)."""
        return self.values.reshape(*self.values.shape[:-3], -1, self.values.shape[-1])

    @cached_property
    def gaps(self) -> Array:
        """First minus second difference of each replication of 2-fold, shape (..., repeats)."""
        gaps = self.runs[..., 0] - self.runs[..., 1]
        if self.residual is None:
            return gaps
        rest = self.residual.reshape(self.runs.shape)
        return gaps + (rest[..., 0] - rest[..., 1])

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        """The mean of all splits and the deviations from it."""
        return exact_sums.centre(self.flat, self._flat_residual)

    @property
    def mean(self) -> Array:
        """The mean over all splits."""
        return self.centred[0]

    @cached_property
    def sd(self) -> Array:
        """The sample standard deviation over all splits; exactly 0 where only rounding varies."""
        if self.n_splits < 2:
            raise DataError(
                f"At least 2 scores are needed to estimate a variance, got {self.n_splits}. Use a "
                f"design with more splits, such as {argument(design='10x10cv')}"
            )
        deviations = self.centred[1]
        with np.errstate(over="ignore"):
            spread = exact_sums.root_sum_squares(deviations) / math.sqrt(self.n_splits - 1)
        if not np.isfinite(spread).all():
            raise DataError(
                "The scores are so large that their variance overflows. Divide all scores by the "
                "same number before comparing."
            )
        return np.where(self.is_rounding(deviations), 0.0, spread)

    @property
    def identical(self) -> Any:
        """True where every difference is the hypothesised one, up to rounding."""
        return self.is_rounding(self.flat if self.null == 0 else self.flat - self.null)

    def is_rounding(self, values: Array) -> Any:
        """Return whether values are within rounding of zero at the scale of the scores.

        Parameters
        ----------
        values : ndarray
            Values; the last axis is judged as a whole.

        Returns
        -------
        bool or ndarray of bool
            Whether all of them are.
        """
        # The largest is at least 1/√n of the root sum of squares, which is quicker to have: in
        # most batches no experiment comes near, whatever its own scale.
        bound = ROUNDING * max(abs(self.null), *map(_overall, (self.first, self.second)))
        with np.errstate(over="ignore", under="ignore"):
            total = np.einsum("...i,...i->...", values, values)
        near = total <= 2 * values.shape[-1] * bound * bound
        if bound * bound > exact_sums.SMALL and not near.any():
            return np.zeros(near.shape, dtype=bool)
        return exact_sums.largest(values) <= ROUNDING * np.maximum(self.scale, abs(self.null))

    @property
    def _flat_residual(self) -> Array | None:
        return None if self.residual is None else self.residual.reshape(self.flat.shape)

    def only(self, index: int) -> Differences:
        """Return one partition of a single experiment.

        Parameters
        ----------
        index : int
            Number of the partition.

        Returns
        -------
        Differences
            The differences of that partition.
        """
        at = slice(index, index + 1)
        rest = None if self.residual is None else self.residual[at]
        return replace(self, values=self.values[at], residual=rest)

    def partition(self, axis_values: Array) -> Differences:
        """Return each partition on its own: partitions become a leading axis.

        Parameters
        ----------
        axis_values : ndarray
            Differences, shape (..., partitions, repeats, folds).

        Returns
        -------
        Differences
            One experiment for each partition.
        """
        shape = axis_values.shape
        second = None if self.second is None else self.second.reshape(shape)
        first = self.first.reshape(shape)
        return replace(self, values=axis_values, first=first, second=second, residual=None)


def _overall(scores: Array | None) -> float:
    return 0.0 if scores is None else max(float(np.max(scores)), -float(np.min(scores)))


def from_arrays(
    kind: type[Differences],
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
) -> tuple[Differences, Context]:
    """Read one array of scores or differences, or two arrays to subtract.

    Parameters
    ----------
    a : array-like or mapping
        Scores of the first side on splits, items or datasets; differences if `b` is left out; or a
        mapping of two names to scores.
    b : array-like, optional
        Scores of the second side on the same splits, items or datasets.
    """
    if b is None and isinstance(a, Mapping):
        names, a, b = two_sides(a, names)
    plan = None if design is None else parse(design)
    null = validation.one_number(mu0, "mu0")
    parts, moved = validation.aligned([a] if b is None else [a, b], ["a", "b"])
    arrays = [validation.numbers(part, name) for part, name in zip(parts, "ab", strict=False)]
    if len(arrays) == 2 and arrays[0].shape != arrays[1].shape:
        raise DataError(
            "a and b must have the same shape because scores are compared split by split, got "
            f"{arrays[0].shape} and {arrays[1].shape}."
        )
    notes = [Note("OP002")] if moved else []
    grids = [as_grid(array, layout, plan, batch) for array in arrays]
    ratio = ratio_of(plan, n_train, n_test, math.prod(grids[0].shape[-3:]))
    planned = None if plan is None else plan.test_train_ratio
    if ratio is not None and planned and not 0.8 < ratio / float(planned) < 1.25:
        raise DataError(
            f"Design {plan} has a test/train ratio of {float(planned):.3g}, but n_test / n_train "
            f"is {ratio:.3g}. Pass the design that produced the scores, or only the sizes."
        )
    if ratio is None and not batch and arrays[0].ndim == 2 and layout == "splits":
        repeats, folds = arrays[0].shape
        if folds > 1:
            ratio = 1 / (folds - 1)
            notes.append(
                Note(
                    "OP001",
                    f"Rows were read as {repeats} repeats of {folds}-fold cross-validation "
                    f"({argument(design=f'{repeats}x{folds}cv')}).",
                )
            )
    who = pair(names) if b is not None else ((names or ("A",))[0], None)
    scored = (
        ()
        if batch
        else of_arrays(who, grids, UNITS.get(layout, "split"), lower_is_better=lower_is_better)
    )
    if len(grids) == 1 and lower_is_better:
        grids, null = [-grids[0]], -null
    if kind.independent and not batch and (plan is None or plan.kind not in SEEDS):
        notes += in_arrays(grids, who)
    view = kind.subtract(
        grids[0],
        grids[1] if len(grids) == 2 else None,
        null=null,
        lower_is_better=lower_is_better,
        ratio=ratio,
        n_test=None if n_test is None else float(np.min(validation.counts(n_test, "n_test"))),
    )
    return view, Context(
        who,
        view.n_splits,
        design=plan,
        notes=tuple(notes),
        lower_is_better=lower_is_better,
        performances=scored,
    )


def two_sides(
    mapping: Mapping[Any, Any], names: tuple[str, str] | None
) -> tuple[tuple[str, str], Any, Any]:
    if len(mapping) != 2:
        raise DataError(
            f"The mapping has {counted(len(mapping), 'learner')}, but two are compared at a time. "
            "Select two, or use Scores.from_arrays(mapping) and specify the pair."
        )
    (first, a), (second, b) = mapping.items()
    return names or (str(first), str(second)), a, b


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[Differences, Context]:
    """Read the differences of two learners, or the scores of one, on splits."""
    null = validation.one_number(mu0, "mu0")
    names: tuple[str, str | None]
    if second is None and (first is not None or len(scores.names) == 1):
        names = first or scores.names[0], None
    else:
        names = scores.pair(first, second)
    view = Differences.of(scores, *names, null=null)
    return view, asked_of(scores, names, view.n_splits)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[Differences, int]:
    """Stack the differences of pairs."""
    one = Differences.of(scores, scores.names[i[0]], scores.names[j[0]])
    grids = [scores.values[side].reshape(-1, *one.values.shape) for side in (i, j)]
    view = Differences.subtract(
        *grids,
        lower_is_better=not scores.greater_is_better,
        ratio=one.test_train_ratio,
        n_test=one.n_test,
    )
    return view, one.n_splits


SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "folds": ((10,),),
    "splits": ((30,), (3, 10)),
    "twofold": ((5, 2),),
    "partitions": ((6, 10), (4, 5, 2)),
    "items": ((40,),),
    "datasets": ((12,), (60,)),
}
_LONG = {"twofold": (60, 2), "partitions": (3, 60)}
_SIZES = {"n_train": 90, "n_test": 10}


def _sizes(layout: str) -> dict[str, int]:
    return _SIZES if layout == "splits" else {}


def _cases(layout: str, rng: Generator) -> list[Case]:
    cases: list[Case] = []
    for shape in SHAPES[layout]:
        sizes = _sizes(layout) if len(shape) == 1 else {}
        for _ in range(1 if cases else 3):
            a, b = (dyadic(rng.normal(mean, 0.03, shape)) for mean in (0.8, 0.78))
            cases.append(Case(f"two sides of scores {shape}", {"a": a, "b": b}, sizes))
    a, b = cases[0].arrays["a"], cases[0].arrays["b"]
    one = Case(f"one side of scores {a.shape}", {"a": a}, {**cases[0].keywords, "mu0": 0.78125})
    tied = cases[0].but("rounded to 0.01", a=np.round(a, 2), b=np.round(b, 2))
    return [*cases, one, cases[0].but("against 1/128", mu0=0.0078125), tied]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    over_datasets = (5000,) if beyond else (200,)
    shape = over_datasets if layout == "datasets" else _LONG.get(layout, (60,))
    b = dyadic(rng.normal(0.8, 0.03, shape))
    a = b + 1 + rng.normal(0, 1e-9 if beyond else 0.02, shape)
    return Case(f"scores {shape} far apart", {"a": a, "b": b}, _sizes(layout))


def _whole_scores(layout: str, rng: Generator) -> Case:
    shape = SHAPES[layout][0]
    a, b = (rng.integers(low, low + 50, shape).astype(float) for low in (40, 50))
    return Case(f"whole scores {shape}", {"a": a, "b": b}, _sizes(layout))


def _two_scores(layout: str) -> Case:
    shape = {"twofold": (1, 2), "partitions": (1, 2)}.get(layout, (2,))
    a, b = np.reshape([0.81, 0.79], shape), np.reshape([0.80, 0.75], shape)
    return Case("two scores a side", {"a": a, "b": b}, _sizes(layout))


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    shape = np.shape(case.arrays["a"])
    start = int(first_counts)
    places = np.arange(int(np.prod(shape))).reshape(shape)
    if len(shape) == 1 or layout == "splits":
        flat = places.ravel()
        places = np.concatenate([flat[:start], rng.permutation(flat[start:])]).reshape(shape)
    elif len(shape) == 2:
        inner = rng.permuted(places[start:], axis=1)
        places = np.concatenate([places[:start], rng.permutation(inner)])
    else:  # the first difference of every partition counts
        places = rng.permutation(places)
    return case.each("in another order", lambda array: np.ravel(array)[places])


CASES = Inputs(
    _cases,
    _far_apart,
    _whole_scores,
    _two_scores,
    _reordered,
    exchanged,
    same_sides,
    a_hundredth_apart,
    scales=True,
    shifts=True,
    has_null=True,
    orients=True,
)

register_view(
    View(
        Differences,
        partial(from_arrays, Differences),
        from_scores,
        CASES,
        of_pairs,
        lambda scores: scores.n_splits,
        layouts=("splits", "folds", "twofold", "partitions"),
    )
)
