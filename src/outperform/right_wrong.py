"""Right and wrong: every pair of k models on the same items, judged in one pass over the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import inputs, pairs
from .adjustments import ADJUSTMENTS
from .errors import DataError
from .evidence import ALTERNATIVES, Alternative
from .families import Comparison, paired, position_of
from .notes import Note
from .procedures.mcnemar import mcnemar
from .scores import Scores
from .views import Contingency

__all__ = ["all_pairs"]


def all_pairs(
    correct: Any,
    predictions: Any = None,
    *,
    names: tuple[str, ...] | None = None,
    variant: str = "continuity",
    adjust: str = "holm",
    alternative: Alternative = "two-sided",
    control: str | None = None,
    max_pairs: int = pairs.MOST,
) -> Comparison:
    """Judge every pair of k models on the same items by McNemar's test, in one pass over the data.

    `correct` is an (n_items, k) table of right and wrong, a mapping or frame of such columns, or
    `Scores` with items; with `predictions` (a mapping of names to predicted labels) it is the
    true labels. Disagreement rates and Cochran's Q come with it: all follow from the counts of
    items that two models have both right (D-16). With `control` each other model is judged
    against that one alone (B-08). More than `max_pairs` pairs are refused.
    """
    inputs.choice(adjust, "adjust", ADJUSTMENTS)
    inputs.choice(alternative, "alternative", ALTERNATIVES)
    moved, table = False, None
    if isinstance(correct, Scores):
        names = names or correct.names
        k = len(names)
    else:
        table, names, moved = _right_wrong(correct, predictions, names)
        k = pairs.table_of(table).shape[1]
    if k < 2:
        raise DataError(f"{k} model was given; at least 2 are needed to compare")
    names = inputs.learner_names(names or [f"model {m + 1}" for m in range(k)], k)
    if control is None:
        remedy = f"{pairs.with_control(names)}, or allow as many: max_pairs={k * (k - 1) // 2}"
        pairs.check_number(k, max_pairs, remedy)
    i, j = paired(names, control)
    counted, n = _counted(correct if table is None else table, names, control)
    right, both = counted.right.astype(np.float64), counted.both.astype(np.float64)
    only_first, only_second = right[i] - both, right[j] - both
    view = Contingency(n - both - only_first - only_second, only_second, only_first, both)
    evidence = mcnemar.on(view, variant=variant)
    details = {
        "disagreement": (only_first + only_second) / n,
        "accuracy": right / n,
        "cochran_q": pairs.cochran_q(counted.right.tolist(), counted.sum_squares),
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
) -> tuple[pairs.PairCounts, int]:
    """Return what models, and the two of each pair, have right, and the number of items."""
    beside = None if control is None else position_of(control, names, "control")
    if isinstance(given, Scores):
        return given.right_together(names, beside)
    return pairs.counted(pairs.words_of(given), beside), len(given)


def _right_wrong(
    correct: Any, predictions: Any, names: tuple[str, ...] | None
) -> tuple[npt.NDArray[Any], tuple[str, ...] | None, bool]:
    """Return an (n, k) table of 0 and 1, the names that came with it, and whether labels moved."""
    if predictions is not None:
        if not isinstance(predictions, Mapping):
            raise DataError('predictions must be a mapping: {"tree": labels, "bayes": labels}')
        found = tuple(str(name) for name in predictions)
        columns, moved = inputs.right(correct, list(predictions.values()), ("y_true", *found))
        return columns.T, names or found, moved
    if isinstance(correct, Mapping):
        found = tuple(str(name) for name in correct)
        parts, moved = inputs.aligned(list(correct.values()), found)
        tables = [inputs.numbers(part, name) for part, name in zip(parts, found, strict=True)]
        return np.stack(tables, axis=1), names or found, moved
    if names is None and hasattr(correct, "columns"):
        names = tuple(str(name) for name in correct.columns)
    table = correct.to_numpy() if hasattr(correct, "to_numpy") else np.asarray(correct)
    return table, names, False
