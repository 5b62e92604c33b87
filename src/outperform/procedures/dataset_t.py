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
    advice="The mean difference with simultaneous intervals; assumes that differences "
    "between datasets are about normal, so use wilcoxon for verdicts.",
    note="OP304",
)
def dataset_t(d: OverDatasets) -> Pivot:
    """Is the mean difference over datasets zero?

    t = d̄ / (s/√N) on N − 1 degrees of freedom, where d are the mean differences on N datasets. Its
    mean weighs every dataset equally, and one outlying dataset can decide it (Demšar, 2006).

    Examples
    --------
    >>> import outperform as op
    >>> tree = [0.81, 0.93, 0.67, 0.75, 0.88, 0.59, 0.97, 0.72]
    >>> bayes = [0.79, 0.94, 0.61, 0.70, 0.85, 0.55, 0.96, 0.70]
    >>> found = op.dataset_t(tree, bayes)
    >>> round(found.estimate, 3), round(found.pvalue, 4)
    (0.028, 0.0106)
    """
    return Pivot(d.mean, d.sd / np.sqrt(d.n_splits), T(d.n_splits - 1))
