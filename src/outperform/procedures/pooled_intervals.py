"""Dunn's intervals with one pooled variance: Feelders & Verkooijen (F-19, F-20).

Requirements and errata: E-F5, F-08, E-F12, F-21, F-22.
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
from ..numerics.distributions import Normal, T
from ..registry import procedure
from ..results.comparison import Comparison
from ..results.evidence import Pivot
from ..scores.performance import of_shares
from ..views import ItemLosses, numbered_names
from ..views.item_order import on_items
from .paired_t import paired_t
from .sphericity import strained

TITLE = "Difference of proportions with pooled variance"
IDS = ("F-19", "F-20")
POOLED = replace(paired_t, name="pooled_intervals", title=TITLE, requirements=IDS)


@procedure(
    title=TITLE,
    paper="feelders-verkooijen",
    requirements=IDS,
    designs=("holdout", "leave-one-out"),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="reference",
    advice="Assumes equal variance for all pairs (see sphericity); simultaneous() does not.",
    reads="a table of which items each classifier predicts correctly",
    example="pooled_intervals({'tree': [1, 0, 1, 1, 0, 1, 1, 1], 'bayes': [0, 0, 1, 0, 0, 1, 0, "
    "1], 'knn': [1, 0, 0, 1, 0, 1, 1, 0]})",
    of_scores=True,
)
def pooled_intervals(
    correct: Any,
    *,
    n: int | None = None,
    sigma: float | None = None,
    df: float = math.inf,
    names: tuple[str, ...] | None = None,
) -> Comparison:
    """Compare k classifiers with one pooled variance and Dunn's intervals.

    σ̂² = 2(kΣYⱼ. − ΣYⱼ.²) / (n²k(k − 1)), where Yⱼ. is the number of classifiers that are correct
    on item j. The intervals are differences of proportions ± t_ν at 1 − α/(2k*), with ν = ∞ as
    printed or df=n − 1. All pairs are assumed to have the same variance; a note says when the data
    contradict that. From published numbers, pass the counts of correct items, `n=` and `sigma=`. An
    interval that contains 0 is no evidence of a difference.

    Parameters
    ----------
    correct : array-like, mapping, data frame or Scores
        Correct (1) and wrong (0) of the classifiers on items; or counts of correct items.
    n : int, optional
        Number of items, with counts.
    sigma : float, optional
        Published standard error of a difference, with counts.
    df : float, default=inf
        Degrees of freedom ν.
    names : tuple of str, optional
        Names of the classifiers, if `correct` is an array.

    Returns
    -------
    Comparison
        All pairs with pooled intervals.

    Notes
    -----
    Feelders and Verkooijen (1995).

    Examples
    --------
    >>> import outperform as op
    >>> right = {"tree": [1, 0, 1, 1, 1, 1], "bayes": [0, 0, 1, 0, 0, 1], "knn": [1, 0, 0, 1, 0, 1]}
    >>> round(op.pooled_intervals(right).interval("tree", "bayes").high, 2)
    1.15
    """
    notes: tuple[Note, ...] = ()
    if n is not None or sigma is not None:
        if n is None or sigma is None:
            raise DataError(
                "n and sigma must be passed together with counts of correct items, as in n=384, "
                "sigma=.0205"
            )
        right = validation.counts(correct, "correct")
        if right.ndim != 1 or right.size < 2 or (right > n).any():
            raise DataError(
                "correct must contain one count between 0 and n for each model, got shape "
                f"{right.shape}."
            )
        k, spread = right.size, validation.one_number(sigma, "sigma")
        names = validation.learner_names(names or numbered_names(k), k)
        pair_counts.check_number(k)
    else:
        view, asked = ItemLosses.read(correct, "right-wrong", lower_is_better=False, names=names)
        k, n, names = view.k, view.n, asked.learners
        pair_counts.check_number(k)
        counted = pair_counts.counted(pair_counts.words_of(view.values))
        right = counted.right.astype(np.float64)
        spread = math.sqrt(pooled_variance(counted, n))
        notes = (*asked.notes, *strained(view), *on_items(view.values, correct, names))
    shares = right / n
    i, j = pair_counts.upper(k)
    estimate = shares[i] - shares[j]
    law = Normal() if df == math.inf else T(validation.one_number(df, "df"))
    identical = np.full(estimate.shape, spread == 0) & (estimate == 0)
    return Comparison(
        names,
        POOLED,
        Pivot(estimate, np.full(estimate.shape, spread), law, identical=identical),
        "bonferroni",
        n=n,
        metric="accuracy",
        notes=(*notes, Note("OP401")),
        details={"proportions": shares, "sigma": spread},
        scored=of_shares(names, shares.tolist(), n),
    )


def pooled_variance(counted: pair_counts.PairCounts, n: int) -> float:
    """Return σ̂² = 2(kΣYⱼ. − ΣYⱼ.²)/(n²k(k−1)) from whole numbers, which never overflow (F-19)."""
    right: list[int] = counted.right.tolist()
    k = len(right)
    return 2 * (k * sum(right) - counted.sum_squares) / (n * n * k * (k - 1))
