"""`plan`: the smallest difference that a design can detect, and the cheapest one that is enough."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..designs import CalibratedKFold, Design, KFold, RepeatedKFold, Resampled
from ..errors import DataError, argument
from ..numerics.distributions import Chi2, T
from ..numerics.exact_sums import standard_deviation
from ..procedures.calibrated_t import FLOOR, calibrated_t, carried_spread
from ..results.result import versions
from ..scores.item_summary import scores_of
from ..scores.items import Items
from ..scores.split_scores import Scores
from ..views import Calibration, Differences
from .dataset_plan import DatasetPlan, plan_datasets

if TYPE_CHECKING:
    from .item_plan import ItemPlan

SCHEMA = "outperform/plan/1"
CAUTION = 0.80
"""Variances are planned at this upper confidence limit: a pilot estimates them roughly."""
TIMES = (1, 2, 4, 8)
"""Multiples of the pilot's repeats, halvings or resamples that are planned."""
SIZES = (1, 1.5, 2, 3, 5, 10)
"""Multiples of the pilot's items."""
SLOWEST_FALL = 0.1
"""Below this power of n more items of the same kind hardly help."""


@dataclass(frozen=True, slots=True)
class PlannedDesign:
    """One design on the same items: its cost, and what it can detect."""

    design: str
    fits: int
    """Of all learners."""
    seconds: float | None
    detectable: float
    """The smallest detectable difference at the upper limit of the variance."""
    expected: float
    """The same with the variance estimated by the pilot."""


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """Another number of items, judged by the most thorough design of the plan."""

    n: int
    detectable: float
    expected: float


@dataclass(frozen=True, eq=False, slots=True)
class Pilot:
    """What a pilot says of the variance of a comparison."""

    design: Design
    n: int | None
    """Items, or groups where whole groups are drawn."""
    grade: str
    """`measured` between halves of the data, or `assumed` by the formula of corrected_t."""
    spread: Callable[[Design, int | None], tuple[float, float]]
    """The variance and the degrees of freedom of a design on n items."""
    fall: float
    """The variance falls as n to the power of minus this."""
    limit: float
    """The variance that no number of repeats goes below."""

    @property
    def unit(self) -> str:
        return "groups" if self.design.grouped else "items"

    @property
    def caution(self) -> float:
        """How much larger the variance may be, at the upper limit."""
        df = self.spread(self.design, self.n)[1]
        return df / float(Chi2(df).isf(CAUTION))

    def detectable(
        self, design: Design, n: int | None, alpha: float, power: float, *, cautious: bool = True
    ) -> float:
        """Return the smallest difference that is detected with this power at α, two-sided."""
        variance, df = self.spread(design, n)
        if n is not None and self.n is not None:
            variance *= (self.n / n) ** self.fall
        return reach(variance * (self.caution if cautious else 1.0), df, alpha, power)


def reach(variance: float, df: float, alpha: float, power: float) -> float:
    """Return (t_{1−α/2} + t_power) standard errors."""
    law = T(df)
    return (float(law.isf(alpha / 2)) + float(law.isf(1 - power))) * math.sqrt(variance)


