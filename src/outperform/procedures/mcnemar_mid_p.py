"""McNemar's mid-p test, the default for items that are right or wrong: Fagerland et al. (2013)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..numerics.distributions import Normal
from ..numerics.paired_proportions import bonett_price, newcombe_interval, newcombe_tails
from ..registry import method
from ..results.evidence import Exact, Inverted, Pivot
from ..validation import choice
from ..views import Contingency
from .mcnemar import mcnemar

INTERVALS = ("tango", "newcombe", "bonett-price")


@method(
    title="McNemar's mid-p test",
    paper="fagerland",
    requirements=(),
    designs=("holdout", "leave-one-out", "items"),
    default_for=("items",),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For two fitted models that are right or wrong on each item of one test set.",
    note="OP401",
    interval_inverts=False,
)
def mcnemar_mid_p(c: Contingency, *, interval: str = "tango") -> Exact:
    """Do two models differ in their number of errors? Only items that one model gets right count.

    The binomial(n01 + n10, ½) test, with half of the probability of the observed outcome: its error
    rate stays close to α for any number of items, where the exact test is well below and the χ²
    test above it. The interval is Tango's score interval; "newcombe" combines Wilson's intervals of
    both accuracies, and "bonett-price" is a Wald interval with one item added to each discordant
    count.

    Parameters
    ----------
    interval : {"tango", "newcombe", "bonett-price"}, default='tango'
        Formula of the interval.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.mcnemar_mid_p(table=[[20, 5], [15, 60]])
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.1, 0.0266)
    """
    choice(interval, "interval", INTERVALS)
    found: Any = mcnemar.kernel(c, variant="mid-p")
    companion: Inverted | Pivot = found.companion
    if interval == "newcombe":
        cells = c.n11, c.n10, c.n01, c.n00
        companion = Inverted(partial(_newcombe_tails, cells), partial(_newcombe, cells))
    elif interval == "bonett-price":
        centre, stderr = bonett_price(c.n10, c.n01, c.n)
        companion = Pivot(centre[()], stderr[()], Normal())
    return Exact(
        found.estimate,
        found.statistic,
        found.log_less,
        found.log_greater,
        stderr=found.stderr,
        companion=companion,
        details=found.details,
        counted=False,
    )


def _newcombe(cells: tuple[Any, ...], level: float) -> tuple[Any, Any]:
    n11, n10, n01, n00 = cells
    low, high = newcombe_interval(n11, n10, n01, n00, Normal().isf((1 - level) / 2))
    return np.asarray(low)[()], np.asarray(high)[()]


def _newcombe_tails(cells: tuple[Any, ...], delta: Any) -> tuple[Any, Any]:
    n11, n10, n01, n00 = cells
    return newcombe_tails(n11, n10, n01, n00, delta)
