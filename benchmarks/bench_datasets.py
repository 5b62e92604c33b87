"""Learners over datasets: beside scikit-posthocs, baycomp, and the time NumPy needs to rank."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from contextlib import chdir, redirect_stdout
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO, StringIO
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from timing import Row, Table, ratio_of

import outperform as op

HAS_AUTORANK = find_spec("autorank") is not None
SAMPLE = 3
"""Pairs on which baycomp is timed; the others take as long."""
ROPE = 0.01
TABLES, DRAWS, WARM_UP = 3, 10_000, 1000
"""Tables on which Stan draws, and how often in one chain: shorter ones have not settled."""
USUAL = 4 * (10_000 + WARM_UP)
"""Steps of the four chains that baycomp runs unless asked; its time is in proportion."""
REGIONS = ("worse", "equivalent", "better")


def measure() -> list[Row | Table]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return [*_all_pairs(20, 100), _posteriors(10, 50), *_large(50, 1000), *_model(30, 100)]


def _scores(k: int, n: int) -> op.Scores:
    rng = np.random.default_rng(k)
    level = rng.uniform(0.6, 0.95, n) + rng.normal(0, 0.01, (k, 1))
    values = np.round(level + rng.normal(0, 0.02, (k, n)), 4)
    names = tuple(f"m{i}" for i in range(k))
    datasets = tuple(f"d{i}" for i in range(n))
    return op.Scores(names, values, np.zeros((n, 3), dtype=np.int64), datasets=datasets)


def _judged(scores: op.Scores, compared: op.Comparison | None = None) -> tuple[Any, ...]:
    """Ranks, Friedman, Nemenyi, Wilcoxon with Holm and Shaffer, wins, ties and losses."""
    compared = compared or op.compare(scores, adjust="holm")
    shaffer = replace(compared, adjust="shaffer").adjusted()
    wins = op.Benchmark.of(scores).tally()
    nemenyi = op.nemenyi(scores)
    friedman = op.friedman(scores).pvalue
    return friedman, compared.adjusted(), shaffer, nemenyi.adjusted(), wins


def _all_pairs(k: int, n: int) -> list[Row]:
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
        return friedman, holm, _autorank(frame), nemenyi, (signs, ties)

    def drawn() -> None:
        compared = op.compare(scores, adjust="holm")
        _judged(scores, compared)
        for kind in ("cd", "matrix"):
            _saved(compared.plot(kind))

    def drawn_by_glue() -> None:
        _, holm, ranked, _, (signs, ties) = glue()
        _saved(_rank_figure(frame, holm, ranked))
        _saved(_matrix_figure(frame, holm.to_numpy(), signs, ties))

    found, theirs = _judged(scores), glue()
    np.testing.assert_allclose(found[0], theirs[0], rtol=1e-9)
    i, j = np.triu_indices(k, 1)
    np.testing.assert_allclose(found[3], theirs[3].to_numpy()[i, j], atol=1e-6)
    what = f"all pairs of {k} learners × {n} datasets: Friedman, Nemenyi, Wilcoxon, wins"
    whose = "scikit-posthocs, autorank and glue" if HAS_AUTORANK else "scikit-posthocs and glue"
    ratio = ratio_of(lambda: _judged(scores), glue, rounds=5)
    with_figures = ratio_of(drawn, drawn_by_glue, rounds=5)
    said = f"{whose}, no figures; ours exact, and with Shaffer"
    figures = f"{whose}, and matplotlib; a diagram of mean ranks and a matrix, as PDF"
    return [
        Row(what, ratio, 10.0, note=said),
        Row(f"{what}, and figures", with_figures, 10.0, note=figures),
    ]


def _autorank(frame: Any) -> Any:
    """Return what autorank finds, or None without it."""
    if not HAS_AUTORANK:
        return None
    from autorank import autorank

    with warnings.catch_warnings(), redirect_stdout(StringIO()):  # it prints its table
        warnings.simplefilter("ignore")
        return autorank(frame)


def _rank_figure(frame: Any, pvalues: Any, ranked: Any) -> Any:
    """Draw the ranks as autorank does, or else scikit-posthocs."""
    import scikit_posthocs as sp
    from matplotlib import pyplot as plt

    if ranked is not None:
        from autorank import plot_stats

        return plot_stats(ranked, allow_insignificant=True).figure
    figure, axes = plt.subplots()
    sp.critical_difference_diagram(frame.rank(axis=1, ascending=False).mean(), pvalues, ax=axes)
    return figure


def _matrix_figure(frame: Any, pvalues: Any, wins: Any, ties: Any) -> Any:
    """Draw every pair as users do by hand: an image, and three lines of text in each square."""
    from matplotlib import pyplot as plt

    means, n = frame.mean().to_numpy(), len(frame)
    shift = means[:, None] - means
    figure, axes = plt.subplots(figsize=(14, 12))
    axes.imshow(shift, cmap="RdBu")
    for (i, j), value in np.ndenumerate(shift):
        counts = f"{wins[i][j]}/{ties[i][j]}/{n - wins[i][j] - ties[i][j]}"
        words = f"{value:+.3f}\n{counts}\n{pvalues[i, j]:.3f}"
        axes.text(j, i, words, ha="center", va="center", fontsize=6)
    axes.set_xticks(range(len(means)), frame.columns)
    axes.set_yticks(range(len(means)), frame.columns)
    return figure


def _saved(figure: Any) -> None:
    from matplotlib import pyplot as plt

    figure.savefig(BytesIO(), format="pdf")
    plt.close("all")


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

    tracemalloc.start()
    _judged(scores)
    grown = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    share = (pairs // 25) / pairs
    slower = 1 / ratio_of(lambda: _judged(scores), ranks, rounds=3, their_share=share)
    what = f"{n:,} datasets × {k} learners, {pairs:,} pairs"
    return [
        Row(f"{what}: over NumPy ranking the table once per pair", slower, 10.0, floor=False),
        Row(f"{what}: peak memory in MB", grown, 500.0, floor=False, note="tracemalloc"),
    ]


def _model(n: int, splits: int) -> list[Row | Table]:
    """The hierarchical model: beside baycomp's Stan program, its sampling alone."""
    tables = [_differences(seed, n, splits) for seed in range(TABLES)]
    what = f"hierarchical model, one pair, {n} datasets × {splits} splits"
    if find_spec("stan") is None:
        began = time.process_time()
        op.hierarchical(tables[0], rho=0.1).probabilities(ROPE)
        spent = f"{time.process_time() - began:.1f}"
        title = "Hierarchical model, one pair: not compared, as pystan is not installed"
        return [Table(title, ("size", "CPU s"), ((f"{n} datasets × {splits} splits", spent),))]
    lines, ratios, far = [], [], []
    for number, x in enumerate(tables):
        began = time.perf_counter()
        found = op.hierarchical(x, rho=0.1).probabilities(ROPE)
        ours = time.perf_counter() - began
        drawn, theirs = _sampled(x)
        ratios.append(theirs / ours)
        mine = (found.worse, found.equivalent, found.better)
        for region, expected, value in zip(REGIONS, mine, drawn.T, strict=True):
            batches = value.reshape(10, -1).mean(axis=1)
            error = float(batches.std(ddof=1) / np.sqrt(10))
            far.append(abs(float(value.mean()) - expected) / error)
            cells = (f"{expected:.4f}", f"{value.mean():.4f}", f"{error:.4f}")
            lines.append((str(number + 1), region, *cells))
    share = (DRAWS + WARM_UP) / USUAL
    said = (
        "Stan's sampling alone, wall time; timed on one chain of "
        f"{DRAWS:,} draws, {median(ratios):.3g} times as long, scaled to baycomp's four of 10,000"
    )
    row = Row(f"{what} vs. baycomp", median(ratios) / share, 10.0, note=said)
    worst = Row(
        f"{what}: farthest answer from baycomp's, in Monte Carlo errors",
        max(far),
        4.0,
        floor=False,
        note=f"probabilities on the next dataset, 3 of each of {TABLES} tables",
    )
    columns = ("table", "region", "outperform", "baycomp", "Monte Carlo error")
    return [row, worst, Table("Hierarchical model: probabilities", columns, tuple(lines))]


def _differences(seed: int, n: int, splits: int) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(0.01 * seed, 0.03, (n, 1)) + rng.normal(0, 0.05, (n, splits))


def _sampled(x: Any) -> tuple[Any, float]:
    """Return baycomp's draws of the three probabilities, and the seconds Stan sampled for.

    The program is compiled, and cached, in the first call; a call keeps its draws in a file.
    """
    import baycomp
    from stan.model import Model

    spent = []
    plain = Model.sample

    def timed(self: Any, **how: Any) -> Any:
        began = time.perf_counter()
        found = plain(self, **how)
        spent.append(time.perf_counter() - began)
        return found

    Model.sample = timed
    try:
        with TemporaryDirectory() as folder, chdir(folder):
            drawn = baycomp.HierarchicalTest.sample(
                np.zeros_like(x), x, ROPE, runs=x.shape[1] // 10, chains=1, nsamples=DRAWS
            )
    finally:
        Model.sample = plain
    return drawn, spent[0]
