"""Cluster-robust standard errors: the closed forms are clubSandwich's numbers."""

import numpy as np
import pytest
from golden_items import ITEMS

from outperform.numerics.cluster_variance import (
    KINDS,
    cluster_stderr,
    cluster_sums,
    satterthwaite_df,
)


def read():
    entry = ITEMS["cluster_se/A"]
    given = {name: np.array(entry["input"][name]) for name in ("a", "b", "cluster")}
    codes = np.unique(given["cluster"], return_inverse=True)[1]
    return (given["a"] - given["b"]).astype(float), codes, entry["expected"]


@pytest.mark.parametrize("kind", KINDS)
def test_standard_errors_are_those_of_the_sandwich(kind):
    d, codes, want = read()
    shares = np.bincount(codes) / d.size
    found = cluster_stderr(cluster_sums(d - d.mean(), codes), shares, d.size, kind)
    assert float(found) == pytest.approx(want[kind], rel=1e-10)


def test_degrees_of_freedom_are_satterthwaites_and_g_minus_one_for_equal_clusters():
    _, codes, want = read()
    assert satterthwaite_df(np.bincount(codes) / codes.size) == pytest.approx(
        want["df_CR2"], rel=1e-10
    )
    assert satterthwaite_df(np.full(40, 1 / 40)) == pytest.approx(39, rel=1e-12)


def test_the_degrees_of_freedom_are_those_of_the_full_matrix():
    sizes = np.array([1, 2, 5, 9, 30])
    n, h = sizes.sum(), sizes / sizes.sum()
    b = -np.outer(sizes, sizes) / n**3 / np.sqrt(np.outer(1 - h, 1 - h))
    np.fill_diagonal(b, sizes / n**2)
    assert satterthwaite_df(h) == pytest.approx(np.trace(b) ** 2 / (b**2).sum(), rel=1e-12)


def test_a_batch_sums_clusters_as_one_experiment_does():
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=(3, 50)), rng.permutation(np.arange(50) % 7)
    many = cluster_sums(values, codes)
    for row, one in zip(many, values, strict=True):
        assert row == pytest.approx(cluster_sums(one, codes), rel=1e-13)
