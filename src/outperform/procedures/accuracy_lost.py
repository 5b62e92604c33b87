"""What training on half of the data costs: Bradford & Brodley (B-27)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import validation
from ..errors import DataError
from ..numerics import exact_sums
from ..registry import procedure
from ..scores.split_scores import Scores


@dataclass(frozen=True, slots=True)
class AccuracyLost:
    """What training on half of the data costs, learner by learner (B-27)."""

    names: tuple[str, ...]
    lost: tuple[float, ...]
    """The mean score with more training data minus that with half; negative: half did better."""
    mean: float
    half_better: int
    """How often half of the data did better."""

    @property
    def n(self) -> int:
        return len(self.lost)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"n": self.n}

    def __str__(self) -> str:
        return (
            f"Training on half of the data costs {self.mean:.4g} on average; the half-size "
            f"training set did better in {self.half_better} of {self.n} cases."
        )


@procedure(
    title="Accuracy lost by training on half of the data",
    paper="bradford-brodley",
    requirements=("B-27",),
    designs=("kfold", "repeated-2fold"),
    standing="reference",
    advice="Use before 5x2cv, which trains on half of the data.",
    reads="scores of the same learners trained on more of the data and on half of it",
    example="accuracy_lost([0.81, 0.93, 0.67], [0.79, 0.94, 0.61])",
)
def accuracy_lost(full: Any, half: Any, *, lower_is_better: bool = False) -> AccuracyLost:
    """Compare scores of 1×10 with those of 5×2 cross-validation, which trains on half.

    Parameters
    ----------
    full : Scores or array-like
        Scores of 10-fold cross-validation, or mean scores with one entry for each learner and
        dataset.
    half : Scores or array-like
        Scores of the same learners on the same data in 5x2cv, or their means.
    lower_is_better : bool, default=False
        Whether smaller scores are better, as with errors and losses.

    Returns
    -------
    AccuracyLost
        Mean loss of accuracy and the losses behind it.

    Examples
    --------
    >>> import outperform as op
    >>> str(op.accuracy_lost([0.81, 0.93, 0.67], [0.79, 0.94, 0.61])).partition(";")[0]
    'Training on half of the data costs 0.02333 on average'
    """
    if isinstance(full, Scores) and isinstance(half, Scores):
        return _lost_by_learners(full, half)
    if isinstance(full, Scores) or isinstance(half, Scores):
        raise DataError("One side is Scores and the other is not. Pass two Scores, or two arrays.")
    (first, second), _ = validation.aligned([full, half], ("full", "half"))
    more, less = (
        np.ravel(validation.numbers(side, name))
        for side, name in ((first, "full"), (second, "half"))
    )
    if more.size != less.size or not more.size:
        raise DataError(
            f"full and half must have one entry for each learner and dataset, got {more.size} and "
            f"{less.size} entries."
        )
    names = tuple(str(i) for i in range(more.size))
    return _lost(names, less - more if lower_is_better else more - less)


def _lost_by_learners(full: Scores, half: Scores) -> AccuracyLost:
    if set(full.names) != set(half.names) or full.metric != half.metric:
        raise DataError(
            f"Both sides must have the same learners and metric, got {list(full.names)} by "
            f"{full.metric} and {list(half.names)} by {half.metric}."
        )
    ratios = full.test_train_ratio, half.test_train_ratio
    if ratios[0] is not None and ratios[1] is not None and not ratios[0] < ratios[1]:
        raise DataError(
            f"{full.design} does not train on a larger share than {half.design}. Pass the run "
            "with more training data first, as in accuracy_lost(run of '10cv', run of '5x2cv')"
        )
    turn = 1.0 if full.greater_is_better else -1.0
    lost = [
        turn * float(exact_sums.mean_difference(full.values[i], half.values[half.index(name)]))
        for i, name in enumerate(full.names)
    ]
    return _lost(full.names, np.array(lost))


def _lost(names: tuple[str, ...], lost: exact_sums.Array) -> AccuracyLost:
    better = int(np.count_nonzero(lost < 0))
    return AccuracyLost(names, tuple(lost.tolist()), float(exact_sums.mean(lost)), better)
