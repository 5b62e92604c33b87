"""Tests on items beside what users would do instead, and a race of a million items.

The packages pauc and evalsig are measured if they are installed; otherwise the same steps, written
here, stand in for them.
"""

from __future__ import annotations

import json
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.stats import norm, rankdata
from timing import Row, ratio_of

import outperform as op

N_MODELS, N_RANKED = 20, 100_000
N_FLIPPED, DRAWS, DRAWN = 14_042, 10_000, 1_000
N_RACED, ROUNDS = 1_000_000, 3
MEGABYTE = 1e6


def measure() -> list[Row]:
    return [*_areas(), *_signs(), *_races()]


def _areas() -> list[Row]:
    """All pairs of areas at once, beside the usual function of two models in a loop."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_RANKED)
    shown = rng.normal(size=(N_MODELS, N_RANKED)) + y * np.linspace(0.8, 1.2, N_MODELS)[:, None]
    chances = {f"m{i}": 1 / (1 + np.exp(-row)) for i, row in enumerate(shown)}
    pairs = [(i, j) for i in range(N_MODELS) for j in range(i + 1, N_MODELS)]
    timed = pairs[:: len(pairs) // 10][:10]

    two_areas, peer = _peer_of_areas(y, chances)

    def ours() -> object:
        return _all_areas(y, chances).to_dict()

    def theirs() -> object:
        return [two_areas(f"m{i}", f"m{j}") for i, j in timed]

    found = _all_areas(y, chances)
    for i, j in timed:  # both say the same
        p = two_areas(f"m{i}", f"m{j}")  # of a tail, 1 − Φ has but a few digits
        assert np.isclose(np.exp(found[f"m{i}", f"m{j}"].log_pvalue), p, rtol=1e-6, atol=1e-15)
    ratio = ratio_of(ours, theirs, rounds=ROUNDS, their_share=len(timed) / len(pairs))
    what = f"DeLong, all {len(pairs)} pairs of {N_MODELS} models, n = {N_RANKED:,}, vs. a pair loop"
    return [Row(what, ratio, 20, note=f"{peer}, timed on {len(timed)} pairs")]


def _peer_of_areas(y: Any, chances: Any) -> tuple[Callable[[str, str], float], str]:
    """Return DeLong's p-value of two models by the quickest package that is right, and its name.

    MLstatkit takes three times as long as pauc, whose curves are made once for each model.
    """
    if find_spec("pauc") is None:
        return (
            lambda a, b: _two_areas(y, chances[a], chances[b]),
            "Sun and Xu's algorithm by scipy's ranks",
        )
    from pauc import ROC
    from pauc.stats import compare

    curves = {name: ROC(y, chance) for name, chance in chances.items()}
    return lambda a, b: float(compare(curves[a], curves[b]).p_value), f"pauc {_version('pauc')}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def _all_areas(y: Any, chances: Any) -> op.Comparison:
    items = op.Items.from_probabilities(y, chances, metric="roc_auc")  # ranks are not kept
    return op.compare(items, adjust="none")


def _two_areas(y: Any, a: Any, b: Any) -> float:
    """Return p of DeLong's test of two models, as packages do it: midranks for each pair."""
    parts = []
    for scores in (a, b):
        x, z = scores[y == 1], scores[y == 0]
        rank = rankdata(np.concatenate([x, z]))
        v10 = (rank[: x.size] - rankdata(x)) / z.size
        v01 = 1 - (rank[x.size :] - rankdata(z)) / x.size
        parts.append((v10, v01))
    (a10, a01), (b10, b01) = parts
    s10, s01 = np.cov(a10, b10), np.cov(a01, b01)
    contrast = np.array([1.0, -1.0])
    variance = contrast @ (s10 / a10.size + s01 / a01.size) @ contrast
    z = (a10.mean() - b10.mean()) / np.sqrt(variance)
    return float(2 * norm.sf(abs(z)))


