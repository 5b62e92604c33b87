"""The engine against cross_validate, with and without a store, its workers, mlxtend's pairs."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import datasets
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits
from timing import Clock, Row, Table, interleaved

import outperform as op

CHEAP: dict[str, Any] = {
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "neighbours": KNeighborsClassifier(),
    "logistic": LogisticRegression(),
}
SETS = ("iris", "wine", "breast_cancer")
DESIGN = "10x10cv"
FOLDS = RepeatedKFold(n_splits=10, n_repeats=10, random_state=1)

Times = npt.NDArray[np.float64]
Cells = dict[tuple[str, str], Times]
OURS, THEIRS = range(2)


def measure() -> list[Row | Table]:
    # One BLAS thread for both sides: set once, since finding the libraries takes milliseconds.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return [*_cross_validate(), *_workers(), *_pairs()]


def load(name: str) -> tuple[Any, Any]:
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return scale(X), y


def ratio(times: Times, ours: int, theirs: int) -> float:
    """Return the median over rounds of one work's time over another's."""
    return float(np.median(times[:, ours] / times[:, theirs]))


def _cross_validate() -> Iterator[Row | Table]:
    """Yield the time of a run over that of scikit-learn's cross_validate.

    With one worker it is CPU time: waiting for the disk is the disk's.
    """
    alone = _against(1, time.process_time)
    stored = _stored()
    note = f"{len(CHEAP)} learners × {len(SETS)} datasets, {DESIGN}"
    yield Row("a run vs. cross_validate, pooled", _pooled(alone), 0.80, floor=False, note=note)
    yield _worst("the worst cell of these", alone, 1.0)
    note = f"one store for each dataset, {100 * len(CHEAP)} results in it"
    name = "a run with a store vs. cross_validate, pooled"
    yield Row(name, _pooled(stored), 0.85, floor=False, note=note)
    both = _against(2, time.perf_counter)
    yield _worst("a run vs. cross_validate, n_jobs=2", both, 1.0)
    yield _cells_table(alone | stored)


def _against(n_jobs: int, clock: Clock) -> Cells:
    found: Cells = {}
    for name in SETS:
        X, y = load(name)
        for called, learner in CHEAP.items():
            ours = partial(op.run, {called: learner}, X, y, design=DESIGN, random_state=1)
            theirs = partial(cross_validate, learner, X, y, cv=FOLDS)
            works = [partial(work, n_jobs=n_jobs) for work in (ours, theirs)]
            found[called, name] = interleaved(works, clock=clock, budget=2.5, rounds=(3, 15))
    return found


def _stored() -> Cells:
    """Time all learners with one store, and each of them by cross_validate."""
    found: Cells = {}
    with TemporaryDirectory() as folder:
        files = (Path(folder) / f"{number}.db" for number in count())
        for name in SETS:
            X, y = load(name)
            run = partial(op.run, CHEAP, X, y, design=DESIGN, random_state=1)
            works = [_keeping(run, files), partial(_each_by_itself, X, y)]
            found["all four, kept", name] = interleaved(
                works, clock=time.process_time, budget=10, rounds=(3, 15)
            )
    return found


def _keeping(run: Callable[..., Any], files: Iterator[Path]) -> Callable[[], Any]:
    return lambda: run(store=next(files))


def _each_by_itself(X: Any, y: Any) -> Any:
    return [cross_validate(learner, X, y, cv=FOLDS) for learner in CHEAP.values()]


def _pooled(cells: Cells) -> float:
    """Return the mean of ratios, each weighed by the time of cross_validate."""
    weights = [float(np.median(times[:, THEIRS])) for times in cells.values()]
    ratios = [ratio(times, OURS, THEIRS) for times in cells.values()]
    return float(np.average(ratios, weights=weights))


def _worst(name: str, cells: Cells, mark: float) -> Row:
    worst = max(cells, key=lambda cell: ratio(cells[cell], OURS, THEIRS))
    note = f"of {len(cells)}: {', '.join(worst)}"
    return Row(name, ratio(cells[worst], OURS, THEIRS), mark, floor=False, note=note)


def _cells_table(measured: Cells) -> Table:
    lines = []
    for (called, name), times in measured.items():
        ours, theirs = 1e3 * np.median(times, axis=0)
        each = f"{ours:.1f}", f"{theirs:.1f}", f"{ratio(times, OURS, THEIRS):.3f}"
        lines.append((called, name, *each, str(len(times))))
    title = f"Milliseconds of {DESIGN}, 100 fits for each learner, CPU time"
    columns = "learner", "data", "run", "cross_validate", "run / cross_validate", "rounds"
    return Table(title, columns, tuple(lines))


def _workers() -> Iterator[Row]:
    """Yield how much faster two workers are, by the wall clock, once they have been started."""
    X, y = load("breast_cancer")
    learners = {"tree": DecisionTreeClassifier(random_state=0)}
    run = partial(op.run, learners, X, y, design="50x10cv", random_state=1)
    times = interleaved(
        [run, partial(run, n_jobs=2)], clock=time.perf_counter, budget=15, rounds=(3, 9)
    )
    each = np.median(times[:, 0]) / 500 * 1e3
    note = f"{each:.0f} ms each; {ideal_of_two():.2f} is what two processes reach here"
    yield Row("500 small fits: 1 worker vs. 2", ratio(times, 0, 1), 1.7, note=note)


def ideal_of_two() -> float:
    """Return how much faster two processes spin than one: less than 2 on a busy machine."""
    from joblib import Parallel, delayed

    both = partial(Parallel(n_jobs=2), [delayed(_spin)(), delayed(_spin)()])
    times = interleaved([_spin, both], clock=time.perf_counter)
    return 2 * ratio(times, 0, 1)


def _spin() -> int:
    return sum(range(10_000_000))


def _pairs() -> Iterator[Row]:
    """Yield how much faster each learner fitted once is than each pair fitted anew."""
    from mlxtend.evaluate import paired_ttest_kfold_cv

    X, y = load("breast_cancer")
    learners = CHEAP | {"deep tree": DecisionTreeClassifier(min_samples_leaf=1, random_state=1)}

    def ours() -> Any:
        scores = op.run(learners, X, y, design="10cv", random_state=1)
        return [op.kfold_t(*pair, design="10cv").pvalue for pair in combinations(scores.values, 2)]

    def theirs() -> Any:
        return [
            paired_ttest_kfold_cv(clone(one), clone(other), X, y, cv=10, random_seed=1)
            for one, other in combinations(learners.values(), 2)  # it fits what it is given
        ]

    times = interleaved([ours, theirs], budget=12)
    name = "all pairs of 5 learners vs. mlxtend, pair by pair"
    yield Row(name, ratio(times, 1, 0), 4.5, note="10-fold")
