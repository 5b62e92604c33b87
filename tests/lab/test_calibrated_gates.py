"""Gates on the size of the calibrated test: exact nulls, and seeded bugs that must fail them.

Two copies of a learner see exchangeable features, so that every rejection is an error. A gate fails
only if as many rejections, or more, have a probability below δ = 1e-6 where 6.5 % is the truth. The
seeds were not used to develop the test.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom, t

import outperform as op
from outperform.lab import (
    BatchBayes,
    BatchContest,
    BatchNeighbor,
    BatchSelector,
    BatchStump,
    FoldLabels,
    block_seed,
    blocks,
    mirror_population,
)
from outperform.lab.batch_contests import calibration
from outperform.procedures.calibrated_t import calibrated_t

DELTA, BOUND, REPS, SEED = 1e-6, 0.065, 1640, 20261118
ECONOMY, THOROUGH = "5x5cv+20halves", "10x5cv+40halves"
CORRECTED = "corrected_t 10x10cv"
LEAN = 4.0
"""Added to log odds: a learner that is rarely moved from its class."""
CONTESTS = {
    "naive Bayes": ("A", BatchBayes(), 200),
    "1-NN": ("A", BatchNeighbor(), 200),
    "selector": ("B", BatchSelector(), 200),
    "stump": ("B", BatchStump(), 60),
}


def at_most(hits: int, n: int, bound: float = BOUND) -> bool:
    """Whether so many rejections are to be believed of a rate that is at most the bound."""
    return bool(binom.sf(hits - 1, n, bound) >= DELTA)


def upper(hits: int, n: int) -> float:
    """Return the exact upper 95 % limit of a rate."""
    return float(beta.ppf(0.975, hits + 1, n - hits))


def contest(name: str) -> BatchContest:
    population, learner, n = CONTESTS[name]
    return BatchContest(mirror_population(population), learner, learner, n=n)


@pytest.fixture(scope="module", params=CONTESTS)
def measured(request):
    asked = [("calibrated_t", ECONOMY), ("calibrated_t", THOROUGH), ("corrected_t", "10x10cv")]
    found = op.study(asked, contest(request.param), n_reps=REPS, random_state=SEED, progress=False)
    return request.param, found.rates(0.05)


def test_the_calibrated_test_keeps_its_level_in_both_designs(measured, record_property):
    name, rates = measured
    for design in (ECONOMY, THOROUGH):
        row = rates[f"calibrated_t {design}"]
        record_property(
            f"{name}, {design}", f"{row.hits} of {row.n}, at most {upper(row.hits, row.n):.4f}"
        )
        assert row.n == REPS
        assert at_most(row.hits, row.n), f"{name}, {design}: {row.rate:.4f}"
        assert row.hits > 0.005 * REPS, f"{name}, {design}: a test that never rejects"


def test_the_corrected_test_does_not_where_quality_depends_on_the_dataset(measured):
    name, rates = measured
    row = rates[CORRECTED]
    if name == "1-NN":
        assert row.rate > 0.08
    if name in ("selector", "stump"):
        assert row.rate > 0.13
        assert not at_most(row.hits, row.n), "the gate catches a size of 13 %"


# Bugs that must fail the gate


def rejected(asked, folds_of, reps: int, kernel=calibrated_t) -> int:
    """Count rejections by cross-validations of all data and of halves that a function draws."""
    hits = 0
    for number, size in blocks(reps, asked.block):
        data = asked.datasets(size, block_seed(SEED, 0, number))
        view = calibration(
            *((folds, *asked.errors(data, folds)) for folds in folds_of(data[-1], number))
        )
        hits += int((kernel.on(view).pvalue() < 0.05).sum())
    return hits


def drawn(n: int, number: int, whole: int = 5, halves: int = 5) -> tuple[FoldLabels, FoldLabels]:
    """Return 5 repeats on all data and 20 halvings, each with folds of its own number."""
    on_all = FoldLabels.of(op.parse(f"5x{whole}cv+2halves"), n, SEED + number)
    in_halves = FoldLabels.of(op.parse(f"2x{halves}cv+20halves"), n, SEED + number)
    return on_all.first(slice(0, 5)), in_halves.first(slice(2, 42))


def test_a_variance_of_one_over_the_number_of_splits_fails_the_gate():
    """Splits taken for independent experiments: var(d)/J in place of what halves measure."""

    def naive(view):
        flat = view.whole.reshape(len(view.whole), -1)
        return flat.mean(axis=-1) / np.sqrt(flat.var(axis=-1, ddof=1) / flat.shape[-1])

    for name in ("naive Bayes", "selector"):
        asked, hits = contest(name), 0
        for number, size in blocks(400, asked.block):
            data = asked.datasets(size, block_seed(SEED, 0, number))
            both = drawn(asked.n, number)
            view = calibration(*((folds, *asked.errors(data, folds)) for folds in both))
            hits += int((np.abs(naive(view)) > t.ppf(0.975, 24)).sum())
        assert not at_most(hits, 400), f"{name}: {hits} of 400"


def test_folds_that_differ_between_halves_and_whole_fail_the_gate():
    asked = contest("stump")
    right = rejected(asked, lambda y, number: drawn(asked.n, number), 400)
    wrong = rejected(asked, lambda y, number: drawn(asked.n, number, 20, 2), 400)
    assert at_most(right, 400), right
    assert not at_most(wrong, 400), wrong


def stratified(y, number: int) -> tuple[FoldLabels, FoldLabels]:
    """Return halves with equally many of each class: they vary less than samples do."""
    labels = np.full((len(y), 40, y.shape[1]), -1, dtype=np.int8)
    rng = np.random.default_rng(SEED + number)
    for at, classes in enumerate(y):
        for m in range(20):
            sides = [[], []]
            for c in (0, 1):
                items = rng.permutation(np.flatnonzero(classes == c))
                for side in (0, 1):
                    sides[side].append(items[side : len(items) // 2 * 2 : 2])
            for side in (0, 1):
                half = rng.permutation(np.concatenate(sides[side]))
                labels[at, 2 * m + side, half] = np.arange(len(half)) % 5
    return drawn(y.shape[1], number)[0], FoldLabels(labels, 5)


def test_stratified_halves_fail_the_gate_where_the_difference_depends_on_the_classes():
    """One learner leans to each class: equal in a population of fair coins, not in a sample."""
    asked = BatchContest(mirror_population("A"), BatchBayes(LEAN), BatchBayes(-LEAN), n=100)
    right = rejected(asked, lambda y, number: drawn(asked.n, number), 400)
    wrong = rejected(asked, stratified, 400)
    assert at_most(right, 400), right
    assert not at_most(wrong, 400), wrong
