"""Items that two models answered several times: what tests of samples per item read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import validation
from ..errors import DataError, MethodError
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..numerics.item_components import moments
from ..scores.performance import of_arrays
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    dyadic,
    exchanged,
    only,
    pair,
    register_view,
)

if TYPE_CHECKING:
    from ..scores.items import Items
    from ..scores.split_scores import Scores


class SampleVariances(NamedTuple):
    """How item differences vary, each an array over experiments."""

    spread: Array
    """S², the variance of the items' mean differences."""
    first: Array
    """σ_A², the mean variance of the first side's samples within an item."""
    second: Array
    noise: Array
    """What samples add to S²: σ_A²/K_A + σ_B²/K_B, averaged over items."""
    noise_df: Array

    @property
    def between(self) -> Array:
        """ω² = S² − noise: how much items differ in truth; chance can put it below 0."""
        return self.spread - self.noise


@dataclass(frozen=True, eq=False)
class ItemSamples:
    """Scores of two sides, each (..., items, samples), oriented; NaN where a sample is missing."""

    first: Array
    second: Array
    scale: Array
    """The largest magnitude among an experiment's scores: rounding is judged by it."""
    null: float = 0.0
    population: str | int = "new"
    """To which items the verdict applies: "new", "these", or how many there are in all."""

    @classmethod
    def of(
        cls,
        a: Array,
        b: Array,
        *,
        null: float = 0.0,
        lower_is_better: bool = False,
        population: str | int = "new",
    ) -> ItemSamples:
        """Orient the sides, and sort the samples of an item, whose order says nothing."""
        better, worse = (-a, -b) if lower_is_better else (a, b)
        flat = (*a.shape[:-2], -1)
        each = [np.nanmax(np.abs(side).reshape(flat), axis=-1) for side in (a, b)]
        return cls(better, worse, np.maximum(*each), null, population)

    @property
    def n(self) -> int:
        return int(self.first.shape[-2])

    @cached_property
    def differences(self) -> Array:
        """The mean difference of each item, (..., items)."""
        first, second = (moments(np.sort(side, axis=-1)).mean for side in (self.first, self.second))
        return first - second

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        return exact_sums.centre(self.differences)

    def is_rounding(self, values: Array) -> Any:
        reach = ROUNDING * np.maximum(self.scale, abs(self.null))
        return exact_sums.largest(values) <= 2 * reach

    @cached_property
    def variances(self) -> SampleVariances:
        """S², σ_A² and σ_B² by moments; the samples' share with Satterthwaite's df."""
        deviations = self.centred[1]
        spread = exact_sums.root_sum_squares(deviations) ** 2 / (self.n - 1)
        spread = np.where(self.is_rounding(deviations), 0.0, spread)
        sides = [moments(np.sort(side, axis=-1)) for side in (self.first, self.second)]
        within = [_ordered_mean(side.variance) for side in sides]
        parts = [side.variance / side.size for side in sides]
        noise = _ordered_mean(parts[0]) + _ordered_mean(parts[1])
        squares = sum(
            _ordered_mean(part**2 / np.maximum(side.size - 1, 1)) / self.n
            for part, side in zip(parts, sides, strict=True)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            df = np.where(noise > 0, noise**2 / squares, np.inf)
        return SampleVariances(np.asarray(spread), within[0], within[1], noise, np.asarray(df))

    @property
    def is_sampled(self) -> bool:
        """Whether both sides have several samples of every item, so that noise can be estimated."""
        sides = (np.sum(~np.isnan(side), axis=-1).min() for side in (self.first, self.second))
        return bool(min(sides) > 1)

    @property
    def identical(self) -> Any:
        apart = self.differences - self.null
        alike = self.is_rounding(apart)
        if self.first.shape == self.second.shape:
            gaps = np.sort(self.first, axis=-1) - np.sort(self.second, axis=-1) - self.null
            flat = np.nan_to_num(gaps).reshape(*gaps.shape[:-2], -1)
            return alike & self.is_rounding(flat)
        return alike


def _ordered_mean(values: Array) -> Array:
    """Return the mean over items, whatever their order; NaN where one is."""
    if values.ndim == 1:
        return exact_sums.mean(np.sort(values))
    return np.asarray(np.mean(values, axis=-1))


def checked_population(value: Any, n: int) -> str | int:
    """Return to which items a verdict applies: "new", "these", or how many there are in all."""
    if isinstance(value, str):
        if value not in ("new", "these"):
            raise DataError(
                "The 'population' parameter must be 'new', 'these' or a number of items, got "
                f"{value!r}."
            )
        return value
    size = validation.whole(value, "population", least=1)
    if size < n:
        raise DataError(
            f"The 'population' parameter must not be below the number of items, got {size} for "
            f"{n} items. Pass how many items the benchmark has in all."
        )
    return size


def from_arrays(
    layout: str,
    a: Any,
    b: Any,
    *,
    mu0: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[ItemSamples, Context]:
    """Read the scores of two sides, shape (items, samples).

    Parameters
    ----------
    a : array-like of shape (items, samples)
        Scores of the first side.
    b : array-like of shape (items, samples)
        Scores of the second side on the same items.
    """
    sides = [validation.numbers(side, name) for side, name in ((a, "a"), (b, "b"))]
    for name, side in zip("ab", sides, strict=True):
        if (side.ndim != 2 and not batch) or side.ndim < 2 or side.shape[-2] < 2:
            raise DataError(
                f"The {name!r} parameter must have shape (items, samples) with at least 2 items, "
                f"got shape {side.shape}. For one sample of each item use {name}.reshape(-1, 1), "
                "or paired_t."
            )
    if sides[0].shape[:-1] != sides[1].shape[:-1] or (
        layout == "crossed" and sides[0].shape != sides[1].shape
    ):
        same = "items and conditions" if layout == "crossed" else "items"
        raise DataError(
            f"a and b must have the same {same}, got shapes {sides[0].shape} and {sides[1].shape}."
        )
    if layout == "crossed" and sides[0].shape[-1] < 2:
        raise DataError(
            "a and b must have at least 2 conditions (prompts or seeds), got shape "
            f"{sides[0].shape}."
        )
    n = sides[0].shape[-2]
    view = ItemSamples.of(
        sides[0],
        sides[1],
        null=validation.one_number(mu0, "mu0"),
        lower_is_better=lower_is_better,
    )
    who, means = pair(names), [side.mean(axis=-1) for side in sides]
    scored = () if batch else of_arrays(who, means, "item", lower_is_better=lower_is_better)
    return view, Context(who, n, lower_is_better=lower_is_better, performances=scored)


def _measured(scores: Scores) -> Items:
    if scores.measured is None:
        raise MethodError(
            "These scores have no samples of items. Pass arrays of shape (items, samples), as in "
            "outperform.sampled_items_t(a, b), or outperform.Items.from_arrays({'a': a, 'b': b})"
        )
    if scores.measured.kind == "ranked-items":
        raise MethodError(
            "An AUC is no mean over items, which this method compares. Use delong for it, or "
            "compare the probabilities by metric='log_loss'"
        )
    return scores.measured


def _of(scores: Scores, layout: str, rows: Any, null: float) -> ItemSamples:
    items = _measured(scores)
    table = items.values
    if layout == "crossed" and (np.isnan(table).any() or table.shape[2] < 2):
        raise MethodError(
            "crossed_t needs a score of every item under every condition, and at least 2 of them; "
            "some are missing. Use sampled_items_t, which does not pair samples."
        )
    population: str | int = items.population
    if population == "new" and items.n_population is not None:
        population = items.n_population
    a, b = (table[side] for side in rows)
    return ItemSamples.of(
        a,
        b,
        null=null,
        lower_is_better=not items.greater_is_better,
        population=population,
    )


def from_scores(
    layout: str,
    scores: Scores,
    first: str | None = None,
    second: str | None = None,
    *,
    mu0: float = 0.0,
) -> tuple[ItemSamples, Context]:
    """Read the samples of two models."""
    names = scores.pair(first, second)
    rows = [scores.index(name) for name in names]
    view = _of(scores, layout, rows, validation.one_number(mu0, "mu0"))
    return view, asked_of(scores, names, view.n, of_items=True)


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[ItemSamples, int]:
    """Stack the samples of pairs."""
    view = _of(scores, layout, (i, j), 0.0)
    return view, view.n


def _cases(layout: str, rng: Generator) -> list[Case]:
    k = 4 if layout == "crossed" else 3

    def one() -> Case:
        truth = rng.normal(0, 0.1, (20, 1))
        a = dyadic(rng.normal(0.8, 0.05, (20, 4)) + truth)
        b = dyadic(rng.normal(0.77, 0.05, (20, k)) + truth * 0.8)
        return Case(f"20 items × 4 and {k} samples", {"a": a, "b": b})

    cases = [one() for _ in range(3)]
    return [*cases, cases[0].but("against 1/128", mu0=0.0078125)]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    b = dyadic(rng.normal(0.8, 0.03, (40, 3)))
    a = b + 1 + rng.normal(0, 1e-9 if beyond else 0.02, b.shape)
    return Case("samples far apart", {"a": a, "b": b})


def _whole(layout: str, rng: Generator) -> Case:
    shapes = ((40, 2), (50, 2 if layout == "crossed" else 3))
    a, b = (rng.integers(low, low + 50, (5, k)).astype(float) for low, k in shapes)
    return Case("whole scores", {"a": a, "b": b})


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    """Items change places, and within each item the samples; conditions for all items alike."""
    rows = rng.permutation(np.shape(case.arrays["a"])[0])
    columns = {name: rng.permutation(np.shape(array)[1]) for name, array in case.arrays.items()}
    if layout == "crossed":
        columns["b"] = columns["a"]
    arrays = {
        name: np.asarray(array)[rows][:, columns[name]] for name, array in case.arrays.items()
    }
    return Case(f"{case.label}, in another order", arrays, case.keywords)


def _one_apart(case: Case) -> Case:
    """Each side says the same in all samples, and always 0.01 more than the other."""
    base = np.round(np.asarray(case.arrays["b"])[:, :1], 2)
    sides: dict[str, Any] = {
        "a": np.repeat(np.round(base + 0.01, 2), np.shape(case.arrays["a"])[1], axis=1),
        "b": np.repeat(base, np.shape(case.arrays["b"])[1], axis=1),
    }
    return case.but("always 0.01 apart", **sides)


def _same(case: Case) -> Case:
    base = np.repeat(np.asarray(case.arrays["b"])[:, :1], 4, axis=1)
    sides: dict[str, Any] = {
        name: base[:, : np.shape(array)[1]] for name, array in case.arrays.items()
    }
    return case.but("the same on both sides", 0.0 if case.null else None, **sides)


register_view(
    View(
        ItemSamples,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _far_apart,
            _whole,
            only(
                Case(
                    "two items × two samples",
                    {
                        "a": np.array([[0.81, 0.79], [0.84, 0.83]]),
                        "b": np.array([[0.80, 0.75], [0.78, 0.80]]),
                    },
                )
            ),
            _reordered,
            exchanged,
            _same,
            _one_apart,
            scales=True,
            shifts=True,
            has_null=True,
            orients=True,
        ),
        of_pairs,
        lambda scores: 1 if scores.measured is None else scores.measured.values[0].size,
        layouts=("samples", "crossed"),
        of_items=True,
    )
)
