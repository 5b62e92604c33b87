"""Learners over datasets: beside scikit-posthocs, baycomp, and the time NumPy needs to rank."""

from __future__ import annotations

import resource
import time
from dataclasses import replace
from typing import Any

import numpy as np
from timing import Row, Table, ratio_of

import outperform as op

SAMPLE = 3
"""Pairs on which baycomp is timed; the others take as long."""


def measure() -> list[Row | Table]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return [_all_pairs(20, 100), _posteriors(10, 50), *_large(50, 1000), _model(30, 100)]


def _scores(k: int, n: int) -> op.Scores:
    rng = np.random.default_rng(k)
    level = rng.uniform(0.6, 0.95, n) + rng.normal(0, 0.01, (k, 1))
    values = np.round(level + rng.normal(0, 0.02, (k, n)), 4)
    names = tuple(f"m{i}" for i in range(k))
    datasets = tuple(f"d{i}" for i in range(n))
    return op.Scores(names, values, np.zeros((n, 3), dtype=np.int64), datasets=datasets)


def _judged(scores: op.Scores) -> tuple[Any, ...]:
    """Ranks, Friedman, Nemenyi, Wilcoxon with Holm and Shaffer, wins, ties and losses."""
    compared = op.compare(scores, adjust="holm")
    shaffer = replace(compared, adjust="shaffer").adjusted()
    wins = op.Benchmark.of(scores).tally()
    nemenyi = op.nemenyi(scores)
    friedman = op.friedman(scores).pvalue
    return friedman, compared.adjusted(), shaffer, nemenyi.adjusted(), wins


def _all_pairs(k: int, n: int) -> Row:
    import pandas as pd
    import scikit_posthocs as sp
    from scipy import stats

    scores = _scores(k, n)
    frame = pd.DataFrame(scores.values.T, columns=scores.names)
    long = frame.melt(var_name="learner", value_name="score")

    def glue() -> tuple[Any, ...]:
        friedman = stats.friedmanchisquare(*frame.to_numpy().T).pvalue
        nemenyi = sp.posthoc_nemenyi_friedman(frame)
        holm = sp.posthoc_wilcoxon(long, "score", "learner", p_adjust="holm", zero_method="pratt")
        signs = [[(frame[a] > frame[b]).sum() for b in frame] for a in frame]
        ties = [[(frame[a] == frame[b]).sum() for b in frame] for a in frame]
        return friedman, holm, None, nemenyi, (signs, ties)

    found, theirs = _judged(scores), glue()
    np.testing.assert_allclose(found[0], theirs[0], rtol=1e-9)
    i, j = np.triu_indices(k, 1)
    np.testing.assert_allclose(found[3], theirs[3].to_numpy()[i, j], atol=1e-6)
    ratio = ratio_of(lambda: _judged(scores), glue, rounds=5)
    what = f"all pairs of {k} learners × {n} datasets: Friedman, Nemenyi, Wilcoxon, wins"
    said = "scikit-posthocs with glue, no figures; ours exact, and with Shaffer"
    return Row(what, ratio, 10.0, note=said)


def _posteriors(k: int, n: int) -> Row:
    import baycomp

    scores = _scores(k, n)
    pairs = k * (k - 1) // 2

    def ours() -> Any:
        return op.compare(scores, method="bayesian_signed_rank").outcomes(rope=0.01)

    def peer() -> list[Any]:
        return [
            baycomp.SignedRankTest.probs(scores.values[0], scores.values[i], 0.01, nsamples=50_000)
            for i in range(1, SAMPLE + 1)
        ]

    ratio = ratio_of(ours, peer, rounds=3, their_share=SAMPLE / pairs)
    what = f"Bayesian signed-rank, 50,000 draws, all pairs of {k} learners × {n} datasets"
    return Row(what, ratio, 20.0, note="baycomp, pair by pair")


def _large(k: int, n: int) -> list[Row]:
    scores = _scores(k, n)
    table = np.ascontiguousarray(scores.values.T)
    pairs = k * (k - 1) // 2

    def ranks() -> None:
        for _ in range(pairs // 25):
            np.argsort(np.argsort(table, axis=1, kind="stable"), axis=1, kind="stable")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _judged(scores)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    share = (pairs // 25) / pairs
    slower = 1 / ratio_of(lambda: _judged(scores), ranks, rounds=3, their_share=share)
    what = f"{n:,} datasets × {k} learners, {pairs:,} pairs"
    return [
        Row(f"{what}: over NumPy ranking the table once per pair", slower, 10.0, floor=False),
        Row(f"{what}: memory, MB", grown, 500.0, floor=False),
    ]


def _model(n: int, splits: int) -> Table:
    rng = np.random.default_rng(0)
    x = rng.normal(0, 0.03, (n, 1)) + rng.normal(0, 0.05, (n, splits))
    began = time.process_time()
    op.hierarchical(x, rho=0.1).probabilities(0.01)
    spent = time.process_time() - began
    line = (f"{n} datasets × {splits} splits", f"{spent:.1f}")
    return Table("Hierarchical model, one pair (no peer: Stan)", ("size", "CPU s"), (line,))
