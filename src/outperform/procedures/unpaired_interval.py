"""Independent-samples interval: Feelders & Verkooijen (F-01, F-03).

Requirements and errata: E-F13.
"""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import T
from ..numerics.exact_sums import ROUNDING, Array, mean_difference, standard_deviation
from ..registry import method
from ..results.evidence import Pivot
from ..validation import choice
from ..views import Samples


@method(
    title="Independent-samples interval",
    paper="feelders-verkooijen",
    requirements=("F-01", "F-03"),
    designs=("holdout",),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="reference",
    advice="Only for two different test sets; on a common test set paired_t is much more powerful.",
    instead="paired_t",
    note="OP401",
)
def unpaired_interval(s: Samples, *, df: str = "welch") -> Pivot:
    """The difference of the means of two samples of item losses, treated as independent.

    (Ȳ₁ − Ȳ₂) ± t √(σ̂₁² + σ̂₂²), where σ̂² is the squared standard error of each mean. The paper
    does not state the degrees of freedom: df="welch", or df="sum" for n₁ + n₂ − 2. If both sides
    have the same items, details contain the standard errors with and without pairing.

    Parameters
    ----------
    df : {"welch", "sum"}, default='welch'
        Degrees of freedom: those of Welch, or n₁ + n₂ − 2.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78]
    >>> bayes = [0.80, 0.76, 0.80, 0.78, 0.79, 0.77]
    >>> found = op.unpaired_interval(tree, bayes)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.025, 0.0591)
    """
    choice(df, "df", ("welch", "sum"))
    n1, n2 = s.first.shape[-1], s.second.shape[-1]
    se1, se2 = (_error(side) for side in (s.first, s.second))
    stderr = np.hypot(se1, se2)
    share = np.square(se1 / np.where(stderr == 0, 1.0, stderr))
    welch = 1 / (share**2 / (n1 - 1) + (1 - share) ** 2 / (n2 - 1))
    details = {"stderr_independent": stderr[()]}
    if n1 == n2:
        details["stderr_paired"] = _error(s.first - s.second)[()]
    estimate = s.turn * mean_difference(s.first, s.second)
    return Pivot(estimate, stderr, T(welch[()] if df == "welch" else n1 + n2 - 2), details=details)


def _error(values: Array) -> Array:
    constant = np.ptp(values, axis=-1) <= ROUNDING * np.max(np.abs(values), axis=-1)
    error = standard_deviation(values) / np.sqrt(values.shape[-1])
    return np.where(constant, 0.0, error)
