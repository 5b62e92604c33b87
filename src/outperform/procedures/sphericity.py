"""Mauchly's test of the spherical model of Feelders & Verkooijen (F-08)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..notes import Note
from ..numerics.distributions import Chi2
from ..registry import procedure
from ..views import ItemLosses

STRAINED = 0.05


class Sphericity(NamedTuple):
    """Mauchly's test that all pairwise differences share one variance."""

    w: float
    statistic: float
    df: int
    pvalue: float

    def __str__(self) -> str:
        from ..report.formatting import pvalue

        return (
            f"Mauchly's W = {self.w:.3f}, chi2({self.df}) = {self.statistic:.3f}, "
            f"{pvalue(self.pvalue)}"
        )


@procedure(
    title="Mauchly's test of sphericity",
    paper="mauchly",
    requirements=("F-08",),
    designs=("holdout", "leave-one-out", "kfold"),
    standing="reference",
    advice="Use before pooled_intervals(), or before simultaneous() with spherical=True.",
    reads="the losses of several learners on the same items",
    example="sphericity({'tree': [0, 1, 0, 0, 1, 0, 0, 0], 'bayes': [1, 1, 0, 1, 1, 0, 1, 0], "
    "'knn': [0, 1, 1, 0, 1, 0, 0, 1]})",
)
def sphericity(losses: Any) -> Sphericity | None:
    """Check the spherical model by Mauchly's W.

    With two learners there is one difference and nothing to check; with constant or too few items
    the covariance of the contrasts is singular.

    Parameters
    ----------
    losses : array-like of shape (items, learners), mapping, data frame or Scores
        Losses or scores of the learners on items.

    Returns
    -------
    Sphericity or None
        W with its p-value; None if it cannot be computed.

    Notes
    -----
    Mauchly (1940).

    Examples
    --------
    >>> import outperform as op
    >>> wrong = {"tree": [0, 1, 0, 0, 1, 0], "bayes": [1, 1, 0, 1, 1, 0], "knn": [0, 1, 1, 0, 1, 0]}
    >>> found = op.sphericity(wrong)
    >>> print(f"W = {found.w:.3f}, df = {found.df}, p = {found.pvalue:.3f}")
    W = 0.480, df = 2, p = 0.230
    """
    view = (
        losses
        if isinstance(losses, ItemLosses)
        else ItemLosses.read(losses, lower_is_better=False)[0]
    )
    p, n = view.k - 1, view.n
    if p < 2 or n <= p + 1:
        return None
    contrasts = np.linalg.qr(np.eye(view.k)[:, 1:] - 1 / view.k)[0]
    spread = np.cov(view.values @ contrasts, rowvar=False)
    sign, logdet = np.linalg.slogdet(spread)
    trace = float(np.trace(spread))
    if sign <= 0 or trace <= 0 or logdet < p * math.log(trace) + math.log(1e-14):
        return None
    log_w = logdet - p * math.log(trace / p)
    df = p * (p + 1) // 2 - 1
    statistic = -(n - 1 - (2 * p * p + p + 2) / (6 * p)) * float(log_w)
    return Sphericity(math.exp(log_w), statistic, df, float(Chi2(df).sf(max(statistic, 0.0))))


def strained(view: ItemLosses) -> tuple[Note, ...]:
    """Say where the items contradict one variance for all pairs."""
    found = sphericity(view)
    if found is None or found.pvalue >= STRAINED:
        return ()
    said = (
        f"Variances differ between pairs (Mauchly's W = {found.w:.3f}); simultaneous() does not "
        "assume equal variances."
    )
    return (Note("OP305", said),)
