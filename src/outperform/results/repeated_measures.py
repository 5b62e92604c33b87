"""k learners on the same items: simultaneous and pooled intervals, Feelders & Verkooijen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import validation
from ..errors import DataError
from ..notes import Note
from ..numerics import pair_counts
from ..numerics.distributions import Chi2, Normal, T
from ..numerics.exact_sums import Array
from ..numerics.studentized import StudentizedMaximumModulus, StudentizedRange
from ..procedures.paired_t import paired_t
from ..scores.split_scores import Scores
from ..views import VIEWS, ItemDifferences, ItemLosses
from .comparison import Comparison
from .evidence import Pivot

__all__ = ["Sphericity", "pooled_intervals", "simultaneous", "sphericity"]


POOLED = replace(
    paired_t,
    name="pooled_intervals",
    title="Difference of proportions with pooled variance",
    requirements=("F-19", "F-20"),
)
CHUNK = 4_000_000
"""Differences held at a time (32 MB)."""
STRAINED = 0.05


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
    """Compare k learners on the same items with intervals that hold together (F-11).

    Ȳᵢ − Ȳᵢ′ ± |M| √((Sᵢᵢ + Sᵢ′ᵢ′ − 2Sᵢᵢ′)/n), |M| the upper point of the studentized maximum
    modulus for k(k − 1)/2 pairs and n − 1 degrees of freedom (F-10), S the covariance of the
    errors (F-09), whatever error measure they hold (F-12, F-18) and whether the items were held
    out or cross-validated (F-24). What all learners share on an item cancels (F-07). No
    assumption is made on S; `spherical=True` is the exact procedure under the spherical model
    (F-08): one variance for all pairs from the residuals of items × learners on (n − 1)(k − 1)
    degrees of freedom, and the studentized range. `intervals(critical=…)` puts another constant
    for |M|, to reproduce a printed table (E-F1). Without items, pass `means`, `covariance`, `n`.
    """
    notes: tuple[Note, ...]
    if losses is None:
        center, covariance, n = _moments(means, covariance, n)
        turn = -1.0 if lower_is_better else 1.0
        k, center = center.size, turn * center
        pair_counts.check_number(k)
        names = validation.learner_names(names or [f"model {m + 1}" for m in range(k)], k)
        evidence = _from_moments(center, covariance, n)
        details: dict[str, Any] = {"means": center, "covariance": covariance}
        notes, metric = (Note("OP003"),) if lower_is_better is None else (), "score"
    else:
        view, names, metric, notes = _items(losses, lower_is_better, names, "losses")
        k, n = view.k, view.n
        pair_counts.check_number(k)
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
        notes += () if losses is None else _strain(view)
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
        greater_is_better=losses.greater_is_better
        if isinstance(losses, Scores)
        else not lower_is_better,
    )


def pooled_intervals(
    correct: Any,
    *,
    n: int | None = None,
    sigma: float | None = None,
    df: float = math.inf,
    names: tuple[str, ...] | None = None,
) -> Comparison:
    """Compare k classifiers with one pooled variance and Dunn's intervals (F-19, F-20).

    σ̂² = 2(kΣYⱼ. − ΣYⱼ.²) / (n²k(k − 1)), Yⱼ. the number of classifiers right on item j; the
    intervals are differences of proportions ± t_ν at 1 − α/(2k*), with ν = ∞ as printed or
    df=n − 1 (E-F5). Assumes that all pairs share one variance (F-08, E-F12); a note says when the
    data speak against that. From published numbers (F-21): the counts right, `n=` and `sigma=`.
    An interval that holds 0 is no evidence of a difference (F-22).
    """
    if n is not None or sigma is not None:
        if n is None or sigma is None:
            raise DataError("n and sigma are needed together with counts right: n=384, sigma=.0205")
        right = validation.counts(correct, "correct")
        if right.ndim != 1 or right.size < 2 or (right > n).any():
            raise DataError(f"correct has shape {right.shape}; one count up to n for each model")
        shares, spread = right / n, validation.one_number(sigma, "sigma")
        notes: tuple[Note, ...] = ()
        names = validation.learner_names(
            names or [f"model {m + 1}" for m in range(right.size)], right.size
        )
        pair_counts.check_number(right.size)
    else:
        view, names, _, notes = _items(correct, False, names, "right-wrong")
        n = view.n
        pair_counts.check_number(view.k)
        joint = pair_counts.joint_correct(view.values)
        shares = np.diagonal(joint) / n
        spread = math.sqrt(pair_counts.pooled_variance(joint, n))
        notes += _strain(view)
    k = shares.size
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
    )


class Sphericity(NamedTuple):
    """Mauchly's test that all pairwise differences share one variance."""

    w: float
    statistic: float
    df: int
    pvalue: float


def sphericity(losses: Any) -> Sphericity | None:
    """Check the spherical model (F-08) by Mauchly's W; None where it cannot be told.

    With two learners there is one difference and nothing to check; with constant or too few
    items the covariance of the contrasts is singular.
    """
    view = losses if isinstance(losses, ItemLosses) else _items(losses, False, None, "losses")[0]
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
    statistic = -(n - 1 - (2 * p * p + p + 2) / (6 * p)) * log_w
    return Sphericity(math.exp(log_w), statistic, df, float(Chi2(df).sf(max(statistic, 0.0))))


def _items(
    losses: Any, lower_is_better: bool | None, names: tuple[str, ...] | None, layout: str
) -> tuple[ItemLosses, tuple[str, ...], str, tuple[Note, ...]]:
    if isinstance(losses, Scores):
        view, asked = VIEWS["ItemLosses"].scores(layout, losses, names=names)
    else:
        view, asked = VIEWS["ItemLosses"].arrays(
            layout, losses, lower_is_better=lower_is_better, names=names
        )
    return view, asked.learners, asked.metric, asked.notes


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
            "item losses, or means=, covariance= and n= together, are needed: "
            "simultaneous(losses) with one row per item and one column per learner"
        )
    m, s = validation.numbers(means, "means"), validation.numbers(covariance, "covariance")
    if m.ndim != 1 or m.size < 2 or s.shape != (m.size, m.size) or not (s == s.T).all():
        raise DataError(
            f"means have shape {m.shape} and covariance {s.shape}; k means and a symmetric k × k "
            "covariance are needed"
        )
    if n < 2:
        raise DataError(f"n={n} was given; at least 2 items are needed")
    return m, s, n


def _from_moments(means: Array, covariance: Array, n: int) -> Pivot:
    i, j = pair_counts.upper(means.size)
    variance = (covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]) / n
    if (variance < 0).any():
        raise DataError(
            "the covariance is not one of real numbers: a difference would vary below 0"
        )
    estimate = means[i] - means[j]
    same = (variance == 0) & (estimate == 0)
    return Pivot(estimate, np.sqrt(variance), T(n - 1), identical=same)


def _strain(view: ItemLosses) -> tuple[Note, ...]:
    found = sphericity(view)
    if found is None or found.pvalue >= STRAINED:
        return ()
    return (Note("OP305", f"Pairs differ in variance (Mauchly's W = {found.w:.3f}); simultaneous() "
                          "does not assume otherwise."),)  # fmt: skip
