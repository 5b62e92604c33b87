"""Rank sets: for each learner the ranks it may have, from simultaneous intervals."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import validation
from ..errors import DataError, MethodError, argument, did_you_mean
from ..notes import Note
from ..scores.frame_kinds import frame_like
from .evidence import undecided
from .result import versions

if TYPE_CHECKING:
    from .comparison import Comparison

SCHEMA = "outperform/rank/1"


@dataclass(frozen=True, eq=False, slots=True)
class RankSets:
    """The ranks that each learner may have, all at one confidence level; 1 is best.

    Learners are in the order of their estimates, best first; `ranks["name"]` is the best and the
    worst rank of one.

    Attributes
    ----------
    names : tuple of str
        Learners, best first.
    low : tuple of int
        The best rank that each may have: one more than are shown to be better.
    high : tuple of int
        The worst rank that each may have.
    means : tuple of float or None
        The mean score of each, where it is known.
    level : float
        Confidence level.
    metric : str
        Name of the metric.
    greater_is_better : bool
        Whether larger scores are better.
    n : int
        Number of datasets, splits or items.
    method : str
        Name of the method that compared the pairs.
    intervals : str
        How the intervals that the ranks follow from were made.
    notes : tuple of Note
        Notes on assumptions and on what was done.
    frame_kind : str or None
        Kind of data frame the scores came in.

    Examples
    --------
    >>> import outperform as op
    >>> ranks = op.rank("examples/benchmark.csv")
    >>> ranks["NB"], ranks.rows()[0]["low"]
    ((5, 5), 1)
    >>> ranks.to_dict()["tied_for_first"], len(ranks.to_json()) > 0
    (['XGB', 'RF'], True)
    >>> ranks.to_frame("pandas").columns.tolist()
    ['name', 'mean', 'low', 'high', 'tied_for_first']
    >>> ranks.to_latex().count("toprule")
    1
    >>> figure = ranks.plot()
    """

    names: tuple[str, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    means: tuple[float | None, ...]
    level: float
    metric: str
    greater_is_better: bool
    n: int
    method: str
    intervals: str
    notes: tuple[Note, ...] = ()
    frame_kind: str | None = None

    @property
    def tied_for_first(self) -> tuple[str, ...]:
        """The learners that may be best: no other is shown to be better."""
        return tuple(name for name, low in zip(self.names, self.low, strict=True) if low == 1)

    def __getitem__(self, name: str) -> tuple[int, int]:
        """Return the best and the worst rank that a learner may have."""
        if name not in self.names:
            hint = did_you_mean(str(name), self.names)
            raise DataError(f"{name!r} is not among the learners; {hint}")
        at = self.names.index(name)
        return self.low[at], self.high[at]

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary for each learner, best first.

        Returns
        -------
        list of dict
            Keys name, mean, low, high and tied_for_first.
        """
        columns = zip(self.names, self.means, self.low, self.high, strict=True)
        return [
            {"name": name, "mean": mean, "low": low, "high": high, "tied_for_first": low == 1}
            for name, mean, low, high in columns
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the rank sets as data for JSON.

        Returns
        -------
        dict
            The keys that `outperform rank --json` prints.
        """
        return {
            "schema": SCHEMA,
            "method": self.method,
            "intervals": self.intervals,
            "metric": self.metric,
            "greater_is_better": self.greater_is_better,
            "n": self.n,
            "level": self.level,
            "ranks": self.rows(),
            "tied_for_first": list(self.tied_for_first),
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
            "versions": versions(),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON.

        Returns
        -------
        str
            A JSON document.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_frame(self, kind: str | None = None) -> Any:
        """Return a data frame, one row for each learner, best first.

        Parameters
        ----------
        kind : str, optional
            Kind of data frame: "pandas", "polars" or "pyarrow". By default the kind the scores came
            in, otherwise polars.

        Returns
        -------
        data frame
            The columns of `rows`.
        """
        rows = self.rows()
        columns = {key: [row[key] for row in rows] for key in rows[0]}
        return frame_like(columns, kind, self.frame_kind)

    def to_latex(self, caption: str | None = None, label: str | None = None) -> str:
        """Return a booktabs table, learners tied for first underlined.

        Parameters
        ----------
        caption : str, optional
            Caption of the table.
        label : str, optional
            Label of the table, for references.

        Returns
        -------
        str
            LaTeX code with columns learner, mean and ranks.
        """
        from ..report import rank_text

        return rank_text.latex(self, caption, label)

    def plot(self, *, theme: str = "light") -> Any:
        """Plot a bar from the best to the worst rank of each learner.

        Parameters
        ----------
        theme : {"light", "dark"}, default='light'
            Colours.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from ..report.figures import rank_set_figure

        return rank_set_figure.drawn(self, theme=theme)

    def __repr__(self) -> str:
        return f"<RankSets: {len(self.names)} learners, {len(self.tied_for_first)} tied for first>"

    def __str__(self) -> str:
        from ..report import rank_text

        return rank_text.text(self)


def rank_sets(shown: Comparison, level: float = 0.95) -> RankSets:
    """Return the rank sets of a comparison of all pairs, by its simultaneous intervals.

    The ranks of a learner go from one more than the number of those whose interval over it lies
    above 0, to k less the number of those below whom it lies. All hold simultaneously at
    the level of the intervals (Mogstad, Romano, Shaikh & Wilhelm, 2024).
    """
    level = validation.fraction(level, "level")
    if shown.control is not None:
        raise MethodError(
            "Ranks need all pairs, but every learner was compared with "
            f"{shown.control!r} only. Leave control out"
        )
    if shown.n_pairs > 1 and not shown.is_single_step:
        raise MethodError(
            f"Ranks need simultaneous intervals; those of {argument(adjust=shown.adjust)} are each "
            "for one pair alone. Pass the scores to rank(scores), or compare with "
            f"{argument(adjust='single-step')}"
        )
    shown.method.check_interval("a rank set")
    k = len(shown.names)
    low, high = shown.intervals(level)
    i, j = shown.pairs
    decided = ~undecided(shown.evidence)
    better = np.zeros((k, k), dtype=bool)
    with np.errstate(invalid="ignore"):
        better[i, j], better[j, i] = (low > 0) & decided, (high < 0) & decided
    best, worst = 1 + better.sum(axis=0), k - better.sum(axis=1)
    order = shown.order()
    known = {one.name: one.mean for one in shown.performances()}
    kept = ("OP009", "OP010", "OP011", "OP012", "OP304", "OP344")
    return RankSets(
        tuple(shown.names[at] for at in order),
        tuple(int(best[at]) for at in order),
        tuple(int(worst[at]) for at in order),
        tuple(known.get(shown.names[at]) for at in order),
        level,
        shown.metric,
        shown.greater_is_better,
        shown.n,
        shown.method.name,
        shown.adjust,
        tuple(note for note in shown.notes if note.code in kept or note.severity == "warning"),
        None if shown.scores is None else shown.scores.frame_kind,
    )
