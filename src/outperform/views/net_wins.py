"""Judgements of two models item by item, with ties: what tests of win rates read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError, MethodError
from ..numerics import exact_sums
from ..numerics.exact_sums import ROUNDING, Array
from ..scores.performance import of_arrays
from .contract import (
    Case,
    Context,
    Generator,
    Inputs,
    View,
    asked_of,
    exchanged,
    only,
    pair,
    register_view,
    same_sides,
)

if TYPE_CHECKING:
    from ..scores.split_scores import Scores


@dataclass(frozen=True, eq=False)
class NetWins:
    """Of the items that two models were judged on: how many each won, and the net share."""

    n: Any
    wins: Any
    losses: Any
    mean: Any
    """The mean over items of the share of judgements won minus the share lost."""
    sd: Any
    single: bool
    """Whether every item was won, lost or tied as a whole, as with one judgement of each."""
    identical: Any
    """Whether every item is a tie."""
    null: float = 0.0

    @classmethod
    def of(cls, net: Array) -> NetWins:
        """Count from the net share of each item, between −1 and 1 (last axis)."""
        mean, apart = exact_sums.centre(net)
        flat = exact_sums.largest(apart) <= ROUNDING
        sd = exact_sums.root_sum_squares(apart) / np.sqrt(max(net.shape[-1] - 1, 1))
        return cls(
            np.full(net.shape[:-1], float(net.shape[-1]))[()],
            np.sum(net > 0, axis=-1).astype(np.float64)[()],
            np.sum(net < 0, axis=-1).astype(np.float64)[()],
            mean,
            np.where(flat, 0.0, sd)[()],
            bool(np.isin(net, (-1.0, 0.0, 1.0)).all()),
            ~np.any(net != 0, axis=-1),
        )

    @classmethod
    def together(cls, each: list[NetWins]) -> NetWins:
        """Stack pairs that were judged on different items."""
        names = ("n", "wins", "losses", "mean", "sd", "identical")
        stacked: dict[str, Any] = {
            name: np.array([getattr(one, name) for one in each]) for name in names
        }
        return cls(**stacked, single=all(one.single for one in each))


def from_arrays(
    layout: str,
    a: Any,
    b: Any,
    *,
    names: tuple[str, str] | None = None,
    batch: bool = False,
) -> tuple[NetWins, Context]:
    """Read the share of an item's judgements that each side won; a tie is ½ for both.

    Parameters
    ----------
    a : array-like
        Share of the judgements of each item that the first side won; a tie counts 0.5.
    b : array-like
        Share that the second side won.
    """
    sides = [validation.numbers(side, name) for side, name in ((a, "a"), (b, "b"))]
    if sides[0].shape != sides[1].shape or (sides[0].ndim != 1 and not batch):
        raise DataError(
            "a and b must contain the share of judgements that each side won on each item, got "
            f"shapes {sides[0].shape} and {sides[1].shape}."
        )
    for name, side in zip("ab", sides, strict=True):
        if ((side < 0) | (side > 1)).any():
            raise DataError(
                f"The {name!r} parameter must lie between 0 and 1: 1 for a win, 0 for a loss, 0.5 "
                f"for a tie, got {side[(side < 0) | (side > 1)].flat[0]:g}."
            )
    view = NetWins.of(sides[0] - sides[1])
    n, who = int(sides[0].shape[-1]), pair(names)
    scored = () if batch else of_arrays(who, sides, "item", lower_is_better=False)
    return view, Context(who, n, metric="win rate", performances=scored)


def _net(scores: Scores, first: int, second: int) -> Array:
    """Return the net share of each item on which these two were judged beside each other."""
    measured = scores.measured
    if measured is None or measured.preferences is None:
        raise MethodError(
            "These scores are not pairwise judgements. Pass the share that each side won on each "
            "item, as in outperform.win_rate([1, 0.5, 0], [0, 0.5, 1])."
        )
    p = measured.preferences
    forth = (p.first == first) & (p.second == second)
    back = (p.first == second) & (p.second == first)
    if not (forth | back).any():
        names = measured.names[first], measured.names[second]
        raise DataError(
            f"{names[0]!r} and {names[1]!r} were never compared directly. In Python, "
            "use op.methods.bradley_terry(op.Items.read(FILE)), which links models through others."
        )
    sign = np.where(forth, 1.0, np.where(back, -1.0, 0.0))
    total = np.bincount(p.item, weights=sign * (2 * p.outcome - 1), minlength=measured.n)
    seen = np.bincount(p.item, weights=np.abs(sign), minlength=measured.n)
    return np.asarray(total[seen > 0] / seen[seen > 0])


def from_scores(
    layout: str, scores: Scores, first: str | None = None, second: str | None = None
) -> tuple[NetWins, Context]:
    """Read the judgements of two models."""
    names = scores.pair(first, second)
    net = _net(scores, *(scores.index(name) for name in names))
    asked = asked_of(scores, names, net.size, of_items=True)
    return NetWins.of(net), replace(asked, metric="win rate")


def of_pairs(layout: str, scores: Scores, i: Any, j: Any) -> tuple[NetWins, int]:
    """Stack the judgements of pairs, each on its own items."""
    nets = [_net(scores, int(a), int(b)) for a, b in zip(i, j, strict=True)]
    return NetWins.together([NetWins.of(net) for net in nets]), max(net.size for net in nets)


def _case(label: str, net: Any) -> Case:
    net = np.asarray(net, dtype=np.float64)
    return Case(label, {"a": (1 + net) / 2, "b": (1 - net) / 2})


def _cases(layout: str, rng: Generator) -> list[Case]:
    return [_case("50 judged items", rng.choice([-1, 0, 1], 50, p=[0.3, 0.3, 0.4])) for _ in "abc"]


def _far_apart(layout: str, rng: Generator, beyond: bool) -> Case:
    n = 4000 if beyond else 80
    return _case(f"{n} items won", np.r_[np.ones(n), np.zeros(10)])


def _reordered(case: Case, layout: str, rng: Generator, first_counts: bool) -> Case:
    order = rng.permutation(np.size(case.arrays["a"]))
    return case.each("in another order", lambda array: np.asarray(array)[order])


register_view(
    View(
        NetWins,
        from_arrays,
        from_scores,
        Inputs(
            _cases,
            _far_apart,
            lambda _, rng: _case("wins and losses", [1, -1, 1, 1, -1, 1]),
            only(_case("one item", [1.0])),
            _reordered,
            exchanged,
            same_sides,
            balanced=lambda case: _case("as many wins as losses", [1, -1, 0, 1, -1] + [0] * 45),
        ),
        of_pairs,
        of_items=True,
    )
)
