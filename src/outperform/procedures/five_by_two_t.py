"""5x2cv paired t: Dietterich (D-24), generalised to r replications (D-26).

Requirements and errata: E-D5, E-B1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import counted
from ..notes import Note
from ..numerics.distributions import T
from ..numerics.exact_sums import ROUNDING, Array, mean, root_sum_squares
from ..registry import method
from ..results.evidence import Pivot
from ..validation import choice
from ..views import Differences

FEWEST = 30
"""Items in a test set, below which a difference of rates is not near normal (D-24)."""
WILD = 0.3
"""A learner's own score moving by this much between replications (D-53 speaks of .1 to .9)."""


def wild_rates(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    """Flag a learner whose scores vary wildly between replications (D-53)."""
    for scores in () if d.second is None else (d.first, d.second):
        yield from wild_note(scores, "one side")


def wild_note(scores: Array, who: str) -> Iterator[Note]:
    rates = mean(scores.reshape(-1, 2))
    if np.ptp(rates) > WILD and np.max(np.abs(scores)) <= 1:
        span = f"{rates.min():.2f} to {rates.max():.2f}"
        yield Note("OP301", f"Scores of {who} range from {span} between replications.")


def small_tests(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    """Flag test sets of fewer than 30 items (D-24)."""
    if d.n_test is not None:
        yield from small_note(d.n_test)


def small_note(n_test: float) -> Iterator[Note]:
    if n_test < FEWEST:
        yield Note(
            "OP103",
            f"Test sets have only {n_test:g} {'item' if n_test == 1 else 'items'}; Dietterich "
            f"(1998) recommends at least {FEWEST}.",
        )


def signs_apart(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    """Say where the first difference, which is judged, contradicts the mean of all."""
    if contradicted(d):
        first = float(d.runs[0, 0])
        yield Note(
            "OP319",
            f"The first difference is {first:+.3g}, but the mean of all {d.n_splits} is "
            f"{float(d.mean):+.3g}: no decision, whatever p is.",
        )


def contradicted(d: Differences) -> Any:
    """Tell where the mean of all does not lie on the side of the null where the first does."""
    first, average = d.runs[..., 0, 0] - d.null, d.mean - d.null
    rounding = ROUNDING * np.maximum(d.scale, abs(d.null))
    return (first != 0) & (np.sign(first) * average <= rounding)


def other_than_five(d: Differences, options: dict[str, Any]) -> Iterator[Note]:
    """Flag a number of replications that Dietterich did not study (D-26)."""
    r = d.runs.shape[-2]
    if r != 5:
        yield Note(
            "OP312",
            f"{counted(r, 'replication')} of 2-fold cross-validation instead of 5: Dietterich "
            f"(1998) evaluated 5; the degrees of freedom follow r = {r}.",
        )


@method(
    title="5x2cv paired t-test",
    paper="dietterich",
    requirements=("D-24", "D-25", "D-26", "D-53", "B-04", "R-09", "N-23"),
    layout="twofold",
    designs=("repeated-2fold",),
    default_for=("repeated-2fold",),
    published_design="5x2cv",
    accounts_for=("test data", "training data", "internal randomness"),
    standing="recommended",
    advice="For learners that can be run only ten times: it rejects too often in most cases "
    "measured, and is the least replicable test.",
    note="OP302",
    checks=(wild_rates, small_tests, other_than_five, signs_apart),
    first_counts=True,
)
def five_by_two_t(d: Differences, *, variant: str = "dietterich") -> Pivot:
    """The first difference relative to the variance within replications.

    t̃ = p₁⁽¹⁾ / √(⅕ Σ sᵢ²), sᵢ² = (pᵢ⁽¹⁾ − p̄ᵢ)² + (pᵢ⁽²⁾ − p̄ᵢ)², with 5 degrees of freedom, or r
    for r replications. It assumes that differences are approximately normal, that the two of a
    replication are independent, that the sᵢ are independent, and that numerator and denominator are
    independent. The last assumption fails even for ideal data, where the test is conservative.
    Where the first difference and the mean of all differ in sign the verdict is no decision,
    whatever p is: the first difference alone is judged, and the others speak against it.
    `variant="grand-mean"` is the formula printed by Bradford & Brodley (2001), with one mean over
    all ten differences.

    Parameters
    ----------
    variant : {"dietterich", "grand-mean"}, default='dietterich'
        Formula of the variance.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [[0.81, 0.79], [0.84, 0.80], [0.83, 0.78], [0.82, 0.85], [0.80, 0.81]]
    >>> bayes = [[0.80, 0.76], [0.85, 0.78], [0.83, 0.80], [0.80, 0.82], [0.77, 0.80]]
    >>> found = op.five_by_two_t(tree, bayes, design="5x2cv")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.01, 0.5301)
    """
    choice(variant, "variant", ("dietterich", "grand-mean"))
    replications = d.runs.shape[-2]
    gaps = d.gaps
    if variant == "dietterich":
        spread = root_sum_squares(gaps) / math.sqrt(2 * replications)
        stderr = np.where(d.is_rounding(gaps), 0.0, spread)
    else:
        centred = d.centred[1]
        spread = root_sum_squares(centred) / math.sqrt(replications)
        stderr = np.where(d.is_rounding(centred), 0.0, spread)
    with np.errstate(over="ignore"):
        s2 = gaps**2 / 2
    details = {
        "s2": s2,
        "mean_difference": d.mean[()],
        "differences": d.runs,
    }
    first = d.runs[..., 0, 0]
    return Pivot(first, stderr, T(replications), details=details, undecided=contradicted(d))
