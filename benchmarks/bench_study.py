"""Studies: Figure 5 through `study`, Bouckaert & Frank's simulation, workers, time and memory."""

from __future__ import annotations

import time
import tracemalloc
from importlib.util import find_spec
from typing import Any

import numpy as np
from bench_population import EPSILONS, PUBLISHED, SAMPLE, _forget, user_loop
from timing import Row, ratio_of

from outperform.designs import parse
from outperform.lab.designed import DesignedPopulation
from outperform.lab.networks import BayesianNetwork
from outperform.lab.studies import study
from outperform.lab.trials import FIVE

TESTS = [
    ("five_by_two_t", "5x2cv"),
    ("kfold_t", "10cv"),
    ("corrected_t", "10xresampled@1/10"),
    ("corrected_t", "100xresampled@1/10"),
    ("corrected_t", "10x10cv"),
]
SOURCES, SETS, REPEATED = 4, 1000, 10
SHARE = 10
"""Datasets of each source that are timed, for 1,000."""
REFITS = 40
"""Splits on which scikit-learn is timed."""


def measure() -> list[Row]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        rows = [_figure(), *_growth()]
        if find_spec("numba") is not None:
            rows += _bouckaert_frank()
    return [*rows, _workers()]


def _figure() -> Row:
    def ours() -> list[Any]:
        _forget()
        return [
            study(FIVE, DesignedPopulation(eps), n_reps=PUBLISHED, random_state=0).rates()
            for eps in EPSILONS
        ]

    ours()
    share = SAMPLE / (PUBLISHED * len(EPSILONS))
    ratio = ratio_of(ours, lambda: user_loop(0.2, SAMPLE), rounds=5, their_share=share)
    note = "every p-value kept; tables built anew each time"
    return Row("Figure 5 through op.study, v. user loop", ratio, 120, note=note)


def _growth() -> list[Row]:
    population = DesignedPopulation(0.2)

    def spent(n: int) -> float:
        began = time.process_time()
        study(FIVE, population, n_reps=n, random_state=0)
        return time.process_time() - began

    few, many = 8 * population.block, 32 * population.block
    spent(few)
    ratio = float(np.median([spent(many) / spent(few) for _ in range(3)])) / 4
    peaks = [_peak(population, n) for n in (few, many)]
    return [
        Row("four times the experiments, time / 4", ratio, 1.15, floor=False,
            note=f"{few:,} and {many:,} experiments, five tests"),
        Row("four times the experiments, peak memory", peaks[1] / peaks[0], 1.25, floor=False,
            note=f"{peaks[1] / 2**20:.0f} MiB beyond the ledger"),
    ]  # fmt: skip


def _peak(population: DesignedPopulation, n: int) -> float:
    """Return the most that Python and NumPy held; the ledger itself is SQLite's."""
    tracemalloc.start()
    study(FIVE, population, n_reps=n, random_state=0).rates()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)


def _bouckaert_frank() -> list[Row]:
    from outperform.lab.binary_contests import BinaryContest

    bans = [BayesianNetwork.ban(number) for number in range(1, SOURCES)]
    networks = [BayesianNetwork.independent(0), *bans]
    contests = [BinaryContest(network, repeated=REPEATED) for network in networks]
    study(TESTS, contests[0], n_reps=REPEATED, random_state=0)  # compiles
    began = time.process_time()
    for contest in contests:
        study(TESTS, contest, n_reps=SHARE * REPEATED, random_state=0)
    ours = (time.process_time() - began) * SETS / SHARE
    n_splits = sum(parse(design).n_splits() for _, design in TESTS)
    fits = n_splits * SOURCES * SETS * REPEATED
    theirs = _refit_seconds(bans[0]) * fits
    note = f"{2 * fits / 1e6:.1f} million fits, {SHARE} of {SETS:,} datasets timed, scaled up"
    return [
        Row("Bouckaert & Frank 4.4, minutes on 2 cores, by CPU time", ours / 120, 5, floor=False,
            note=note),
        Row("Bouckaert & Frank 4.4 v. scikit-learn refits", theirs / ours, 150,
            note=f"DecisionTreeClassifier and CategoricalNB, {REFITS} splits timed"),
    ]  # fmt: skip


def _refit_seconds(network: BayesianNetwork) -> float:
    """Return the CPU time of one split: both learners fitted, both predictions made."""
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.tree import DecisionTreeClassifier

    data = network.draw(300, np.random.default_rng(0))
    X, y = np.asarray(data.X, dtype=int), np.asarray(data.y)
    learners = (CategoricalNB(min_categories=2), DecisionTreeClassifier())
    rng = np.random.default_rng(1)
    began = 0.0
    for number in range(REFITS + 3):
        if number == 3:  # the first ones warm up
            began = time.process_time()
        order = rng.permutation(300)
        train, test = order[:270], order[270:]
        for learner in learners:
            np.mean(learner.fit(X[train], y[train]).predict(X[test]) == y[test])
    return (time.process_time() - began) / REFITS


def _workers() -> Row:
    population = DesignedPopulation(0.2)
    n = 100 * population.block

    def seconds(n_jobs: int) -> float:
        began = time.perf_counter()
        study(FIVE, population, n_reps=n, random_state=0, n_jobs=n_jobs)
        return time.perf_counter() - began

    study(FIVE, population, n_reps=4 * population.block, random_state=0, n_jobs=2)  # starts them
    ratio = float(np.median([seconds(1) / seconds(2) for _ in range(3)]))
    return Row("a study in 2 processes v. 1, wall clock", ratio, 1.8, note=f"{n:,} experiments")
