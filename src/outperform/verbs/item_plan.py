"""How many items, and how many samples of each, a difference needs: `plan` from items."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from .. import validation
from ..errors import DataError
from ..numerics.distributions import Normal
from ..numerics.item_components import best_samples
from ..results.result import Result, versions
from ..scores.items import Items
from ..views import ItemSamples
from .compare import compare
from .pilot_sizes import PlannedSize, caution, more, planned_sizes

SCHEMA = "outperform/item-plan/1"
SAMPLES = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class PlannedSamples:
    """So many samples of each item by both models, and how many items a difference then needs."""

    k: int
    items: int
    answers: int
    """Of each model: items × samples."""
    cost: float
    """Items × (item cost + samples × sample cost)."""


@dataclass(frozen=True, eq=False, slots=True)
class ItemPlan:
    """What could be detected on items, by their number and samples, as `plan` returns it.

    Attributes
    ----------
    names : tuple[str, str]
        The two models.
    metric : str
        Name of the metric.
    method : str
        Name of the method whose standard error is used.
    n : int
        Items of the pilot.
    found : float
        The mean difference of the pilot.
    variance : float
        Of one item's difference as the method counts it: n times the squared standard error.
    between : float or None
        ω², the variance between items; at least 0. None with one sample of each.
    within : float or None
        What one sample of an item by both models adds to it: σ_A² + σ_B².
    best_k : float or None
        √(c_item/c_sample · σ²/ω²): the samples of an item that cost least; None if unknown.
    item_cost : float
        Of a new item without its samples.
    sample_cost : float
        Of one sample of an item by both models.
    sizes : tuple of PlannedSize
        Detectable differences by number of items.
    samples : tuple of PlannedSamples
        Items needed by number of samples of each.
    alpha : float
        Significance level.
    power : float
        Probability of detecting the difference.
    difference : float or None
        The difference to detect, if any.
    needed : int or None
        Items that detect `difference`; None where none was named.

    Examples
    --------
    >>> import outperform as op
    >>> scores = {"new": [1, 1, 0, 1, 1, 0, 1, 1], "old": [1, 0, 0, 1, 0, 1, 1, 0]}
    >>> made = op.plan(op.Items.from_arrays(scores), 0.1)
    >>> made.n, made.needed, made.more
    (8, 717, 709)
    >>> made.to_dict()["power"], len(made.to_json()) > 0
    (0.8, True)
    """

    names: tuple[str, str]
    metric: str
    method: str
    n: int
    found: float
    variance: float
    between: float | None
    within: float | None
    best_k: float | None
    item_cost: float
    sample_cost: float
    sizes: tuple[PlannedSize, ...]
    samples: tuple[PlannedSamples, ...]
    alpha: float
    power: float
    difference: float | None = None
    needed: int | None = None

    @property
    def more(self) -> int | None:
        """How many more items are needed than the pilot has; None if no difference was named."""
        return more(self.needed, self.n)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as data for JSON.

        Returns
        -------
        dict
            The keys that `outperform plan --json` prints.
        """
        best = self.best_k if self.best_k is None or math.isfinite(self.best_k) else None
        return {
            "schema": SCHEMA,
            "names": list(self.names),
            "metric": self.metric,
            "method": self.method,
            "n": self.n,
            "estimate": self.found,
            "variance": self.variance,
            "between": self.between,
            "within": self.within,
            "best_k": best,
            "item_cost": self.item_cost,
            "sample_cost": self.sample_cost,
            "alpha": self.alpha,
            "power": self.power,
            "difference": self.difference,
            "sizes": [asdict(each) for each in self.sizes],
            "samples": [asdict(each) for each in self.samples],
            "needed": self.needed,
            "more": self.more,
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

    def __repr__(self) -> str:
        return f"<ItemPlan: {self.names[0]} vs. {self.names[1]}, {self.n} items>"

    def __str__(self) -> str:
        from ..report import item_planning

        return item_planning.text(self)


def paired_items_needed(discordant: float, difference: float, alpha: float, power: float) -> int:
    """Return the items of McNemar's test: (z_{1−α/2}√ψ + z_{1−β}√(ψ − δ²))²/δ².

    >>> paired_items_needed(0.2, 0.03, 0.05, 0.8)
    1742
    """
    a, b = float(Normal().isf(alpha / 2)), float(Normal().isf(1 - power))
    spread = max(discordant - difference**2, 0.0)
    root = a * math.sqrt(discordant) + b * math.sqrt(spread)
    return math.ceil(root**2 / difference**2)


def plan_items(
    items: Items,
    names: tuple[str, str],
    difference: float | None,
    power: float,
    alpha: float,
    item_cost: float = 1.0,
    sample_cost: float = 1.0,
) -> ItemPlan:
    """Plan from the standard error of the pilot: n = (z_{1−α/2} + z_{1−β})² V/δ², V = n·SE².

    V is taken at its upper confidence limit, with right and wrong answers the share that differs.

    With several samples of each item V = ω² + (σ_A² + σ_B²)/K, so that more samples can take the
    place of more items, down to ω². n items then cost n·(c_item + K·c_sample), which is least at
    K* = √(c_item/c_sample · (σ_A² + σ_B²)/ω²).
    """
    for name, cost in (("item_cost", item_cost), ("sample_cost", sample_cost)):
        if not validation.one_number(cost, name) > 0:
            raise DataError(f"The {name!r} parameter must be greater than 0, got {cost:g}.")
    pair = items.of(names)
    if not pair.is_sampled and (item_cost, sample_cost) != (1.0, 1.0):
        raise DataError(
            "The 'item_cost' and 'sample_cost' parameters apply only to items with several samples "
            "each, and these have one. Remove them."
        )
    result: Result = compare(pair)[names]
    if not result.stderr:
        raise DataError(
            "The differences of the pilot do not vary, so that nothing can be planned from them. "
            "Check that two different models were measured."
        )
    n = result.n
    variance = n * result.stderr**2
    df = result.df if isinstance(result.df, float) else n - 1.0
    reach = float(Normal().isf(alpha / 2)) + float(Normal().isf(1 - power))

    def reached(size: int, times: float) -> float:
        return reach * times * math.sqrt(variance / size)

    between = within = best = None
    rows: list[PlannedSamples] = []
    if pair.is_sampled:
        view = ItemSamples.of(*pair.values, lower_is_better=not pair.greater_is_better)
        if view.is_sampled:
            v = view.variances
            between, within = max(float(v.between), 0.0), float(v.first) + float(v.second)
            best = best_samples(between, within, item_cost, sample_cost)
            for k in SAMPLES if difference is not None else ():
                spread = caution(df) * (between + within / k)
                size = math.ceil(reach**2 * spread / float(difference or 1) ** 2)
                cost = size * (item_cost + k * sample_cost)
                rows.append(PlannedSamples(k, size, size * k, cost))
    needed = None
    if difference is not None:
        if pair.is_right_wrong and pair.clusters is None:
            share = float((pair.means[0] != pair.means[1]).mean())
            if difference**2 >= share:
                raise DataError(
                    f"The 'difference' parameter must be below {math.sqrt(share):.3g}: only "
                    f"{share:.1%} of the items differ. Plan for a smaller one."
                )
            upper = min(caution(df) * share, 1.0)
            needed = paired_items_needed(upper, difference, alpha, power)
        else:
            needed = math.ceil(reach**2 * caution(df) * variance / difference**2)
    return ItemPlan(
        names,
        items.metric,
        result.method.name,
        n,
        result.estimate,
        variance,
        between,
        within,
        best,
        float(item_cost),
        float(sample_cost),
        planned_sizes(n, df, reached),
        tuple(rows),
        alpha,
        power,
        difference,
        needed,
    )
