"""Measure tests on the cases of the table, and add up counts in a small file that grows.

Only sums are kept, for each case and test, with the blocks of experiments that went into them: a
block has a seed of its own, and is never counted twice. Development and reporting have different
seeds. What is chosen (the unit of power, the truth in a pool) is settled by development seeds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..numerics.exact_sums import Array
from ..registry import get
from ..views import Contingency
from .batch_contests import BatchContest
from .batch_learners import FoldLabels
from .calibration_cases import CASES, CalibrationCase, Tested
from .fold_views import views_of
from .scenarios import Pool, reading
from .truth import Mean, mean_of

SCHEMA = "outperform/calibration/1"
DEVELOPMENT, REPORTING = 20261201, 20270101
"""Seeds; those of the test suite's gates and of docs/calibrated.md are others still."""
COLUMNS = (
    *("experiments", "undefined", "at_5", "at_1", "shifted", "power_1", "power_2", "power_3"),
    *("pairs", "same_0", "same_2"),
)
"""What is counted: experiments; those without a p-value; rejections at 5 % and 1 %; tests of a
hypothesis that is off by 1, 2 and 3 units either way, and rejections of each; datasets that were
partitioned twice, and equal verdicts on them at the null and, either way, 2 units off."""
PAIRED = 4
"""Every so many blocks the same datasets are partitioned again."""
UNITS = (1, 2, 3)
PILOT = "10x10cv"
"""Power is measured at multiples of the standard error of the mean over this design."""
PILOTS = 400
"""Experiments that settle the unit."""
N_TRUTH, AT_ONCE = 1000, 100
"""Training sets of each size that settle the truth of a pool, and how many are drawn at once."""
SHARES = (0.1, 0.25, 0.5, 1.0)
"""All cases come to a share of their target before any goes on to the next."""
SECOND = 0x5EC0
"""The word of the seed of another partition of the same datasets."""


@dataclass
class CountedTest:
    """What was counted of one test on one case, and in which blocks."""

    blocks: set[int] = field(default_factory=set)
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(COLUMNS), np.int64))

    def __getitem__(self, name: str) -> int:
        return int(self.counts[COLUMNS.index(name)])

    def add(self, block: int, counts: npt.NDArray[np.int64]) -> None:
        if block in self.blocks:
            raise DataError(f"Block {block} was counted already; each block counts once")
        self.blocks.add(block)
        self.counts = self.counts + counts


@dataclass
class CaseCounts:
    """The counts of every test on one case, the unit of power, and the truth by training size."""

    unit: float
    truth: dict[int, float] = field(default_factory=dict)
    tallies: dict[str, CountedTest] = field(default_factory=dict)


