"""Studies: Figure 5 through `study`, Bouckaert & Frank's simulation, workers, time and memory."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from bench_engine import ideal_of_two
from bench_population import EPSILONS, PUBLISHED, SAMPLE, _forget, user_loop
from timing import Row, interleaved, ratio_of

from outperform.designs import parse
from outperform.lab.contests import Contest
from outperform.lab.populations import DesignedPopulation
from outperform.lab.scenarios import Mirror
from outperform.lab.studies import study
from reproduction.bayesian_networks import BayesianNetwork
from reproduction.exact import FIVE
from reproduction.learners import NearestNeighbor

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
MINUTE = 65.0
"""Seconds that a study takes which is shared by two processes, and a little for the clock."""


def measure() -> list[Row]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        rows = [_figure(), *_growth(), *_bouckaert_frank()]
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
    note = "every p-value kept; tables rebuilt each time"
    return Row("Figure 5 through op.study, vs. user loop", ratio, 120, note=note)


def _growth() -> list[Row]:
    population = DesignedPopulation(0.2)
    few, many = 32 * population.block, 128 * population.block
    spent = interleaved(
        [partial(study, FIVE, population, n_reps=n, random_state=0) for n in (few, many)],
        budget=30,
        rounds=(3, 7),
    )
    times = float(np.median(spent[:, 1] / spent[:, 0])) / 4
    few_grown, many_grown = (median(_grown(n) for _ in range(3)) for n in (few, many))
    return [
        Row(
            "four times the experiments, time / 4",
            times,
            1.15,
            floor=False,
            note=f"{few:,} and {many:,} experiments, five tests",
        ),
        Row(
            "four times the experiments, memory",
            many_grown / few_grown,
            1.25,
            floor=False,
            note=f"{few_grown:.0f} and {many_grown:.0f} MiB beyond those of a study of 2 blocks, "
            "fresh processes",
        ),
    ]


GROWN = """
from pathlib import Path
from outperform.lab.populations import DesignedPopulation
from outperform.lab.studies import study
from reproduction.exact import FIVE

def most():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

population = DesignedPopulation(0.2)
study(FIVE, population, n_reps=2 * population.block, random_state=0).rates()
before = most()
study(FIVE, population, n_reps={n}, random_state=0).rates()
print(most() - before)
"""


def _grown(n: int) -> float:
    """Return by how many MiB a study raises the most that a fresh process ever held.

    A short study goes before, so that what is imported, and the tables, count for nothing. The
    kernel's mark of this process is read: `ru_maxrss` begins with that of the one that started it.
    """
    ran = subprocess.run(
        [sys.executable, "-c", GROWN.format(n=n)], check=True, capture_output=True, text=True
    )
    return float(ran.stdout)


def _bouckaert_frank() -> list[Row]:
    from reproduction.bayesian_networks import BinaryContest

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
        Row(
            "Bouckaert & Frank 4.4, minutes on 2 cores, by CPU time",
            ours / 120,
            5,
            floor=False,
            note=note,
        ),
        Row(
            "Bouckaert & Frank 4.4 vs. scikit-learn refits",
            theirs / ours,
            120,
            note=f"DecisionTreeClassifier and CategoricalNB, {REFITS} splits timed",
        ),
    ]


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
    """Time a study of learners that takes one process a minute: 1-NN on mirrored features."""
    learner = NearestNeighbor()
    contest = Contest(Mirror(), learner, learner, n=200)

    def seconds(n: int, n_jobs: int) -> float:
        began = time.perf_counter()
        study([("corrected_t", "10x10cv")], contest, n_reps=n, random_state=0, n_jobs=n_jobs)
        return time.perf_counter() - began

    seconds(16, 2)  # starts the workers
    seconds(16, 1)
    n = int(np.ceil(MINUTE / (seconds(100, 1) / 100)))
    before = ideal_of_two()
    alone, together = seconds(n, 1), seconds(n, 2)
    ideal = (before + ideal_of_two()) / 2
    note = (
        f"{n:,} experiments of 200 fits, {alone:.0f} and {together:.0f} s; {ideal:.2f} is what two "
        "processes reach here"
    )
    return Row(
        "a study of a minute in 2 processes vs. 1, wall clock", alone / together, 1.8, note=note
    )
