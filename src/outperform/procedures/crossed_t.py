"""Items crossed with seeds or prompts: both vary, and verdicts apply to new ones of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..notes import Note
from ..numerics.distributions import T
from ..numerics.exact_sums import ROUNDING, Array, centre, largest, root_sum_squares, row_means
from ..registry import method
from ..results.evidence import Pivot
from ..views import ItemSamples

FEW = 4
"""Conditions up to which Satterthwaite's degrees of freedom reject too often: 13.7 % at 5 %."""


def mean_squares(d: ItemSamples) -> tuple[Array, Array, Array, Array, Array]:
    """Return the mean, MS of items, of conditions and of the rest, and the largest deviation."""
    x = d.first - d.second
    *lead, n, k = x.shape
    grand, apart = centre(x.reshape(*lead, -1))
    y = apart.reshape(x.shape)
    items = row_means(y, single=not lead)
    conditions = row_means(y.swapaxes(-2, -1), single=not lead)
    rest = (y - items[..., :, None] - conditions[..., None, :]).reshape(*lead, -1)
    msi = k * root_sum_squares(items) ** 2 / (n - 1)
    msc = n * root_sum_squares(conditions) ** 2 / (k - 1)
    mse = root_sum_squares(rest) ** 2 / ((n - 1) * (k - 1))
    return grand, msi, msc, mse, largest(apart)


def apart_from(d: ItemSamples, options: dict[str, Any]) -> Iterator[Note]:
    """Say how the variance of the mean divides between items and conditions."""
    if d.first.ndim != 2:
        return
    _, msi, msc, mse, _ = (float(part) for part in mean_squares(d))
    parts = [max(msi - mse, 0.0), max(msc - mse, 0.0), mse]
    if sum(parts) > 0:
        items, conditions, rest = (part / sum(parts) for part in parts)
        yield Note(
            "OP365",
            f"Variance of the mean difference: {items:.0%} from items, {conditions:.0%} from the "
            f"{d.first.shape[-1]} conditions, {rest:.0%} from both together.",
        )


@method(
    title="t-test on items crossed with conditions",
    paper="miller",
    requirements=(),
    layout="crossed",
    designs=("holdout", "sampled-items"),
    accounts_for=("test data", "internal randomness", "label noise"),
    standing="recommended",
    advice="For two fitted models that answer every item under the same prompts or seeds; the "
    "verdict applies to new items and new prompts.",
    note="OP401",
    checks=(apart_from,),
)
def crossed_t(d: ItemSamples) -> Pivot:
    """Student's t on the mean over items × conditions, with both drawn at random.

    From the two-way analysis of variance of the differences, SE² = (MSI + MSC − MSE)/(nK), where a
    component that would be negative counts as 0; the degrees of freedom are Satterthwaite's, with 2
    to 4 conditions at most K − 1, as how much so few conditions differ is hardly known. With few
    conditions that differ they are few: more items do not help then.

    Examples
    --------
    >>> import outperform as op
    >>> first = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1], [1, 0, 1]]
    >>> second = [[1, 0, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1], [1, 0, 0]]
    >>> found = op.crossed_t(first, second)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.267, 0.2079)
    """
    n, k = d.first.shape[-2:]
    grand, msi, msc, mse, reach = mean_squares(d)
    by_item, by_condition = msi > mse, msc > mse
    total = np.where(by_item, msi, mse) + np.where(by_condition, msc - mse, 0.0)
    total = np.where(by_condition & ~by_item, msc, total)
    worth = (
        np.where(by_item, msi**2 / (n - 1), 0.0)
        + np.where(by_condition, msc**2 / (k - 1), 0.0)
        + np.where(by_item == by_condition, mse**2 / ((n - 1) * (k - 1)), 0.0)
    )
    flat = reach <= 2 * ROUNDING * np.maximum(d.scale, abs(d.null))
    df = np.where(flat | (worth == 0), n - 1.0, total**2 / np.where(worth == 0, 1.0, worth))
    df = np.minimum(df, k - 1.0) if k <= FEW else df
    stderr = np.where(flat, 0.0, np.sqrt(total / (n * k)))
    details = {"MS_items": msi[()], "MS_conditions": msc[()], "MS_rest": mse[()]}
    return Pivot(grand, stderr[()], T(df[()]), details=details)
