"""The engine against bare fits, its workers, mlxtend's pairs, cross_validate."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
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
from outperform.designs import parse
from outperform.engine import cells

CHEAP: dict[str, Any] = {
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "neighbours": KNeighborsClassifier(),
    "logistic": LogisticRegression(),
}
UNSEEDED = {"tree, no seed": DecisionTreeClassifier()}
"""Not one of those that are marked: the run seeds it; by itself it draws from what is there."""
SETS = ("iris", "wine", "breast_cancer")
DESIGN = "10x10cv"

Times = npt.NDArray[np.float64]
Cells = dict[tuple[str, str], Times]
WHOLE, PART, BARE = range(3)
"""What is timed in a round: a run, fit and predict inside it, and fit and predict by themselves."""


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


class Beside:
    """Does beside each fit and predict of a run the same by itself, and times both.

    The speed of a busy machine changes within a tenth of a second: two loops, one after the other,
    differ by more than what is measured here, but a fit and the next do not. Every other time the
    bare one comes first. Its model is made before, and its rows are cut just before, neither of
    which counts: it is fit and predict, and nothing else. The run, which makes batches of cells
    that take a fifth of a second, has a clock that stands still meanwhile. What would slow down
    all of the process, such as a second thread, would slow down both.
    """

    def __init__(self, clock: Clock, X: Any, y: Any, learners: Iterable[Any]) -> None:
        self.clock, self.X, self.y = clock, X, y
        self._part = self._bare = self._aside = 0.0
        self._calls, self._left = 0, dict[Any, list[Any]]()
        self._learners: dict[Any, Any] = {type(learner): learner for learner in learners}
        self._methods = {kind: (kind.fit, kind.predict) for kind in self._learners}
        self._splits = list(parse(DESIGN).split(len(y), random_state=1))

    def __enter__(self) -> Beside:
        for kind, (fit, predict) in self._methods.items():
            kind.fit, kind.predict = self._timed(fit, kind), self._timed(predict, kind)
        cells.perf_counter = lambda: time.perf_counter() - self._aside
        return self

    def __exit__(self, *_: object) -> None:
        for kind, (fit, predict) in self._methods.items():
            kind.fit, kind.predict = fit, predict
        cells.perf_counter = time.perf_counter

    def of(self, run: Callable[[], object]) -> tuple[float, float, float]:
        """Return the seconds of a run, of its fits and predictions, and of those beside them."""
        self._left = {
            kind: [(clone(learner), split) for split in reversed(self._splits)]
            for kind, learner in self._learners.items()
        }
        self._part = self._bare = self._aside = 0.0
        began = self.clock()
        run()
        return self.clock() - began - self._aside, self._part, self._bare

    def _timed(self, method: Callable[..., Any], kind: Any) -> Callable[..., Any]:
        """Let a method tell its time; what is done beside it is before a fit or after predict."""
        clock = self.clock

        def timed(*args: Any) -> Any:
            entered = clock()
            self._calls += 1
            if self._calls % 4 == 1:
                self._alone(kind)
            began = clock()
            answer = method(*args)
            ended = clock()
            if self._calls % 4 == 0:
                self._alone(kind)
            self._part += ended - began
            self._aside += clock() - entered - (ended - began)
            return answer

        return timed

    def _alone(self, kind: Any) -> None:
        clock, (fit, predict) = self.clock, self._methods[kind]
        model, split = self._left[kind].pop()
        X, y, unseen = self.X[split.train], self.y[split.train], self.X[split.test]
        began = clock()
        fit(model, X, y)
        predict(model, unseen)
        self._bare += clock() - began


def _overhead() -> Iterator[Row | Table]:
    """Yield the time of a run over that of the same fit and predict by themselves.

    With a store it is CPU time: waiting for the disk is the disk's. Without one the two are the
    same, and the clock on the wall takes less time to read.
    """
    plain: Cells = {}
    others: Cells = {}
    stored: Cells = {}
    with TemporaryDirectory() as folder:
        files = (Path(folder) / f"{number}.db" for number in count())
        for name in SETS:
            X, y = load(name)
            run = partial(op.run, X=X, y=y, design=DESIGN, random_state=1)
            for called, learner in (CHEAP | UNSEEDED).items():
                with Beside(time.perf_counter, X, y, [learner]) as beside:
                    times = _rounds(beside, partial(run, {called: learner}))
                (plain if called in CHEAP else others)[called, name] = times
            with Beside(time.process_time, X, y, CHEAP.values()) as beside:
                kept = _rounds(beside, _stored(partial(run, CHEAP), files))
                stored["all four, kept", name] = kept
    note = f"{len(CHEAP)} learners × {len(SETS)} datasets, {DESIGN}; the tree's seed is set"
    name = "a run v. the sum of bare fit + predict"
    yield Row(name, _pooled(list(plain.values())), 1.02, floor=False, note=note)
    worst = max(plain, key=lambda cell: ratio(plain[cell], WHOLE, BARE))
    most = ratio(plain[worst], WHOLE, BARE)
    yield Row("the worst cell of these", most, 1.05, floor=False, note=", ".join(worst))
    note = f"CPU time; one store for each dataset, {100 * len(CHEAP)} results in it"
    name = "a run with a store v. the same"
    yield Row(name, _pooled(list(stored.values())), 1.05, floor=False, note=note)
    yield _cells_table(plain | others | stored)


def _rounds(beside: Beside, run: Callable[[], Any]) -> Times:
    """Return the seconds of a run, those inside it, and those beside it, by round."""
    beside.of(run)  # the first round warms up
    rows: list[tuple[float, float, float]] = []
    began = time.perf_counter()
    while len(rows) < 15 or (len(rows) < 41 and time.perf_counter() - began < 12):
        rows.append(beside.of(run))
    return np.array(rows)


def _stored(run: Callable[..., Any], files: Iterator[Path]) -> Callable[[], Any]:
    return lambda: run(store=next(files))


def _pooled(parts: list[Times]) -> float:
    """Return the mean of ratios, each weighed by the time of its fits."""
    weights = [float(np.median(times[:, BARE])) for times in parts]
    return float(np.average([ratio(times, WHOLE, BARE) for times in parts], weights=weights))


def _cells_table(measured: Cells) -> Table:
    lines = []
    for (called, name), times in measured.items():
        whole, part, bare = 1e3 * np.median(times, axis=0)
        low, high = np.percentile(times[:, WHOLE] / times[:, BARE], [25, 75])
        each = f"{whole:.1f}", f"{part:.1f}", f"{bare:.1f}", f"{ratio(times, WHOLE, BARE):.4f}"
        lines.append((called, name, *each, f"{low:.3f} to {high:.3f}", str(len(times))))
    title = (
        f"Milliseconds of {DESIGN}, 100 fits for each learner: the run, fit + predict inside it, "
        "and fit + predict by themselves, in turn (with the middle half of run / bare); no seed: "
        "but in the run, which gives one; kept: CPU time"
    )
    columns = "learner", "data", "run", "inside", "bare", "run / bare", "middle half", "rounds"
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
