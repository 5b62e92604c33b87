"""Max-t: simultaneous intervals for all pairs of learners over datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError, argument
from ..notes import Note
from ..numerics.exact_sums import Array
from ..numerics.largest_t import bootstrap_maximum
from ..registry import procedure
from ..results.adjustments import SINGLE_STEP
from ..results.comparison import Comparison, paired
from ..scores.split_scores import Scores
from ..views import VIEWS, OverDatasets
from .dataset_t import dataset_t

FEWEST = 20
"""Datasets from which the bootstrap is used; with fewer, Bonferroni's t."""


@procedure(
    title="Max-t intervals for all pairs over datasets",
    paper="chernozhukov",
    requirements=(),
    designs=("datasets",),
    standing="recommended",
    advice="For simultaneous intervals of mean differences, and for rank sets; wilcoxon depends "
    "less on single datasets.",
    reads="the scores of several learners on the same datasets",
    example="max_t({'tree': [0.81, 0.93, 0.67, 0.75], 'bayes': [0.79, 0.94, 0.61, 0.70], "
    "'knn': [0.70, 0.90, 0.60, 0.72]})",
    of_scores=True,
)
def max_t(
    scores: Any,
    *,
    lower_is_better: bool | None = None,
    names: tuple[str, ...] | None = None,
    control: str | None = None,
    n_draws: int = 20_000,
    random_state: int = 0,
) -> Comparison:
    """Compare learners by mean differences over N datasets with simultaneous intervals.

    d̄ ± c s/√N for every pair, with one c for all: the upper quantile of the largest |t| of the
    pairs, drawn by a multiplier bootstrap over datasets, which keeps how pairs depend on each other
    (Chernozhukov, Chetverikov & Kato, 2013). Each draw is studentized by an independent χ with N −
    1 degrees of freedom. With fewer than 20 datasets c is Bonferroni's. The same seed gives the
    same draws; the note states the Monte Carlo error.

    Parameters
    ----------
    scores : array-like of shape (datasets, learners), mapping, data frame, Scores or Benchmark
        Scores of the learners on datasets.
    lower_is_better : bool, optional
        Whether smaller scores are better, as with errors and losses. By default greater ones are,
        with a note.
    names : tuple of str, optional
        Names of the learners, if `scores` is an array.
    control : str, optional
        Compare each other learner with this one only.
    n_draws : int, default=20000
        Number of bootstrap draws.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    Comparison
        All pairs with simultaneous intervals.

    Examples
    --------
    >>> import outperform as op
    >>> cmp = op.max_t(op.Scores.read("examples/benchmark.csv"))
    >>> cmp.verdict("RF", "NB").outcome
    'outperforms'
    """
    view = VIEWS["DatasetTable"]
    whole = isinstance(scores, Scores)
    if whole:
        table, asked = view.scores("", scores, names=names)
    else:
        table, asked = view.read("", scores, lower_is_better=lower_is_better, names=names)
    if not (isinstance(n_draws, int | np.integer) and n_draws >= 1000):
        raise DataError(
            f"The 'n_draws' parameter must be at least 1000, got {n_draws!r}. Use "
            f"{argument(n_draws=20_000)}"
        )
    seed = validation.seed_number(random_state)
    pairs = paired(asked.learners, control)
    evidence = dataset_t.on(_differences(table.values, *pairs))
    law, adjust = None, SINGLE_STEP
    if table.n >= FEWEST and pairs[0].size > 1:
        rng = np.random.Generator(np.random.PCG64(seed))
        law, adjust = bootstrap_maximum(table.values, pairs, int(n_draws), rng), "max-t"
        quantile, error = float(law.isf(0.05)), law.isf_error(0.05)
        said = (
            f"Intervals extend {quantile:.3f} standard errors (Monte Carlo error {error:.3f}, "
            f"{law.maxima.size:,} draws, seed {seed})."
        )
    elif pairs[0].size > 1:
        said = (
            f"With {table.n} datasets, fewer than {FEWEST}, the simultaneous intervals are "
            "Bonferroni's."
        )
    else:
        said = ""
    return Comparison(
        asked.learners,
        dataset_t,
        evidence,
        adjust,
        law,
        n=table.n,
        metric=asked.metric,
        design=asked.design,
        seed=asked.seed,
        notes=(
            *asked.notes,
            *dataset_t.standing_note(None),
            *((Note("OP344", said),) if said else ()),
        ),
        details={"means": table.values.mean(axis=0)},
        scores=scores if whole and names is None else None,
        scored=asked.performances,
        control=control,
        greater_is_better=not asked.lower_is_better,
    )


def _differences(values: Array, i: Any, j: Any) -> OverDatasets:
    columns = np.ascontiguousarray(values.T)
    sides = (columns[side][:, None, None, :] for side in (i, j))
    return OverDatasets.subtract(*sides)
