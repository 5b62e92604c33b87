"""What keeping predictions costs, and what it saves: extending a store, adding a metric."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import get_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits
from timing import Row, interleaved

import outperform as op

N, CLASSES, FITS = 1_000, 10, "10x10cv"
FEW = 16
"""Columns on which a tree takes little more than the 5 ms that the marks are for."""
TREES = {f"depth {depth}": DecisionTreeClassifier(max_depth=depth) for depth in range(5, 15)}
ECONOMY, THOROUGH = "5x5cv+20halves", "10x5cv+40halves"
Run = Callable[..., Any]


def measure() -> list[Row]:
    X, y = make_classification(
        N, 30, n_informative=12, n_classes=CLASSES, n_clusters_per_class=1, random_state=0
    )
    with threadpool_limits(1), TemporaryDirectory() as folder:
        files = (Path(folder) / f"{number}.db" for number in count())
        parts = (_predictions, _probabilities, _extending, _metric)
        return [row for part in parts for row in part(X, y, files)]


def _asked(learners: Any, X: Any, y: Any, **options: Any) -> Run:
    return partial(op.run, learners, X, y, random_state=1, progress=False, **options)


def _ratio(run: Run, files: Iterator[Path], least: float) -> tuple[float, float]:
    """Return the time with what is kept by default over that without, and seconds of a fit."""
    kept = [lambda: run(store=next(files)), lambda: run(store=next(files), keep="nothing")]
    times = interleaved(kept, clock=time.process_time, budget=20, rounds=(5, 15))
    scores = run()
    seconds = float(np.median(times[:, 1])) / (len(scores.names) * scores.n_splits)
    assert seconds > least, f"a fit takes {seconds:.4f} s; the mark is for {least} s and more"
    return float(np.median(times[:, 0] / times[:, 1])), seconds


def _predictions(X: Any, y: Any, files: Iterator[Path]) -> Iterator[Row]:
    run = _asked({"tree": TREES["depth 8"]}, X[:, :FEW], y, design="5x10cv")
    found, seconds = _ratio(run, files, 0.005)
    note = f"{1e3 * seconds:.0f} ms for each fit, CPU time"
    yield Row("a store with predictions vs. without", found, 1.03, floor=False, note=note)


def _probabilities(X: Any, y: Any, files: Iterator[Path]) -> Iterator[Row]:
    few = {"tree": TREES["depth 8"]}
    run = _asked(few, X[:, :FEW], y, design="5x10cv", scoring="neg_log_loss")
    found, seconds = _ratio(run, files, 0.005)
    note = f"{CLASSES} classes, scored by log loss; {1e3 * seconds:.0f} ms for each fit, CPU time"
    name = "a store with probabilities vs. without"
    yield Row(name, found, 1.08, floor=False, note=note)
    store = next(files)
    _asked(TREES, X, y, design=FITS, scoring="neg_log_loss", store=store)()
    size = store.stat().st_size / 2**20
    note = f"{len(TREES)} trees × {FITS}, {N:,} rows of {CLASSES} classes"
    yield Row("MB of a store with probabilities", size, 20, floor=False, note=note)
    soft = next(files)
    bayes = {f"bayes {at}": GaussianNB(var_smoothing=10.0 ** (at - 10)) for at in range(10)}
    _asked(bayes, X, y, design=FITS, scoring="neg_log_loss", store=soft)()
    note = f"{len(bayes)} naive Bayes × {FITS}: no two probabilities are equal"
    size = soft.stat().st_size / 2**20
    yield Row("MB of a store with probabilities of many values", size, 20, floor=False, note=note)


def _extending(X: Any, y: Any, files: Iterator[Path]) -> Iterator[Row]:
    run = _asked({"tree": TREES["depth 8"]}, X, y)
    first = next(files)
    run(design=ECONOMY, store=first)

    def extended() -> Any:
        copied = next(files)
        shutil.copy(first, copied)
        return run(design=THOROUGH, store=copied)

    works = [extended, lambda: run(design=THOROUGH, store=next(files))]
    times = interleaved(works, clock=time.process_time, budget=30, rounds=(3, 9))
    found = float(np.median(times[:, 0] / times[:, 1]))
    name = f"extending {ECONOMY} to {THOROUGH} vs. running it"
    yield Row(name, found, 0.55, floor=False, note="CPU time")


def _metric(X: Any, y: Any, files: Iterator[Path]) -> Iterator[Row]:
    """Yield what a metric costs that is added later: a call of scikit-learn's scorer for each fit.

    The scorer takes most of it, whatever the learner, so that the ratio is that of the two times.
    """
    found, seconds = _added_to(RandomForestClassifier(random_state=0), X, y, files)
    cheap, brief = _added_to(TREES["depth 8"], X, y, files)
    guess = DummyClassifier(strategy="most_frequent").fit(X, y)
    calls = [partial(get_scorer("balanced_accuracy"), guess, X[:100], y[:100])]
    scorer = float(np.median(interleaved(calls, clock=time.process_time, rounds=(30, 99))))
    note = f"a forest, {1e3 * seconds:.0f} ms for each fit, CPU time; "
    note += f"{cheap:.3f} for a tree of {1e3 * brief:.0f} ms: {1e3 * cheap * brief:.1f} ms for "
    note += f"each fit, of which scikit-learn's scorer takes {1e3 * scorer:.1f} ms"
    name = "a metric added from kept predictions vs. running again"
    yield Row(name, found, 0.02, floor=False, note=note)


def _added_to(learner: Any, X: Any, y: Any, files: Iterator[Path]) -> tuple[float, float]:
    """Return the time of adding balanced accuracy over that of a run, and seconds of a fit."""
    run = _asked({"one": learner}, X, y, design="3x10cv")
    first = next(files)
    run(store=first)
    works = [lambda: _added(first), lambda: run(scoring="balanced_accuracy")]
    times = interleaved(works, clock=time.process_time, budget=10, rounds=(3, 9))
    return float(np.median(times[:, 0] / times[:, 1])), float(np.median(times[:, 1])) / 30


def _added(store: Path) -> Any:
    """Return scores by a metric that the run did not ask for, without a fit."""
    from outperform.engine.rescoring import for_metric

    return for_metric(op.Scores.read(store), "balanced_accuracy")
