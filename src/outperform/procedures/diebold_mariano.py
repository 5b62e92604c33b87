"""Diebold and Mariano's test of forecasts, its variance the equal-weighted cosine one (F-13)."""

from __future__ import annotations

import math

import numpy as np

from ..numerics.distributions import T
from ..numerics.exact_sums import root_sum_squares
from ..registry import method
from ..results.evidence import Pivot
from ..views import LossSeries


@method(
    title="Diebold–Mariano test",
    paper="diebold-mariano",
    requirements=("F-13",),
    designs=("forward", "holdout"),
    default_for=("forward",),
    published_design="5forward",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For forecasts: losses in the order of time, whose neighbours may be correlated.",
    note="OP401",
    unsaid_on=("forward",),
)
def diebold_mariano(d: LossSeries) -> Pivot:
    """Does the mean loss difference of two series of forecasts differ from 0?

    t = d̄ / √(V/n) with B degrees of freedom, B = max(2, ⌊0.4 n^⅔⌋) and at most n − 1. V is the mean
    of the squares of L_j = √(2/n) Σ d_t cos(πj(t − ½)/n), j = 1 to B, the slow waves of the series,
    which carry its long-run variance however neighbours are correlated (Lazarus, Lewis, Stock &
    Watson, 2018). The windows of Diebold & Mariano (1995) and of Harvey, Leybourne & Newbold (1997)
    reject too often where neighbours are strongly correlated.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.1, 0.4, 0.2, 0.9, 0.3, 0.2, 0.8, 0.1]
    >>> bayes = [0.3, 0.5, 0.1, 1.2, 0.4, 0.6, 0.9, 0.4]
    >>> found = op.diebold_mariano(tree, bayes, lower_is_better=True)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.175, 0.0546)
    """
    from scipy.fft import dct

    n = d.n_splits
    waves = min(max(2, math.floor(0.4 * n ** (2 / 3) + 1e-9)), n - 1)
    deviations = d.centred[1]
    size = root_sum_squares(deviations)  # of unit size no wave leaves the range of floats
    unit = deviations / np.where(size == 0, 1.0, size)[..., None]
    slow = dct(unit, norm="ortho")[..., 1 : waves + 1]
    stderr = size * root_sum_squares(slow) / math.sqrt(waves * n)
    return Pivot(d.mean, np.where(d.sd == 0, 0.0, stderr), T(waves))
