"""Corrected resampled t: Nadeau & Bengio (N-18); its repeated k-fold form: Bouckaert & Frank."""

from __future__ import annotations

import numpy as np

from ..errors import MethodError, argument
from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import Differences


@method(
    title="Corrected resampled t-test",
    paper="nadeau-bengio",
    requirements=("N-18", "N-24", "R-10", "R-12"),
    layout="splits",
    designs=("resampled", "kfold", "repeated-kfold", "repeated-2fold", "custom"),
    default_for=("resampled", "kfold", "repeated-kfold"),
    published_design="10x10cv",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="recommended",
    any_splits=True,
    assumes_overlap=True,
    advice="The default for resampling and repeated cross-validation. It rejects too often where "
    "splits correlate more than it assumes, with 10x10cv in most cases measured; calibrated_t "
    "measures the correlation.",
)
def corrected_t(d: Differences) -> Pivot:
    """Student's t with the variance increased by n_test / n_train, as training sets overlap.

    t = d̄ / √((1/J + n₂/n₁) σ̂²) with J − 1 degrees of freedom (Nadeau & Bengio, 2003); over r
    repeats of k-fold cross-validation, J = kr (Bouckaert & Frank, 2004).

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78]
    >>> bayes = [0.80, 0.76, 0.80, 0.78, 0.79, 0.77]
    >>> found = op.corrected_t(tree, bayes, design="2x3cv")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.025, 0.077)
    """
    if d.test_train_ratio is None:
        raise MethodError(
            "The sizes of the training and test sets are unknown, and the correction needs n_test "
            f"/ n_train. Pass {argument(design='10x10cv')} (or your design), or the sizes, such "
            "as n_train=90, n_test=10, to Scores when they are built or read."
        )
    scale = 1 / d.n_splits + d.test_train_ratio
    return Pivot(d.mean, d.sd * np.sqrt(scale), T(d.n_splits - 1))
