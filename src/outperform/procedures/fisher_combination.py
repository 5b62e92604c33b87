"""Fisher's χ² combination of p-values of partitions: Bradford & Brodley (B-21, B-22, B-24)."""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import Chi2
from ..numerics.exact_sums import mean
from ..registry import method
from ..results.evidence import Tail
from ..views import Values


@method(
    title="χ² combination of the p-values of partitions",
    paper="bradford-brodley",
    requirements=("B-21", "B-22", "B-24"),
    layout="p",
    designs=("partitions",),
    published_design="55*10cv",
    accounts_for=(),
    standing="discouraged",
    advice="Not recommended: the partitions share data, and the reference side matters.",
    instead="averaged_t",
    note="OP204",
    has_interval=False,
    directed=False,
    estimand="mean p-value",
)
def fisher_combination(p: Values) -> Tail:
    """Are there too many small p-values for independent partitions without a difference?

    −2 Σ ln Pᵢ ~ χ² on 2n degrees of freedom. Using 1 − Pᵢ, as if the other side were the reference,
    gives a different result.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.fisher_combination([0.20, 0.06, 0.11])
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (13.26, 0.0391)
    """
    n = p.values.shape[-1]
    statistic = -2 * n * mean(np.log(p.values))
    return Tail(mean(p.values)[()], statistic[()], Chi2(2 * n))
