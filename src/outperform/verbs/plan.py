"""`plan`: the smallest difference that a design can detect, and the cheapest one that is enough."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..designs import CalibratedKFold, Design, KFold, RepeatedKFold, Resampled
from ..errors import DataError, argument, either
from ..numerics.distributions import T
from ..numerics.exact_sums import standard_deviation
from ..procedures.calibrated_t import FLOOR, calibrated_t, carried_spread
from ..results.result import versions
from ..scores.item_summary import scores_of
from ..scores.items import Items
from ..scores.split_scores import Scores
from ..views import Calibration, Differences
from .dataset_plan import DatasetPlan, plan_datasets
from .pilot_sizes import SIZES, PlannedSize, caution

if TYPE_CHECKING:
    from .item_plan import ItemPlan

SCHEMA = "outperform/plan/1"
TIMES = (1, 2, 4, 8)
"""Multiples of the pilot's repeats, halvings or resamples that are planned."""
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
    limit: tuple[float, float]
    """The variance and degrees of freedom that no number of repeats or halvings goes beyond."""

    @property
    def unit(self) -> str:
        return "groups" if self.design.grouped else "items"

    @property
    def caution(self) -> float:
        """How much larger the variance may be, at the upper limit."""
        return caution(self.spread(self.design, self.n)[1])

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
    """What could be detected, by design and by number of items, as `plan` returns it.

    Attributes
    ----------
    names : tuple[str, str]
        The two learners.
    metric : str
        Name of the metric.
    pilot : Pilot
        What the pilot says of the variance.
    designs : tuple of PlannedDesign
        Designs on the same items, with cost and detectable difference.
    sizes : tuple of PlannedSize
        Detectable differences with other numbers of items.
    floor : float
        The smallest detectable difference with any number of repeats on these items.
    alpha : float
        Significance level.
    power : float
        Probability of detecting the difference.
    difference : float or None
        The difference to detect, if any.
    choice : PlannedDesign or None
        The cheapest design that detects `difference`; None if none does, or none was given.
    items_needed : int or None
        How many items would be needed where no design is enough; None where that is unknown.
    seed : int or None
        Seed of the run, if known.

    Examples
    --------
    >>> import outperform as op
    >>> scores = {"tree": [0.81, 0.79, 0.84, 0.80], "bayes": [0.78, 0.75, 0.80, 0.79]}
    >>> made = op.plan(op.Scores.from_arrays(scores, design="4cv", n_train=75, n_test=25), 0.1)
    >>> made.grade, made.choice.design
    ('assumed', '4cv')
    >>> made.to_dict()["power"], len(made.to_json()) > 0
    (0.8, True)
    >>> figure = made.plot()
    """

    names: tuple[str, str]
    metric: str
    pilot: Pilot
    designs: tuple[PlannedDesign, ...]
    sizes: tuple[PlannedSize, ...]
    floor: float
    alpha: float
    power: float
    difference: float | None = None
    choice: PlannedDesign | None = None
    items_needed: int | None = None
    seed: int | None = None

    @property
    def grade(self) -> str:
        """The grade of the pilot's variance: measured or assumed."""
        return self.pilot.grade

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as data for JSON.

        Returns
        -------
        dict
            The keys that `outperform plan --json` prints.
        """
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
        """Return `to_dict` as JSON.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self, **options: Any) -> Any:
        """Plot what each design detects, by number of items.

        Parameters
        ----------
        **options : object
            Options of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report import planning

        return planning.figure(self, **options)

    def __repr__(self) -> str:
        first, second = self.names
        return f"<ComparisonPlan: {first} vs. {second}, {len(self.designs)} designs>"

    def __str__(self) -> str:
        from ..report import planning

        return planning.text(self)


def plan(
    source: Any,
    difference: float | None = None,
    *,
    pair: tuple[str, str] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    design: Any = None,
    seconds_per_fit: float | tuple[float, float] | None = None,
    item_cost: float | None = None,
    sample_cost: float | None = None,
) -> ComparisonPlan | DatasetPlan | ItemPlan:
    """Plan a comparison from a pilot: what can be detected, and at which cost.

    From scores over several datasets it plans the number of datasets instead of designs, and from
    `Items` the number of items and of samples of each.

    Parameters
    ----------
    source : Comparison, Scores, Items or path
        The pilot. From a run of the default design the variance was measured; from other scores it
        is that of the corrected t-test, which assumes how splits correlate.
    difference : float, optional
        The difference that should be detected; the plan then names the cheapest design for it.
    pair : tuple of two str, optional
        Which learners to compare, if the pilot has more than two.
    power : float, default=0.8
        Probability of detecting the difference.
    alpha : float, default=0.05
        Two-sided level of the test of this one pair.
    design : str or Design, optional
        The design that made the scores, if a file does not tell.
    seconds_per_fit : float or tuple of two, optional
        What one fit takes; two numbers for fits on all data and on halves. A store of a run knows.
    item_cost : float, optional
        For `Items` with several samples: what a new item costs, in any unit; by default 1.
    sample_cost : float, optional
        What one more sample of an item costs, in the same unit; by default 1.

    Returns
    -------
    ComparisonPlan, DatasetPlan or ItemPlan
        Prints as a table.

    Raises
    ------
    DataError
        If the pilot does not tell the variance.

    Notes
    -----
    Variances are planned at their 80 % upper confidence limit, since a pilot estimates them
    roughly. Repeats only average out the noise of partitioning, so that no number of them goes
    below a floor; how the variance falls with more items is estimated from the halves of the data.

    Examples
    --------
    >>> import outperform as op
    >>> made = op.plan("examples/calibrated.csv", design="5x5cv+20halves")
    >>> [(one.design, round(one.detectable, 3)) for one in made.designs[:2]]
    [('5x5cv+20halves', 0.043), ('10x5cv+20halves', 0.04)]
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
    if seconds_per_fit is not None:
        both = seconds_per_fit if isinstance(seconds_per_fit, tuple) else (seconds_per_fit,) * 2
        on_all, on_halves = (validation.one_number(each, "seconds_per_fit") for each in both)
        seconds = on_all, on_halves
    names = _named(scores, pair)
    if scores.measured is not None:
        from .item_plan import plan_items

        costs = {"item_cost": item_cost, "sample_cost": sample_cost}
        given = {name: cost for name, cost in costs.items() if cost is not None}
        return plan_items(scores.measured, names, difference, power, alpha, **given)
    if item_cost is not None or sample_cost is not None:
        raise DataError(
            "The 'item_cost' and 'sample_cost' parameters apply only to items with several samples "
            "each. Remove them."
        )
    if len(set(scores.datasets or ())) > 1:
        return plan_datasets(scores, names, difference, power, alpha)
    pilot = _pilot(scores, names)
    plans = _designs(pilot.design)
    asked = (alpha, power)

    def planned(each: Design) -> PlannedDesign:
        fits = each.n_splits(pilot.n) * len(scores.names)
        both = (pilot.detectable(each, pilot.n, *asked, cautious=c) for c in (True, False))
        return PlannedDesign(str(each), fits, _cost(each, fits, seconds), *both)

    designs = tuple(planned(each) for each in plans)
    limit = reach(pilot.limit[0] * pilot.caution, pilot.limit[1], *asked)
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


