"""Items with a known truth: robust tests keep their level, naive ones do not."""

import math

import numpy as np
from scipy.stats import binom

from calibration.item_scenarios import (
    ItemsInARow,
    ItemsInClusters,
    ItemsWithSamples,
    RightWrongClusters,
    RightWrongItems,
)
from outperform.methods import cluster_t, mcnemar_mid_p, sampled_items_t
from outperform.numerics.distributions import T
from outperform.results.evidence import Pivot

DELTA = 1e-6
"""The chance that a correct product fails a gate."""


def too_many(rejected, most: float) -> bool:
    """Tell whether so many rejections are too many for an error rate of at most `most`."""
    return bool(binom.sf(int(np.sum(rejected)) - 1, np.size(rejected), most) < DELTA)


def test_cluster_robust_errors_stay_near_the_level_where_ignored_clusters_do_not():
    d = ItemsInClusters(20, icc=0.3).draw(2000, np.random.default_rng(0))
    assert not too_many(cluster_t.on(d).pvalue() < 0.05, 0.06)
    naive = Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))
    assert too_many(naive.pvalue() < 0.05, 0.06)


def test_a_difference_between_clusters_is_found():
    d = ItemsInClusters(50, icc=0.1, truth=0.4).draw(500, np.random.default_rng(1))
    assert np.mean(cluster_t.on(d).pvalue() < 0.05) > 0.95


def test_samples_of_an_item_are_not_counted_as_items():
    d = ItemsWithSamples(60, 8).draw(2000, np.random.default_rng(2))
    assert not too_many(sampled_items_t.on(d).pvalue() < 0.05, 0.06)
    assert too_many(sampled_items_t.on(d, population="these").pvalue() < 0.05, 0.06)


def test_intervals_of_paired_proportions_cover_where_walds_does_not():
    scene = RightWrongItems(30, 0.02, 0.0)
    c = scene.draw(4000, np.random.default_rng(3))
    for kind in ("tango", "newcombe", "bonett-price"):
        low, high = mcnemar_mid_p.on(c, interval=kind).interval(0.95)
        assert not too_many((low > scene.truth) | (high < scene.truth), 0.06)
    half = 1.96 * np.sqrt(c.discordant - (c.n10 - c.n01) ** 2 / c.n) / c.n
    assert too_many(np.abs(c.estimate - scene.truth) > half, 0.06)


def test_scenarios_have_the_truth_they_name():
    rng = np.random.default_rng(4)
    row = ItemsInARow(500, discordant=0.2, truth=0.05).draw(2000, rng)
    assert abs(row.mean() - 0.05) < 0.002
    assert abs(np.abs(row).mean() - 0.2) < 0.002
    c = RightWrongItems(100, 0.2, 0.1).draw(4000, rng)
    assert abs(c.estimate.mean() - 0.1) < 0.005


def test_answers_in_a_cluster_correlate_as_they_say():
    scene = RightWrongClusters(200, p=0.9, icc=0.3)
    d = scene.draw(200, np.random.default_rng(5))
    assert abs(np.mean(d.mean)) < 0.005
    # Both models are drawn apart: the variance of a difference is 2p(1 − p) item by item.
    assert abs(np.mean(np.square(d.sd)) - 2 * 0.9 * 0.1) < 0.01
    inflated = np.mean(np.square(cluster_t.on(d).stderr)) / np.mean(np.square(d.sd)) * d.n_splits
    sizes = ItemsInClusters(200).sizes
    assert abs(inflated - (1 + 0.3 * (np.sum(sizes**2) / np.sum(sizes) - 1))) < 0.2
