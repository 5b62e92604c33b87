"""Variance of a mean whose items come in clusters: the sandwich in closed form.

For a mean the cluster-robust estimators CR0 to CR3 (Bell and McCaffrey, 2002; Pustejovsky and
Tipton, 2018) need no matrices: each cluster enters by its total residual and its share of items.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .exact_sums import Array, root_sum_squares

Codes = npt.NDArray[np.int64]
KINDS = ("CR2", "CR0", "CR1", "CR3")


def cluster_sums(values: Array, codes: Codes) -> Array:
    """Return the sum of each cluster over the last axis; exactly rounded for one experiment."""
    n_clusters = int(codes.max()) + 1
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(n_clusters))
    if values.ndim == 1:
        parts = np.split(values[order], starts[1:])
        return np.array([math.fsum(part.tolist()) for part in parts])
    return np.add.reduceat(values[..., order], starts, axis=-1)


def cluster_stderr(residuals: Array, shares: Array, n: int, kind: str = "CR2") -> Array:
    """Return the standard error of a mean of n items, from the total residual of each cluster.

    `shares` are m_c / n. CR0 = Σe_c²/n²; CR1 is that times G/(G − 1); CR2 divides each square by
    1 − m_c/n and CR3 by its square.
    """
    leave = {"CR0": 0.0, "CR1": 0.0, "CR2": 0.5, "CR3": 1.0}[kind]
    scaled = residuals / (1 - shares) ** leave
    groups = residuals.shape[-1]
    widen = math.sqrt(groups / (groups - 1)) if kind == "CR1" else 1.0
    return np.asarray(root_sum_squares(scaled) * widen / n)


def satterthwaite_df(shares: Any) -> float:
    """Return the degrees of freedom of CR2 under independent errors: G − 1 for equal clusters.

    (tr B)²/ΣB² with B_cc = h_c/n and B_cd = −h_c h_d / (n √((1 − h_c)(1 − h_d))), h the shares.

    >>> round(satterthwaite_df(np.full(8, 1 / 8)), 12)
    7.0
    """
    h = np.sort(np.asarray(shares, dtype=np.float64))  # one order of summation for any input
    q = h * h / (1 - h)
    between = math.fsum(q.tolist()) ** 2 - math.fsum((q * q).tolist())
    return 1.0 / (math.fsum((h * h).tolist()) + between)