@dataclass(frozen=True, eq=False, slots=True)
class ComparisonPlan:
    """What could be detected, by design and by number of items, and what it costs."""

    names: tuple[str, str]
    metric: str
    pilot: Pilot
    designs: tuple[PlannedDesign, ...]
    sizes: tuple[PlannedSize, ...]
    floor: float
    """The smallest detectable difference with any number of repeats on these items."""
    alpha: float
    power: float
    difference: float | None = None
    choice: PlannedDesign | None = None
    """The cheapest design that detects `difference`; None where none does, or none was asked."""
    items_needed: int | None = None
    """How many items would be needed where no design is enough; None where that is unknown."""
    seed: int | None = None

    @property
    def grade(self) -> str:
        return self.pilot.grade

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in the vocabulary of `--json`."""
        return {
            "schema": SCHEMA,
            "names": list(self.names),
            "metric": self.metric,
            "pilot": str(self.pilot.design),
            "n": self.pilot.n,
            "grade": self.grade,
            "alpha": self.alpha,
            "power": self.power,
            "difference": self.difference,
            "designs": [asdict(each) for each in self.designs],
            "sizes": [asdict(each) for each in self.sizes],
            "floor": self.floor,
            "choice": None if self.choice is None else self.choice.design,
            "items_needed": self.items_needed,
            "seed": self.seed,
            "versions": versions(),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self, **options: Any) -> Any:
        """Return a matplotlib figure: what each design detects, by number of items."""
        from ..report import planning

        return planning.figure(self, **options)

    def __repr__(self) -> str:
        first, second = self.names
        return f"<ComparisonPlan: {first} vs. {second}, {len(self.designs)} designs>"

    def __str__(self) -> str:
        from ..report import planning

        return planning.text(self)

    def _repr_html_(self) -> str:
        from ..report import planning

        return planning.html(self)


def plan(
    source: Any,
    difference: float | None = None,
    *,
    pair: tuple[str, str] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    design: Any = None,
    seconds_per_fit: float | None = None,
) -> ComparisonPlan | DatasetPlan | ItemPlan:
    """Plan a comparison from a pilot: what can be detected, at which cost.

    From scores over several datasets it plans the number of datasets instead of designs, and from
    `Items` the number of items and of samples of each.

    Parameters
    ----------
    source : Comparison, Scores, or path of a store or a file of scores
        The pilot. From a run of the default design the variance was measured; from other scores it
        is that of the corrected t-test, which assumes how splits correlate.
    difference : float, optional
        The difference that should be detected; the plan then names the cheapest design for it.
    pair : tuple of two names, optional
        Which learners to compare, where the pilot has more than two.
    power : float, default=0.8
        The probability that the difference is detected.
    alpha : float, default=0.05
        The two-sided level of the test of this one pair.
    design : str or Design, optional
        The design that made the scores, where a file does not tell.
    seconds_per_fit : float, optional
        What one fit takes; a store of a run knows.

    Returns
    -------
    ComparisonPlan or DatasetPlan
        Prints as a table; `to_dict`, `to_json`; of one dataset also `plot`.

    Notes
    -----
    Variances are planned at their 80 % upper confidence limit, since a pilot estimates them
    roughly. Repeats average the noise of partitioning out and nothing else, so no number of them
    goes below a floor; how the variance falls with more items is read off the halves of the data.
    """
    power, alpha = validation.fraction(power, "power"), validation.fraction(alpha, "alpha")
    if difference is not None:
        difference = abs(validation.one_number(difference, "difference"))
        if difference == 0:
            raise DataError(
                "The 'difference' parameter must not be 0, got 0. Name the smallest difference "
                f"that would matter, for example {argument(difference=0.01)}."
            )
    scores, seconds = _read(source, design)
    seconds = seconds_per_fit if seconds_per_fit is not None else seconds
    names = _named(scores, pair)
    if scores.measured is not None:
        from .item_plan import plan_items

        return plan_items(scores.measured, names, difference, power, alpha)
    if len(set(scores.datasets or ())) > 1:
        return plan_datasets(scores, names, difference, power, alpha)
    pilot = _pilot(scores, names)
    plans = _designs(pilot.design)
    asked = (alpha, power)

    def planned(each: Design) -> PlannedDesign:
        fits = each.n_splits(pilot.n) * len(scores.names)
        both = (pilot.detectable(each, pilot.n, *asked, cautious=c) for c in (True, False))
        return PlannedDesign(str(each), fits, None if seconds is None else fits * seconds, *both)

    designs = tuple(planned(each) for each in plans)
    limit = reach(pilot.limit * pilot.caution, math.inf, *asked)
    sizes = tuple(_sizes(pilot, plans[-1], *asked))
    choice = needed = None
    if difference is not None:
        choice = next((each for each in designs if each.detectable <= difference), None)
        needed = None if choice else _items(pilot, plans[-1], difference, *asked)
    return ComparisonPlan(
        names,
        scores.metric,
        pilot,
        designs,
        sizes,
        limit,
        alpha,
        power,
        difference,
        choice,
        needed,
        scores.seed,
    )


def _read(source: Any, design: Any) -> tuple[Scores, float | None]:
    """Return scores, whatever holds them, and the seconds of a fit where they were kept."""
    found = getattr(source, "scores", source)
    if found is None:
        raise DataError(
            "This comparison has no scores to plan from. Pass scores of cross-validation, or of a "
            f"run with {argument(design='5x5cv+20halves')}."
        )
    if isinstance(found, Items):
        return scores_of(found), None
    if isinstance(found, Scores):
        return (found if design is None else found.made_by(design)), None
    if validation.is_store(found):
        from ..storage import seconds_of_fits

        return Scores.read(found), seconds_of_fits(found)
    return Scores.read(found, **({} if design is None else {"design": design})), None


def _named(scores: Scores, pair: tuple[str, str] | None) -> tuple[str, str]:
    if pair is None and len(scores.names) != 2:
        first, second = (*scores.names, "…")[:2]
        raise DataError(
            f"The pilot has {len(scores.names)} learners, and a plan is made for two. Name them, "
            f"for example {argument(pair=(first, second))}."
        )
    return scores.pair(*(pair or scores.names))


def _pilot(scores: Scores, names: tuple[str, str]) -> Pilot:
    if isinstance(scores.design, CalibratedKFold):
        grade = calibrated_t(scores, *names).grade
        return _measured(Calibration.of(scores, *names), scores.design, grade)
    kinds = (KFold, RepeatedKFold, Resampled)
    if isinstance(scores.design, kinds) and scores.test_train_ratio is not None:
        return _assumed(Differences.of(scores, *names), scores)
    made = "an unknown design" if scores.design is None else str(scores.design)
    raise DataError(
        f"A plan cannot be made from scores of {made}: it needs a pilot whose variance is known. "
        f"Run one with {argument(design='5x5cv+20halves')}, or plan from scores of "
        "cross-validation."
    )


def _measured(c: Calibration, design: CalibratedKFold, grade: str = "measured") -> Pilot:
    """Read the variance off the halves: B as in calibrated_t, τ² the noise of partitioning."""
    growth = float(c.growth)
    carried = float(carried_spread(c)) ** 2
    noise = float(standard_deviation(c.repeat_means)) ** 2
    _check_spread(carried)

    def share(repeats: float) -> float:
        return max(1 - (1 - 1 / repeats) * noise / carried, FLOOR)

    def spread(each: Any, n: int | None) -> tuple[float, float]:
        items, halvings = c.n if n is None else n, each.halvings
        left = share(each.repeats)
        worth = halvings * (items - 1) / (halvings + items - 2)
        return left * carried, max(2.0, left**2 * worth)

    fall = 1 - math.log2(min(max(growth, 0.5), 1.9))
    return Pilot(design, round(c.n), grade, spread, fall, share(math.inf) * carried)


def _assumed(d: Differences, scores: Scores) -> Pilot:
    """Take the variance of the corrected t-test: s² (1/J + n_test/n_train)."""
    variance, ratio = float(np.asarray(d.sd)) ** 2, float(scores.test_train_ratio or 0.0)
    _check_spread(variance)
    n = None
    if scores.n_train is not None and scores.n_test is not None:
        n = round(float(np.mean(scores.n_train + scores.n_test)))

    def spread(each: Design, items: int | None) -> tuple[float, float]:
        splits = each.n_splits(items)
        return variance * (1 / splits + ratio), splits - 1.0

    assert scores.design is not None
    return Pilot(scores.design, n, "assumed", spread, 1.0, variance * ratio)


def _check_spread(variance: float) -> None:
    if not variance > 0:
        raise DataError(
            "The differences of the pilot do not vary, so that nothing can be planned from them. "
            "Check that two different learners were run, or run a pilot on more data."
        )


def _designs(design: Design) -> list[Any]:
    """Return larger designs of the same family, the pilot's own first."""
    if isinstance(design, CalibratedKFold):
        return [
            replace(design, repeats=t * design.repeats, halvings=t * design.halvings) for t in TIMES
        ]
    if isinstance(design, KFold):
        same: Any = {"stratified": design.stratified, "grouped": design.grouped}
        more = [RepeatedKFold(t, design.folds, **same) for t in TIMES[1:]]
        return [design, *more]
    grows: Any = design
    return [replace(grows, repeats=t * grows.repeats) for t in TIMES]


def _sizes(pilot: Pilot, design: Design, alpha: float, power: float) -> list[PlannedSize]:
    if pilot.n is None:
        return []
    found = []
    for times in SIZES:
        n = round(times * pilot.n)
        both = (pilot.detectable(design, n, alpha, power, cautious=c) for c in (True, False))
        found.append(PlannedSize(n, *both))
    return found


def _items(
    pilot: Pilot, design: Design, difference: float, alpha: float, power: float
) -> int | None:
    """Return how many items the most thorough design needs; None where items do not help."""
    if pilot.n is None or pilot.fall < SLOWEST_FALL:
        return None
    n = float(pilot.n)
    for _ in range(50):  # degrees of freedom change with n, but little
        now = pilot.detectable(design, round(n), alpha, power)
        n *= (now / difference) ** (2 / pilot.fall)
        if not math.isfinite(n) or n > 1e12:
            return None
    digits = max(0, int(math.log10(n)) - 1)  # two digits: it is a rough number
    return int(math.ceil(n / 10**digits) * 10**digits)
