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
    advice="Friedman's test with a more accurate distribution; wilcoxon on all pairs shows which "
    "learners differ.",
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

    Parameters
    ----------
    ties : bool, default=True
        Whether to correct for ties.

    Examples
    --------
    >>> import outperform as op
    >>> scores = {
    ...     "tree": [0.81, 0.93, 0.67, 0.75, 0.88, 0.59],
    ...     "bayes": [0.79, 0.94, 0.61, 0.70, 0.85, 0.55],
    ...     "knn": [0.70, 0.91, 0.60, 0.70, 0.80, 0.57],
    ... }
    >>> found = op.iman_davenport(scores)
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (9.681, 0.0046)
    """
    r = t.ranked
    spread = (np.max(r.means, axis=-1) - np.min(r.means, axis=-1))[()]
    law = F(t.k - 1, (t.k - 1) * (t.n - 1))
    statistic = iman_davenport_f(r, ties=ties)
    return Tail(spread, statistic, law, details={"mean_ranks": r.means}, log_limit=log_alike(r))
