"""Quasi-F over disjoint training sets: Dietterich's question 7 by way of DELVE (D-09)."""

from __future__ import annotations

import numpy as np

from ..numerics.distributions import F, T
from ..numerics.exact_sums import ROUNDING, centre, root_sum_squares, row_means
from ..registry import method
from ..results.evidence import Pivot, Tail
from ..views import Crossed


@method(
    title="Quasi-F over training sets and test items",
    paper="dietterich",
    requirements=("D-09", "D-13"),
    designs=("disjoint",),
    default_for=("disjoint",),
    published_design="8disjoint@200",
    accounts_for=("test data", "training data", "internal randomness", "label noise"),
    standing="recommended",
    advice=(
        "Accounts for every source of variation if there are enough data for disjoint training "
        "sets (Dietterich's question 7)."
    ),
    interval_inverts=False,
    directed=False,
)
def quasi_f(d: Crossed) -> Tail:
    """Is the mean difference large relative to the variation of training sets and test items?

    With I training sets and J test items: SSm = IJ d̄², MSA = J Σ(d_i. − d̄)²/(I − 1), MSB = I
    Σ(d_.j − d̄)²/(J − 1), MSE the interaction on (I − 1)(J − 1); F = (SSm + MSE) / (MSA + MSB), df₁
    = (SSm + MSE)² / (SSm² + MSE²/((I − 1)(J − 1))), df₂ = (MSA + MSB)² / (MSA²/(I − 1) + MSB²/(J −
    1)). The interval is d̄ ± t_df₂ √((MSA + MSB)/(IJ)), which counts the interaction twice and is
    therefore conservative.

    Examples
    --------
    >>> import outperform as op
    >>> tree = [[0, 0, 1, 0, 0, 1], [0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 0]]
    >>> bayes = [[0, 1, 1, 0, 1, 1], [1, 1, 1, 0, 0, 0], [0, 1, 1, 1, 1, 0]]
    >>> found = op.quasi_f(tree, bayes, lower_is_better=True)
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (6.727, 0.03)
    """
    *lead, sets, items = d.values.shape
    exponent = np.frexp(np.max(np.abs(d.values), axis=(-2, -1)))[1]
    x = np.ldexp(d.values - d.null, -exponent[..., None, None]).reshape(*lead, -1)
    lost = None if d.residual is None else np.ldexp(d.residual, -exponent).ravel()
    grand, centred = centre(x, lost)
    y = centred.reshape(d.values.shape)
    rows = row_means(y, single=not lead)
    columns = row_means(y.swapaxes(-2, -1), single=not lead)
    rest = y - rows[..., :, None] - columns[..., None, :]
    ssm = sets * items * grand**2
    msa = items * root_sum_squares(rows) ** 2 / (sets - 1)
    msb = sets * root_sum_squares(columns) ** 2 / (items - 1)
    mse = root_sum_squares(rest.reshape(*lead, -1)) ** 2 / ((sets - 1) * (items - 1))
    flat = np.ldexp(np.max(np.abs(centred), axis=-1), exponent) <= ROUNDING * d.scale
    bottom = np.where(flat, 0.0, msa + msb)
    safe = np.where(bottom == 0, 1.0, bottom)
    statistic = np.where(bottom == 0, np.inf, (ssm + mse) / safe)
    top = np.where(ssm + mse == 0, 1.0, ssm + mse)
    df1 = top**2 / np.maximum(ssm**2 + mse**2 / ((sets - 1) * (items - 1)), 1e-300)
    df2 = safe**2 / np.where(bottom == 0, 1.0, msa**2 / (sets - 1) + msb**2 / (items - 1))
    unit = np.ldexp(1.0, exponent)
    estimate = grand * unit + d.null
    stderr = unit * np.sqrt(bottom / (sets * items))
    parts = (("SSm", ssm), ("MSA", msa), ("MSB", msb), ("MSE", mse))
    with np.errstate(over="ignore"):
        details = {name: (value * unit * unit)[()] for name, value in parts}
    return Tail(
        estimate[()],
        statistic[()],
        F(df1[()], df2[()]),
        stderr[()],
        Pivot(estimate, stderr, T(df2[()])),
        details=details,
    )
