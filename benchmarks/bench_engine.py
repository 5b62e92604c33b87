"""The engine against its own fits, bare ones, its workers, mlxtend's pairs, cross_validate."""

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
from timing import Clock, Row, Table, interleaved

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
Cells = dict[tuple[str, str], Times]
WHOLE, PART, BARE = range(3)
"""What is timed in a round: a run, fit and predict inside it, fit and predict in a bare loop."""


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


class Inside:
    """Adds up the seconds spent in fit and predict of the cheap learners."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.seconds = clock, 0.0
        self._before = [
            (kind, name, getattr(kind, name))
            for kind in map(type, CHEAP.values())
            for name in ("fit", "predict")
        ]

    def __enter__(self) -> Inside:
        for kind, name, method in self._before:
            setattr(kind, name, self._timed(method))
        return self

    def __exit__(self, *_: object) -> None:
        for kind, name, method in self._before:
            setattr(kind, name, method)

    def _timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        clock = self.clock

        def timed(*args: Any) -> Any:
            began = clock()
            answer = method(*args)
            self.seconds += clock() - began
            return answer

        return timed

    def of(self, work: Callable[[], object]) -> tuple[float, float]:
        """Return the seconds that a work takes, and those of them inside fit and predict."""
        self.seconds, began = 0.0, self.clock()
        work()
        return self.clock() - began, self.seconds


def _loop(learners: list[Any], X: Any, y: Any, splits: list[Any]) -> None:
    for learner in learners:
        for split in splits:
            model = type(learner)(**learner.get_params(deep=False))
            model.fit(X[split.train], y[split.train])
            model.predict(X[split.test])


def _overhead() -> Iterator[Row | Table]:
    """Yield the time of a run over that of fit and predict, in a bare loop and inside the run.

    The bare loop runs in turn with the run, and on a busy machine wanders by more than what is
    measured; what is inside the run is of the same seconds, but hides what a run does to its fits.
    With a store it is CPU time: waiting for the disk is the disk's. Without one the two are the
    same, and the clock on the wall takes less time to read.
    """
    cells: Cells = {}
    stored: Cells = {}
    with TemporaryDirectory() as folder:
        files = (Path(folder) / f"{number}.db" for number in count())
        for name in SETS:
            X, y = load(name)
            splits = list(parse(DESIGN).split(len(y), random_state=1))
            run = partial(op.run, X=X, y=y, design=DESIGN, random_state=1)
            with Inside(time.perf_counter) as inside:
                for called, learner in CHEAP.items():
                    loop = partial(_loop, [learner], X, y, splits)
                    cells[called, name] = _rounds(inside, partial(run, {called: learner}), loop)
            with Inside(time.process_time) as inside:
                loop = partial(_loop, list(CHEAP.values()), X, y, splits)
                kept = _rounds(inside, _stored(partial(run, CHEAP), files), loop)
                stored["all four, kept", name] = kept
    yield from _marks(cells, stored, "the sum of bare fit + predict", BARE)
    yield from _marks(cells, stored, "the fit + predict inside it", PART)
    yield _cells_table(cells | stored)


def _marks(cells: Cells, stored: Cells, what: str, against: int) -> Iterator[Row]:
    """Yield what runs add, pooled, in the worst cell and with a store."""
    note = f"{len(CHEAP)} learners × {len(SETS)} datasets, {DESIGN}"
    plain = _pooled(list(cells.values()), against)
    yield Row(f"a run v. {what}", plain, 1.02, floor=False, note=note)
    worst = max(cells, key=lambda cell: ratio(cells[cell], WHOLE, against))
    most = ratio(cells[worst], WHOLE, against)
    yield Row(f"the worst cell v. {what}", most, 1.05, floor=False, note=", ".join(worst))
    note = f"CPU time; one store for each dataset, {100 * len(CHEAP)} results in it"
    kept = _pooled(list(stored.values()), against)
    yield Row(f"a run with a store v. {what}", kept, 1.05, floor=False, note=note)


def _rounds(inside: Inside, run: Callable[[], Any], loop: Callable[[], Any]) -> Times:
    """Return the seconds of a run, those inside it, and those inside a bare loop, by round."""
    rows: list[tuple[float, float, float]] = []
    began = time.perf_counter()
    while len(rows) <= 7 or (len(rows) <= 41 and time.perf_counter() - began < 10):
        if len(rows) % 2:
            alone = inside.of(loop)[1]
        whole, part = inside.of(run)
        if not len(rows) % 2:
            alone = inside.of(loop)[1]
        rows.append((whole, part, alone))
    return np.array(rows[1:])  # the first round warms up


def _stored(run: Callable[..., Any], files: Iterator[Path]) -> Callable[[], Any]:
    return lambda: run(store=next(files))


def _pooled(parts: list[Times], against: int) -> float:
    """Return the mean of ratios, each weighed by the time of its fits."""
    weights = [float(np.median(times[:, against])) for times in parts]
    return float(np.average([ratio(times, WHOLE, against) for times in parts], weights=weights))


def _cells_table(cells: dict[tuple[str, str], Times]) -> Table:
    lines = []
    for (called, name), times in cells.items():
        whole, part, alone = 1e3 * np.median(times, axis=0)
        low, high = np.percentile(times[:, 1] / times[:, 2], [25, 75])
        each = f"{whole:.1f}", f"{part:.1f}", f"{ratio(times, WHOLE, PART):.4f}", f"{alone:.1f}"
        lines.append((called, name, *each, f"{low:.2f} to {high:.2f}", str(len(times))))
    title = (
        f"Milliseconds of {DESIGN}, 100 fits for each learner: the run, fit + predict inside it, "
        "and fit + predict in a bare loop (with the middle half of inside / bare); kept: CPU time"
    )
    columns = "learner", "data", "run", "inside", "ratio", "bare", "inside / bare", "rounds"
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
