"""What a choice of seed can claim: winners that change, and either result on one dataset.

Implements R-08 and R-22 of Bouckaert & Frank.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from outperform import validation
from outperform.errors import DataError
from outperform.procedures.replicability import whole_counts


@dataclass(frozen=True, slots=True)
class DirectionFlips:
    """Datasets on which repetitions reject in favour of either side (R-08)."""

    flipped: tuple[int, ...]
    """Positions of the datasets whose winner changes."""
    n_datasets: int
    n: int
    rejections: tuple[int, ...] = field(repr=False)
    """Two-way outcomes: rejections of each dataset, whichever side they favour (E-R11)."""

    @property
    def most_rejections(self) -> int:
        """The most rejections on a dataset whose winner changes, 0 if there is none."""
        return max((self.rejections[i] for i in self.flipped), default=0)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        if not self.flipped:
            return (
                f"The winner is the same in all rejections on each of the {self.n_datasets} "
                "datasets."
            )
        return (
            f"The winner changes between rejections on {len(self.flipped)} of {self.n_datasets} "
            f"datasets, where at most {self.most_rejections} of {self.n} repetitions reject."
        )


class SeedShopping(NamedTuple):
    """On how many datasets a choice of seed could claim a difference, none, or either (R-22)."""

    different: int
    same: int
    either: int
    n_datasets: int

    def to_dict(self) -> dict[str, int]:
        return self._asdict()

    def __str__(self) -> str:
        return (
            f"By choosing the seed, one could report a difference on {self.different} of "
            f"{self.n_datasets} datasets and none on {self.same}; on {self.either}, either result "
            "is possible."
        )


def direction_flips(signed_rejections: Any) -> DirectionFlips:
    """Find the datasets where rejections favour now one side, now the other (R-08).

    Outcomes have shape (datasets, repetitions): 1 the first is better, −1 the second, 0 not
    rejected.
    """
    signs = validation.numbers(signed_rejections, "signed_rejections")
    if signs.ndim != 2 or not np.isin(signs, (-1, 0, 1)).all():
        raise DataError(
            "signed_rejections must contain −1, 0 or 1 for each (dataset, repetition), got shape "
            f"{signs.shape} and values from {signs.min():g} to {signs.max():g}."
        )
    both = np.flatnonzero((signs == 1).any(axis=1) & (signs == -1).any(axis=1))
    rejections = np.count_nonzero(signs, axis=1)
    m, n = signs.shape
    return DirectionFlips(tuple(both.tolist()), m, n, tuple(rejections.tolist()))


def seed_shopping(counts: Any, n: int, *, counting: str = "rejections") -> SeedShopping:
    """Count the datasets on which a well-chosen seed would reject, or would not (R-22).

    `counts` are rejections of each dataset in n repetitions, or, as in the paper's Table 1, what
    was not rejected: then `counting="non-rejections"`.
    """
    validation.choice(counting, "counting", ("rejections", "non-rejections"))
    array, n = whole_counts(counts, n, "counts")
    rejections = array if counting == "rejections" else n - array
    some, spared = rejections > 0, rejections < n
    either = int(np.sum(some & spared))
    return SeedShopping(int(some.sum()), int(spared.sum()), either, array.size)
