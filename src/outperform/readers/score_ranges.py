"""Scores that their metric cannot have, or that are ranks: refused before a verdict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import DataError, argument
from ..numerics.exact_sums import Array
from .column_names import bare, shown

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
