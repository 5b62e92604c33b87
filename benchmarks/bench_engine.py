"""The engine against bare fits, its own workers, mlxtend's pairs and cross_validate."""

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
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits
from timing import Row, Table, interleaved

import outperform as op
from outperform.designs import parse

CHEAP: dict[str, Any] = {
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "neighbours": KNeighborsClassifier(),
    "logistic": LogisticRegression(),
}
SETS = ("iris", "wine", "breast_cancer")
DESIGN = "10x10cv"

Times = npt.NDArray[np.float64]


def measure() -> list[Row | Table]:
    # One BLAS thread for both sides: set once, since finding the libraries takes milliseconds.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return [*_overhead(), *_workers(), *_pairs(), *_cross_validate()]


def load(name: str) -> tuple[Any, Any]:
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return scale(X), y


def ratio(times: Times, ours: int, theirs: int) -> float:
    """Return the median over rounds of one work's time over another's."""
    return float(np.median(times[:, ours] / times[:, theirs]))


def _bare(learners: list[Any], pieces: list[Any]) -> None:
    """Fit and predict, with nothing else: no cloning, no cutting, no scoring."""
    for learner in learners:
        kind, params = type(learner), learner.get_params(deep=False)
        for X, y, unseen in pieces:
            kind(**params).fit(X, y).predict(unseen)


def _overhead() -> Iterator[Row | Table]:
    """Yield CPU time over the sum of bare fits: pooled, the worst cell, and with a store."""
    cells: dict[tuple[str, str], Times] = {}
    stored: dict[tuple[str, str], Times] = {}
    with TemporaryDirectory() as folder:
        files = (Path(folder) / f"{number}.db" for number in count())
        for name in SETS:
            X, y = load(name)
            splits = parse(DESIGN).split(len(y), random_state=1)
            pieces = [(X[s.train], y[s.train], X[s.test]) for s in splits]
            run = partial(op.run, X=X, y=y, design=DESIGN, random_state=1)
            for called, learner in CHEAP.items():
                works = [partial(_bare, [learner], pieces), partial(run, {called: learner})]
                cells[called, name] = interleaved(works, budget=12, rounds=(9, 61))
            all_bare = partial(_bare, list(CHEAP.values()), pieces)
            works = [all_bare, _stored(partial(run, CHEAP), files)]
            stored["all four, kept", name] = interleaved(works, budget=20, rounds=(7, 25))
    note = f"{len(CHEAP)} learners × {len(SETS)} datasets, {DESIGN}"
    plain = _pooled(list(cells.values()))
    yield Row("a run v. the sum of bare fit + predict", plain, 1.02, floor=False, note=note)
    worst = max(cells, key=lambda cell: ratio(cells[cell], 1, 0))
    most = ratio(cells[worst], 1, 0)
    yield Row("the worst of its cells", most, 1.05, floor=False, note=", ".join(worst))
    note = f"one store for each dataset, {100 * len(CHEAP)} results in it"
    kept = _pooled(list(stored.values()))
    yield Row("a run with a store v. the sum of bare", kept, 1.05, floor=False, note=note)
    yield _cells_table(cells | stored)


def _stored(run: Callable[..., Any], files: Iterator[Path]) -> Callable[[], Any]:
    return lambda: run(store=next(files))


def _pooled(parts: list[Times]) -> float:
    """Return the mean of ratios, each weighed by the time of its bare fits."""
    weights = [float(np.median(times[:, 0])) for times in parts]
    return float(np.average([ratio(times, 1, 0) for times in parts], weights=weights))


def _cells_table(cells: dict[tuple[str, str], Times]) -> Table:
    lines = []
    for (called, name), times in cells.items():
        bare, run = 1e3 * np.median(times, axis=0)
        quarters = np.percentile(times[:, 1] / times[:, 0], [25, 75])
        spread = " to ".join(f"{quarter:.3f}" for quarter in quarters)
        each = f"{bare:.1f}", f"{run:.1f}", f"{ratio(times, 1, 0):.3f}", spread
        lines.append((called, name, *each, str(len(times))))
    title = f"CPU milliseconds of {DESIGN} (100 fits for each learner): bare fits, and a run"
    columns = ("learner", "data", "bare", "run", "ratio", "middle half", "rounds")
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
    yield Row("500 small fits: 1 worker v. 2", ratio(times, 0, 1), 1.7, note=note)


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
            paired_ttest_kfold_cv(one, other, X, y, cv=10, random_seed=1)
            for one, other in combinations(learners.values(), 2)
        ]

    times = interleaved([ours, theirs], budget=12)
    name = "all pairs of 5 learners v. mlxtend, pair by pair"
    yield Row(name, ratio(times, 1, 0), 4.5, note="10-fold")


def _cross_validate() -> Iterator[Row]:
    """Yield the worst ratio to cross_validate of any learner and dataset, same workers."""
    folds = RepeatedKFold(n_splits=10, n_repeats=10, random_state=1)
    for n_jobs, clock in ((1, time.process_time), (2, time.perf_counter)):
        ratios = {}
        for name in SETS:
            X, y = load(name)
            for called, learner in CHEAP.items():
                ours = partial(op.run, {called: learner}, X, y, design=DESIGN, random_state=1)
                theirs = partial(cross_validate, learner, X, y, cv=folds)
                works = [partial(work, n_jobs=n_jobs) for work in (ours, theirs)]
                times = interleaved(works, clock=clock, budget=2.5, rounds=(3, 15))
                ratios[f"{called}, {name}"] = ratio(times, 0, 1)
        worst = max(ratios, key=lambda cell: ratios[cell])
        note = f"the worst of {len(ratios)}: {worst}"
        name = f"a run v. cross_validate, n_jobs={n_jobs}"
        yield Row(name, ratios[worst], 1.02, floor=False, note=note)