def _signs() -> list[Row]:
    """The exact test by convolution, beside permutations that are drawn all at once."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, (2, N_FLIPPED)).astype(float)
    flipped, peer = _peer_of_signs(rng)

    def ours() -> object:
        return op.sign_flip(a, b)

    def theirs() -> object:
        return flipped(a, b)

    assert abs(op.sign_flip(a, b).pvalue - flipped(a, b)) < 0.05  # of 1,000 draws
    ratio = ratio_of(ours, theirs, rounds=ROUNDS, our_runs=5, their_share=DRAWN / DRAWS)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / MEGABYTE
    tracemalloc.stop()
    what = f"exact sign-flip test, {N_FLIPPED:,} integer scores"
    note = f"{peer}; timed on {DRAWN:,} of {DRAWS:,} draws, its default, scaled up"
    return [
        Row(f"{what}, vs. random signs and a bootstrap interval", ratio, 50, note=note),
        Row(f"{what}: peak memory in MB", peak, 100, floor=False, note="tracemalloc"),
    ]


def _peer_of_signs(rng: np.random.Generator) -> tuple[Callable[[Any, Any], float], str]:
    """Return p by random signs and an interval by the bootstrap, as evalsig does both at once."""
    if find_spec("evalsig") is not None:
        from evalsig.inference.paired import paired_permutation_test

        return (
            lambda a, b: float(paired_permutation_test(a, b, n_resamples=DRAWN).p_value),
            f"evalsig {_version('evalsig')}",
        )

    def drawn(a: Any, b: Any) -> float:
        d = a - b
        signs = rng.choice(np.array([-1.0, 1.0]), (DRAWN, d.size))
        extreme = np.abs((signs * d).mean(axis=1)) >= abs(d.mean())
        means = d[rng.integers(0, d.size, (DRAWN, d.size))].mean(axis=1)
        np.quantile(means, [0.025, 0.975])
        return float((extreme.sum() + 1) / (DRAWN + 1))

    return drawn, "the steps of evalsig, which is not installed"


def _races() -> list[Row]:
    """A race of equal models, which goes through all items, beside reading them."""
    with tempfile.TemporaryDirectory() as folder:
        logs = [_written(Path(folder) / f"{name}.jsonl", seed) for seed, name in enumerate("ab")]
        ratios = []
        for _ in range(ROUNDS):
            began = time.process_time()
            items = op.Items.read(*logs)
            middle = time.process_time()
            found = op.race(items, random_state=1)
            ratios.append((time.process_time() - middle) / (middle - began))
    assert found.n > 0.9 * N_RACED, found.n
    peaks = [_peak(items.at(np.arange(n))) for n in (N_RACED // 10, N_RACED)]
    what = f"race of {N_RACED:,} items"
    return [
        Row(f"{what} / reading its two logs", median(ratios), 5, floor=False, note="JSONL"),
        Row(
            f"{what} / of a tenth of them: memory beyond the scores and their order",
            peaks[1] / peaks[0],
            1.25,
            floor=False,
            note=f"{peaks[0]:.1f} and {peaks[1]:.1f} MB, tracemalloc",
        ),
    ]


def _written(path: Path, seed: int) -> str:
    right = np.random.default_rng(seed).random(N_RACED) < 0.7
    with path.open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"item": f"q{i}", "model": path.stem, "score": int(one)}) + "\n"
            for i, one in enumerate(right.tolist())
        )
    return str(path)


def _peak(items: Any) -> float:
    """Return the megabytes that a watch takes beyond what it is given, block by block."""
    from outperform.verbs.race_watch import RaceWatch

    a, b = items.means
    order = np.random.default_rng(1).permutation(a.size)
    tracemalloc.start()
    watch = RaceWatch(n_items=a.size)
    for at in range(0, a.size, 4096):
        if watch.take(a[order[at : at + 4096]], b[order[at : at + 4096]]):
            break
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / MEGABYTE
