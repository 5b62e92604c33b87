"""Welch's t over seeds that are not paired."""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import T
from ..numerics.exact_sums import Array
from ..registry import method
from ..results.evidence import Pivot
from ..views import TwoSamples


@method(
    title="Welch's t-test",
    paper="welch",
    requirements=(),
    designs=("seeds", "unpaired-seeds"),
    default_for=("unpaired-seeds",),
    published_design="20seeds@1/3",
    accounts_for=("internal randomness",),
    standing="recommended",
    advice="For learners trained with different seeds on one split; if they share their seeds, "
    "paired_t removes what the seeds have in common.",
)
def welch_t(s: TwoSamples) -> Pivot:
    """Do the means of two learners differ, with unpaired seeds and unequal variances?

    t = (x̄₁ − x̄₂) / √(s₁²/n₁ + s₂²/n₂), with the degrees of freedom of Welch and Satterthwaite,
    (s₁²/n₁ + s₂²/n₂)² / (s₁⁴/(n₁²(n₁ − 1)) + s₂⁴/(n₂²(n₂ − 1))). What varies is the seed alone, so
    the verdict is about this split.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78]
    >>> bayes = [0.80, 0.76, 0.80, 0.78, ]
    >>> found = op.welch_t(tree, bayes)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.023, 0.1239)
    """
    stderr = np.hypot(s.errors[..., 0], s.errors[..., 1])
    df = satterthwaite(s.errors, s.n, stderr)
    return Pivot(s.difference, stderr, T(df[()]))


def satterthwaite(errors: Array, n: Array, stderr: Array) -> Array:
    """Return the degrees of freedom of a sum of two squared standard errors (last axis)."""
    share = np.square(errors[..., 0] / np.where(stderr == 0, 1.0, stderr))
    found = 1 / (share**2 / (n[..., 0] - 1) + (1 - share) ** 2 / (n[..., 1] - 1))
    return np.asarray(found)
