"""Wilcoxon signed-ranks test over datasets: Dietterich's question 9 (D-11)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ..errors import counted
from ..notes import Note
from ..numerics.exact_sums import ROUNDING, Array
from ..numerics.ranks import LARGEST_COUNTED, ZEROS, rejected, signed_rank, walsh_averages
from ..registry import method
from ..results.evidence import Exact, Inverted, highest_level, holding
from ..validation import choice
from ..views import OverDatasets


def few_datasets(d: OverDatasets, options: dict[str, Any]) -> Iterator[Note]:
    """Say how small p can be where few datasets differ: signs and ranks have 2ⁿ outcomes."""
    left = d.n_splits - _ties(d)
    least = 2.0 ** (1 - left)
    if left > 0 and least >= 0.05:
        yield Note(
            "OP340",
            f"Only {counted(left, 'dataset differs', 'datasets differ')}, so the smallest "
            f"possible two-sided p-value is {least:g}: no significant difference at α = 0.05 is "
            "possible.",
        )


def dataset_checks(d: OverDatasets, options: dict[str, Any]) -> Iterator[Note]:
    """Say what became of ties, and which law was used."""
    zeros, n = _ties(d), d.n_splits
    rule = options.get("zeros", "pratt")
    if 0 < zeros < n and rule in RULES:
        are = "is" if zeros == 1 else "are"
        yield Note("OP341", f"{zeros} of {n} datasets {are} tied: {RULES[rule]}.")
    if n - zeros > LARGEST_COUNTED:
        yield Note("OP342")


def _ties(d: OverDatasets) -> int:
    yardstick = ROUNDING * np.maximum(d.scale, abs(d.null))
    return int((np.abs(d.flat - d.null) <= yardstick).sum())


RULES = {
    "pratt": "ties are ranked and then dropped (Pratt's rule)",
    "wilcox": "ties are dropped before ranking",
    "zsplit": "both sides share the ranks of ties",
}


@method(
    title="Wilcoxon signed-ranks test over datasets",
    paper="dietterich",
    requirements=("D-11",),
    layout="datasets",
    unit="datasets",
    designs=("datasets",),
    default_for=("datasets",),
    accounts_for=(),
    standing="recommended",
    grade="exact",
    advice="The standard test over datasets; ignores the uncertainty of each comparison.",
    note="OP304",
    centre="pseudomedian (Hodges–Lehmann)",
    checks=(few_datasets, dataset_checks),
)
def wilcoxon(d: OverDatasets, *, zeros: str = "pratt") -> Exact:
    """Do the ranks of the datasets won outweigh those of the datasets lost?

    Ties share their rank. Datasets with a zero difference are ranked and then dropped
    (zeros="pratt", Pratt 1959), dropped before ranking ("wilcox"), or shared by both sums
    ("zsplit", as Demšar does). The p-value is exact over all 2ⁿ signs for up to 100 datasets. With
    more it is normal with tie correction: at 101 datasets without ties, within 1 % of the exact one
    for p near 0.05, and too large by 4 % near 0.01 and 14 % near 0.001. The estimate is the median
    of the averages of all n(n + 1)/2 pairs of differences, the pseudomedian of Hodges and Lehmann
    (1963).
    The interval lies between the k-th smallest and the k-th largest of them, with k from the null
    distribution of n untied ranks. It counts ties and zeros, which is conservative (Noether 1967),
    so it may contain 0 although p < α. If the test, which gives zeros no sign, does not reject 0,
    an end of the interval is moved to 0, so the interval never excludes 0 when p ≥ α.

    Parameters
    ----------
    zeros : {"pratt", "wilcox", "zsplit"}, default='pratt'
        Treatment of datasets with a zero difference.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.93, 0.67, 0.75, 0.88, 0.59, 0.97, 0.72]
    >>> bayes = [0.79, 0.94, 0.61, 0.70, 0.85, 0.55, 0.96, 0.70]
    >>> found = op.wilcoxon(tree, bayes, unit="datasets")
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.028, 0.0234)
    """
    choice(zeros, "zeros", ZEROS)
    yardstick = ROUNDING * np.maximum(d.scale, abs(d.null))
    less, greater, plus, minus = signed_rank(d.flat - d.null, yardstick, zeros)
    n = d.n_splits
    last = n * (n + 1) // 2 - 1
    middle = walsh_averages(d.flat, (last // 2, (last + 1) // 2)).mean(axis=-1)
    interval = Inverted(
        partial(_tails, d.flat, yardstick, zeros),
        partial(holding, partial(_ends, d.flat, yardstick, d.null), d.null, less, greater),
        highest_level(n),
    )
    return Exact(
        _snapped(middle, yardstick, d.null),
        np.minimum(plus, minus),
        less,
        greater,
        null=d.null,
        companion=interval,
        details={"positive_sum": plus, "negative_sum": minus},
        counted=n <= LARGEST_COUNTED,
    )


def _tails(values: Array, yardstick: Array, zeros: str, delta: Any) -> tuple[Any, Any]:
    return signed_rank(values - delta, yardstick, zeros)[:2]


def _ends(values: Array, yardstick: Array, null: float, level: float) -> tuple[Any, Any]:
    n = values.shape[-1]
    k = rejected(n, (1 - level) / 2)
    if k == 0:
        none = np.full(values.shape[:-1], np.nan)[()]
        return none, none
    ends = walsh_averages(values, (k - 1, n * (n + 1) // 2 - k))
    low, high = (_snapped(ends[..., side], yardstick, null) for side in (0, 1))
    return low, high


def _snapped(value: Array, yardstick: Array, null: float) -> Any:
    """Return a value within rounding of the null as the null."""
    return np.where(np.abs(value - null) <= yardstick, null, value)[()]
