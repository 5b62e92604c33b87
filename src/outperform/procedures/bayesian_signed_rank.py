"""Bayesian signed-rank test over datasets: Benavoli et al. (2014)."""

from __future__ import annotations

from ..numerics.dirichlet_ranks import rank_thetas
from ..numerics.ranks import walsh_averages
from ..registry import method
from ..results.evidence import Draws
from ..views import OverDatasets
from .bayesian_sign import drawn


@method(
    title="Bayesian signed-rank test over datasets",
    paper="benavoli-signed-rank",
    requirements=(),
    layout="datasets",
    designs=("datasets",),
    accounts_for=(),
    standing="reference",
    advice="Gives posterior probabilities of better, equivalent and worse for a region of "
    "equivalence, instead of a p-value.",
    note="OP345",
    centre="pseudomedian (Hodges–Lehmann)",
    has_interval=False,
    has_pvalue=False,
    directed=False,
)
def bayesian_signed_rank(
    d: OverDatasets, *, strength: float = 0.5, n_draws: int = 50_000, random_state: int = 0
) -> Draws:
    """How probable is it that the first side is better, equivalent or worse?

    The datasets have Dirichlet(1, …, 1) weights, and a prior dataset without a difference the
    weight `strength`. For each of `n_draws` draws the probabilities that zᵢ + zⱼ, the sum of two
    differences drawn with these weights, is above 2r, between −2r and 2r, and below −2r are
    computed, r being the half-width of the region of equivalence; sums on its edge count half. The
    posterior probability of a region is the share of draws in which it is the largest. r is given
    when the result is read: `result.probabilities(rope)`, `result.verdict(rope=…)`; without a
    region there are two, better and worse. A verdict needs a posterior probability above 1 − α.

    Parameters
    ----------
    strength : float, default=0.5
        Weight of a prior dataset without a difference.
    n_draws : int, default=50000
        Number of draws from the posterior.
    random_state : int, default=0
        Seed of the draws.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.93, 0.67, 0.75, 0.88, 0.59, 0.97, 0.72]
    >>> bayes = [0.79, 0.94, 0.61, 0.70, 0.85, 0.55, 0.96, 0.70]
    >>> found = op.bayesian_signed_rank(tree, bayes)
    >>> found.verdict().outcome, [round(p, 2) for p in found.probabilities(0.01)[:3]]
    ('outperforms', [0.99, 0.01, 0.0])
    """
    n = d.n_splits
    last = n * (n + 1) // 2 - 1
    middle = walsh_averages(d.flat, (last // 2, (last + 1) // 2)).mean(axis=-1)[()]
    return drawn(d, middle, rank_thetas, strength, n_draws, random_state)
