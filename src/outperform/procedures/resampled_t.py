"""Resampled paired t: Dietterich (D-22); Nadeau & Bengio's Table 1 (N-22)."""

from __future__ import annotations

import math

from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import Differences


@method(
    title="Resampled paired t-test",
    paper="dietterich",
    requirements=("D-22", "N-22"),
    layout="folds",
    designs=("resampled", "custom"),
    published_design="30xresampled@1/3",
    accounts_for=("test data",),
    standing="discouraged",
    advice="Do not use: it rejects far too often, the more so the more resamples there are.",
    instead="corrected_t",
    note="OP201",
)
def resampled_t(d: Differences) -> Pivot:
    """Student's t over random resamples, as if they were independent.

    t = p̄ √n / √(Σ(p⁽ⁱ⁾ − p̄)² / (n − 1)) with n − 1 degrees of freedom.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78]
    >>> bayes = [0.80, 0.76, 0.80, 0.78, 0.79, 0.77]
    >>> found = op.resampled_t(tree, bayes, design="6xresampled@1/6")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.025, 0.0067)
    """
    return Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))
