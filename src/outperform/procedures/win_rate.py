"""Win rates of two models that were judged pairwise, with ties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Exact, Pivot
from ..views import Contingency, NetWins
from .mcnemar_mid_p import mcnemar_mid_p


@method(
    title="Test of win rates with ties",
    paper="fagerland",
    requirements=(),
    designs=("judged-items",),
    default_for=("judged-items",),
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For two models whose answers were judged pairwise, item by item.",
    note="OP401",
    interval_inverts=False,
)
def win_rate(d: NetWins) -> Exact | Pivot:
    """Is one model preferred more often? Ties count half for each.

    The estimate is the win rate of the first minus that of the second, over the items that both
    were judged on. With one judgement of each item it is McNemar's mid-p test on wins and losses
    with Tango's interval, in which ties count as items without a winner. Where judgements of one
    item disagree, it is Student's t on the net share of each item, so that several judgements of an
    item do not count as several items.

    Examples
    --------
    >>> import outperform as op
    >>> first = [1, 1, 0.5, 1, 0, 1, 1, 0.5]
    >>> second = [0, 0, 0.5, 0, 1, 0, 0, 0.5]
    >>> found = op.win_rate(first, second)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.5, 0.125)
    """
    rate = (1 + np.asarray(d.mean)) / 2
    details = {"wins": d.wins, "losses": d.losses, "p_A": rate[()], "p_B": (1 - rate)[()]}
    if not d.single:
        return Pivot(d.mean, d.sd / np.sqrt(d.n), T(np.maximum(d.n - 1, 1.0)[()]), details=details)
    ties = d.n - d.wins - d.losses
    table = Contingency(ties, d.losses, d.wins, np.zeros_like(ties))
    found = mcnemar_mid_p.on(table)
    assert isinstance(found, Exact)
    return replace(found, details=details)
