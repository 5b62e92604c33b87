"""How many datasets a difference needs: `plan` from scores over several datasets."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..errors import DataError
from ..numerics.distributions import T
from ..results.result import versions
from ..scores.split_scores import Scores
from ..views import OverDatasets
from .pilot_sizes import PlannedSize, caution, more, planned_sizes

SCHEMA = "outperform/dataset-plan/1"
EFFICIENCY = 3 / math.pi
"""Of the signed-rank test beside the t-test, for normal differences: it needs 5 % more datasets."""
MOST = 10**7


@dataclass(frozen=True, eq=False, slots=True)
class DatasetPlan:
    """What could be detected over datasets, by their number, as `plan` returns it.

    Attributes
    ----------
    names : tuple[str, str]
        The two learners.
    metric : str
        Name of the metric.
    n : int
        Datasets of the pilot.
    found : float
        The mean difference of the pilot.
    spread : float
        The standard deviation of differences between datasets.
    sizes : tuple of PlannedSize
        Detectable differences by number of datasets.
    alpha : float
        Significance level.
    power : float
        Probability of detecting the difference.
    difference : float or None
        The difference to detect, if any.
    needed : int or None
        Datasets that detect `difference`; None if no difference was given.

    Examples
    --------
    >>> import outperform as op
    >>> made = op.plan("examples/benchmark.csv", 0.01, pair=("RF", "XGB"))
    >>> made.n, made.needed, made.more
    (30, 33, 3)
    >>> made.to_dict()["power"], len(made.to_json()) > 0
    (0.8, True)
    """

    names: tuple[str, str]
    metric: str
    n: int
    found: float
    spread: float
    sizes: tuple[PlannedSize, ...]
    alpha: float
    power: float
    difference: float | None = None
    needed: int | None = None

    @property
    def more(self) -> int | None:
        """How many more datasets are needed than the pilot has; None if no difference was named."""
        return more(self.needed, self.n)

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
        """Return `to_dict` as JSON.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        first, second = self.names
        return f"<DatasetPlan: {first} vs. {second}, {self.n} datasets>"

    def __str__(self) -> str:
        from ..report import planning

        return planning.datasets_text(self)


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

    def reach(size: int, times: float) -> float:
        """Return what so many datasets detect, the sd being so many times that of the pilot."""
        law = T(max(size - 1, 1.0))
        quantiles = float(law.isf(alpha / 2)) + float(law.isf(1 - power))
        return quantiles * times * spread / math.sqrt(size * EFFICIENCY)

    sizes, worst = planned_sizes(n, n - 1, reach), math.sqrt(caution(n - 1))
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
