"""The correlation of folds: differences of one cross-validation, Letter (D-29, E-D13)."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..exhibits import Exhibit, Finding, Scale, Value
from ..judging import Estimate, claim, follows
from ..keeping import remembered
from ..printed import printed, published
from .questions import PAPER
from .realistic import OTHER
from .tasks import TRIALS, contest

__all__ = ["EXHIBITS"]

FOLD_SEED = 2003
UNTOLD = f"the number of pairs in the paper is not told (E-D13), and {OTHER}"


def fold_correlation(scale: Scale) -> Finding:
    """Correlation of the folds' differences, Letter, learners equal (D-29, E-D13)."""
    from ...lab.anatomy_of_variance import fold_correlation as correlation

    table = _folds(scale)
    within, across = correlation(table), correlation(table, across=True)
    told = published(PAPER)["fold correlation"]
    centred = table - table.mean()
    other = np.roll(centred, 1, axis=0)
    i, j = np.triu_indices(table.shape[1], 1)
    values, seen = [], []
    for name, found, partner, text in (
        ("within a cross-validation", within, centred, told["within"]),
        ("across independent ones", across, other, told["across"]),
    ):
        products = (centred[:, i] * partner[:, j]).mean(axis=1) / centred.var()
        error = float(products.std(ddof=1) / math.sqrt(len(table)))
        seen.append(Estimate(found.r, error, len(table) - 1))
        values.append(
            Value(f"correlation {name}", printed(text).value, found.r, printed(text).half_unit,
                  math.sqrt(2) * error, UNTOLD)
        )  # fmt: skip
    return Finding(
        tuple(values),
        (
            claim("folds of one cross-validation are correlated", seen[0], "above", 0.0,
                  what="correlation", reason=UNTOLD),
            follows("folds of independent ones are not", seen[1], 0.0, what="correlation",
                    reason=UNTOLD),
        ),
        remarks=("The paper does not tell the number of pairs: the error takes it for 1,000 "
                 "datasets, 45,000 pairs, as here, and counts pairs of a dataset as one (E-D13). "
                 "The t test that the paper names takes them for independent and says p < "
                 f"{told['p below']:g}; ours: {within}.",),
    )  # fmt: skip


def _folds(scale: Scale) -> Any:
    """Return the ten differences of each dataset, made by hundreds that are kept."""
    meeting, size = contest("letter", scale), scale.of(100, 30)
    parts = []
    for number in range(scale.of(TRIALS, 30) // size):
        about = [FOLD_SEED, size, repr(meeting.second)]
        parts += remembered(
            scale, f"dietterich-folds-{number}", about,
            partial(_hundred, meeting, number, size, scale), ("letter",),
        )  # fmt: skip
    return np.array(parts)


def _hundred(meeting: Any, number: int, size: int, scale: Scale) -> list[list[float]]:
    from joblib import Parallel, delayed

    step = 10
    scale.say(f"datasets {number * size + 1} to {(number + 1) * size}")
    seeds = [number * (size // step) + at for at in range(size // step)]
    rows = Parallel(n_jobs=scale.n_jobs)(delayed(_some)(meeting, seed, step) for seed in seeds)
    return [row for part in rows for row in part]


def _some(meeting: Any, seed: int, n_reps: int) -> list[list[float]]:
    from ...lab.scenarios import block_seed, reading

    asked = reading("kfold_t")
    view = meeting.draw([asked], n_reps, block_seed(FOLD_SEED, 0, seed))[asked]
    found: list[list[float]] = view.values.reshape(n_reps, -1).tolist()
    return found


EXHIBITS = (
    Exhibit(PAPER, "fold-correlation", "Correlation of folds, Letter",
            "Differences of the folds of one 10-fold cross-validation, and of independent ones, "
            "learners equal.", ("D-29",), fold_correlation, {"n": 300, "datasets": TRIALS},
            needs=("letter",), seed=FOLD_SEED),
)  # fmt: skip
