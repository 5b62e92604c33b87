"""Interval for one accuracy: Dietterich's question 1 (D-02)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..errors import DataError, MethodError, argument
from ..numerics.distributions import Binomial, Normal
from ..numerics.tails import beta_root_odds
from ..registry import method
from ..results.evidence import Exact, Inverted, Pivot, normal_tails
from ..validation import choice
from ..views import Counts

NO_HYPOTHESIS = float("nan")


@method(
    title="Binomial interval for an accuracy",
    paper="dietterich",
    requirements=("D-02",),
    designs=("holdout",),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    grade="exact",
    advice=(
        "For one classifier on a separate test set, however the classifier was obtained "
        "(Dietterich's question 1)."
    ),
)
def accuracy_interval(c: Counts, *, variant: str = "wilson") -> Pivot | Exact:
    """How accurate is one classifier on items it was not trained on?

    "normal" is p̂ ± z√(p̂(1 − p̂)/n); "wilson" inverts the score test; "clopper-pearson" inverts
    the exact binomial test. Dietterich (1998) does not name a formula. With `mu0`, the same
    distribution gives a test.

    Parameters
    ----------
    variant : {"wilson", "normal", "clopper-pearson"}, default='wilson'
        Formula of the interval.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.accuracy_interval(85, 100)
    >>> [round(end, 3) for end in found.interval()]
    [0.767, 0.907]
    """
    choice(variant, "variant", ("normal", "wilson", "clopper-pearson"))
    p, q, n = c.count / c.n, (c.n - c.count) / c.n, c.n
    null = NO_HYPOTHESIS if c.null is None else c.null
    wald = np.sqrt(p * q / n)
    if variant == "normal":
        if np.any(wald == 0):
            raise DataError(
                "All items are right, or all are wrong: the normal interval has zero width. Use "
                f"{argument(variant='wilson')} or {argument(variant='clopper-pearson')}"
            )
        return Pivot(p, wald, Normal(), null)
    if variant == "wilson":
        stderr = wald if c.null is None else np.sqrt(null * (1 - null) / n)
        score = Inverted(partial(_score_tails, p, n), partial(_wilson, p, q, n))
        return Pivot(p, stderr, Normal(), null, companion=score)
    tails = _exact_tails(c.count, n, null)
    exact = Inverted(partial(_exact_tails, c.count, n), partial(_clopper_pearson, c.count, n))
    return Exact(p, c.count, *tails, stderr=wald, null=null, companion=exact)


def _score_tails(p: Any, n: Any, delta: Any) -> tuple[Any, Any]:
    _is_accuracy(delta)
    return normal_tails((p - delta) / np.sqrt(delta * (1 - delta) / n))


def _is_accuracy(delta: Any) -> None:
    if not np.all((np.asarray(delta) > 0) & (np.asarray(delta) < 1)):
        raise MethodError(
            "A region of equivalence does not apply to a single accuracy: it concerns a "
            "difference around 0. Compare two classifiers with mcnemar, or use the interval."
        )


def _wilson(p: Any, q: Any, n: Any, level: float) -> tuple[Any, Any]:
    z2 = Normal().isf((1 - level) / 2) ** 2
    # The product of the roots is p²/(1 + z²/n): the small one has no cancellation this way.
    root = np.sqrt(z2 * (p * q / n + z2 / (4 * n * n)))
    high = (p + z2 / (2 * n) + root) / (1 + z2 / n)
    low = p * p / (1 + z2 / n) / np.where(high == 0, 1.0, high)
    return low, np.where(q == 0, 1.0, high)[()]


def _exact_tails(count: Any, n: Any, p: Any) -> tuple[Any, Any]:
    if np.any(np.isnan(p)):
        return p, p
    _is_accuracy(p)
    law = Binomial(n, p)
    return law.log_at_most(count), law.log_at_least(count)


def _clopper_pearson(count: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Return the accuracies at which the counts seen are a tail of (1 − level)/2."""
    right, wrong = np.asarray(count, dtype=np.float64), np.asarray(n - count, dtype=np.float64)
    tail = np.asarray((1 - level) / 2)
    with np.errstate(all="ignore"):  # branches that are not kept
        # The root of (1 − low)/low, and of high/(1 − high).
        below = beta_root_odds(np.maximum(right, 0.5), wrong + 1, tail)
        above = beta_root_odds(np.maximum(wrong, 0.5), right + 1, tail)
    low = np.where(right == 0, 0.0, 1 / (1 + below**2))
    high = np.where(wrong == 0, 1.0, 1 / (1 + above**-2.0))
    return low[()], high[()]
