"""Bonferroni and Dunn's test: mean ranks against a control."""

from __future__ import annotations

from typing import Any

from ..notes import Note
from ..numerics.mean_ranks import bonferroni_dunn_difference
from ..registry import procedure
from ..results.comparison import Comparison
from .nemenyi import ranked


@procedure(
    title="Bonferroni and Dunn's test over datasets",
    paper="dunn",
    requirements=(),
    designs=("datasets",),
    standing="reference",
    advice="Reproduces mean-rank comparisons with a control; for verdicts use wilcoxon with a "
    "control.",
    reads="the scores of several learners on the same datasets, and the name of a control",
    example="bonferroni_dunn({'tree': [0.81, 0.93, 0.67, 0.75], 'bayes': [0.79, 0.94, 0.61, 0.70], "
    "'knn': [0.70, 0.90, 0.60, 0.72]}, control='knn')",
    of_scores=True,
)
def bonferroni_dunn(
    scores: Any,
    *,
    control: str,
    lower_is_better: bool | None = None,
    names: tuple[str, ...] | None = None,
) -> Comparison:
    """Compare each learner with a control by mean ranks over N datasets.

    A learner differs from the control if their mean ranks differ by at least z_{α/2(k − 1)} · √(k(k
    + 1)/6N) (Dunn, 1961; Demšar, 2006). As with every test on mean ranks, the verdict depends on
    the other learners in the table (Benavoli, Corani & Mangili, 2016).

    Parameters
    ----------
    scores : array-like of shape (datasets, learners), mapping, data frame, Scores or Benchmark
        Scores of the learners on datasets.
    control : str
        Learner that all others are compared with.
    lower_is_better : bool, optional
        Whether smaller scores are better, as with errors and losses. By default greater ones are,
        with a note.
    names : tuple of str, optional
        Names of the learners, if `scores` is an array.

    Returns
    -------
    Comparison
        Each learner against the control.

    Examples
    --------
    >>> import outperform as op
    >>> cmp = op.bonferroni_dunn(op.Scores.read("examples/benchmark.csv"), control="NB")
    >>> cmp.against_control()["better"]
    ('RF', 'XGB', 'SVM')
    """
    table, asked = ranked(scores, lower_is_better, names)
    critical = bonferroni_dunn_difference(table.n, table.k, 0.05)
    said = Note(
        "OP331",
        f"{asked.omnibus} The critical difference from the control is {critical:.4g} mean ranks "
        "(α = 0.05).",
    )
    return asked.comparison(
        "bonferroni", control=control, notes=(said,), critical_difference=critical
    )
