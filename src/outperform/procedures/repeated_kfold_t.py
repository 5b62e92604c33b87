"""Plain t over repeated cross-validation: studied by Bouckaert & Frank (R-11).

Requirements and errata: E-B12.
"""

from __future__ import annotations

import math

from ..numerics.distributions import T
from ..registry import Method, method
from ..results.evidence import Pivot
from ..views import Differences
from .corrected_t import corrected_t
from .kfold_t import kfold_t


@method(
    title="Uncorrected t-test over repeated cross-validation",
    paper="bouckaert-frank",
    requirements=("R-11", "B-04"),
    layout="splits",
    designs=("repeated-kfold", "repeated-2fold"),
    published_design="10x10cv",
    accounts_for=("test data",),
    standing="discouraged",
    advice="It rejects far too often; use corrected_t on the same scores.",
    instead="corrected_t",
    note="OP202",
)
def repeated_kfold_t(d: Differences) -> Pivot:
    """Student's t over all k·r differences, as if every repeat used new data.

    t = m / √(σ̂² / (kr)) with kr − 1 degrees of freedom. On 5x2cv this is the ordinary paired t on
    ten pairs that Bradford & Brodley (2001) appear to have used.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78]
    >>> bayes = [0.80, 0.76, 0.80, 0.78, 0.79, 0.77]
    >>> found = op.repeated_kfold_t(tree, bayes, design="2x3cv")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.025, 0.0067)
    """
    return Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))


def of_one_repeat(whole: Method) -> Method:
    """Return what judges one repeat: corrected t, or a t as plain as that of the whole."""
    return kfold_t if whole is repeated_kfold_t else corrected_t
