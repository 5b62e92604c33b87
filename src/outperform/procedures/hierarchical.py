"""The Bayesian hierarchical model over datasets with splits: Corani et al. (2017)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ..errors import DataError, argument
from ..notes import Note
from ..numerics import exact_sums
from ..numerics.exact_sums import Array
from ..numerics.hierarchy import Posterior, Prior, posterior
from ..registry import method
from ..results.evidence import Draws, PosteriorSample, Regions
from ..validation import choice
from ..views import FoldsByDataset
from .bayesian_sign import SHOWN
from .calibrated_t import calibrated_t

PRIORS = {
    "baycomp": Prior((1.0, 2.0), (0.01, 0.1)),
    "corani": Prior((0.5, 5.0), (0.05, 0.15)),
}
"""Of the tails, ν − 1 ~ Gamma(α, β): the ranges of α and β in the package baycomp, and in the
paper."""
COARSE = 61


def _unknown_growth(d: FoldsByDataset, options: dict[str, Any]) -> Iterator[Note]:
    """Say that how differences grow with the data is unknown, where no items were kept."""
    if any(cell is not None and cell.squares is None for cell in d.cells):
        yield Note("OP323")


@method(
    title="Bayesian hierarchical model over datasets",
    paper="corani",
    requirements=(),
    designs=("datasets",),
    accounts_for=("test data", "training data"),
    standing="recommended",
    advice="For several datasets with splits: how probable it is that a learner is better on the "
    "next dataset, with the uncertainty within each dataset.",
    note="OP346",
    has_interval=False,
    has_pvalue=False,
    directed=False,
    checks=(_unknown_growth,),
)
def hierarchical(d: FoldsByDataset, *, prior: str = "baycomp", nodes: int = 121) -> Draws:
    """How probable is it that the first side is better, equivalent or worse on the next dataset?

    The difference on dataset i is δᵢ ~ t_ν(δ₀, σ₀), and its splits are normal around it with
    correlation ρ = n_test/n, so that given the splits δᵢ follows a Student t; σᵢ is integrated out.
    For a dataset run with the calibrated design, that t is the one of `calibrated_t`, and no ρ is
    assumed. δ₀, σ₀ and σᵢ have uniform priors, ν − 1 ~ Gamma(α, β) with uniform α and β: on (1, 2)
    and (0.01, 0.1) with prior="baycomp", on (0.5, 5) and (0.05, 0.15) with "corani". The posterior
    of (δ₀, σ₀, ν) is computed on a grid with `nodes` values of δ₀; nothing is drawn. The result
    states how much its probabilities change with the other prior. It also gives how probable it is
    that each region is the most probable one, as in the paper. A verdict needs a probability above
    1 − α that the next dataset is in a region.

    Parameters
    ----------
    prior : {"baycomp", "corani"}, default='baycomp'
        Prior of the degrees of freedom.
    nodes : int, default=121
        Number of grid values of δ₀.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [[0.81, 0.79, 0.84], [0.93, 0.95, 0.92], [0.67, 0.66, 0.70]]
    >>> bayes = [[0.80, 0.76, 0.85], [0.90, 0.94, 0.91], [0.66, 0.62, 0.65]]
    >>> found = op.hierarchical(tree, bayes, design="3cv")
    >>> found.verdict().outcome, [round(p, 2) for p in found.probabilities(0.01)[:3]]
    ('no decision', [0.6, 0.19, 0.21])
    """
    choice(prior, "prior", PRIORS)
    if not (isinstance(nodes, int | np.integer) and 21 <= nodes <= 1001):
        raise DataError(
            f"The 'nodes' parameter must be an integer from 21 to 1001, got {nodes!r}. Use "
            f"{argument(nodes=121)}"
        )
    means, scales, df = d.means, d.scales, d.df
    if d.cells:
        means, scales, df = _measured(d)
    table = _Posteriors(means, scales, df, d.spread, d.largest, prior, int(nodes))
    return Draws(
        exact_sums.mean(means)[()], partial(_regions, table), sampled=partial(_sample, table)
    )


def _measured(d: FoldsByDataset) -> tuple[Array, Array, Array]:
    """Return each dataset's t, as the calibrated test measured it where that design was run."""
    means, scales, df = (np.array(part, dtype=np.float64) for part in (d.means, d.scales, d.df))
    for at, cell in enumerate(d.cells):
        if cell is not None:
            one: Any = calibrated_t.on(cell)
            lead = np.shape(cell.whole)[:-2]
            for column, part in zip(
                (means, scales, df), (one.estimate, one.stderr, one.dist.df), strict=True
            ):
                wide = np.broadcast_to(part, lead)
                column[..., at] = wide.reshape(d.means.shape[:-1])
    return means, scales, df


class _Posteriors:
    """The posterior of each experiment, computed when it is first asked for."""

    def __init__(
        self,
        means: Array,
        scales: Array,
        df: Array,
        spread: Array,
        largest: Array,
        prior: str,
        nodes: int,
    ) -> None:
        self.lead = means.shape[:-1]
        n = means.shape[-1]
        self.rows = [part.reshape(-1, n) for part in (means, scales, df, spread)]
        self.largest = np.broadcast_to(largest, self.lead).ravel()
        self.prior, self.nodes = prior, nodes
        self.known: dict[tuple[int, str, int], Posterior] = {}

    def of(self, row: int, prior: str, nodes: int) -> Posterior:
        if (row, prior, nodes) not in self.known:
            means, scales, df, spread = (part[row] for part in self.rows)
            order = np.lexsort((scales, means))
            unit = float(np.sort(spread).mean())
            bound = float(self.largest[row])
            unit = unit or bound or 1.0
            asked = (means[order], scales[order], df[order], unit, bound or unit)
            self.known[row, prior, nodes] = posterior(*asked, PRIORS[prior], nodes)
        return self.known[row, prior, nodes]


def _regions(table: _Posteriors, rope: float, centre: float) -> Regions:
    found = np.array(
        [_one(table, row, centre - rope, centre + rope) for row in range(len(table.largest))]
    ).reshape(*table.lead, 7)
    worse, same, better, less, alike, more, moved = (found[..., at][()] for at in range(7))
    most = (more, alike, less)
    return Regions(better, same, worse, most, None, second="most_probable", sensitivity=moved)


def _sample(table: _Posteriors, rope: float, centre: float, row: int) -> PosteriorSample:
    """Return draws of the probabilities on the next dataset, and its density."""
    found = table.of(row, table.prior, table.nodes)
    regions, values, density = found.sample(SHOWN, centre - rope, centre + rope)
    return PosteriorSample(regions[:, ::-1], values, density)


def _one(table: _Posteriors, row: int, low: float, high: float) -> list[float]:
    found = table.of(row, table.prior, table.nodes)
    coarse = min(COARSE, table.nodes)
    here, there = (table.of(row, name, coarse).next_dataset(low, high) for name in PRIORS)
    moved = max(abs(x - y) for x, y in zip(here, there, strict=True))
    return [*found.next_dataset(low, high), *found.most_probable(low, high), moved]
