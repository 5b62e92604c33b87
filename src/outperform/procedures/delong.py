"""DeLong's test of two areas under ROC curves: DeLong, DeLong & Clarke-Pearson (1988)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..notes import Note
from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import Rankings

FEWEST = 20
"""Items of the smaller class below which the normal law was seen to reject too often."""


def small_class(r: Rankings, options: dict[str, Any]) -> Iterator[Note]:
    """Say where an area rests on few items of one class."""
    if min(r.n_positive, r.n_negative) < FEWEST:
        yield Note(
            "OP318",
            f"There are {r.n_positive} positive and {r.n_negative} negative items; with fewer than "
            f"{FEWEST} of one class the p-value is only approximate.",
        )


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
    checks=(small_class,),
)
def delong(r: Rankings) -> Pivot:
    """Do two models rank positive items above negative ones equally well, on the same items?

    t = (A₁ − A₂) / √(s₁₁ + s₂₂ − 2 s₁₂), where the covariances are those of the items' placements:
    the share of negative items ranked below each positive one, and of positive items ranked above
    each negative one; ties count one half. The paper compares it with the normal law, which rejects
    too often with few items of one class; here it is Student's t on m − 1 degrees of freedom, with
    m items of the smaller class. Areas of cross-validation folds come from different models and
    overlap: use corrected_t on the area of each fold instead.

    Examples
    --------
    >>> import outperform as op
    >>> y = [0, 1, 0, 1, 1, 0, 1, 0]
    >>> tree = [0.2, 0.9, 0.4, 0.7, 0.6, 0.1, 0.8, 0.5]
    >>> bayes = [0.3, 0.6, 0.7, 0.5, 0.8, 0.2, 0.4, 0.1]
    >>> found = op.delong(y, tree, bayes)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.188, 0.4128)
    """
    details = {
        "p_A": r.first,
        "p_B": r.second,
        "n_positive": r.n_positive,
        "n_negative": r.n_negative,
    }
    law = T(np.minimum(r.n_positive, r.n_negative) - 1)
    return Pivot(r.gap, r.error, law, identical=r.identical, details=details)
