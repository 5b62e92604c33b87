"""Nemenyi's test: all pairs of mean ranks by the studentized range."""

from __future__ import annotations

import math
from typing import Any

from ..notes import Note
from ..numerics.mean_ranks import nemenyi_difference
from ..numerics.studentized import StudentizedRange
from ..registry import procedure
from ..results.comparison import Comparison
from .rank_comparison import ranked


@procedure(
    title="Nemenyi's test over datasets",
    paper="nemenyi",
    requirements=(),
    designs=("datasets",),
    standing="reference",
    advice="Reproduces critical-difference diagrams; its verdict on two learners depends on the "
    "others, so use wilcoxon for verdicts.",
    reads="the scores of several learners on the same datasets",
    example="nemenyi({'tree': [0.81, 0.93, 0.67, 0.75], 'bayes': [0.79, 0.94, 0.61, 0.70], "
    "'knn': [0.70, 0.90, 0.60, 0.72]})",
    of_scores=True,
)
def nemenyi(
    scores: Any, *, lower_is_better: bool = False, names: tuple[str, ...] | None = None
) -> Comparison:
    """Compare all pairs of k learners by their mean ranks over N datasets.

    Two learners differ if their mean ranks differ by at least q_α/√2 · √(k(k + 1)/6N), where q_α is
    the upper quantile of the studentized range of k values with infinite degrees of freedom
    (Nemenyi, 1963; Demšar, 2006). The verdict on two learners depends on the others of the table
    (Benavoli, Corani & Mangili, 2016). `details` has the mean ranks, the critical difference at α =
    0.05, and Friedman's χ² and Iman and Davenport's F, corrected for ties.
    """
    table, asked = ranked(scores, lower_is_better, names)
    law = StudentizedRange(table.k, math.inf)
    critical = nemenyi_difference(table.n, table.k, 0.05)
    said = Note(
        "OP331",
        f"{asked.omnibus} Nemenyi's critical difference is {critical:.4g} mean ranks (α = 0.05).",
    )
    return asked.comparison("nemenyi", law=law, notes=(said,), critical_difference=critical)
