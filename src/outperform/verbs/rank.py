"""`rank`: the ranks that each learner may have, and who is tied for first."""

from __future__ import annotations

from typing import Any

from ..procedures.simultaneous import simultaneous
from ..results.comparison import Comparison
from ..results.rank_sets import RankSets
from ..scores.split_scores import Scores
from .compare import compare, over_datasets, ranking, scores_in


def rank(
    source: Any,
    *,
    level: float = 0.95,
    design: Any = None,
    method: str = "auto",
    random_state: int = 0,
) -> RankSets:
    """Return the ranks that each learner may have, at one confidence level for all.

    Parameters
    ----------
    source : Comparison, Scores, Items, path, data frame or mapping
        What was measured, as for `compare`; or a comparison of all pairs with simultaneous
        intervals.
    level : float, default=0.95
        Probability with which all rank sets cover the true ranks together.
    design : str or Design, optional
        The design that made the scores, if a file does not tell.
    method : str, default='auto'
        "auto" is `max_t` over datasets, `simultaneous` on the items of one test set, and otherwise
        the default of `compare`, as on splits, clusters of items or judgements. Any method with
        simultaneous intervals can be named.
    random_state : int, default=0
        Seed of the bootstrap over datasets.

    Returns
    -------
    RankSets
        Rank sets, best learner first.

    Notes
    -----
    Rank sets are derived from the simultaneous intervals of all pairs: the best possible rank of a
    learner is one more than the number of learners shown to be better (Mogstad, Romano, Shaikh and
    Wilhelm, 2024).

    Examples
    --------
    >>> import outperform as op
    >>> op.rank("examples/benchmark.csv").tied_for_first
    ('XGB', 'RF')
    """
    if isinstance(source, Comparison):
        return source.rank_sets(level)
    scores = scores_in(source, design)
    if method == "auto" and len(set(scores.datasets or ())) > 1:
        return ranking(over_datasets(scores)[1], random_state).rank_sets(level)
    found = _compared(scores, method)
    if method == "auto" and _plain_items(scores) and found.n_pairs > 1:
        found = simultaneous(scores)
    return found.rank_sets(level)


def _plain_items(scores: Scores) -> bool:
    """Tell whether scores are of the independent items of one test set, each answered once."""
    measured = scores.measured
    alike = measured is None or measured.kind == "items"
    return alike and scores.items is not None and scores.n_splits == 1


def _compared(scores: Scores, method: str) -> Comparison:
    """Judge all pairs, with simultaneous intervals."""
    found = compare(scores, method=method)
    if found.n_pairs > 1 and not found.is_single_step:
        return compare(scores, method=method, adjust="single-step")
    return found
