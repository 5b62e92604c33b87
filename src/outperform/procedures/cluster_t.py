"""Cluster-robust t-test for items that belong together: Bell & McCaffrey (2002)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..notes import Note
from ..numerics.cluster_variance import KINDS, cluster_stderr, satterthwaite_df
from ..numerics.distributions import T
from ..numerics.exact_sums import ROUNDING, centre, largest
from ..numerics.sign_flips import ENUMERATED, flip_tails
from ..registry import method
from ..results.evidence import Pivot
from ..validation import choice
from ..views import ClusteredDifferences

FEW_DF = 8
WEIGHTS = ("item", "cluster")


def few_clusters(d: ClusteredDifferences, options: dict[str, Any]) -> Iterator[Note]:
    """Say how few degrees of freedom the clusters leave, and what an exact test finds."""
    df = satterthwaite_df(d.sizes / d.n_splits)
    if df < FEW_DF:
        yield Note(
            "OP361",
            f"The {d.n_clusters} clusters leave {math.floor(10 * df) / 10} degrees of freedom, "
            f"fewer than {FEW_DF}: the t distribution is a rough approximation.",
        )
    if d.n_clusters <= ENUMERATED and d.values.ndim == 3:
        sums = d.residuals + (d.mean - d.null) * d.sizes
        less, greater = flip_tails(sums).sides(math.fsum(sums.tolist()))
        p = min(1.0, 2 * math.exp(min(less, greater)))
        yield Note(
            "OP362", f"Exact sign-flip test over the {d.n_clusters} clusters: p {_shown(p)}."
        )


def ignored_clusters(d: ClusteredDifferences, options: dict[str, Any]) -> Iterator[Note]:
    """Say what ignoring the clusters would have claimed."""
    if d.values.ndim != 3:
        return
    found = cluster_t.kernel(d, **options)
    naive = float(d.sd) / math.sqrt(d.n_splits)
    if found.stderr > 0 and naive > 0:
        p = Pivot(d.mean, naive, T(d.n_splits - 1), null=d.null).pvalue()
        yield Note(
            "OP360",
            f"Ignoring the {d.n_clusters} clusters, the standard error would be {naive:.3g} "
            f"instead of {found.stderr:.3g}, and p {_shown(p)}.",
        )


def _shown(p: float) -> str:
    return f"= {p:.3g}" if p >= 0.001 else "< 0.001"


@method(
    title="Cluster-robust t-test",
    paper="bell-mccaffrey",
    requirements=(),
    layout="items",
    designs=("holdout", "clustered-items"),
    default_for=("clustered-items",),
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For two fitted models on items that come in clusters: questions of one subject, "
    "sentences of one document.",
    note="OP401",
    checks=(ignored_clusters, few_clusters),
)
def cluster_t(d: ClusteredDifferences, *, kind: str = "CR2", weight: str = "item") -> Pivot:
    """Student's t on a mean over items, with an error that allows for correlation within clusters.

    With e_c the sum of a cluster's deviations from the mean, m_c its items and n all items, CR2 is
    SE² = Σ e_c²/(1 − m_c/n)/n², with Satterthwaite's degrees of freedom, which are G − 1 for G
    equal clusters. "CR0" is Σ e_c²/n², "CR1" that times G/(G − 1), "CR3" divides by (1 − m_c/n)²;
    they use G − 1 degrees of freedom. weight="cluster" takes the mean of the clusters' means, so
    that each cluster counts the same however many items it has.

    Parameters
    ----------
    kind : {"CR2", "CR0", "CR1", "CR3"}, default='CR2'
        Cluster-robust variance.
    weight : {"item", "cluster"}, default='item'
        Whether each item or each cluster counts the same.

    Examples
    --------
    >>> import outperform as op
    >>> first = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
    >>> second = [1, 0, 0, 1, 0, 0, 1, 0, 1, 1]
    >>> document = [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
    >>> found = op.cluster_t(first, second, clusters=document)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.2, 0.3583)
    """
    choice(kind, "kind", KINDS)
    choice(weight, "weight", WEIGHTS)
    sizes, n = d.sizes, d.n_splits
    estimate, residuals = d.mean, d.residuals
    if weight == "cluster":
        estimate, residuals = centre(d.means)
        n, sizes = d.n_clusters, np.ones(d.n_clusters)
    flat = largest(residuals) <= ROUNDING * d.scale * sizes.max()
    stderr = np.where(flat, 0.0, cluster_stderr(residuals, sizes / n, n, kind))[()]
    df = satterthwaite_df(sizes / n) if kind == "CR2" else d.n_clusters - 1.0
    details = {
        "clusters": d.n_clusters,
        "stderr_ignoring_clusters": (d.sd / math.sqrt(d.n_splits))[()],
    }
    return Pivot(estimate, stderr, T(df), details=details)