def _cost(design: Design, fits: int, seconds: tuple[float, float] | None) -> float | None:
    """Return the seconds of all fits: those on all data take longer than those on halves."""
    if seconds is None:
        return None
    on_all = 1.0
    if isinstance(design, CalibratedKFold):
        on_all = design.repeats / (design.repeats + 2 * design.halvings)
    return fits * (on_all * seconds[0] + (1 - on_all) * seconds[1])


def _read(source: Any, design: Any) -> tuple[Scores, tuple[float, float] | None]:
    """Return scores, whatever holds them, and the seconds of fits where they were kept."""
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
            f"for example {_naming(first, second)}."
        )
    return scores.pair(*(pair or scores.names))


def _naming(first: str, second: str) -> str:
    """Return how two learners are named: as words after the file on the command line."""
    words = " ".join(map(shlex.quote, ("FILE", first, second)))
    return either(python=argument(pair=(first, second)), typed=f"outperform plan {words}")


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
    least = share(math.inf)
    limit = least * carried, max(2.0, least**2 * (c.n - 1))
    return Pilot(design, round(c.n), grade, spread, fall, limit)


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
    return Pilot(scores.design, n, "assumed", spread, 1.0, (variance * ratio, math.inf))


def _check_spread(variance: float) -> None:
    if not variance > 0:
        raise DataError(
            "The differences of the pilot do not vary, so that nothing can be planned from them. "
            "Check that two different learners were run, or run a pilot on more data."
        )


def _designs(design: Design) -> list[Any]:
    """Return larger designs of the same family, the pilot's own first, the dearest last."""
    if isinstance(design, CalibratedKFold):
        repeats = [replace(design, repeats=t * design.repeats) for t in TIMES[1:]]
        both = [
            replace(design, repeats=t * design.repeats, halvings=t * design.halvings) for t in TIMES
        ]
        return sorted(repeats + both, key=CalibratedKFold.n_splits)
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
