"""Sign-flip test over clusters of items: exact whatever the clusters hold."""

from __future__ import annotations

from ..registry import method
from ..results.evidence import Exact
from ..views import ClusteredDifferences
from .cluster_t import cluster_t
from .sign_flip import flipped_signs


@method(
    title="Sign-flip test over clusters",
    paper="fisher",
    requirements=(),
    layout="items",
    designs=("holdout", "clustered-items"),
    accounts_for=("test data", "label noise"),
    standing="recommended",
    grade="exact",
    advice="For few clusters of items, where a t distribution is a rough approximation.",
    note="OP401",
    interval_inverts=False,
)
def cluster_sign_flip(d: ClusteredDifferences, *, n_draws: int = 9_999, seed: int = 0) -> Exact:
    """Would random signs of whole clusters make a difference as large as the one observed?

    The sums of the clusters' differences keep their size and take random signs: under the null
    hypothesis that the sums are symmetric about 0, all sign vectors are equally likely. Where all
    sums but zeros have one size, that says no more than that neither side is better, and the
    evidence is exact; else symmetry is an assumption, and the evidence is graded assumed. Counted
    exactly for up to 20 clusters, and for whole numbers of any count; otherwise from seeded draws,
    (1 + b)/(1 + B). The interval is that of cluster_t.

    Parameters
    ----------
    n_draws : int, default=9999
        Number of random sign vectors, if they are not counted exactly.
    seed : int, default=0
        Seed of the draws.

    Examples
    --------
    >>> import outperform as op
    >>> first = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
    >>> second = [1, 0, 0, 1, 0, 0, 1, 0, 1, 1]
    >>> document = [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
    >>> found = op.cluster_sign_flip(first, second, clusters=document)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.2, 0.625)
    """
    sums = d.residuals + (d.mean - d.null)[..., None] * d.sizes
    return flipped_signs(sums, d, cluster_t.kernel(d), n_draws, seed)
