"""The Letter study: 500 sets of 300 items, a tree and a damaged 1-NN, all fits made once (N-26).

The five statistics of Table 1 are computed on every dataset by the package's own methods (N-24).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...lab.score_records import Recorded, Records, record
from ...lab.truth import Anatomy, anatomy_of
from ...numerics.exact_sums import Array
from ...registry import get
from ...views import Differences, Halves
from ..exhibits import Measurement, Scale, mean, published

PAPER = "nadeau-bengio"
ALPHA = 0.1
SEED = 1999
"""Of the datasets and all splits, fixed before any was drawn."""
QUICK_SETS = 40
N = 300
J, M = 15, 10
J_MOST, M_MOST = 25, 20
DISTORTION = 3.6
"""Weight of the first four columns (place and size of the box) in the distances of 1-NN.

It brings the error after 150 items to that of the tree, by `op.lab.calibrate` over 200 other sets.
"""
OTHERS = "the paper's tree (S-Plus) and metric are lost: ours are C4.5 unpruned and other weights"
"""The reason of what is contradicted, where no nearer one was found."""
HYPOTHESES = {"A": "μ_A", "B": "μ_B", "A−B": "μ_A − μ_B"}
PLANS: dict[str, Any] = {
    "half": f"{J}xresampled@1/2",
    "thrown": (f"{J}xresampled@1/6", N * 6 // 10),  # 150 and 30 of what is left (N-28)
    "twofold": "5x2cv",
    "habitat": f"{M_MOST}x{J_MOST}halves@1/10",
}
PARAMETERS = {"sets": 500, "n": N, "α": 0.1, "J": J, "M": M}
OUT = ", 40% out"
"""Ends the names of statistics for which 40% of the data were thrown out (N-28)."""


@cache
def records(scale: Scale) -> Records:
    """Run the tree and 1-NN on every dataset by every plan, or go on from where a run stopped."""
    from ...data import load
    from ...lab.contests import Contest
    from ...lab.scenarios import Pool
    from ...learners import C45, NearestNeighbor

    data = load("letter")
    pool = Pool(np.asarray(data.X.to_numpy(), dtype=np.float64), np.asarray(data.y), "letter")
    neighbour = NearestNeighbor(weights=[DISTORTION] * 4 + [1.0] * 12)
    return record(
        Contest(pool, C45(pruning=None), neighbour, n=N),
        PLANS,
        n_reps=scale.of(published(PAPER)["data"]["sets"], QUICK_SETS),
        random_state=SEED,
        n_jobs=scale.n_jobs,
        store=scale.store("nadeau-bengio-letter"),
    )


class Means(NamedTuple):
    """Mean losses of splits, and of the squares of the losses, shape (datasets, splits)."""

    values: Array
    squares: Array
    n_train: int
    n_test: int

    def anatomy(self, n_splits: int = J) -> Anatomy:
        """Take the variance apart (N-09)."""
        kept = self.values[:, :n_splits]
        return anatomy_of(
            kept,
            kept.mean(axis=1),
            self.squares[:, :n_splits].mean(axis=1),
            n_train=self.n_train,
            n_test=self.n_test,
        )


@dataclass(frozen=True, eq=False)
class Losses:
    """Losses about one hypothesis: errors of A, of B, or those of A minus those of B (N-27)."""

    name: str
    half: Means
    thrown: Means
    twofold: Means
    habitat: Means
    halves: Means
    """Shape (datasets, halvings, resamples, 2)."""

    def half_means(self, n_halvings: int = M, n_resamples: int = J) -> Array:
        """Return the means of both halves, shape (datasets, M, 2)."""
        found: Array = self.halves.values[:, :n_halvings, :n_resamples].mean(axis=2)
        return found


@cache
def losses(scale: Scale, name: str) -> Losses:
    """Read what was recorded as losses about one hypothesis."""
    kept = records(scale)
    parts = {plan: _means(kept[plan], name) for plan in PLANS}
    every = parts.pop("habitat")
    whole, rest = (slice(None), slice(J_MOST)), (slice(None), slice(J_MOST, None))
    shape = -1, M_MOST, J_MOST, 2
    return Losses(
        name,
        **parts,
        habitat=Means(every.values[whole], every.squares[whole], every.n_train, every.n_test),
        halves=Means(
            every.values[rest].reshape(shape),
            every.squares[rest].reshape(shape),
            N // 2 - every.n_test,
            every.n_test,
        ),
    )


def _means(kept: Recorded, name: str) -> Means:
    a, b = 1 - kept.first, 1 - kept.second
    values, squares = {"A": (a, a), "B": (b, b), "A−B": (a - b, kept.discordant)}[name]
    return Means(values, squares, kept.n_train, kept.n_test)


def truth(found: Means) -> Measurement:
    """Return the μ that splits of these sizes aim at: the mean of all estimates (N-07)."""
    return mean(found.values.mean(axis=1))


def common(found: Losses) -> dict[str, Tests]:
    """Return the eight curves of Figure 1, all aimed at n₁ = n/2 (N-28, N-29)."""
    z = conservative(found)
    return {
        "t-test": t_test(found.half),
        "resampled t": resampled(found.half, "resampled_t"),
        f"resampled t{OUT}": resampled(found.thrown, "resampled_t"),
        "corrected t": resampled(found.half, "corrected_t"),
        f"corrected t{OUT}": resampled(found.thrown, "corrected_t"),
        "conservative Z": z.over(found.half.values.mean(axis=1)),
        f"conservative Z{OUT}": z.over(found.thrown.values.mean(axis=1)),
        "5x2cv": twofold(found.twofold),
    }


def natural(found: Losses) -> dict[str, Tests]:
    """Return the statistics in their natural habitat, n₁ = 9n/10 and n₂ = n/10 (N-31)."""
    return {
        "resampled t": resampled(found.habitat, "resampled_t"),
        "corrected t": resampled(found.habitat, "corrected_t"),
        "conservative Z": conservative(found),
    }


class Tests(NamedTuple):
    """One test on every dataset: estimate, its standard error, and the critical value of (9)."""

    estimate: Array
    stderr: Array
    law: Any

    def rejects(self, mu0: float, alpha: float = ALPHA) -> Array:
        """Return 1 for each dataset where |μ̂ − μ₀| / σ̂ > c (9), else 0 (N-24)."""
        critical = float(self.law.isf(alpha / 2))
        beyond = np.abs(self.estimate - mu0) > critical * self.stderr + 1e-12
        return beyond.astype(np.float64)

    def distances(self, mu0: float) -> Array:
        """Return |μ̂ − μ₀| / σ̂, infinite where nothing varies."""
        gap = np.abs(self.estimate - mu0)
        infinite = np.where(gap > 1e-12, np.inf, 0.0)
        return np.divide(gap, self.stderr, out=infinite, where=self.stderr > 0)

    def over(self, estimate: Array) -> Tests:
        """Return the test with another numerator (N-29)."""
        return self._replace(estimate=estimate)


def t_test(found: Means) -> Tests:
    """The t-test on the items of the first split (N-21)."""
    n = found.n_test
    total, square = (np.rint(n * part[:, 0]) for part in (found.values, found.squares))
    plus, minus = (square + total) / 2, (square - total) / 2
    place = np.arange(n)
    items = (place < plus[:, None]) * 1.0 - (place >= n - minus[:, None]) * 1.0
    return _on("paired_t", items[:, None, None, :])


def resampled(found: Means, method: str, n_resamples: int = J) -> Tests:
    """The resampled t or the corrected one on the first resamples (N-18, N-22)."""
    values = found.values[:, None, :n_resamples, None]
    return _on(method, values, found.n_test / found.n_train)


def twofold(found: Means) -> Tests:
    """The 5x2cv t-test of any μ₀ (N-23)."""
    return _on("five_by_two_t", found.values.reshape(-1, 1, 5, 2))


def conservative(found: Losses, n_halvings: int = M, n_resamples: int = J) -> Tests:
    """Conservative Z at n₁ = 9n/10, its variance from halves (N-19)."""
    whole = found.habitat.values[:, :n_resamples]
    view = Halves(whole, found.half_means(n_halvings, n_resamples), np.ones(len(whole)))
    return _tests(get("conservative_z").on(view))


def _on(method: str, values: Array, ratio: float | None = None) -> Tests:
    return _tests(get(method).on(Differences.subtract(values, None, ratio=ratio)))


def _tests(evidence: Any) -> Tests:
    return Tests(np.asarray(evidence.estimate), np.asarray(evidence.stderr), evidence.dist)
