"""Iman and Davenport's F: Friedman's test with a better law."""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import F
from ..numerics.mean_ranks import iman_davenport_f, log_alike
from ..registry import method
from ..results.evidence import Tail
from ..views import DatasetTable


@method(
    title="Iman and Davenport's F over datasets",
    paper="iman-davenport",
    requirements=(),
    designs=("datasets",),
    accounts_for=(),
    standing="reference",
    advice="Friedman's test with a better law; wilcoxon on all pairs shows which learners differ.",
    note="OP304",
    has_interval=False,
    directed=False,
    compares=False,
    estimand="range of mean ranks",
)
def iman_davenport(t: DatasetTable, *, ties: bool = True) -> Tail:
    """Do the mean ranks of k learners differ more than expected by chance?

    F = (N − 1)χ²_F / (N(k − 1) − χ²_F) on k − 1 and (k − 1)(N − 1) degrees of freedom, with χ²_F of
    Friedman's test, corrected for ties unless `ties=False`. If all datasets rank the learners
    alike, F is infinite; p is then the exact probability of that, (1/k!)^(N − 1) without ties.
    """
    r = t.ranked
    spread = (np.max(r.means, axis=-1) - np.min(r.means, axis=-1))[()]
    law = F(t.k - 1, (t.k - 1) * (t.n - 1))
    statistic = iman_davenport_f(r, ties=ties)
    return Tail(spread, statistic, law, details={"mean_ranks": r.means}, log_limit=log_alike(r))
