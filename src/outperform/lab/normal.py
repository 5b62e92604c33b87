"""Normal differences with a known variance and correlation: the model of Nadeau & Bengio (N-16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import DataError, MethodError
from ..splitting import whole
from ..views import Differences
from .scenarios import SAMPLE, Reading, View, stream

__all__ = ["CorrelatedNormal"]


@dataclass(frozen=True, slots=True)
class CorrelatedNormal:
    """Differences of splits that are normal with mean `effect`, variance σ² and correlation ρ.

    ρ holds between any two splits, or `rho_within` between the folds of one repeat. Lemma 1 and
    equations (5) to (7) of the paper need no more than this (N-08, N-16, N-17); with ρ = 0 it is
    the ideal of the 5x2cv test (E-D5).
    """

    rho: float = 0.0
    sigma: float = 0.05
    rho_within: float | None = None
    n: int = 300
    """Items, for the sizes of training and test sets."""
    block: ClassVar[int] = 8192

    def __post_init__(self) -> None:
        whole(self.n, "n", 2)
        within = self.rho if self.rho_within is None else self.rho_within
        if not (0 <= self.rho <= within <= 1 and self.sigma > 0):
            raise DataError(
                f"rho={self.rho:g}, rho_within={within:g} and sigma={self.sigma:g} were given; "
                "0 ≤ rho ≤ rho_within ≤ 1 and sigma > 0 are needed"
            )

    @property
    def name(self) -> str:
        return f"normal differences, ρ = {self.rho:g}"

    def draw(
        self,
        readings: Sequence[Reading],
        n_reps: int,
        seed: np.random.SeedSequence,
        effect: float = 0.0,
    ) -> dict[Reading, View]:
        """Draw experiments: what their splits share is the same for every design."""
        shared = stream(seed, SAMPLE).standard_normal((n_reps, 1, 1, 1))
        found: dict[Reading, View] = {}
        for asked in readings:
            shape = asked.design.shape
            if asked.view is not Differences or shape is None:
                raise MethodError(
                    f"{asked} was asked of normal differences, which are those of splits; use for "
                    "example reading('corrected_t')"
                )
            rng = stream(seed, asked.key)
            within = self.rho if self.rho_within is None else self.rho_within
            values = np.sqrt(1 - within) * rng.standard_normal((n_reps, *shape))
            values += np.sqrt(within - self.rho) * rng.standard_normal((n_reps, *shape[:2], 1))
            values += np.sqrt(self.rho) * shared
            values *= self.sigma
            values += effect
            sizes = asked.design.sizes(self.n)
            ratio = float(sizes.n_test.sum() / sizes.n_train.sum())
            found[asked] = Differences(values, values, test_train_ratio=ratio,
                                       n_test=float(sizes.n_test.min()))  # fmt: skip
        return found
