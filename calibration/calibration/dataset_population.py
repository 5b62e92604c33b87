"""A population of datasets with a known truth, and how tests over datasets behave on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from outperform.numerics.exact_sums import Array
from outperform.numerics.mean_ranks import friedman_log_pvalue, nemenyi_difference, rank_sums
from outperform.procedures.bayesian_signed_rank import bayesian_signed_rank
from outperform.procedures.hierarchical import hierarchical
from outperform.procedures.wilcoxon import wilcoxon
from outperform.results.adjustments import family_log_pvalues
from outperform.views import FoldsByDataset, OverDatasets

ALPHA = 0.05
ROPE = 0.01


@dataclass(frozen=True, slots=True)
class DatasetPopulation:
    """Learners that differ by their effects, by a normal amount on each dataset, and by noise.

    Attributes
    ----------
    n_datasets : int
        Number of datasets.
    n_splits : int
        Number of splits of a dataset.
    rho : float
        Correlation of the noise of two splits of a dataset.
    between : float
        Standard deviation, from dataset to dataset, of a learner's mean score around its effect.
    within : float
        Standard deviation of the noise of one split.
    unequal : float
        How unequal the noise of datasets is: the standard deviation of log(noise) over datasets,
        so that `within` is its median. At 0 all datasets have the same noise.
    """

    n_datasets: int = 20
    n_splits: int = 10
    rho: float = 0.1
    between: float = 0.01
    within: float = 0.02
    unequal: float = 0.0

    def draw(self, effects: tuple[float, ...], n_reps: int, rng: np.random.Generator) -> Array:
        """Draw scores of experiments."""
        k, n = len(effects), self.n_datasets
        noise = self.within * np.exp(self.unequal * rng.standard_normal((n_reps, 1, n, 1)))
        own = self.between * rng.standard_normal((n_reps, k, n, 1))
        shared = rng.standard_normal((n_reps, k, n, 1)) * np.sqrt(self.rho)
        single = rng.standard_normal((n_reps, k, n, self.n_splits)) * np.sqrt(1 - self.rho)
        level = rng.uniform(0.6, 0.9, (n_reps, 1, n, 1))
        means = np.array(effects)[None, :, None, None]
        return np.asarray(level + means + own + noise * (shared + single))


@dataclass(frozen=True, slots=True)
class DatasetRates:
    """How often a procedure found that learners differ.

    Attributes
    ----------
    procedure : str
        Name of the procedure.
    any_pair : int
        Number of experiments in which some pair was found to differ. Bayesian methods judge only
        the first pair.
    first_pair : int
        Number of experiments in which the first two learners were found to differ.
    equivalent : int or None
        Number of experiments in which the first two were found equivalent; None for tests.
    n : int
        Number of experiments.
    """

    procedure: str
    any_pair: int
    first_pair: int
    equivalent: int | None
    n: int


def dataset_rates(
    population: DatasetPopulation, effects: tuple[float, ...], n_reps: int, seed: int
) -> list[DatasetRates]:
    """Judge experiments by tests on one number for each dataset, all pairs at once."""
    rng = np.random.Generator(np.random.PCG64(seed))
    scores = population.draw(effects, n_reps, rng).mean(axis=-1)
    i, j = np.triu_indices(len(effects), 1)
    signed = wilcoxon.on(_differences(scores, i, j))
    log_p = np.asarray(signed.log_pvalue())
    found = [
        _counted(f"Wilcoxon, {name}", family_log_pvalues(log_p, rule) < np.log(ALPHA))
        for name, rule in (("Holm", "holm"), ("Bergmann–Hommel", "bergmann-hommel"))
    ]
    ranks = rank_sums(np.swapaxes(scores, -1, -2))
    apart = np.abs(ranks.means[:, i] - ranks.means[:, j])
    critical = nemenyi_difference(population.n_datasets, len(effects), ALPHA)
    whole = np.asarray(friedman_log_pvalue(ranks)) < np.log(ALPHA)
    found.append(_counted("Friedman, then Nemenyi", (apart >= critical) & whole[:, None]))
    posterior = bayesian_signed_rank.on(_differences(scores, i[:1], j[:1]), n_draws=2000)
    regions = posterior.regions(ROPE)  # type: ignore[union-attr]
    found.append(_posterior(f"Bayesian signed-rank, rope {ROPE:g}", regions))
    return found


def model_rates(
    population: DatasetPopulation,
    effects: tuple[float, ...],
    n_reps: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> DatasetRates:
    """Judge the first two learners by the hierarchical model, which reads splits."""
    rng = np.random.Generator(np.random.PCG64(seed))
    scores = population.draw(effects[:2], n_reps, rng)
    parts = []
    for at in range(n_reps):
        folds = scores[at, 0] - scores[at, 1]
        view = FoldsByDataset.of(list(folds), np.full(len(folds), population.rho), np.asarray(1.0))
        regions = hierarchical.on(view, nodes=41).regions(ROPE)  # type: ignore[union-attr]
        parts.append([float(part) for part in regions[:3]])
        progress(at + 1)
    better, same, worse = np.array(parts).T
    sure = 1 - ALPHA
    decided = (better > sure) | (worse > sure)
    name = f"hierarchical model, next dataset, rope {ROPE:g}"
    return DatasetRates(
        name, int(decided.sum()), int(decided.sum()), int((same > sure).sum()), n_reps
    )


def _differences(scores: Array, i: Any, j: Any) -> OverDatasets:
    first, second = (scores[:, side][:, :, None, None, :] for side in (i, j))
    return OverDatasets.subtract(first, second)


def _counted(name: str, decided: Array) -> DatasetRates:
    any_pair, first = decided.any(axis=1).sum(), decided[:, 0].sum()
    return DatasetRates(name, int(any_pair), int(first), None, len(decided))


def _posterior(name: str, regions: Any) -> DatasetRates:
    sure = 1 - ALPHA
    decided = int(((regions.better > sure) | (regions.worse > sure)).sum())
    same = int((regions.equivalent > sure).sum())
    return DatasetRates(name, decided, decided, same, int(np.size(regions.better)))
