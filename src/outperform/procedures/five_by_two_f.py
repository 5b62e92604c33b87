"""Combined 5x2cv F: Alpaydin's use of all ten differences of Dietterich's test (D-24, D-26)."""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import F
from ..numerics.exact_sums import root_sum_squares
from ..registry import method
from ..results.evidence import Tail
from ..views import Differences
from .five_by_two_t import other_than_five, small_tests, wild_rates


@method(
    title="Combined 5x2cv F-test",
    paper="alpaydin",
    requirements=("D-24", "D-26"),
    layout="twofold",
    designs=("repeated-2fold",),
    published_design="5x2cv",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="recommended",
    advice="Does not depend on the order of the differences, but rejects too often in most cases "
    "measured; has no interval and no direction.",
    checks=(wild_rates, small_tests, other_than_five),
    has_interval=False,
    directed=False,
)
def five_by_two_f(d: Differences) -> Tail:
    """All ten squared differences relative to the variance within replications.

    f = ΣΣ (pᵢ⁽ʲ⁾)² / (2 Σ sᵢ²) ~ F(10, 5), or F(2r, r) for r replications, with the sᵢ² of the
    5x2cv t-test.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [[0.81, 0.79], [0.84, 0.80], [0.83, 0.78], [0.82, 0.85], [0.80, 0.81]]
    >>> bayes = [[0.80, 0.76], [0.85, 0.78], [0.83, 0.80], [0.80, 0.82], [0.77, 0.80]]
    >>> found = op.five_by_two_f(tree, bayes, design="5x2cv")
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (1.909, 0.2463)
    """
    replications = d.runs.shape[-2]
    gaps = d.gaps
    top = root_sum_squares(d.flat - d.null)
    bottom = np.where(d.is_rounding(gaps), 0.0, root_sum_squares(gaps))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.square(top / bottom)
    with np.errstate(over="ignore"):
        s2 = gaps**2 / 2
    return Tail(d.mean, statistic[()], F(2 * replications, replications), details={"s2": s2})
