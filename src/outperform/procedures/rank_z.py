"""z-test of two mean ranks among those of k learners, for post-hoc comparisons."""

from __future__ import annotations

from ..numerics.distributions import Normal
from ..numerics.mean_ranks import rank_error
from ..registry import method
from ..results.evidence import Pivot
from ..views import RankPairs


@method(
    title="z-test of mean ranks over datasets",
    paper="garcia-herrera",
    requirements=(),
    designs=("datasets",),
    accounts_for=(),
    standing="reference",
    advice="Reproduces post-hoc tests on mean ranks with any adjustment; for verdicts use "
    "wilcoxon.",
    note="OP330",
    estimand="difference of mean ranks",
)
def rank_z(r: RankPairs) -> Pivot:
    """Do two learners differ in mean rank among all learners in the table?

    z = (R₂ − R₁) / √(k(k + 1)/6N) for the mean ranks of two of k learners on N datasets; ranks are
    from 1 (best), so a positive difference means that the first is better. It depends on the other
    learners (Benavoli, Corani & Mangili, 2016). García and Herrera (2008) adjust its p-values by
    Holm's, Shaffer's or Bergmann and Hommel's method.

    Examples
    --------
    >>> import outperform as op
    >>> scores = {
    ...     "tree": [0.81, 0.93, 0.67, 0.75, 0.88, 0.59],
    ...     "bayes": [0.79, 0.94, 0.61, 0.70, 0.85, 0.55],
    ...     "knn": [0.70, 0.91, 0.60, 0.70, 0.80, 0.57],
    ... }
    >>> found = op.rank_z(scores, "tree", "knn")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (1.583, 0.0061)
    """
    return Pivot(r.second - r.first, rank_error(r.n, r.k), Normal())
