"""Bayesian sign test over datasets: Benavoli et al. (2017)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError, argument
from ..numerics.dirichlet_ranks import Thetas, shares, sign_thetas, theta_draws, weights
from ..numerics.exact_sums import ROUNDING, Array
from ..registry import method
from ..results.evidence import Draws, PosteriorSample, Regions
from ..views import OverDatasets

SHOWN = 4_000
"""Draws that figures show."""


@method(
    title="Bayesian sign test over datasets",
    paper="benavoli-tutorial",
    requirements=(),
    layout="datasets",
    designs=("datasets",),
    accounts_for=(),
    standing="reference",
    advice="Gives posterior probabilities by counting datasets; bayesian_signed_rank uses the "
    "sizes of differences too.",
    note="OP345",
    centre="median",
    has_interval=False,
    has_pvalue=False,
    directed=False,
)
def bayesian_sign(
    d: OverDatasets, *, strength: float = 0.5, n_draws: int = 50_000, random_state: int = 0
) -> Draws:
    """How probable is it that the first side is better, equivalent or worse on most datasets?

    As `bayesian_signed_rank`, with the probabilities that one difference, drawn with Dirichlet
    weights, is above r, between −r and r, and below −r. Differences on the edge count half.

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
    >>> found = op.bayesian_sign(tree, bayes)
    >>> found.verdict().outcome, [round(p, 2) for p in found.probabilities(0.01)[:3]]
    ('outperforms', [0.99, 0.01, 0.0])
    """
    middle = np.median(d.flat, axis=-1)[()]
    return drawn(d, middle, sign_thetas, strength, n_draws, random_state)


def drawn(
    d: OverDatasets,
    estimate: Any,
    thetas: Thetas,
    strength: float,
    n_draws: int,
    random_state: int,
) -> Draws:
    """Return the posterior of differences under Dirichlet weights."""
    strength = validation.one_number(strength, "strength")
    if not strength >= 0:
        raise DataError(
            f"The 'strength' parameter must not be negative, got {strength:g}. Use "
            f"{argument(strength=0.5)}"
        )
    if not (isinstance(n_draws, int | np.integer) and n_draws >= 1000):
        raise DataError(
            f"The 'n_draws' parameter must be at least 1000, got {n_draws!r}. Use "
            f"{argument(n_draws=50_000)}"
        )
    seed = validation.seed_number(random_state)
    width = ROUNDING * np.maximum(d.scale, abs(d.null))
    asked = partial(_regions, d.flat, width, thetas, strength, int(n_draws), seed)
    return Draws(
        estimate,
        asked,
        null=d.null,
        sampled=partial(_sample, d.flat, width, thetas, strength, seed),
    )


def _sample(
    values: Array,
    width: Array,
    thetas: Thetas,
    strength: float,
    seed: int,
    rope: float,
    centre: float,
    row: int,
) -> PosteriorSample:
    """Return as many of the draws as a figure shows."""
    n = values.shape[-1]
    z = values.reshape(-1, n)[row] - centre
    tie = float(np.broadcast_to(width, values.shape[:-1]).ravel()[row])
    return PosteriorSample(
        theta_draws(thetas, z, rope, tie, weights(n, strength, SHOWN, seed), 0.0)
    )


def _regions(
    values: Array,
    width: Array,
    thetas: Thetas,
    strength: float,
    n_draws: int,
    seed: int,
    rope: float,
    centre: float,
) -> Regions:
    draws = weights(values.shape[-1], strength, n_draws, seed)
    found = shares(thetas, values - centre, rope, width, draws, 0.0)
    return Regions(
        found.better,
        found.equivalent,
        found.worse,
        (found.mean_better, found.mean_equivalent, found.mean_worse),
        found.error,
    )
