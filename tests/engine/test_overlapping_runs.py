"""Runs in threads that overlap: when the last has ended, the process is as it was before."""

from __future__ import annotations

import random
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from models_for_tests import Centroids
from threadpoolctl import threadpool_info, threadpool_limits

import outperform as op

Y = np.arange(30) % 2
X = np.random.default_rng(5).normal(size=(30, 3)) + Y[:, None]


class Waits(Centroids):
    """Of two runs that overlap, the first to begin is the first to end."""

    scale = 1.0
    steps: tuple[threading.Event, threading.Event, threading.Event]

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def fit(self, X: Any, y: Any) -> Any:
        first_began, second_began, first_ended = self.steps
        print("learner")
        np.random.rand()  # noqa: NPY002
        random.random()
        if self.number == 0:
            first_began.set()
            assert second_began.wait(60)
        else:
            second_began.set()
            assert first_ended.wait(60)
            print("learner")
            assert blas_threads() <= {1}
        return super().fit(X, y)


def blas_threads() -> set[int]:
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


def run(learner: Any, **options: Any) -> op.Scores:
    usual: dict[str, Any] = {"design": "holdout@1/3", "random_state": 0, "progress": False}
    return op.run({"own": learner}, X, Y, **usual | options)


def overlap() -> None:
    first_began, _, first_ended = Waits.steps = (
        threading.Event(),
        threading.Event(),
        threading.Event(),
    )
    results: list[op.Scores] = []
    threads = [
        threading.Thread(target=lambda at=at: results.append(run(Waits(at))), daemon=True)
        for at in (0, 1)
    ]
    threads[0].start()
    assert first_began.wait(60)
    threads[1].start()
    threads[0].join(60)
    first_ended.set()
    threads[1].join(60)
    assert len(results) == 2


def state() -> tuple[Any, ...]:
    numpy_state: Any = np.random.get_state()  # noqa: NPY002
    filters = [(action, kind) for action, _, kind, *_ in warnings.filters]
    parts = sys.stdout, blas_threads(), random.getstate(), filters, warnings.showwarning
    return *parts, numpy_state[1].tolist(), numpy_state[2]


def test_the_process_is_given_back_after_runs_in_overlapping_threads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        before = state()
        overlap()
        assert state() == before
    assert capsys.readouterr().out == ""


def test_so_it_is_where_fits_are_in_worker_threads() -> None:
    from joblib import parallel_config

    def call(n_jobs: int) -> None:
        with parallel_config("threading"):
            for seed in range(5):
                run(Centroids(), random_state=seed, n_jobs=n_jobs, design="3cv")

    with threadpool_limits(limits=2, user_api="blas"):
        before = state()
        threads = [threading.Thread(target=call, args=(n,), daemon=True) for n in (1, 2, 1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert state() == before


def test_a_run_inside_a_fit_leaves_its_random_numbers_alone() -> None:
    drawn: list[float] = []

    class Runs(Centroids):
        scale = 1.0

        def __init__(self, inner: bool = True) -> None:
            self.inner = inner

        def fit(self, X: Any, y: Any) -> Any:
            if self.inner:
                run(Centroids())
            drawn.append(np.random.rand())  # noqa: NPY002
            return super().fit(X, y)

    run(Runs(inner=True))
    run(Runs(inner=False))
    assert drawn[0] == drawn[1]
