"""A verdict on items says of which items, how they cluster, and what samples add."""

from __future__ import annotations

import numpy as np
import pytest

import outperform as op
from outperform.results import item_facts


def clustered(n_clusters: int = 20, size: int = 10, **about: object) -> op.Items:
    rng = np.random.default_rng(5)
    shift = np.repeat(rng.normal(0.05, 0.3, n_clusters), size)
    base = rng.normal(0, 0.1, (2, n_clusters * size))
    scores = {"new": base[0] + shift, "old": base[1]}
    labels = np.repeat(np.arange(n_clusters), size)
    return op.Items.from_arrays(scores, clusters=labels, cluster_name="subject", **about)


def test_what_ignoring_clusters_would_claim_is_the_paired_t_test():
    items = clustered()
    found = item_facts.clusters(items, "new", "old")
    naive = op.methods.paired_t(*items.means, unit="items")
    assert found.stderr == pytest.approx(naive.stderr, rel=1e-12)
    assert found.pvalue == pytest.approx(naive.pvalue, rel=1e-10)
    assert (found.n_clusters, found.smallest, found.largest) == (20, 10, 10)


def test_a_method_that_ignores_clusters_is_named_so():
    cmp = op.compare(clustered(), method="paired_t")
    assert "OP369" in [note.code for note in cmp.notes]
    assert "new clusters" not in cmp.estimand()


def test_the_share_of_samples_is_that_of_the_variance_components():
    # Fixed item means 0 and 1 on alternate items, noise of variance σ² in each of K answers.
    rng = np.random.default_rng(2)
    n, k, sigma = 4000, 4, 0.5
    truth = rng.normal(0, 1, n)
    a = truth[:, None] + rng.normal(0, sigma, (n, k))
    items = op.Items.from_arrays({"a": a, "b": np.zeros((n, k))})
    found = item_facts.samples(items, "a", "b")
    assert found.share == pytest.approx(sigma**2 / k / (1 + sigma**2 / k), rel=0.05)
    assert found.least == pytest.approx(np.sqrt(1 / n), rel=0.05)


@pytest.mark.slow
def test_the_report_shows_clusters_and_disagreements_escaped(tmp_path):
    items = clustered(ids=[f"<img src=x> {i}" for i in range(200)])
    page = op.compare(items).report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "By subject" in page
    assert "<img src=x>" not in page
    assert page.count("&lt;img src=x&gt;") == 200
    assert "new did better on" in page


def test_means_within_clusters_are_those_of_their_items():
    items = clustered()
    rows = item_facts.within(items, items.clusters, "new", "old")
    for at in (0, 7):
        chosen = items.at(items.clusters.codes == at)
        alone = op.methods.paired_t(*chosen.means, unit="items")
        assert rows[at].difference == pytest.approx(alone.estimate, rel=1e-10)
        assert rows[at].pvalue == pytest.approx(alone.pvalue, rel=1e-8)


def test_models_that_were_not_judged_on_some_item_have_means_of_the_others(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text(
        "question,model_a,model_b,winner\n"
        "1,x,y,x\n2,y,z,tie\n3,z,x,x\n4,x,y,y\n5,y,z,z\n6,z,x,tie\n"
    )
    cmp = op.compare(path)
    means = {one.name: one.mean for one in cmp.performances()}
    assert means == {"x": 2.5 / 4, "y": 1.5 / 4, "z": 2 / 4}
    assert "∞" not in str(cmp)
    assert "Of 2 items" in cmp.report(tmp_path / "r.html").read_text(encoding="utf-8")
