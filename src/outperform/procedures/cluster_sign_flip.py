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
    hypothesis that a cluster's sum is as likely to favour one side as the other, all sign vectors
    are equally likely. Counted exactly for up to 20 clusters, and for whole numbers of any count;
    otherwise from seeded draws, (1 + b)/(1 + B). The interval is that of cluster_t.
    """
    sums = d.residuals + (d.mean - d.null)[..., None] * d.sizes
    return flipped_signs(sums, d, cluster_t.kernel(d), n_draws, seed)
