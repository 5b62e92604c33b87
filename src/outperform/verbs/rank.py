"""`rank`: the ranks that each learner may have, and who is tied for first."""

from __future__ import annotations

from typing import Any

from ..procedures.max_t import max_t
from ..procedures.simultaneous import simultaneous
from ..results.comparison import Comparison
from ..results.rank_sets import RankSets, rank_sets
from .compare import compare


def rank(
    source: Any,
    *,
    level: float = 0.95,
    design: Any = None,
    method: str = "auto",
    random_state: int = 0,
) -> RankSets:
    """Return for each learner the ranks it may have, at one confidence level for all.

    Parameters
    ----------
    source : Comparison, Scores, path, data frame or mapping of names to arrays
        What was measured, as for `compare`; or a comparison of all pairs with simultaneous
        intervals.
    level : float, default=0.95
        The probability with which all rank sets cover the true ranks together.
    design : str or Design, optional
        The design that made the scores, where a file does not tell.
    method : str, default="auto"
        Over datasets `max_t`, on the items of one test set `simultaneous`, on splits the method of
        the design; or any method that has simultaneous intervals.
    random_state : int, default=0
        The seed of the bootstrap over datasets.

    Returns
    -------
    RankSets
        Prints as a table; `tied_for_first`, `to_dict`, `to_json`, `to_frame`, `to_latex`.
    """
    found = source if isinstance(source, Comparison) else _compared(source, design, method)
    scores = found.scores
    if method == "auto" and not isinstance(source, Comparison) and scores is not None:
        if len(set(scores.datasets or ())) > 1:
            found = max_t(scores, random_state=random_state)
        elif scores.items is not None and scores.n_splits == 1 and found.n_pairs > 1:
            found = simultaneous(scores)
    return rank_sets(found, level)


def _compared(source: Any, design: Any, method: str) -> Comparison:
    """Judge all pairs, with simultaneous intervals."""
    found = compare(source, design=design, method=method)
    if found.n_pairs > 1 and not found.is_single_step:
        return compare(source, design=design, method=method, adjust="single-step")
    return found
