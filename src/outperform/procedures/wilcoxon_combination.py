"""Wilcoxon signed ranks on signed p-values of partitions: Bradford & Brodley (B-23, B-24).

Requirements and errata: B-05.
"""

from __future__ import annotations

import numpy as np

from ..numerics.ranks import signed_rank
from ..registry import method
from ..results.evidence import Exact
from ..views import Values


@method(
    title="Signed ranks of the p-values of partitions",
    paper="bradford-brodley",
    requirements=("B-23", "B-24"),
    layout="signed p",
    designs=("partitions",),
    published_design="55*10cv",
    accounts_for=(),
    standing="discouraged",
    advice="Not recommended: with enough partitions, any p becomes significant.",
    instead="averaged_t",
    note="OP204",
    has_interval=False,
    estimand="mean sign",
)
def wilcoxon_combination(p: Values) -> Exact:
    """Rank the partitions by significance and compare the sums of both signs.

    One signed one-tailed p-value for each partition, positive if the first side is better; rank 1
    is the least significant, and the statistic is the smaller rank sum.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.wilcoxon_combination([0.20, 0.06, 0.11, -0.30, 0.04, 0.08])
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.667, 0.0625)
    """
    significance = np.sign(p.values) * (1 - np.log(np.abs(p.values)))
    less, greater, plus, minus = signed_rank(significance, np.zeros(p.values.shape[:-1]))
    return Exact(
        np.mean(np.sign(p.values), axis=-1)[()],
        np.minimum(plus, minus),
        less,
        greater,
        details={"positive_sum": plus, "negative_sum": minus},
    )
