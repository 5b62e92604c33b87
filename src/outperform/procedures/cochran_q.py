"""Cochran's Q: do k models differ at all on the same items? Feelders & Verkooijen (F-06)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics.distributions import Chi2
from ..registry import method
from ..results.evidence import Tail
from ..views import ItemLosses


@method(
    title="Cochran's Q",
    paper="cochran",
    requirements=("F-06",),
    layout="right-wrong",
    designs=("holdout", "leave-one-out"),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="reference",
    advice="An omnibus test; use simultaneous() or pooled_intervals() to see which models differ.",
    note="OP401",
    has_interval=False,
    directed=False,
    compares=False,
    estimand="range of accuracies",
)
def cochran_q(y: ItemLosses) -> Tail:
    """Do the numbers of correct items of k models differ more than expected by chance?

    Q = (k − 1)(k Σ C² − N²) / (k N − Σ L²) ~ χ² on k − 1 degrees of freedom, where C are the column
    totals of the items × models table, L its row totals and N its grand total.

    Parameters
    ----------
    lower_is_better : bool, optional
        Whether 1 is wrong and 0 is right. By default 1 is right.

    Examples
    --------
    >>> import outperform as op
    >>> right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 1]]
    >>> found = op.cochran_q(right)
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (2.8, 0.2466)
    """
    columns, rows = np.sum(y.values, axis=-2), np.sum(y.values, axis=-1)
    squares = (np.sum(totals**2, axis=-1) for totals in (columns, rows))
    statistic = q_statistic(y.k, next(squares), np.sum(columns, axis=-1), next(squares))
    shares = columns / y.n
    estimate = np.max(shares, axis=-1) - np.min(shares, axis=-1)
    return Tail(estimate[()], statistic[()], Chi2(y.k - 1), details={"proportions": shares})


def q_statistic(k: int, columns: Any, total: Any, rows: Any) -> Any:
    """Return Q from ΣC², N and ΣL², whole numbers or arrays of them; 0 where no item is mixed."""
    mixed = k * total - rows
    return (k - 1) * (k * columns - total * total) / (mixed + (mixed == 0))
