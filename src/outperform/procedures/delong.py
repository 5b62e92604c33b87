"""DeLong's test of two areas under ROC curves: DeLong, DeLong & Clarke-Pearson (1988)."""

from __future__ import annotations

from ..numerics.distributions import Normal
from ..registry import method
from ..results.evidence import Pivot
from ..views import Rankings


@method(
    title="DeLong's test of two AUCs",
    paper="delong",
    requirements=(),
    designs=("holdout", "ranked-items"),
    default_for=("ranked-items",),
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For two fitted models that rank the items of one test set; not over folds.",
    note="OP401",
)
def delong(r: Rankings) -> Pivot:
    """Do two models rank positive items above negative ones equally well, on the same items?

    z = (A₁ − A₂) / √(s₁₁ + s₂₂ − 2 s₁₂), where the covariances are those of the items' placements:
    the share of negative items ranked below each positive one, and of positive items ranked above
    each negative one; ties count one half. It is asymptotically normal. Areas of cross-validation
    folds come from different models and overlap: use corrected_t on the area of each fold instead.

    Examples
    --------
    >>> import outperform as op
    >>> y = [0, 1, 0, 1, 1, 0, 1, 0]
    >>> tree = [0.2, 0.9, 0.4, 0.7, 0.6, 0.1, 0.8, 0.5]
    >>> bayes = [0.3, 0.6, 0.7, 0.5, 0.8, 0.2, 0.4, 0.1]
    >>> found = op.delong(y, tree, bayes)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.188, 0.3428)
    """
    details = {"p_A": r.first, "p_B": r.second}
    return Pivot(r.gap, r.error, Normal(), identical=r.identical, details=details)
