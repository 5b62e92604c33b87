"""Who is told apart from whom: groups instead of a bare ranking (F-23)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import MethodError

if TYPE_CHECKING:
    from .comparison import Comparison

__all__ = ["against_control", "groups", "order", "told_apart"]


def told_apart(shown: Comparison, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
    """Return a (k, k) table: True where the adjusted p-value of two learners is below α."""
    table = np.zeros((len(shown.names),) * 2, dtype=bool)
    with np.errstate(invalid="ignore"):
        decided = shown.log_adjusted() < math.log(validation.fraction(alpha, "alpha"))
    i, j = shown.pairs
    table[i, j] = table[j, i] = decided
    return table


def groups(shown: Comparison, alpha: float = 0.05) -> list[tuple[str, ...]]:
    """Return groups of learners that are not told apart, best first; none against a control.

    No two of a group are told apart, nobody can join it, and every two that are not told apart
    share a group.
    """
    if shown.control is not None:
        return []
    best_first = order(shown)
    together = ~told_apart(shown, alpha)[np.ix_(best_first, best_first)]
    return [tuple(shown.names[best_first[i]] for i in found) for found in _covering(together)]


def _covering(together: npt.NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Cover the pairs of a symmetric table with largest groups, each holding a pair no other had.

    All largest groups may be exponentially many; these are at most as many as the pairs. Sets of
    positions are the bits of whole numbers, so that thousands of learners take moments.
    """
    k = len(together)
    near = [_bits(row) & ~(1 << i) for i, row in enumerate(together)]
    open_ = list(near)
    found: list[tuple[int, ...]] = [(i,) for i in range(k) if not near[i]]
    for i in range(k):
        while left := open_[i]:
            j = _lowest(left)
            members, common = [i, j], near[i] & near[j]
            while common:  # first those that share no group with i yet: fewer groups do
                members.append(_lowest(common & left or common))
                common &= near[members[-1]]
            group = sum(1 << member for member in members)
            for member in members:
                open_[member] &= ~group
            found.append(tuple(sorted(members)))
    return sorted(found)


def _bits(row: npt.NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def against_control(shown: Comparison, alpha: float = 0.05) -> dict[str, tuple[str, ...]]:
    """Return who is better than the control, who is worse, and who is undecided (B-08)."""
    if shown.control is None:
        raise MethodError(
            "all pairs were compared, without a control; name one, as in "
            f"compare(scores, control={shown.names[0]!r}), or read groups()"
        )
    words = {"outperforms": "better", "outperformed": "worse", "no decision": "undecided"}
    found: dict[str, list[str]] = {word: [] for word in words.values()}
    for (first, _), outcome in zip(shown.pair_names, shown.outcomes(alpha), strict=True):
        found[words[outcome]].append(first)
    return {word: tuple(names) for word, names in found.items()}


def order(shown: Comparison) -> list[int]:
    """Return positions of the learners from best to worst estimate."""
    total = np.zeros(len(shown.names))
    i, j = shown.pairs
    estimate = np.asarray(shown.evidence.estimate, dtype=np.float64)
    np.add.at(total, i, estimate)
    if shown.control is None:  # else every estimate is counted from the control, which is at 0
        np.add.at(total, j, -estimate)
    return [int(position) for position in np.argsort(-total, kind="stable")]
