"""Friedman's test: do k learners differ at all over several datasets?"""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import Chi2
from ..numerics.mean_ranks import friedman_chi2
from ..registry import method
from ..results.evidence import Tail
from ..views import DatasetTable


@method(
    title="Friedman's test over datasets",
    paper="friedman",
    requirements=(),
    designs=("datasets",),
    accounts_for=(),
    standing="reference",
    advice="An omnibus test on mean ranks; wilcoxon on all pairs shows which learners differ.",
    note="OP304",
    has_interval=False,
    directed=False,
    compares=False,
    estimand="range of mean ranks",
)
def friedman(t: DatasetTable, *, ties: bool = True) -> Tail:
    """Do the mean ranks of k learners differ more than expected by chance?

    χ²_F = 12N/(k(k + 1)) [ΣR² − k(k + 1)²/4] on k − 1 degrees of freedom, R being mean ranks over N
    datasets. It is corrected for ties, as in R and SciPy; `ties=False` leaves the correction out,
    as Demšar (2006) does. With few datasets the F of Iman and Davenport is closer to the truth.

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
    >>> found = op.friedman(scores)
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (7.913, 0.0191)
    """
    statistic = friedman_chi2(t.ranked, ties=ties)
    means = t.ranked.means
    spread = (np.max(means, axis=-1) - np.min(means, axis=-1))[()]
    return Tail(spread, statistic, Chi2(t.k - 1), details={"mean_ranks": means})
