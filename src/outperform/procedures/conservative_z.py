"""Conservative Z: Nadeau & Bengio (N-19)."""

from __future__ import annotations

import math

import numpy as np

from ..numerics.distributions import Normal
from ..numerics.exact_sums import ROUNDING, root_sum_squares
from ..registry import method
from ..results.evidence import Pivot
from ..views import Halves


@method(
    title="Conservative Z",
    paper="nadeau-bengio",
    requirements=("N-19", "N-24"),
    designs=("halves",),
    default_for=("halves",),
    published_design="10x15halves@1/10",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="recommended",
    advice="Conservative in most cases measured, at the cost of 2MJ extra fits; M between 5 and 10 "
    "is enough.",
)
def conservative_z(h: Halves) -> Pivot:
    """The mean over resamples, with its variance estimated from disjoint halves of the data.

    z = (μ̂ − μ₀) / σ̂ with σ̂² = (1/2M) Σ (μ̂₍ₘ₎ − μ̂ᶜ₍ₘ₎)², each half trained on ⌊n/2⌋ − n₂ items
    (Nadeau & Bengio, 2003). σ̂² is unbiased for the variance at the smaller training size, and
    therefore too large for the full one.

    Examples
    --------
    >>> import outperform as op
    >>> whole = [0.02, 0.01, 0.03, 0.02, 0.00]
    >>> halves = [[0.03, 0.01], [0.00, 0.02], [0.02, 0.04], [0.01, 0.01]]
    >>> found = op.conservative_z(whole, halves)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.016, 0.1914)
    """
    gaps = h.halves[..., 0] - h.halves[..., 1]
    spread = root_sum_squares(gaps) / math.sqrt(2 * gaps.shape[-1])
    constant = np.max(np.abs(gaps), axis=-1) <= ROUNDING * h.scale
    return Pivot(h.mean, np.where(constant, 0.0, spread), Normal())
