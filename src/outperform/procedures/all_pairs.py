"""McNemar's test for every pair of k models, from one pass over the items: Dietterich (D-16)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import validation
from ..errors import DataError
from ..notes import Note
from ..numerics import pair_counts
from ..registry import procedure
from ..results.adjustments import FAMILY_ADJUSTMENTS
from ..results.comparison import Comparison, position_of
from ..results.evidence import ALTERNATIVES, Alternative
from ..scores.split_scores import Scores
from ..scores.tested_items import right_together
from ..views import Contingency, numbered_names
from .cochran_q import q_statistic
from .mcnemar import mcnemar


@procedure(
    title="McNemar's test for all pairs",
    paper="dietterich",
    requirements=("D-16", "B-08"),
    designs=("holdout", "leave-one-out"),
    published_design="holdout@1/3",
    accounts_for=("test data", "label noise"),
    standing="recommended",
    advice="For many fitted models on one test set; with disagreement rates and Cochran's Q.",
    reads="a table of which items each model predicts correctly, or their predictions",
    example="all_pairs({'tree': [1, 0, 1, 1, 0, 1, 1, 1], 'bayes': [0, 0, 1, 0, 0, 1, 0, 1], "
    "'knn': [1, 0, 0, 1, 0, 1, 1, 0]})",
    of_scores=True,
)
def all_pairs(
    correct: Any,
    predictions: Any = None,
    *,
    names: tuple[str, ...] | None = None,
    variant: str = "continuity",
    adjust: str = "holm",
    alternative: Alternative = "two-sided",
    control: str | None = None,
    max_pairs: int = pair_counts.MOST,
) -> Comparison:
    """Compare every pair of k models on the same items by McNemar's test, in one pass.

    The result includes disagreement rates and Cochran's Q: all follow from the number of items that
    two models both predict correctly.

    Parameters
    ----------
    correct : array-like, mapping, data frame or Scores
        Table of shape (items, models) of correct (1) and wrong (0), columns of such entries by
        name, or `Scores` with items. With `predictions`, the true labels.
    predictions : mapping of str to array-like, optional
        Predicted labels of each model.
    names : tuple of str, optional
        Names of the models, if `correct` is an array.
    variant : {"continuity", "plain", "exact", "mid-p"}, default='continuity'
        Form of the test; see `mcnemar`.
    adjust : str, default='holm'
        How p-values are adjusted for the family; see `compare`.
    alternative : {"two-sided", "less", "greater"}, default='two-sided'
        Alternative hypothesis; "greater" says that the first of a pair is better.
    control : str, optional
        Compare each other model with this one only.
    max_pairs : int, default=50000
        Largest number of pairs; more are rejected.

    Returns
    -------
    Comparison
        All pairs; `details` has disagreement rates and Cochran's Q.

    Examples
    --------
    >>> import outperform as op
    >>> right = {"tree": [1, 0, 1, 1, 1, 1], "bayes": [0, 0, 1, 0, 0, 1], "knn": [1, 0, 0, 1, 0, 1]}
    >>> cmp = op.all_pairs(right, variant="exact")
    >>> cmp["tree", "bayes"].pvalue
    0.25000000000000006
    """
    validation.choice(adjust, "adjust", FAMILY_ADJUSTMENTS)
    validation.choice(alternative, "alternative", ALTERNATIVES)
    moved, table = False, None
    if isinstance(correct, Scores):
        names = names or correct.names
        k = len(names)
    else:
        table, names, moved = _right_wrong(correct, predictions, names)
        k = pair_counts.table_of(table).shape[1]
    if k < 2:
        raise DataError(f"At least 2 models are needed for a comparison, got {k}.")
    names = validation.learner_names(names or numbered_names(k), k)
    if control is None:
        remedy = (
            f"{pair_counts.with_control(names)}, or raise the limit: max_pairs={k * (k - 1) // 2}"
        )
        pair_counts.check_number(k, max_pairs, remedy)
    counted, n = _counted(correct if table is None else table, names, control)
    view, right = Contingency.of_pairs(counted, n), counted.right.tolist()
    evidence = mcnemar.on(view, variant=variant)
    details = {
        "disagreement": view.discordant / n,
        "accuracy": counted.right / n,
        "cochran_q": q_statistic(k, sum(c * c for c in right), sum(right), counted.sum_squares),
    }
    return Comparison(
        names,
        mcnemar,
        evidence,
        adjust,
        n=n,
        metric="accuracy",
        alternative=alternative,
        notes=(*((Note("OP002"),) if moved else ()), Note("OP401"), Note("OP402")),
        details=details,
        scores=correct if isinstance(correct, Scores) and correct.names == names else None,
        control=control,
        options={"variant": variant},
        view=view,
    )


def _counted(
    given: Any, names: tuple[str, ...], control: str | None
) -> tuple[pair_counts.PairCounts, int]:
    """Return what models, and the two of each pair, have right, and the number of items."""
    beside = None if control is None else position_of(control, names, "control")
    if isinstance(given, Scores):
        return right_together(given, names, beside)
    return pair_counts.counted(pair_counts.words_of(given), beside), len(given)


def _right_wrong(
    correct: Any, predictions: Any, names: tuple[str, ...] | None
) -> tuple[npt.NDArray[Any], tuple[str, ...] | None, bool]:
    """Return an (n, k) table of 0 and 1, the names that came with it, and whether labels moved."""
    if predictions is not None:
        if not isinstance(predictions, Mapping):
            raise DataError('predictions must be a mapping: {"tree": labels, "bayes": labels}')
        found = tuple(str(name) for name in predictions)
        columns, moved = validation.right(correct, list(predictions.values()), ("y_true", *found))
        return columns.T, names or found, moved
    if isinstance(correct, Mapping):
        found = tuple(str(name) for name in correct)
        parts, moved = validation.aligned(list(correct.values()), found)
        tables = [validation.numbers(part, name) for part, name in zip(parts, found, strict=True)]
        return np.stack(tables, axis=1), names or found, moved
    if names is None and hasattr(correct, "columns"):
        names = tuple(str(name) for name in correct.columns)
    table = correct.to_numpy() if hasattr(correct, "to_numpy") else np.asarray(correct)
    return table, names, False
