"""Wilcoxon signed-ranks test over datasets: Dietterich's question 9 (D-11)."""

from __future__ import annotations

import numpy as np

from ..evidence import Exact
from ..ranks import signed_rank
from ..registry import method
from ..sums import ROUNDING
from ..views import OverDatasets


@method(
    title="Wilcoxon signed-ranks test over datasets",
    paper="dietterich",
    requirements=("D-11",),
    layout="datasets",
    designs=("datasets",),
    default_for=("datasets",),
    accounts_for=(),
    standing="recommended",
    advice="The usual test over datasets; ignores the uncertainty of each comparison (D-11).",
    note="OP304",
    has_interval=False,
)
def wilcoxon(d: OverDatasets) -> Exact:
    """Do the ranks of the datasets won outweigh those of the datasets lost?

    Datasets without a difference are left out, ties share their rank; the p-value is counted
    over all 2ⁿ signs up to 50 datasets, and normal with tie correction above (D-11).
    """
    yardstick = ROUNDING * np.maximum(d.scale, abs(d.null))
    less, greater, plus, minus = signed_rank(d.flat - d.null, yardstick)
    return Exact(np.median(d.flat, axis=-1)[()], np.minimum(plus, minus), less, greater,
                 null=d.null, details={"positive_sum": plus, "negative_sum": minus})  # fmt: skip
