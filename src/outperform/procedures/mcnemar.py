"""McNemar's test: Dietterich (D-16 to D-18), Feelders & Verkooijen (F-16, F-17)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ..errors import MethodError, argument, counted
from ..notes import Note
from ..numerics.distributions import Binomial, Normal
from ..numerics.pair_counts import MOST, tango_interval, tango_z
from ..registry import method
from ..results.evidence import Exact, Inverted, Pivot, normal_tails
from ..validation import choice
from ..views import Contingency

VARIANTS = ("continuity", "plain", "exact", "mid-p", "auto")
FEW = 10


def few_discordant(c: Contingency, options: dict[str, Any]) -> Iterator[Note]:
    """Point to the exact test where few items decide (F-17)."""
    exact = options.get("variant") in ("exact", "mid-p", "auto")
    if is_few(c) and not exact:
        yield Note(
            "OP104",
            f"Only {counted(int(c.discordant), 'discordant item')}; "
            f"{argument(variant='exact')} is safer.",
        )


def is_few(c: Contingency) -> Any:
    return (c.discordant > 0) & (c.discordant <= FEW)


@method(
    title="McNemar's test",
    paper="dietterich",
    requirements=("D-04", "D-16", "D-17", "D-18", "B-01", "F-16", "F-17"),
    designs=("holdout", "leave-one-out"),
    default_for=("holdout", "leave-one-out"),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    grade="exact",
    advice="Use when learners can be run only once; applies to the two fitted models.",
    note="OP401",
    checks=(few_discordant,),
    interval_inverts=False,
)
def mcnemar(c: Contingency, *, variant: str = "continuity") -> Pivot | Exact:
    """Do two models differ in their number of errors? Only items that one model gets right count.

    χ² = (|n01 − n10| − 1)² / (n01 + n10) on one degree of freedom, with the correction clipped at
    0; "plain" omits the correction; "exact" is the two-sided binomial(n01 + n10, ½) test and
    "mid-p" counts half of the probability of the observed outcome; "auto" is exact up to 10
    discordant items. Expected counts under the null hypothesis are n00, (n01 + n10)/2 twice, n11.
    The interval is Tango's score interval for the difference of the two accuracies.

    Parameters
    ----------
    variant : {"continuity", "plain", "exact", "mid-p", "auto"}, default='continuity'
        Form of the test.

    Examples
    --------
    >>> import outperform as op
    >>> found = op.mcnemar(table=[[20, 5], [15, 60]])
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.1, 0.0442)
    """
    choice(variant, "variant", VARIANTS)
    if variant == "auto":
        variant = _chosen(c)
    n = c.n
    details = _tables(c) if np.size(n) <= MOST else {}
    counts = (c.n10, c.n01, n)
    interval = Inverted(partial(_tails, *counts), partial(tango_interval, *counts))
    root = np.sqrt(c.discordant)
    stderr = root / n
    if variant in ("continuity", "plain"):
        off = 1.0 if variant == "continuity" else 0.0
        return Pivot(
            c.estimate,
            stderr,
            Normal(),
            continuity=off / n,
            chi2=True,
            companion=interval,
            details=details,
            counts=(c.n10 - c.n01, root, off),
        )
    return Exact(
        c.estimate,
        np.minimum(c.n01, c.n10),
        *_counted(c, variant),
        stderr=stderr,
        companion=interval,
        details=details,
        counted=variant == "exact",
    )


def _tables(c: Contingency) -> dict[str, Any]:
    """Return the counts as they are and as the null hypothesis expects them (D-17)."""
    table = np.stack(np.broadcast_arrays(*c.cells), axis=-1)
    expected = table.astype(np.float64)
    expected[..., 1] = expected[..., 2] = c.discordant / 2
    cells = {"table": table, "expected": expected}
    return {name: four.reshape(*four.shape[:-1], 2, 2) for name, four in cells.items()}


def _counted(c: Contingency, variant: str) -> tuple[object, object]:
    """Return the log p-values of (less, greater) counted from binomial(n01 + n10, ½).

    The law is symmetric: as few as n10 is as many as n01, so that both sides round alike.
    """
    law = Binomial(c.discordant, 0.5)
    if variant == "exact":
        return law.log_at_least(c.n01), law.log_at_least(c.n10)
    half = np.log(0.5)
    here = law.log_pmf(np.maximum(c.n01, c.n10)) + half
    less, greater = (np.logaddexp(law.log_at_least(side + 1), here) for side in (c.n01, c.n10))
    even = np.equal(c.n01, c.n10)
    return np.where(even, half, less)[()], np.where(even, half, greater)[()]


def _chosen(c: Contingency) -> str:
    small = np.asarray(c.discordant) <= FEW
    if small.all() or not small.any():
        return "exact" if small.all() else "continuity"
    raise MethodError(
        "The tables have both more and fewer than 10 discordant items, so "
        f"{argument(variant='auto')} would use two variants in one batch. Pass "
        f"{argument(variant='exact')}"
    )


def _tails(n10: object, n01: object, n: object, delta: object) -> tuple[object, object]:
    return normal_tails(tango_z(n10, n01, n, delta))
