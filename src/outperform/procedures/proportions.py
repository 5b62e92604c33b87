"""Difference of two proportions: Dietterich (D-19 to D-21, D-39, D-54).

Requirements and errata: E-D2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import MethodError
from ..notes import Note
from ..numerics.distributions import Normal
from ..registry import method
from ..results.evidence import Exact, Pivot
from ..validation import choice
from ..views import Contingency

LARGEST_EXACT = 1_000_000
NEAR_HALF = 0.1


def unpaired(c: Contingency, options: dict[str, Any]) -> Iterator[Note]:
    """Warn of the variants that ignore the pairing; "corrected" is McNemar's statistic (D-20)."""
    if options.get("variant") != "corrected":
        yield Note("OP205")


def poor_regions(c: Contingency, options: dict[str, Any]) -> Iterator[Note]:
    """Flag the situations in which the plain variance is most wrong (D-54)."""
    wrong_a, wrong_b = (c.n00 + c.n01) / c.n, (c.n00 + c.n10) / c.n
    apart = c.n00 < 0.5 * min(c.n00 + c.n01, c.n00 + c.n10)
    near = abs((wrong_a + wrong_b) / 2 - 0.5) < NEAR_HALF
    if apart and near:
        yield Note("OP303")


@method(
    title="Difference of two proportions",
    paper="dietterich",
    requirements=("D-19", "D-20", "D-21", "D-39", "D-54", "B-01"),
    designs=("holdout",),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="discouraged",
    advice="Never recommended: it treats paired items as independent samples.",
    instead="mcnemar",
    checks=(unpaired, poor_regions),
    interval_inverts=False,
)
def proportions(c: Contingency, *, variant: str = "plain") -> Pivot | Exact:
    """A z-test of two error rates, as if each had its own test set.

    z = (p_A − p_B) / √(2p(1 − p)/n), p = (p_A + p_B)/2; "corrected" is z′ = (|n01 − n10| − 1) /
    √(n01 + n10), the square root of McNemar's statistic; "exact" is Fisher's test of the two error
    counts. The test pools the two rates; the interval does not.

    Parameters
    ----------
    variant : {"plain", "corrected", "exact"}, default='plain'
        Form of the test.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.proportions(table=[[20, 5], [15, 60]])
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.1, 0.1228)
    """
    choice(variant, "variant", ("plain", "corrected", "exact"))
    wrong_a, wrong_b = c.n00 + c.n01, c.n00 + c.n10
    p_a, p_b = wrong_a / c.n, wrong_b / c.n
    # Not 1 − p: near 1 it has no digits left, and these counts have them all.
    q_a, q_b = (c.n10 + c.n11) / c.n, (c.n01 + c.n11) / c.n
    unpooled = np.sqrt((p_a * q_a + p_b * q_b) / c.n)
    details = {"p_A": p_a, "p_B": p_b}
    interval = Pivot(c.estimate, unpooled, Normal())
    if variant == "exact":
        return Exact(
            c.estimate,
            np.minimum(c.n01, c.n10),
            *_fisher(wrong_a, wrong_b, c.n),
            stderr=unpooled,
            companion=interval,
            details=details,
        )
    if variant == "corrected":
        stderr = np.sqrt(c.discordant) / c.n
        return Pivot(
            c.estimate, stderr, Normal(), continuity=1 / c.n, companion=interval, details=details
        )
    p, q = (p_a + p_b) / 2, (q_a + q_b) / 2
    stderr = np.sqrt(2 * p * q / c.n)
    return Pivot(c.estimate, stderr, Normal(), companion=interval, details=details)


def _fisher(wrong_a: Any, wrong_b: Any, n: Any) -> tuple[Any, Any, Any]:
    """Return log p-values (less, greater, two-sided); positive means the first errs less."""
    sides = np.broadcast_arrays(wrong_a, wrong_b, n)
    if np.max(sides[2]) > LARGEST_EXACT:
        raise MethodError(
            f"The exact variant is limited to {LARGEST_EXACT:g} items, got {np.max(sides[2]):g}. "
            "Use mcnemar(variant='exact'), which has no such limit."
        )
    rows = [_fisher_one(*row) for row in zip(*(side.ravel() for side in sides), strict=True)]
    shape = sides[0].shape
    less, greater, both = (
        np.array(column).reshape(shape)[()] for column in zip(*rows, strict=True)
    )
    return less, greater, both


def _fisher_one(wrong_a: float, wrong_b: float, n: float) -> tuple[float, float, float]:
    """Sum the hypergeometric law of the first side's errors, given the total of both."""
    total = wrong_a + wrong_b
    k = np.arange(max(0.0, total - n), min(n, total) + 1)
    # Ratios of neighbours, not log-gammas of n, so that no digits are lost at large n.
    steps = np.log((n - k[:-1]) * (total - k[:-1])) - np.log((k[1:]) * (n - total + k[1:]))
    weight = np.concatenate([[0.0], np.cumsum(steps)])
    weight -= np.max(weight)
    here = int(wrong_a - k[0])
    mass = np.exp(weight)
    whole = np.log(mass.sum())
    as_likely = weight <= weight[here] + 1e-7 * abs(weight[here]) + 1e-12
    tails = (slice(here, None), slice(None, here + 1), as_likely)
    less, greater, both = (float(_log_sum(weight[part]) - whole) for part in tails)
    return less, greater, both


def _log_sum(weight: Any) -> Any:
    top = np.max(weight)
    return top + np.log(np.exp(weight - top).sum())
