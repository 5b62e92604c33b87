"""Sign-flip (permutation) test on paired items: Fisher (1935)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..numerics.distributions import T
from ..numerics.exact_sums import ROUNDING, Array
from ..numerics.sign_flips import flip_tails
from ..registry import method
from ..results.evidence import Exact, Pivot
from ..validation import whole
from ..views import Differences, ItemDifferences


def flipped_signs(values: Array, d: Differences, companion: Any, n_draws: int, seed: int) -> Exact:
    """Return the evidence of random signs on values (last axis), with another method's interval."""
    draws = whole(n_draws, "n_draws", least=99)
    lead = values.shape[:-1]
    less, greater, strength, counted, one_size = (np.empty(lead) for _ in range(5))
    scale = np.broadcast_to(np.maximum(d.scale, abs(d.null)), lead)
    for at in np.ndindex(lead):
        rounding = 4 * ROUNDING * scale[at]
        row = np.where(np.abs(values[at]) <= rounding, 0.0, values[at])
        sizes = np.abs(row[row != 0])
        one_size[at] = sizes.size == 0 or np.ptp(sizes) <= rounding
        total = math.fsum(row.tolist())
        found = flip_tails(row, n_draws=draws, seed=seed)
        less[at], greater[at] = found.sides(total)
        whole_sum = math.fsum(np.abs(row).tolist())
        strength[at] = abs(total) / whole_sum if whole_sum else 0.0
        counted[at] = found.how != "Monte Carlo"
    return Exact(
        companion.estimate,
        strength[()],
        less[()],
        greater[()],
        stderr=companion.stderr,
        null=d.null,
        companion=companion,
        details={"counted": counted[()]},
        counted=bool(counted.all() and one_size.all()),
    )


@method(
    title="Sign-flip test",
    paper="fisher",
    requirements=(),
    layout="items",
    designs=("holdout", "leave-one-out", "items"),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    grade="exact",
    advice="For two fitted models and any score on one test set, assuming only that differences "
    "are symmetric.",
    note="OP401",
    interval_inverts=False,
)
def sign_flip(d: ItemDifferences, *, n_draws: int = 9_999, seed: int = 0) -> Exact:
    """Would random signs make the sum of differences as large as the one observed?

    Under the null hypothesis that the differences are symmetric about 0, all 2ⁿ sign vectors are
    equally likely. Where all differences but zeros have one size, as those of 0/1 scores, that says
    no more than that neither side is better, and the evidence is exact; else symmetry is an
    assumption, and the evidence is graded assumed. Scores on a grid (0/1, whole numbers, two
    decimals) are counted exactly by convolution, which equals the exact McNemar test for 0/1;
    others by enumeration up to 20 items and from seeded draws beyond, p = (1 + b)/(1 + B). The
    statistic is |Σd|/Σ|d|. The interval is that of the paired t-test.

    Parameters
    ----------
    n_draws : int, default=9999
        Number of random sign vectors, if they are not counted exactly.
    seed : int, default=0
        Seed of the draws.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.1, 0.4, 0.2, 0.9, 0.3, 0.2, 0.8, 0.1]
    >>> bayes = [0.3, 0.5, 0.1, 1.2, 0.4, 0.6, 0.9, 0.4]
    >>> found = op.sign_flip(tree, bayes, lower_is_better=True)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.175, 0.0391)
    """
    shifted: Any = d.flat - d.null
    t = Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))
    return flipped_signs(shifted, d, t, n_draws, seed)
