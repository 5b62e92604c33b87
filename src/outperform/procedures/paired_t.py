"""Paired t over items or seeds: Feelders & Verkooijen (F-02), Bradford & Brodley (B-02).

Requirements and errata: D-12, F-12, N-01, N-02.
"""

from __future__ import annotations

import math

from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import ItemDifferences


@method(
    title="Paired t-test",
    paper="feelders-verkooijen",
    requirements=("F-02", "B-02", "N-21", "D-13"),
    layout="items",
    unit="items",
    designs=("holdout", "leave-one-out", "seeds", "items", "sampled-items"),
    default_for=("seeds",),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For two fitted models and any loss on one test set, or learners with the same seeds on "
    "one split.",
    note="OP401",
    unsaid_on=("seeds",),
)
def paired_t(d: ItemDifferences) -> Pivot:
    """Student's t over differences of items or of seeds, which both sides share.

    t = Z̄ / √(Σ(Zᵢ − Z̄)² / (n(n − 1))) with n − 1 degrees of freedom, which is the paired interval
    (2) of Feelders & Verkooijen (1995) with its −2cov term. On 0/1 losses t² = (n₂ − 1) M / (n₂ −
    M), where M is the uncorrected McNemar statistic. Log loss and squared error can be used as
    losses. On `20seeds@1/3`, Zᵢ is the difference of the scores with the i-th seed, and the verdict
    applies to this split only.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.1, 0.4, 0.2, 0.9, 0.3, 0.2, 0.8, 0.1]
    >>> bayes = [0.3, 0.5, 0.1, 1.2, 0.4, 0.6, 0.9, 0.4]
    >>> found = op.paired_t(tree, bayes, unit="items", lower_is_better=True)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.175, 0.0166)
    """
    return Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))
