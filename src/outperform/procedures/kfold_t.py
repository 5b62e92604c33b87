"""k-fold cross-validated paired t: Dietterich (D-23), Bradford & Brodley (B-03)."""

from __future__ import annotations

import math

from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import Differences


@method(
    title="k-fold cross-validated paired t-test",
    paper="dietterich",
    requirements=("D-23", "B-02", "B-03", "R-13"),
    layout="folds",
    designs=("kfold",),
    published_design="10cv",
    accounts_for=("test data",),
    standing="reference",
    advice="It rejects too often in most cases measured: use it only when missing a difference is "
    "the more costly mistake, otherwise corrected_t.",
    instead="corrected_t",
    note="OP203",
)
def kfold_t(d: Differences) -> Pivot:
    """Student's t over the folds of one cross-validation, as if training sets did not overlap.

    t = p̄ √k / √(Σ(p⁽ⁱ⁾ − p̄)² / (k − 1)) with k − 1 degrees of freedom.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78]
    >>> bayes = [0.80, 0.76, 0.80, 0.78, 0.79, 0.77]
    >>> found = op.kfold_t(tree, bayes, design="6cv")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.025, 0.0067)
    """
    return Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))
