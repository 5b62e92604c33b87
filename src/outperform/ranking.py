"""Who is told apart from whom: groups instead of a bare ranking (F-23)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import inputs
from .errors import MethodError

if TYPE_CHECKING:
    from .families import Comparison

__all__ = ["against_control", "groups", "order", "told_apart"]


def told_apart(shown: Comparison, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
    """Return a (k, k) table: True where two learners differ at familywise level α."""
    table = np.zeros((len(shown.names),) * 2, dtype=bool)
    with np.errstate(invalid="ignore"):
        decided = shown.log_adjusted() < math.log(inputs.fraction(alpha, "alpha"))
    i, j = shown.pairs
    table[i, j] = table[j, i] = decided
    return table


def groups(shown: Comparison, alpha: float = 0.05) -> list[tuple[str, ...]]:
    """Return groups of learners that are not told apart, best first; none against a control."""
    if shown.control is not None:
        return []
    best_first, apart = order(shown), told_apart(shown, alpha)
    runs: list[tuple[int, int]] = []
    for start in range(len(best_first)):
        stop = start + 1
        while stop < len(best_first) and not apart[best_first[stop], best_first[start:stop]].any():
            stop += 1
        if not runs or stop > runs[-1][1]:
            runs.append((start, stop))
    return [tuple(shown.names[best_first[i]] for i in range(*run)) for run in runs]


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
