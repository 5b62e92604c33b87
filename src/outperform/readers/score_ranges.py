"""What a metric says of its scores: which way is better, and which it cannot have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import DataError, argument
from ..numerics.exact_sums import Array
from .column_names import bare, lower_is_better, names_cost, shown

SHARES = {
    *("accuracy", "acc", "auc", "rocauc", "auroc", "prauc", "auprc", "averageprecision", "f1"),
    *("fscore", "fmeasure", "precision", "recall", "sensitivity", "specificity", "jaccard"),
    *("topkaccuracy", "errorrate", "misclassificationrate", "exactmatch", "percentcorrect"),
    *("percentincorrect", "accuracyscore", "f1score", "f1macro", "f1micro", "f1weighted"),
}
"""Metrics that lie between 0 and 1, or between 0 and 100 in percent."""
PERCENT = 100.0
APART = 10.0
"""Percent and fractions are mixed where the ones are so many times as large as the others."""
FEWEST_RANKED = 5
FEWEST_LEARNERS = 3


def direction(metric: str, asked: bool | None) -> tuple[bool, str]:
    """Tell whether lower is better, as asked or by the name of the metric, and what to say."""
    if asked is not None:
        return asked, ""
    lower = lower_is_better(metric)
    if lower or (lower is None and names_cost(metric)):
        return True, f"Lower is better, judging by the name of metric {shown(metric)}."
    if lower is None:
        return False, f"Assumed that greater is better for metric {shown(metric)}."
    return False, ""


def refuse_negated(metric: str, values: Array) -> None:
    """Refuse an error that is never positive: it may have been negated, so that more is better."""
    if (values < 0).any() and not (values > 0).any():
        raise DataError(
            f"metric {shown(metric)} has the name of an error, but all scores are negative, so "
            f"they may have been negated. Pass {argument(lower_is_better=False)} if greater "
            f"scores are better, otherwise {argument(lower_is_better=True)}"
        )


def refuse_impossible(metric: str, names: Sequence[str], values: Array) -> None:
    """Refuse scores outside the range of a share, and percent beside fractions."""
    if bare(metric.partition("(")[0].rstrip("%")) not in SHARES:
        return
    known = np.where(np.isnan(values), 0.0, values)
    bad = (known < 0) | (known > PERCENT)
    if bad.any():
        who, split = divmod(int(bad.argmax()), bad.shape[1])
        raise DataError(
            f"{shown(names[who])} has {shown(metric)} {known[who, split]:g}, which must be between "
            "0 and 1, or 0 and 100 in percent. If it marks a fit that failed, leave the cell empty "
            f"and pass {argument(drop_incomplete=True)}"
        )
    low, high = known[(known > 0) & (known <= 1)], known[known > 1]
    if low.size and high.size and high.min() > APART * low.max():
        who = int(np.argmax(known.ravel() > 1)) // known.shape[1]
        raise DataError(
            f"{low.size} scores of {shown(metric)} are at most 1 and {high.size} are "
            f"{high.min():g} or more, such as {high[0]:g} of {shown(names[who])}: percent and "
            "fractions seem to be mixed. Write all scores in percent with a percent sign, or all "
            "as fractions"
        )


def refuse_ranks(values: Array) -> None:
    """Refuse a table whose every row ranks the learners: 1 may be the best or the worst."""
    k, n = values.shape
    if k < FEWEST_LEARNERS or n < FEWEST_RANKED or np.isnan(values).any():
        return
    halves = bool((2 * values == np.round(2 * values)).all())
    within = values.min() >= 1 and values.max() <= k
    if halves and within and (values.sum(axis=0) == k * (k + 1) / 2).all():
        raise DataError(
            f"every row contains the ranks 1 to {k} of the {k} learners, not their scores. If rank "
            f"1 is the best, pass {argument(lower_is_better=True)}, otherwise "
            f"{argument(lower_is_better=False)}"
        )
