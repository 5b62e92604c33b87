"""How many datasets a difference needs: `plan` from scores over several datasets."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..errors import DataError
from ..numerics.distributions import Chi2, T
from ..results.result import versions
from ..scores.split_scores import Scores
from ..views import OverDatasets

SCHEMA = "outperform/dataset-plan/1"
CAUTION = 0.80
"""The variance is planned at this upper confidence limit."""
EFFICIENCY = 3 / math.pi
"""Of the signed-rank test beside the t-test, for normal differences: it needs 5 % more datasets."""
TIMES = (1, 1.5, 2, 3, 5, 10)
MOST = 10**7


@dataclass(frozen=True, slots=True)
class PlannedDatasets:
    """So many datasets, and the smallest difference that they detect."""

    n: int
    detectable: float
    """At the upper limit of the variance between datasets."""
    expected: float
    """With the variance that was found."""


@dataclass(frozen=True, eq=False, slots=True)
class DatasetPlan:
    """What could be detected over datasets, by their number."""

    names: tuple[str, str]
    metric: str
    n: int
    """Datasets of the pilot."""
    found: float
    """The mean difference of the pilot."""
    spread: float
    """The standard deviation of differences between datasets."""
    sizes: tuple[PlannedDatasets, ...]
    alpha: float
    power: float
    difference: float | None = None
    needed: int | None = None
    """Datasets that detect `difference`; None where none was asked."""

    @property
    def more(self) -> int | None:
        """How many more datasets than the pilot has that is."""
        return None if self.needed is None else max(self.needed - self.n, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in the vocabulary of `--json`."""
        return {
            "schema": SCHEMA,
            "names": list(self.names),
            "metric": self.metric,
            "n": self.n,
            "estimate": self.found,
            "spread": self.spread,
            "alpha": self.alpha,
            "power": self.power,
            "difference": self.difference,
            "sizes": [asdict(each) for each in self.sizes],
            "needed": self.needed,
            "more": self.more,
            "versions": versions(),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        first, second = self.names
        return f"<DatasetPlan: {first} vs. {second}, {self.n} datasets>"

    def __str__(self) -> str:
        from ..report import planning

        return planning.datasets_text(self)

    def _repr_html_(self) -> str:
        from ..report import planning

        return planning.datasets_html(self)


def plan_datasets(
    scores: Scores,
    names: tuple[str, str],
    difference: float | None,
    power: float,
    alpha: float,
) -> DatasetPlan:
    """Plan from the differences between datasets: (t_{1−α/2} + t_power) s/√N by the t law.

    N is divided by 3/π, the efficiency of the signed-rank test for normal differences.
    """
    view = OverDatasets.of(scores, *names)
    n = view.n_splits
    if n < 3:
        raise DataError(
            f"A plan over datasets needs a pilot of at least 3 datasets, got {n}. Measure more."
        )
    spread = float(np.asarray(view.sd))
    if not spread > 0:
        raise DataError(
            "The differences of the pilot do not vary between datasets, so that nothing can be "
            "planned from them. Check that two different learners were run."
        )
    worst = spread * math.sqrt((n - 1) / float(Chi2(n - 1).isf(CAUTION)))

    def reach(size: float, sd: float) -> float:
        law = T(max(size - 1, 1.0))
        return (
            (float(law.isf(alpha / 2)) + float(law.isf(1 - power)))
            * sd
            / math.sqrt(size * EFFICIENCY)
        )

    sizes = tuple(
        PlannedDatasets(round(t * n), reach(round(t * n), worst), reach(round(t * n), spread))
        for t in TIMES
    )
    needed = None
    if difference is not None:
        low, high = 2, MOST
        if reach(high, worst) > difference:
            raise DataError(
                f"More than {MOST:,} datasets would be needed for a difference of {difference:g}. "
                "Plan for a larger one."
            )
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if reach(middle, worst) <= difference else (middle + 1, high)
        needed = low
    mean = float(np.asarray(view.mean))
    return DatasetPlan(
        names, scores.metric, n, mean, spread, sizes, alpha, power, difference, needed
    )
