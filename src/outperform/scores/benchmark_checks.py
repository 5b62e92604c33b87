"""Tables of results that cannot be compared as they are, and datasets that may be one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..errors import DataError, argument, counted
from ..notes import Note
from ..numerics.exact_sums import ROUNDING, Array
from .benchmark import Benchmark, some_of
from .split_scores import Scores

ALPHA = 0.05
"""Where tables are refused: the level of verdicts unless another is asked."""

FEWEST_STILL = 3
"""Datasets from which on a column that never varies is odd."""
FEWEST_OF_MODEL = 3
"""Datasets, and splits of each, that the hierarchical model needs."""
PERCENT = 100.0
NEAR = 1.5
"""How near a score in percent is to the fractions of other learners on the same dataset."""
FRACTIONS = {
    *("score", "test_score", "accuracy", "acc", "balanced_accuracy", "auc", "roc_auc", "auroc"),
    *("f1", "precision", "recall", "sensitivity", "specificity", "kappa", "mcc", "jaccard"),
    *("ndcg", "average_precision"),
}
"""Metrics, and names that say none, whose scores are fractions of 1, or percent."""


def checked(benchmark: Benchmark) -> Benchmark:
    """Return a benchmark with what is to be said of it; refuse percent beside fractions."""
    _refuse_percent(benchmark)
    notes = [*_twins(benchmark), *_still(benchmark)]
    scores = benchmark.scores
    return Benchmark(replace(scores, notes=(*scores.notes, *notes))) if notes else benchmark


def refuse_undecidable(scores: Scores, method: str, title: str, n: int, least: float) -> None:
    """Refuse learners that always tie, and so few datasets that the default test never decides.

    `least` is the smallest two-sided p-value on n datasets; one-sided, or for equivalence, it is
    half of that.
    """
    values = scores.dataset_means()
    is_joined = any(note.code == "OP011" for note in scores.notes)
    one, many = ("family", "families") if is_joined else ("dataset", "datasets")
    if always_tied(scores):
        raise DataError(
            f"All learners have the same score on each of the {values.shape[1]} {many}: every "
            "comparison is a tie. Check that the columns are scores of different learners; "
            f"{argument(method=method)} compares them regardless: p = 1, and they are equivalent "
            "within any rope"
        )
    if least / 2 < ALPHA:
        return
    more = next(extra for extra in range(1, 99) if least / 2**extra < ALPHA)
    labels = scores.datasets or ()
    splits = min(map(labels.count, labels))
    model = ""
    if min(splits, n) >= FEWEST_OF_MODEL and not np.isnan(values).any():
        model = f"{argument(method='hierarchical')}, which uses the splits of each dataset, or "
    raise DataError(
        f"The smallest two-sided p-value possible with {n} {many} is {least:g}, above "
        f"α = {ALPHA:g}, so the {title} cannot decide. Add at least {counted(more, one, many)}; "
        f"or use {model}{argument(method='dataset_t')}, which assumes normally distributed "
        f"differences; {argument(method=method)} computes the p-values regardless"
    )


def always_tied(scores: Scores) -> bool:
    """Tell whether every learner has the same score on each dataset, up to rounding."""
    values = scores.dataset_means()
    spread = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    return bool((spread <= ROUNDING * np.nanmax(np.abs(values))).all())


def _twins(benchmark: Benchmark) -> Iterator[Note]:
    """Say which datasets have the same scores for every learner."""
    twins = _duplicates(benchmark.values, benchmark.datasets)
    if twins:
        first, second = twins[0]
        more = f", and {len(twins) - 1} more pairs" if len(twins) > 1 else ""
        yield Note(
            "OP012",
            f"Datasets {first!r} and {second!r}{more} have the same scores for every learner; if "
            "they are the same data, it counts twice.",
        )


def _still(benchmark: Benchmark) -> Iterator[Note]:
    """Say which learners have the same score on every dataset, though others vary."""
    values = benchmark.values
    if values.shape[1] < FEWEST_STILL:
        return
    spread = np.nanmax(values, axis=1) - np.nanmin(values, axis=1)
    names = [name for name, wide in zip(benchmark.names, spread, strict=True) if wide == 0]
    if names and spread.any():
        verb = "have" if len(names) > 1 else "has"
        yield Note(
            "OP013", f"{some_of(names)} {verb} the same score on all {values.shape[1]} datasets."
        )


def _refuse_percent(benchmark: Benchmark) -> None:
    """Refuse datasets, or learners, scored in percent beside others scored in fractions."""
    if benchmark.metric.lower() not in FRACTIONS or not benchmark.greater_is_better:
        return
    values = benchmark.values
    known = ~np.isnan(values)
    if values[known].min() < 0 or values[known].max() > PERCENT:
        return
    for axis, what, names in (
        (0, "datasets", benchmark.datasets),
        (1, "learners", benchmark.names),
    ):
        low = np.where(known, values, np.inf).min(axis=axis)
        high = np.where(known, values, -np.inf).max(axis=axis)
        percent, fraction = low > 1, high <= 1
        if percent.any() and (percent | fraction).all() and fraction.any():
            odd = [name for name, is_percent in zip(names, percent, strict=True) if is_percent]
            rest = [name for name, is_percent in zip(names, percent, strict=True) if not is_percent]
            raise DataError(
                f"Scores of {what} {some_of(odd)} are above 1, those of {some_of(rest)} are not: "
                "percent and fractions seem to be mixed. Divide the former by 100; if they are as "
                f"they should be, name the metric: {argument(metric='reward')}"
            )
    _refuse_percent_cells(benchmark, np.where(known, values, np.nan))


def _refuse_percent_cells(benchmark: Benchmark, values: Array) -> None:
    """Refuse one score that is a hundred times, or a hundredth of, what others have there."""
    usual = np.nanmedian(values, axis=0)
    for row, at in np.argwhere((values > 1) != (usual > 1)).tolist():
        here, rest = float(values[row, at]), np.delete(values[:, at], row)
        rest = rest[~np.isnan(rest)]
        if len(rest) < 2 or np.isnan(here):
            continue
        low, high = float(rest.min()), float(rest.max())
        factor = 100.0 if here <= 1 < low else 0.01 if high <= 1 < here else 0.0
        if factor and low / NEAR <= here * factor <= high * NEAR:
            raise DataError(
                f"{benchmark.names[row]} scores {here:g} on {benchmark.datasets[at]}, the others "
                f"{low:g} to {high:g}: percent and fractions seem to be mixed. Write "
                f"{here * factor:g}; if it is as it should be, name the metric: "
                f"{argument(metric='reward')}"
            )


def _duplicates(values: Array, names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return pairs of datasets on which all learners score the same, though learners differ."""
    seen: dict[bytes, str] = {}
    found = []
    for name, column in zip(names, np.ascontiguousarray(values.T), strict=True):
        if np.isnan(column).any() or np.ptp(column) == 0:
            continue
        first = seen.setdefault(column.tobytes(), name)
        if first != name:
            found.append((first, name))
    return found
