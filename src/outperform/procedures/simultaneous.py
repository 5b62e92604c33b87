"""Simultaneous intervals for k learners on the same items: Feelders & Verkooijen (F-11).

Requirements and errata: F-08, E-F1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError
from ..notes import Note
from ..numerics import pair_counts
from ..numerics.distributions import T
from ..numerics.exact_sums import Array
from ..numerics.studentized import StudentizedMaximumModulus, StudentizedRange
from ..registry import procedure
from ..results.comparison import Comparison
from ..results.evidence import Pivot
from ..scores.performance import of_moments
from ..views import ItemDifferences, ItemLosses, numbered_names
from ..views.item_order import on_items
from .paired_t import paired_t
from .sphericity import strained

CHUNK = 4_000_000
"""Differences held at a time (32 MB)."""


@procedure(
    title="Simultaneous intervals by the studentized maximum modulus",
    paper="feelders-verkooijen",
    requirements=("F-07", "F-09", "F-10", "F-11", "F-12", "F-18", "F-24"),
    designs=("holdout", "leave-one-out", "kfold"),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice=(
        "For several fitted models and any loss on the same items; the family is adjusted "
        "automatically."
    ),
    reads="the losses of several learners on the same items",
    example="simultaneous({'tree': [0, 1, 0, 0, 1, 0, 0, 0], 'bayes': [1, 1, 0, 1, 1, 0, 1, 0], "
    "'knn': [0, 1, 1, 0, 1, 0, 0, 1]}, lower_is_better=True)",
    of_scores=True,
)
def simultaneous(
    losses: Any = None,
    *,
    lower_is_better: bool | None = None,
    names: tuple[str, ...] | None = None,
    spherical: bool = False,
    means: Any = None,
    covariance: Any = None,
    n: int | None = None,
) -> Comparison:
    """Compare k learners on the same items with simultaneous intervals.

    Ȳᵢ − Ȳᵢ′ ± |M| √((Sᵢᵢ + Sᵢ′ᵢ′ − 2Sᵢᵢ′)/n), where |M| is the upper quantile of the studentized
    maximum modulus for k(k − 1)/2 pairs and n − 1 degrees of freedom, and S is the covariance of
    the errors (Feelders & Verkooijen, 1995). Any error measure can be used, and the items may be
    held out or cross-validated. What all learners share on an item cancels. No assumption is made
    about S; `spherical=True` is the exact procedure under the spherical model: one variance for all
    pairs from the residuals of items × learners on (n − 1)(k − 1) degrees of freedom, and the
    studentized range. `intervals(critical=…)` uses another constant for |M|, to reproduce a printed
    table. Without items, pass `means`, `covariance`, `n`.

    Parameters
    ----------
    losses : array-like of shape (items, learners), mapping, data frame or Scores, optional
        Losses or scores of the learners on items.
    lower_is_better : bool, optional
        Whether smaller numbers are better. By default larger ones are, with a note.
    names : tuple of str, optional
        Names of the learners, if `losses` is an array.
    spherical : bool, default=False
        Whether to assume the spherical model.
    means : array-like, optional
        Mean of each learner, instead of items.
    covariance : array-like of shape (learners, learners), optional
        Covariance of the errors, instead of items.
    n : int, optional
        Number of items behind `means`.

    Returns
    -------
    Comparison
        All pairs with simultaneous intervals.

    Examples
    --------
    >>> import outperform as op
    >>> wrong = {"tree": [0, 1, 0, 0, 1, 0], "bayes": [1, 1, 0, 1, 1, 0], "knn": [0, 1, 1, 0, 1, 0]}
    >>> cmp = op.simultaneous(wrong, lower_is_better=True)
    >>> [round(end, 2) for end in cmp.interval("tree", "bayes")]
    [-0.38, 1.05]
    """
    notes: tuple[Note, ...]
    if losses is None:
        center, covariance, n = _moments(means, covariance, n)
        k, metric, lower = center.size, "score", bool(lower_is_better)
        center = -center if lower else center
        pair_counts.check_number(k)
        names = validation.learner_names(names or numbered_names(k), k)
        evidence = _from_moments(center, covariance, n)
        scored = of_moments(names, -center if lower else center, covariance, n, lower)
        details: dict[str, Any] = {"means": center, "covariance": covariance}
        assumed = Note("OP001", "Assumed that greater is better for metric 'score'.")
        notes = (assumed,) if lower_is_better is None else ()
    else:
        view, asked = ItemLosses.read(losses, lower_is_better=lower_is_better, names=names)
        k, n, names, metric, notes = view.k, view.n, asked.learners, asked.metric, asked.notes
        lower, scored = asked.lower_is_better, asked.performances
        pair_counts.check_number(k)
        notes += on_items(view.values, losses, names)
        covariance = np.cov(view.values, rowvar=False)
        evidence = _pair_evidence(view)
        details = {
            "means": view.values.mean(axis=0),
            "covariance": covariance,
            "totals": view.values.sum(axis=0),
            "item_totals": view.values.sum(axis=1),
        }
    law: StudentizedRange | StudentizedMaximumModulus
    if spherical:
        df = (n - 1) * (k - 1)
        mse = (np.trace(covariance) - covariance.sum() / k) / (k - 1)
        stderr = np.where(evidence.stderr == 0, 0.0, math.sqrt(2 * max(mse, 0.0) / n))
        evidence = replace(evidence, stderr=stderr, dist=T(df))
        law = StudentizedRange(k, df)
        notes += () if losses is None else strained(view)
    else:
        law = StudentizedMaximumModulus(k * (k - 1) // 2, n - 1)
    return Comparison(
        names,
        paired_t,
        evidence,
        "studentized range" if spherical else "studentized maximum modulus",
        law,
        n=n,
        metric=metric,
        notes=(*notes, Note("OP401")),
        details=details,
        scored=scored,
        greater_is_better=not lower,
    )


def _pair_evidence(view: ItemLosses) -> Pivot:
    """Judge the item differences of every pair, some pairs at a time to bound memory."""
    i, j = pair_counts.upper(view.k)
    columns = np.ascontiguousarray(view.values.T)
    step = max(1, CHUNK // view.n)
    parts = []
    for start in range(0, i.size, step):
        chosen = slice(start, start + step)
        sides = (columns[side[chosen]][:, None, None, :] for side in (i, j))
        parts.append(paired_t.on(ItemDifferences.subtract(*sides)))
    return Pivot(
        np.concatenate([np.atleast_1d(part.estimate) for part in parts]),
        np.concatenate([np.atleast_1d(part.stderr) for part in parts]),
        T(view.n - 1),
        identical=np.concatenate([np.atleast_1d(part.identical) for part in parts]),
    )


def _moments(means: Any, covariance: Any, n: int | None) -> tuple[Array, Array, int]:
    """Return published means and covariances, checked (F-09, F-15)."""
    if means is None or covariance is None or n is None:
        raise DataError(
            "Pass item losses, or means=, covariance= and n= together: simultaneous(losses) with "
            "one row per item and one column per learner."
        )
    m, s = validation.numbers(means, "means"), validation.numbers(covariance, "covariance")
    if m.ndim != 1 or m.size < 2 or s.shape != (m.size, m.size) or not (s == s.T).all():
        raise DataError(
            "means and covariance must be k numbers and a symmetric k × k matrix, got shapes "
            f"{m.shape} and {s.shape}."
        )
    if n < 2:
        raise DataError(f"n must be at least 2 items, got {n}.")
    return m, s, n


def _from_moments(means: Array, covariance: Array, n: int) -> Pivot:
    i, j = pair_counts.upper(means.size)
    variance = (covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]) / n
    if (variance < 0).any():
        raise DataError(
            "The covariance matrix is invalid: a difference would have a negative variance."
        )
    estimate = means[i] - means[j]
    same = (variance == 0) & (estimate == 0)
    return Pivot(estimate, np.sqrt(variance), T(n - 1), identical=same)