def settled(case: CalibrationCase, pilots: int | None = None) -> CaseCounts:
    """Measure on development seeds the standard error of a mean, and the truth of a pool."""
    contest = case.contest()
    wanted = pilots or PILOTS
    asked, means = reading("corrected_t", PILOT), []
    for block in range(-(-wanted // contest.block)):
        seed = seed_of(case, block, DEVELOPMENT)
        view: Any = contest.draw([asked], contest.block, seed)[asked]
        means.append(view.mean)
    truth = {}
    if isinstance(contest.source, Pool):
        sizes = sorted({n_train(one, case.n) for one in case.tests})
        many = N_TRUTH if pilots is None else 10 * pilots
        truth = {size: pool_truth(contest, size, many, DEVELOPMENT).mean for size in sizes}
    return CaseCounts(float(np.concatenate(means).std(ddof=1)), truth)


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


def n_train(one: Tested, n: int) -> int:
    """Return on how many items the models are trained that a test is about."""
    return int(reading(one.method, one.design).design.sizes(n).n_train[-1 if one.half else 0])


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
        null = known.truth.get(n_train(one, case.n), 0.0)
        apart = [units * known.unit for units in UNITS]
        found[one.label] = tallied([pvalues(one, view, null, apart) for view in views])
    return found


def repartitioned(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed of another partition of the datasets of a seed."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, SECOND))


def evidence_at(one: Tested, view: Any, null: float) -> Any:
    """Apply a test to a hypothesis; tests of counts know one null alone."""
    asked = view if isinstance(view, Contingency) else replace(view, null=null)
    return get(one.method).on(asked, **dict(one.options))


def pvalues(one: Tested, view: Any, null: float, apart: Sequence[float]) -> Array:
    """Return p-values at the null, and at hypotheses so far off, either way.

    The shape is (7, experiments) for three differences, and (1, experiments) of a test that knows
    one null alone.
    """
    nulls = [null]
    if not isinstance(view, Contingency):
        nulls += [null + side * by for by in apart for side in (1, -1)]
    return np.stack([evidence_at(one, view, mu).pvalue() for mu in nulls])


def tallied(p: Sequence[Array]) -> npt.NDArray[np.int64]:
    """Count what p-values say, of one partition or of two of the same datasets."""
    rejects = p[0] < 0.05
    by_units = [int(rejects[at : at + 2].sum()) for at in (1, 3, 5)]
    same = [0, 0]
    if len(p) > 1:
        agree = rejects == (p[1] < 0.05)
        same = [int(agree[0].sum()), int(agree[3:5].sum())]
    n = p[0].shape[1]
    return np.array(
        [
            n,
            int(np.isnan(p[0][0]).sum()),
            int(rejects[0].sum()),
            int((p[0][0] < 0.01).sum()),
            2 * n if len(p[0]) > 1 else 0,
            *by_units,
            n if len(p) > 1 else 0,
            *same,
        ],
        dtype=np.int64,
    )


class CountsFile:
    """The file of counts: read when opened, written whole, never half."""

    def __init__(self, path: Path | None, seed: int = REPORTING) -> None:
        self.path, self.seed = path, seed
        self.cases: dict[str, CaseCounts] = {}
        if path is not None and path.exists():
            try:
                kept = json.loads(path.read_text(encoding="utf-8"))
            except ValueError:  # no JSON, or no text at all
                kept = None
            except OSError as error:
                raise DataError(f"{path} cannot be read: {error.strerror}") from None
            self._read(kept if isinstance(kept, dict) else {})

    def _read(self, kept: dict[str, Any]) -> None:
        if kept.get("schema") != SCHEMA or kept.get("columns") != list(COLUMNS):
            raise DataError(f"{self.path} does not contain counts of this version; use a new file")
        if kept.get("seed") != self.seed:
            raise DataError(
                f"{self.path} has experiments of the seed {kept.get('seed')}, not {self.seed}; use "
                "another file"
            )
        try:
            self.cases = {name: _case_of(row) for name, row in kept["cases"].items()}
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            raise DataError(f"{self.path} is damaged; use a new file") from None

    def write(self) -> None:
        """Write one line for each case and test, so that changes can be read."""
        if self.path is None:
            return
        cases = []
        for name in sorted(self.cases, key=lambda name: [*CASES, name].index(name)):
            one = self.cases[name]
            rows = [
                f"   {json.dumps(label)}: {json.dumps([ranges(t.blocks), t.counts.tolist()])}"
                for label, t in one.tallies.items()
            ]
            head = f'  "unit": {one.unit!r}, "truth": {json.dumps(one.truth)}, "tests": {{\n'
            cases.append(f" {json.dumps(name)}: {{\n{head}" + ",\n".join(rows) + "}}")
        top = f'"schema": "{SCHEMA}", "seed": {self.seed}, "columns": {json.dumps(COLUMNS)}'
        text = f'{{{top}, "cases": {{\n' + ",\n".join(cases) + "}}\n"
        new = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(text, encoding="utf-8")
            os.replace(new, self.path)
        except OSError as error:
            raise DataError(f"{self.path} cannot be written: {error.strerror}") from None
        finally:
            with suppress(OSError):
                new.unlink()

    def tally(self, case: str, label: str) -> CountedTest:
        return self.cases[case].tallies.setdefault(label, CountedTest())


def _case_of(row: Any) -> CaseCounts:
    """Return the counts of a case as a file has them; of what is damaged, some error."""
    tallies = {}
    for label, (blocks, counts) in row["tests"].items():
        found = np.array(counts, dtype=np.int64)
        if found.shape != (len(COLUMNS),) or (found < 0).any():
            raise ValueError(f"counts of {label}")
        tallies[label] = CountedTest(blocks_of(blocks), found)
    truth = {int(n): float(mean) for n, mean in row["truth"].items()}
    return CaseCounts(float(row["unit"]), truth, tallies)


def run_cases(
    counts: CountsFile,
    cases: Iterable[CalibrationCase],
    *,
    reps: int | None = None,
    tests: Sequence[Tested] | None = None,
    pilots: int | None = None,
    said: Callable[[str], object] = lambda words: None,
) -> None:
    """Run what is missing until every test of every case has its experiments; write as it goes."""
    chosen = list(cases)
    for share in SHARES if len(chosen) > 1 else (1.0,):
        for case in chosen:
            size = case.contest().block
            wanted = -(-round(share * (reps or case.target)) // size)
            asked = case.tests if tests is None else [one for one in case.tests if one in tests]
            for block in range(wanted):
                known = counts.cases.get(case.name)
                if known is None:
                    known = counts.cases[case.name] = settled(case, pilots)
                lacking = [
                    one for one in asked if block not in counts.tally(case.name, one.label).blocks
                ]
                if not lacking:
                    continue
                for label, row in counted(case, lacking, known, block, counts.seed).items():
                    counts.tally(case.name, label).add(block, row)
                counts.write()
            aim = -(-(reps or case.target) // size) * size  # blocks are run whole
            said(f"{case.name}: {wanted * size} of {aim} experiments")


def ranges(blocks: set[int]) -> str:
    """Return block numbers as text: "0-214,216"."""
    parts: list[list[int]] = []
    for block in sorted(blocks):
        if parts and parts[-1][1] == block - 1:
            parts[-1][1] = block
        else:
            parts.append([block, block])
    return ",".join(f"{first}-{last}" for first, last in parts)


def blocks_of(text: str) -> set[int]:
    """Read block numbers that `ranges` wrote."""
    pairs = (part.split("-") for part in text.split(",") if part)
    return {block for first, last in pairs for block in range(int(first), int(last) + 1)}
