"""Items answered several times: how much differences vary between items and between samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError
from .exact_sums import Array


class SampleMoments(NamedTuple):
    """What the samples of one side say of each item, (..., items)."""

    mean: Array
    variance: Array
    """Within the item, divisor K − 1; NaN where there is one sample."""
    size: Array
    """K, how many samples there are."""


def moments(samples: Array) -> SampleMoments:
    """Return mean, variance and number of the samples of each item (last axis), NaN for none."""
    present = ~np.isnan(samples)
    size = present.sum(axis=-1).astype(np.float64)
    filled = np.where(present, samples, 0.0)
    first = filled[..., :1]  # all samples equal: the mean is that value to the last bit
    apart = np.where(present, samples - first, 0.0)
    shift = apart.sum(axis=-1) / size
    left = np.where(present, apart - shift[..., None], 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(size > 1, (left * left).sum(axis=-1) / (size - 1), np.nan)
    return SampleMoments(first[..., 0] + shift, variance, size)


def pass_at_k(n_samples: Any, n_correct: Any, k: int) -> Array:
    """Return the unbiased estimate of P(at least one of k samples is right), for each item.

    1 − C(n − c, k)/C(n, k) (Chen et al., 2021), as a product so that nothing overflows.

    >>> pass_at_k(10, [0, 3, 10], 5).round(4).tolist()
    [0.0, 0.9167, 1.0]
    """
    n, c = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (n_samples, n_correct)))
    if k < 1 or k != int(k) or (n < k).any():
        fewest = int(n.min()) if n.size else 0
        raise DataError(
            f"The 'k' parameter must be a whole number between 1 and the {fewest} samples that "
            f"each item has, got {k}."
        )
    if ((c < 0) | (c > n)).any():
        raise DataError("The 'n_correct' parameter must lie between 0 and 'n_samples'.")
    missed = np.ones(n.shape)
    for j in range(int(k)):
        missed = missed * np.maximum(n - c - j, 0.0) / (n - j)
    return 1.0 - missed


def best_samples(
    between: float, within: float, item_cost: float = 1.0, sample_cost: float = 1.0
) -> float:
    """Return K* = √((c_item/c_sample)·(σ²_within/ω²)), the samples per item that cost least.

    Infinite where items do not differ: then samples are all that helps.
    """
    if between <= 0:
        return float("inf") if within > 0 else 1.0
    return float(max(1.0, np.sqrt(item_cost / sample_cost * within / between)))
