"""Gates on the size of the calibrated test: exact nulls, and seeded bugs that must fail them.

Two copies of a learner see exchangeable features, so that every rejection is an error. A gate fails
where more than 6.5 % of 1,640 true hypotheses are rejected at 5 %: with fixed seeds the answer is
the same each time, and a test whose size is 10 % would pass once in a million. The seeds were not
used to develop the test.

Not every bug shows in every learner. Splits taken for independent ones fail all gates. Halves that
are stratified vary less than samples only where the difference depends on the share of a class: two
copies of one learner err alike in both classes, so that a gate of its own has learners that lean to
opposite classes. Folds of halves that overlap otherwise than those of the whole matter only where
the variance depends on the training size, as for selectors and stumps, which take another feature;
naive Bayes and 1-NN vary nearly as much after training on half of a half as on four fifths of it.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom, t

import outperform as op
from calibration.batch_contests import BatchContest
from calibration.batch_learners import BatchBayes, BatchNeighbor, BatchSelector, BatchStump
from calibration.fold_labels import FoldLabels
from calibration.fold_views import calibration
from outperform.lab import block_seed, blocks, mirror_population
from outperform.methods import calibrated_t

pytestmark = [pytest.mark.slow, pytest.mark.nightly]
DELTA, BOUND, REPS, SEED = 1e-6, 0.065, 1640, 20261118
ECONOMY, THOROUGH = "5x5cv+20halves", "10x5cv+40halves"
LEAN = 4.0
"""Added to log odds: a learner that is rarely moved from its class."""
CONTESTS = {
    "naive Bayes": ("A", BatchBayes(), BatchBayes(), 200),
    "1-NN": ("A", BatchNeighbor(), BatchNeighbor(), 200),
    "selector": ("B", BatchSelector(), BatchSelector(), 200),
    "stump": ("B", BatchStump(), BatchStump(), 100),
    "leaning": ("A", BatchBayes(LEAN), BatchBayes(-LEAN), 100),
}


def contest(name: str) -> BatchContest:
    population, first, second, n = CONTESTS[name]
    return BatchContest(mirror_population(population), first, second, n=n)


def passes(hits: int, n: int) -> bool:
    """Whether a gate is passed."""
    return hits / n <= BOUND


def fails_for_sure(hits: int, n: int) -> bool:
    """Whether so many rejections are not to be believed of a rate that is at most the bound."""
    return not passes(hits, n) and bool(binom.sf(hits - 1, n, BOUND) < DELTA)


def upper(hits: int, n: int) -> float:
    """Return the exact upper 95 % limit of a rate."""
    return float(beta.ppf(0.975, hits + 1, n - hits))


def test_the_calibrated_test_keeps_its_level_in_both_designs(record_property):
    """Other learners are cases of the gated core, whose counts are committed."""
    name, asked = "leaning", [("calibrated_t", ECONOMY), ("calibrated_t", THOROUGH)]
    found = op.study(asked, contest(name), n_reps=REPS, random_state=SEED, progress=False)
    rates = found.rates(0.05)
    for design in (ECONOMY, THOROUGH):
        row = rates[f"calibrated_t {design}"]
        limit = upper(row.hits, row.n)
        said = f"{name}, {design}: {row.hits} of {row.n}, {row.rate:.4f}, at most {limit:.4f}"
        record_property(f"{name}, {design}", said)
        assert row.n == REPS
        assert passes(row.hits, row.n), said
        assert limit < 0.10, said
        assert row.hits > 0.005 * REPS, f"{said}: a test that never rejects"


def test_a_size_of_ten_percent_is_caught():
    assert binom.cdf(np.floor(BOUND * REPS), REPS, 0.10) < 2e-6


# Bugs that must fail the gates


def drawn(n: int, number: int, whole: int = 5, halves: int = 5) -> tuple[FoldLabels, FoldLabels]:
    """Return 5 repeats on all data and 20 halvings, each with folds of its own number."""
    on_all = FoldLabels.of(op.parse(f"5x{whole}cv+2halves"), n, SEED + number)
    in_halves = FoldLabels.of(op.parse(f"2x{halves}cv+20halves"), n, SEED + number)
    return on_all.first(slice(0, 5)), in_halves.first(slice(2, 42))


def rejected(asked: BatchContest, folds_of, reps: int) -> int:
    """Count rejections by cross-validations of all data and of halves that a function draws."""
    hits = 0
    for number, size in blocks(reps, asked.block):
        data = asked.datasets(size, block_seed(SEED, 0, number))
        view = calibration(*(asked.outcomes(data, folds) for folds in folds_of(data[-1], number)))
        hits += int((calibrated_t.on(view).pvalue() < 0.05).sum())
    return hits


@pytest.mark.parametrize("name", CONTESTS)
def test_a_variance_of_one_over_the_number_of_splits_fails_every_gate(name):
    """Splits taken for independent experiments: var(d)/J in place of what halves measure."""
    asked, reps, hits = contest(name), 100, 0
    for number, size in blocks(reps, asked.block):
        data = asked.datasets(size, block_seed(SEED, 0, number))
        on_all = FoldLabels.of(op.parse("5x5cv"), asked.n, SEED + number)
        d = asked.outcomes(data, on_all).fold_gaps().reshape(size, -1)
        error = d.std(axis=-1, ddof=1) / np.sqrt(d.shape[-1])
        hits += int((np.abs(d.mean(axis=-1)) > t.ppf(0.975, d.shape[-1] - 1) * error).sum())
    assert fails_for_sure(hits, reps), f"{name}: {hits} of {reps}"


@pytest.mark.parametrize(("name", "reps"), [("selector", REPS), ("stump", 400)])
def test_folds_that_differ_between_halves_and_whole_fail_gates_of_models_that_choose(name, reps):
    asked = contest(name)
    wrong = rejected(asked, lambda y, number: drawn(asked.n, number, 20, 2), reps)
    assert fails_for_sure(wrong, reps), f"{name}: {wrong} of {reps}"


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
    wrong = rejected(contest("leaning"), stratified, 400)
    assert fails_for_sure(wrong, 400), f"{wrong} of 400"
