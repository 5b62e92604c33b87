"""Sizes that certify finds in a pool agree with those on new datasets."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import outperform as op
from calibration.batch_contests import BatchContest
from calibration.batch_learners import BatchBayes, BatchSelector
from calibration.cases import TESTS
from calibration.fold_views import views_of
from outperform.lab import Pool, mirror_population
from outperform.lab.certificates import always_valid
from outperform.lab.certification import measured
from outperform.lab.certified_nulls import least_pvalues
from outperform.lab.tested import Tested as Asked
from outperform.lab.tested import evidence_at, mean_of, pvalues
from outperform.lab.tested import n_train as size_of
from outperform.methods import kfold_t

pytestmark = pytest.mark.nightly

CV = [Asked("kfold_t", "10cv"), Asked("corrected_t", "10cv"), Asked("kfold_t", "3cv")]


def shift(contest, readings, seed, splits):
    """Return what tests read of a block, of learners that are as they are."""
    data = contest.datasets(contest.block, seed)
    return {"shift": views_of(contest, readings, data, splits)}


def means(contest, seed, reps):
    """Return the mean difference of each design of CV, by training size."""
    asked = {54: op.lab.reading(kfold_t, "10cv"), 40: op.lab.reading(kfold_t, "3cv")}
    kept = {size: [] for size in asked}
    for block in range(reps // contest.block):
        at = np.random.SeedSequence(seed, spawn_key=(block,))
        views = contest.draw(list(asked.values()), contest.block, at)
        for size, read in asked.items():
            kept[size].append(views[read].mean)
    return {size: mean_of(np.concatenate(each)) for size, each in kept.items()}


def agreement(items: int, pools: int, truth_reps: int, n_reps: int) -> tuple[float, float]:
    """Return how many certified intervals contain the size of the test on new datasets.

    Datasets of 60 items are drawn from pools of so many, which are samples of a population
    themselves. The second number is of intervals that count rejections as they are.
    """
    agree, plain = [], []
    models = BatchBayes(), BatchSelector()
    sources = [mirror_population(name) for name in "AB"]
    fresh = [BatchContest(source, *models, n=60) for source in sources]
    known = [true_sizes(each, means(each, 1, truth_reps), truth_reps) for each in fresh]
    for number in range(pools):
        drawn = sources[number % 2].draw(items, np.random.default_rng(number))
        contest = BatchContest(Pool(drawn.X, drawn.y), *models, n=60)
        apart = (0.01, 0.02, 0.05)
        draw, truth = partial(shift, contest), means(contest, 3, 400)
        found, _ = measured(contest, draw, CV, ["shift"], truth, apart, n_reps, 4)
        for row in found:
            true = known[number % 2][row.label]
            low, high = row.interval
            agree.append(low <= true <= high)
            low, high = always_valid(row.counts["at_5"], row.counts["experiments"])
            plain.append(low <= true <= high)
    return float(np.mean(agree)), float(np.mean(plain))


def true_sizes(contest, truth, reps):
    """Return the size of each test over so many experiments, decided or not."""
    hits, n = {one.label: 0 for one in CV}, 0
    readings = [op.lab.reading(one.method, one.design) for one in CV]
    for block in range(reps // contest.block):
        views = contest.draw(readings, contest.block, np.random.SeedSequence(9, spawn_key=(block,)))
        n += contest.block
        for one, read in zip(CV, readings, strict=True):
            p = pvalues(one, views[read], truth[size_of(one, 60)].mean, ())
            hits[one.label] += int((p[0] < 0.05).sum())
    return {label: count / n for label, count in hits.items()}


@pytest.mark.slow
@pytest.mark.parametrize("items", [180, 2000])
def test_certified_sizes_agree_with_those_on_new_data_in_nine_cases_of_ten(items):
    agree, plain = agreement(items, pools=10, truth_reps=2000, n_reps=600)
    assert agree >= 0.9
    if items == 180:
        assert plain < 0.9, "plain counts of draws from a third of the items are too low"


@pytest.mark.parametrize("one", TESTS, ids=lambda one: one.label)
def test_every_test_rejects_more_where_all_variation_is_that_of_items(one):
    asked = op.lab.reading(one.method, one.design)
    contest = BatchContest(mirror_population("A"), BatchBayes(), BatchSelector(), n=600)
    view = contest.draw([asked], 8, np.random.SeedSequence(3))[asked]
    evidence = evidence_at(one, view, 0.0)
    p = np.asarray(evidence.pvalue())
    np.testing.assert_allclose(least_pvalues(evidence, 0.0), p, rtol=1e-9)
    least = least_pvalues(evidence, 0.5)
    between = (p > 1e-12) & (p < 1)
    assert between.sum() >= 4
    assert (least[between] < p[between]).all()
    np.testing.assert_array_equal(least[p == 1], 1.0)
