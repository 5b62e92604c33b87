"""Sign test over datasets: Dietterich's question 9 (D-11)."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import Any

import numpy as np

from ..numerics.distributions import Binomial
from ..numerics.exact_sums import ROUNDING, Array
from ..registry import method
from ..results.evidence import Exact, Inverted, highest_level
from ..views import OverDatasets
from .wilcoxon import few_datasets


@method(
    title="Sign test over datasets",
    paper="dietterich",
    requirements=("D-11",),
    layout="datasets",
    unit="datasets",
    designs=("datasets",),
    accounts_for=(),
    standing="reference",
    grade="exact",
    advice="Counts the datasets won; ignores the uncertainty of each win.",
    note="OP304",
    centre="median",
    checks=(few_datasets,),
)
def sign_test(d: OverDatasets) -> Exact:
    """Does the first side win on more datasets than it loses?

    Wins ~ binomial(wins + losses, ½); datasets with a zero difference are dropped. The estimate is
    the median difference; the interval lies between the k-th smallest and the k-th largest
    difference, with k from binomial(n, ½). It counts datasets with a zero difference, so it may
    contain 0 although p < α.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.93, 0.67, 0.75, 0.88, 0.59, 0.97, 0.72]
    >>> bayes = [0.79, 0.94, 0.61, 0.70, 0.85, 0.55, 0.96, 0.70]
    >>> found = op.sign_test(tree, bayes, unit="datasets")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.025, 0.0703)
    """
    rounding = ROUNDING * np.maximum(d.scale, abs(d.null))[..., None]
    wins, losses = _won(d.flat, rounding, d.null)
    ordered = np.sort(np.where(np.abs(d.flat - d.null) <= rounding, d.null, d.flat), axis=-1)
    n = d.n_splits
    interval = Inverted(
        partial(_tails, d.flat, rounding), partial(_ends, ordered), highest_level(n)
    )
    details = {"wins": wins, "losses": losses}
    return Exact(
        np.median(ordered, axis=-1)[()],
        np.minimum(wins, losses),
        *_counted(wins, losses),
        null=d.null,
        companion=interval,
        details=details,
    )


def _won(values: Array, rounding: Array, null: Any) -> tuple[Any, Any]:
    shift = values - null
    wins, losses = (np.sum(side * shift > rounding, axis=-1).astype(float) for side in (1, -1))
    return wins[()], losses[()]


def _counted(wins: Any, losses: Any) -> tuple[Any, Any]:
    law = Binomial(wins + losses, 0.5)
    return law.log_at_most(wins), law.log_at_least(wins)


def _tails(values: Array, rounding: Array, delta: Any) -> tuple[Any, Any]:
    return _counted(*_won(values, rounding, delta))


def _ends(ordered: Array, level: float) -> tuple[Any, Any]:
    n = ordered.shape[-1]
    law, tail = Binomial(float(n), 0.5), (1 - level) / 2
    k = bisect_left(range(n), True, key=lambda wins: bool(law.at_most(float(wins)) >= tail))
    if k == 0:
        none = np.full(ordered.shape[:-1], np.nan)[()]
        return none, none
    return ordered[..., k - 1][()], ordered[..., n - k][()]
