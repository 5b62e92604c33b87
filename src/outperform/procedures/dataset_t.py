"""Student's t over datasets: one mean difference for each dataset."""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import T
from ..registry import method
from ..results.evidence import Pivot
from ..views import OverDatasets


@method(
    title="Paired t-test over datasets",
    paper="demsar",
    requirements=(),
    layout="datasets",
    designs=("datasets",),
    accounts_for=(),
    standing="reference",
    advice="The mean difference with intervals that hold simultaneously; assumes that differences "
    "between datasets are about normal, so use wilcoxon for verdicts.",
    note="OP304",
)
def dataset_t(d: OverDatasets) -> Pivot:
    """Is the mean difference over datasets zero?

    t = d̄ / (s/√N) on N − 1 degrees of freedom, where d are the mean differences on N datasets. Its
    mean weighs every dataset equally, and one outlying dataset can decide it (Demšar, 2006).
    """
    return Pivot(d.mean, d.sd / np.sqrt(d.n_splits), T(d.n_splits - 1))
