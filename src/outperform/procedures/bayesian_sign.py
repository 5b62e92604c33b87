"""Bayesian sign test over datasets: Benavoli et al. (2017)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError, argument
from ..numerics.dirichlet_ranks import Thetas, shares, sign_thetas, weights
from ..numerics.exact_sums import ROUNDING, Array
from ..registry import method
from ..results.evidence import Draws, Regions
from ..views import OverDatasets


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
    return Draws(estimate, asked, null=d.null)


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
