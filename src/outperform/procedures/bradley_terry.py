"""Strengths of models from pairwise judgements: Bradley & Terry (1952)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError, counted
from ..numerics.exact_sums import Array
from ..numerics.paired_strengths import is_connected, strengths
from ..registry import procedure
from ..scores.items import Items

SCHEMA = "outperform/bradley-terry/1"
_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Log strengths of models with bootstrap intervals, as `bradley_terry` returns them.

    Attributes
    ----------
    names : tuple of str
        The models, best first.
    strengths : tuple of float
        Their sum is 0; a difference of 1.1 is a win rate of 3 in 4.
    low : tuple of float
        Lower ends of the intervals.
    high : tuple of float
        Upper ends of the intervals.
    level : float
        Confidence level.
    n_items : int
        Number of items.
    n_judgements : int
        Number of judgements.
    n_separated : int
        Draws in which some model won or lost against all others.
    n_draws : int
        Number of bootstrap draws.
    seed : int
        Seed of the draws.
    draws : ndarray
        (draws, models), in the order of the names.

    Examples
    --------
    >>> import outperform as op
    >>> first, second = ["a", "b", "c", "a", "b"], ["b", "c", "a", "c", "a"]
    >>> found = op.bradley_terry(first, second, [1, 1, 0.5, 1, 1])
    >>> [round(one, 2) for one in found.strengths]
    [0.7, 0.41, -1.11]
    >>> round(found.win_rate("a", "c")[0], 2), found.to_dict()["n_items"], len(found.to_json()) > 0
    (0.82, 5, True)
    """

    names: tuple[str, ...]
    strengths: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    level: float
    n_items: int
    n_judgements: int
    n_separated: int
    n_draws: int
    seed: int
    draws: Array = field(repr=False)

    def win_rate(self, first: str, second: str) -> tuple[float, float, float]:
        """Return the probability that the first model wins against the second, with its interval.

        Parameters
        ----------
        first : str
            Name of the first model.
        second : str
            Name of the second model.

        Returns
        -------
        tuple of three float
            Probability, lower and upper end.
        """
        i, j = (self.names.index(name) for name in (first, second))
        gaps = self.draws[:, i] - self.draws[:, j]
        tail = (1 - self.level) / 2
        gap = self.strengths[i] - self.strengths[j]
        low, high = np.quantile(gaps, (tail, 1 - tail))
        return _chance(gap), _chance(float(low)), _chance(float(high))

    def to_dict(self) -> dict[str, Any]:
        """Return the strengths as data for JSON.

        Returns
        -------
        dict
            The attributes except `draws`.
        """
        made = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "draws"}
        return {"schema": SCHEMA, **made}

    def to_json(self) -> str:
        """Return `to_dict` as JSON.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        from ..report.formatting import terminal

        width = max(len(terminal(name)) for name in self.names)
        rows = [
            f"  {terminal(name):<{width}}  {_signed(one)}  [{_signed(low)}, {_signed(high)}]"
            for name, one, low, high in zip(
                self.names, self.strengths, self.low, self.high, strict=True
            )
        ]
        head = (
            f"Bradley–Terry strengths from {counted(self.n_judgements, 'judgement')} of "
            f"{counted(self.n_items, 'item')}, with {100 * self.level:g} % bootstrap intervals "
            "over items"
        )
        return "\n".join([head, *rows])


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _chance(gap: float) -> float:
    return float(1 / (1 + np.exp(-gap)))


@procedure(
    title="Bradley–Terry strengths with a bootstrap over items",
    paper="bradley-terry",
    requirements=(),
    designs=("judged-items",),
    standing="recommended",
    advice="For three or more models judged pairwise on items; for two use win_rate.",
    reads="pairwise judgements of models on items",
    example='bradley_terry(["a", "b", "c", "a"], ["b", "c", "a", "c"], [1, 1, 0.5, 1])',
)
def bradley_terry(
    first: Any,
    second: Any = None,
    outcome: Any = None,
    *,
    items: Any = None,
    level: float = 0.95,
    n_draws: int = 999,
    seed: int = 0,
) -> BradleyTerry:
    """Estimate how strong each model is, from who won against whom; ties count half.

    P(i beats j) = 1/(1 + exp(θ_j − θ_i)); whole items are resampled for the intervals, so that
    several judgements of one item do not count as several items.

    Parameters
    ----------
    first : array-like of str or Items
        First model of each judgement; or `Items` with judgements instead of the other arrays.
    second : array-like of str, optional
        Second model of each judgement.
    outcome : array-like, optional
        1 if the first won, 0 if the second won, 0.5 for a tie.
    items : array-like, optional
        Item of each judgement; by default each has its own.
    level : float, default=0.95
        Confidence level.
    n_draws : int, default=999
        Number of bootstrap draws.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    BradleyTerry
        Log strengths, best first, with intervals.

    Raises
    ------
    DataError
        If the judgements do not connect all models.

    Notes
    -----
    Bradley and Terry (1952).

    Examples
    --------
    >>> import outperform as op
    >>> found = op.bradley_terry(["a", "b", "c", "a"], ["b", "c", "a", "c"], [1, 1, 0.5, 1])
    >>> found.names
    ('a', 'b', 'c')
    """
    level = validation.fraction(level, "level")
    draws = validation.whole(n_draws, "n_draws", least=199)
    names, a, b, won, item = _read(first, second, outcome, items)
    k, n = len(names), int(item.max()) + 1
    table = np.zeros((n, k, k)) if n * k * k <= _CELLS else None
    total = np.zeros((k, k))
    for i, j, share in ((a, b, won), (b, a, 1 - won)):
        np.add.at(total, (i, j), share)
        if table is not None:
            np.add.at(table, (item, i, j), share)
    if not bool(is_connected(total)):
        raise DataError(
            "Some model won against all others, lost against all, or was never compared with the "
            "rest, so that its strength is unbounded. Collect judgements that connect all models, "
            "or remove that model."
        )
    theta = strengths(total)
    rng = np.random.default_rng(seed)
    drawn = np.empty((draws, k, k))
    for row in range(draws):
        counts = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        if table is not None:
            drawn[row] = np.tensordot(counts, table, 1)
        else:
            drawn[row] = 0.0
            np.add.at(drawn[row], (a, b), won * counts[item])
            np.add.at(drawn[row], (b, a), (1 - won) * counts[item])
    sampled = strengths(drawn)
    order = np.argsort(-theta, kind="stable")
    tail = (1 - level) / 2
    low, high = np.quantile(sampled, (tail, 1 - tail), axis=0)[:, order]
    return BradleyTerry(
        tuple(names[at] for at in order),
        tuple(theta[order].tolist()),
        tuple(low.tolist()),
        tuple(high.tolist()),
        level,
        n,
        won.size,
        int(np.count_nonzero(~is_connected(drawn))),
        draws,
        seed,
        sampled[:, order],
    )


def _read(first: Any, second: Any, outcome: Any, items: Any) -> tuple[Any, ...]:
    if isinstance(first, Items):
        if first.preferences is None:
            raise DataError(
                "These items have scores, not pairwise judgements. Read a file of judgements with "
                "outperform.Items.read, or use compare on the scores."
            )
        p = first.preferences
        return first.names, p.first, p.second, p.outcome, p.item
    if second is None or outcome is None:
        raise DataError(
            "Pass the models of each judgement and who won: bradley_terry(first, second, outcome)"
        )
    sides = [[str(name) for name in side] for side in (first, second)]
    won = validation.numbers(outcome, "outcome")
    if not len(sides[0]) == len(sides[1]) == won.size or won.ndim != 1 or not won.size:
        raise DataError(
            "first, second and outcome must have one entry for each judgement, got "
            f"{len(sides[0])}, {len(sides[1])} and {won.size}."
        )
    if not np.isin(won, (0.0, 0.5, 1.0)).all():
        raise DataError(
            "The 'outcome' parameter must contain only 1 (won), 0 (lost) and 0.5 (tie)."
        )
    names = validation.learner_names(
        dict.fromkeys([*sides[0], *sides[1]]), len({*sides[0], *sides[1]})
    )
    place = {name: at for at, name in enumerate(names)}
    a, b = (np.array([place[name] for name in side]) for side in sides)
    if (a == b).any():
        raise DataError("A model cannot be judged against itself; remove such judgements.")
    labels = (
        np.arange(won.size)
        if items is None
        else np.unique(np.asarray(items), return_inverse=True)[1]
    )
    return names, a, b, won, labels
