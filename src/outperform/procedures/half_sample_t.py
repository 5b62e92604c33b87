"""Half-sample t: what disjoint halves of the data say, with no assumption on how splits overlap."""

from __future__ import annotations

import math

import numpy as np

from ..numerics.distributions import T
from ..numerics.exact_sums import Array, mean, root_sum_squares, standard_deviation
from ..registry import method
from ..results.evidence import Pivot
from ..views import Calibration

FLOOR = 0.1
"""The least share of v/2 that is left of it: v/20."""


def halves_spread(c: Calibration) -> Array:
    """Return √v: v = (1/M) Σ (a_m − b_m)² / 2, the variance of a cross-validation of n/2 items."""
    return root_sum_squares(c.gaps) / math.sqrt(2 * c.n_halvings)


def degrees_of_freedom(c: Calibration, share: Array) -> Array:
    """Return what M halvings of n items are worth, when a share of the variance is left."""
    m, n = c.n_halvings, c.n
    return np.maximum(2.0, share**2 * (m * (n - 1) / (m + n - 2)))


@method(
    title="Half-sample t-test",
    paper="outperform",
    requirements=(),
    designs=("calibrated-kfold",),
    published_design="5x5cv+20halves",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="reference",
    grade="measured",
    undefined_note="OP325",
    advice="Applies to training on half the data; calibrated_t, from the same fits, to all of it.",
)
def half_sample_t(c: Calibration) -> Pivot:
    """The mean over halves of the data, its variance measured between disjoint halves.

    With a_m and b_m the cross-validation means of the two halves and h_m = (a_m + b_m)/2, the
    estimate is the mean of h_m, its variance u = max(v/2 − (1 − 1/M) var(h_m), v/20) with v = (1/M)
    Σ (a_m − b_m)²/2, and df = max(2, (2u/v)² M(n−1)/(M+n−2)). Before the floor u is unbiased
    whatever the correlation of splits. It applies to training on (1 − 1/K)·n/2 items.

    Examples
    --------
    >>> import outperform as op
    >>> whole = [[0.02, 0.01, 0.03], [0.02, 0.00, 0.04]]
    >>> halves = [[[0.03, 0.01, 0.05], [0, 0.02, -0.01]], [[0.02, 0.04, 0], [0.01, 0.01, 0.03]]]
    >>> found = op.half_sample_t(whole, halves, n=90)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.018, 0.2057)
    """
    spread, m = halves_spread(c), c.n_halvings
    centres = (c.half_means[..., 0] + c.half_means[..., 1]) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        noise = standard_deviation(centres) / spread
    noise = np.where(spread > 0, noise, 0.0)
    share = np.maximum(1 - 2 * (1 - 1 / m) * noise**2, FLOOR)
    stderr = spread * np.sqrt(share / 2)
    return Pivot(mean(centres), stderr, T(degrees_of_freedom(c, share)))
