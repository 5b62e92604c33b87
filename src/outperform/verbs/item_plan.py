"""How many items, and how many samples of each, a difference needs: `plan` from items."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import DataError
from ..numerics.distributions import Chi2, Normal
from ..numerics.item_components import best_samples
from ..results.result import Result, versions
from ..scores.items import Items
from ..views import ItemSamples
from .compare import compare

SCHEMA = "outperform/item-plan/1"
CAUTION = 0.80
"""The variance is planned at this upper confidence limit."""
TIMES = (1, 1.5, 2, 3, 5, 10)
SAMPLES = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class PlannedItems:
    """So many items, and the smallest difference that they detect."""

    n: int
    detectable: float
    """At the upper limit of the variance."""
    expected: float
    """With the variance that was found."""


@dataclass(frozen=True, slots=True)
class PlannedSamples:
    """So many samples of each item by both models, and how many items a difference then needs."""

    k: int
    items: int
    answers: int
    """Of each model: items × samples."""


@dataclass(frozen=True, eq=False, slots=True)
class ItemPlan:
    """What could be detected on items, by their number and by the samples of each."""

    names: tuple[str, str]
    metric: str
    method: str
    n: int
    found: float
    variance: float
    """Of one item's difference as the method counts it: n times the squared standard error."""
    between: float | None
    """ω², the variance between items; at least 0. None with one sample of each."""
    within: float | None
    """What one sample of an item by both models adds to it: σ_A² + σ_B²."""
    best_k: float | None
    """√(c_item/c_sample · σ²/ω²): the samples of an item that cost least; None if unknown."""
    sizes: tuple[PlannedItems, ...]
    samples: tuple[PlannedSamples, ...]
    alpha: float
    power: float
    difference: float | None = None
    needed: int | None = None
    """Items that detect `difference`; None where none was named."""

    @property
    def more(self) -> int | None:
        """How many more items than the pilot has that is."""
        return None if self.needed is None else max(self.needed - self.n, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in the vocabulary of `--json`."""
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
        """Return `to_dict` as JSON."""
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

    With several samples of each item V = ω² + (σ_A² + σ_B²)/K, so that more samples can take the
    place of more items, down to ω².
    """
    pair = items.of(names)
    result: Result = compare(pair)[names]
    if not result.stderr:
        raise DataError(
            "The differences of the pilot do not vary, so that nothing can be planned from them. "
            "Check that two different models were measured."
        )
    n = result.n
    variance = n * result.stderr**2
    df = result.df if isinstance(result.df, float) else n - 1.0
    worst = variance * df / float(Chi2(df).isf(CAUTION))
    reach = float(Normal().isf(alpha / 2)) + float(Normal().isf(1 - power))

    def planned(size: int) -> PlannedItems:
        return PlannedItems(
            size, reach * math.sqrt(worst / size), reach * math.sqrt(variance / size)
        )

    between = within = best = None
    rows: list[PlannedSamples] = []
    if pair.is_sampled:
        view = ItemSamples.of(*pair.values, lower_is_better=not pair.greater_is_better)
        if view.is_sampled:
            v = view.variances
            between, within = max(float(v.between), 0.0), float(v.first) + float(v.second)
            best = best_samples(between, within, item_cost, sample_cost)
            for k in SAMPLES if difference is not None else ():
                size = math.ceil(reach**2 * (between + within / k) / float(difference or 1) ** 2)
                rows.append(PlannedSamples(k, size, size * k))
    needed = None
    if difference is not None:
        if pair.is_right_wrong and pair.clusters is None:
            share = float((pair.means[0] != pair.means[1]).mean())
            if difference**2 >= share:
                raise DataError(
                    f"The 'difference' parameter must be below {math.sqrt(share):.3g}: only "
                    f"{share:.1%} of the items differ. Plan for a smaller one."
                )
            needed = paired_items_needed(share, difference, alpha, power)
        else:
            needed = math.ceil(reach**2 * worst / difference**2)
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
        tuple(planned(round(t * n)) for t in TIMES),
        tuple(rows),
        alpha,
        power,
        difference,
        needed,
    )
