"""What single partitions of the data conclude: Bradford & Brodley.

A *signed significance* is a one-tailed p-value, positive where the first side is better (B-05).
"""

# Implements B-06, B-11, B-12, B-13 and B-14.

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import validation
from ..numerics.exact_sums import ROUNDING, Array
from ..procedures.sufficiency import student

Group: TypeAlias = Literal["1", "2", "3", "4", "always"]


class Conclusions(NamedTuple):
    """How many partitions lead to each conclusion, in the order of the paper's Table 3."""

    second_better: int
    no_decision: int
    first_better: int

    def to_dict(self) -> dict[str, int]:
        return self._asdict()

    def __str__(self) -> str:
        return f"First better {self[2]} times, second better {self[0]}, no decision {self[1]}."


def signed_significance(t: Any, df: float) -> Any:
    """Return the one-tailed p-value of each t with the sign of the better side.

    t = 0 gives +0.5. If all folds of a partition are equal, t is 0/0: pass 0 for it. A p-value too
    small for a float keeps its sign, as −0.0.
    """
    values = validation.numbers(t, "t") + 0.0  # −0 becomes 0
    return np.copysign(student(df, "df").sf(np.abs(values)), values)[()]


def one_sided(signed_p: Any) -> Any:
    """Return signed p-values on one scale through 0.5, small if the first is better (B-11)."""
    return np.where(np.signbit(signed_p), 1 + signed_p, signed_p)[()]


def group_of(counts: Conclusions, signed_p: Array) -> Group:
    """Return the group by how many partitions, or other runs, lead to each conclusion."""
    second, none, first = counts
    if second and first:
        return "1"
    if second or first:
        return "2" if none else "always"
    return "3" if np.ptp(one_sided(signed_p)) > ROUNDING else "4"
