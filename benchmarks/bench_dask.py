"""Two workers of a Dask cluster against half of the serial time, on tasks batched by the engine."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
from bench_engine import ideal_of_two, load, ratio
from joblib import parallel_config
from sklearn.tree import DecisionTreeClassifier
from timing import Row, interleaved

import outperform as op

DESIGN, FITS = "50x10cv", 500


def measure() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(_two_workers())


def _two_workers() -> Iterator[Row]:
    from distributed import Client, LocalCluster

    X, y = load("breast_cancer")
    tree = {"tree": DecisionTreeClassifier(random_state=0)}
    serial = partial(op.run, tree, X, y, design=DESIGN, random_state=1)

    def dask() -> op.Scores:
        with parallel_config("dask"):
            return serial()

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        times = interleaved([serial, dask], clock=time.perf_counter, budget=20, rounds=(3, 9))
    each = np.median(times[:, 0]) / FITS * 1e3
    note = (
        f"{FITS} fits of {each:.0f} ms; {ideal_of_two() / 2:.2f} is what two processes reach here"
    )
    yield Row(
        "Dask, 2 workers: share of half the serial time", ratio(times, 0, 1) / 2, 0.7, note=note
    )
