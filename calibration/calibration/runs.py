"""Measure tests on the cases of the public benchmark, block by block.

Development and reporting have different seeds. What is chosen (the unit of power, the truth in a
pool) is settled by development seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from outperform.engine.environment import pinned
from outperform.engine.progress import Progress
from outperform.lab.scenarios import Pool, reading
from outperform.lab.tested import (
    PAIRED,
    UNITS,
    Mean,
    Tested,
    mean_of,
    n_train,
    pvalues,
    repartitioned,
    tallied,
)

from .batch_contests import BatchContest
from .cases import CalibrationCase
from .counts import DEVELOPMENT, REPORTING, CaseCounts, CountsFile
from .fold_labels import FoldLabels
from .fold_views import views_of

PILOT = "10x10cv"
"""Power is measured at multiples of the standard error of the mean over this design."""
PILOTS = 400
"""Experiments that settle the unit."""
N_TRUTH, AT_ONCE = 1000, 100
"""Training sets of each size that settle the truth of a pool, and how many are drawn at once."""
SHARES = (0.1, 0.25, 0.5, 1.0)
"""All cases come to a share of their target before any goes on to the next."""


def settled(case: CalibrationCase, pilots: int | None = None) -> CaseCounts:
    """Measure on development seeds the standard error of a mean, and the truth of a pool."""
    contest = case.contest()
    wanted = pilots or PILOTS
    asked, means = reading("corrected_t", PILOT), []
    for block in range(-(-wanted // contest.block)):
        seed = seed_of(case, block, DEVELOPMENT)
        view: Any = contest.draw([asked], contest.block, seed)[asked]
        means.append(view.mean)
    return CaseCounts(float(np.concatenate(means).std(ddof=1)), truth_of(case, {}, pilots))


def truth_of(
    case: CalibrationCase, known: Mapping[int, float], pilots: int | None = None
) -> dict[int, float]:
    """Return the difference at each training size that the tests of a case are about.

    It is 0 in a mirror; in a pool, what is not known yet is measured on development seeds.
    """
    contest, sizes = case.contest(), sorted({n_train(one, case.n) for one in case.tests})
    if not isinstance(contest.source, Pool):
        return {}
    many = N_TRUTH if pilots is None else 10 * pilots
    return {
        size: known[size] if size in known else pool_truth(contest, size, many, DEVELOPMENT).mean
        for size in sizes
    }


def pool_truth(contest: BatchContest, size: int, many: int, seed: int) -> Mean:
    """Return how much better the first learner is in a pool after training on so many items.

    Models trained on random items of the pool are tested on all others.
    """
    pool: Any = contest.source
    X, y = np.asarray(pool.X, dtype=np.float64)[None], np.asarray(pool.y, dtype=np.float64)[None]
    rng, gaps = np.random.default_rng([seed, size]), []
    for start in range(0, many, AT_ONCE):
        labels = np.zeros((1, min(AT_ONCE, many - start), pool.n), dtype=np.int8)
        for row in labels[0]:
            row[rng.permutation(pool.n)[:size]] = 1
        gaps.append(contest.outcomes((X, X, y), FoldLabels(labels, 1)).fold_gaps()[0, :, 0])
    return mean_of(np.concatenate(gaps))


def seed_of(case: CalibrationCase, block: int, seed: int = REPORTING) -> np.random.SeedSequence:
    """Return the seed of a block: it belongs to the case and the block alone."""
    key = int.from_bytes(sha256(case.key.encode()).digest()[:4], "big")
    return np.random.SeedSequence(seed, spawn_key=(key, block))


def counted(
    case: CalibrationCase,
    tests: Sequence[Tested],
    known: CaseCounts,
    block: int,
    seed: int = REPORTING,
) -> dict[str, npt.NDArray[np.int64]]:
    """Run one block of experiments; return the counts of each test."""
    contest: Any = case.contest()
    at = seed_of(case, block, seed)
    data = contest.datasets(contest.block, at)
    readings = list(dict.fromkeys(reading(one.method, one.design) for one in tests))
    seeds = [at] if block % PAIRED else [at, repartitioned(at)]
    shown = [views_of(contest, readings, data, each) for each in seeds]
    found = {}
    for one in tests:
        views = [each[reading(one.method, one.design)] for each in shown]
        null = known.truth[n_train(one, case.n)] if known.truth else 0.0
        apart = [units * known.unit for units in UNITS]
        found[one.label] = tallied([pvalues(one, view, null, apart) for view in views])
    return found


def run_cases(
    counts: CountsFile,
    cases: Iterable[CalibrationCase],
    *,
    reps: int | None = None,
    tests: Sequence[Tested] | None = None,
    pilots: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Run what is missing until every test of every case has its experiments; write as it goes."""
    chosen = list(cases)

    def lacking(case: CalibrationCase, share: float) -> Iterator[tuple[int, list[Tested]]]:
        asked = case.tests if tests is None else [one for one in case.tests if one in tests]
        for block in range(-(-round(share * (reps or case.target)) // case.contest().block)):
            left = [one for one in asked if block not in counts.blocks(case.name, one.label)]
            if left:
                yield block, left

    if progress is not None:
        progress.total = sum(case.contest().block for case in chosen for _ in lacking(case, 1.0))
    with pinned():
        for share in SHARES if len(chosen) > 1 else (1.0,):
            for case in chosen:
                for block, left in lacking(case, share):
                    known = counts.cases.get(case.name)
                    if known is None:
                        known = counts.cases[case.name] = settled(case, pilots)
                    known.truth = truth_of(case, known.truth, pilots)
                    for label, row in counted(case, left, known, block, counts.seed).items():
                        counts.tally(case.name, label).add(block, row)
                    counts.write()
                    if progress is not None:
                        progress.add(case.contest().block)
                if progress is not None and share == SHARES[-1]:
                    progress.say(f"{case.name}: done")
