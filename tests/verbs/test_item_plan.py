"""Plans from items: how many of them, how many samples of each, and what the pilot says."""

import json

import numpy as np
import pytest
from golden_items import ITEMS
from scipy import stats

import outperform as op
from outperform.verbs.item_plan import paired_items_needed


def test_right_and_wrong_items_are_planned_by_the_share_that_differs():
    # Connor (1987): a fifth of the items differs, a difference of 0.03, power 80 %
    assert paired_items_needed(0.2, 0.03, 0.05, 0.8) == 1742
    a = np.r_[np.ones(60), np.zeros(40), np.ones(400)]
    b = np.r_[np.zeros(60), np.ones(40), np.ones(400)]
    found = op.plan(op.Items.from_arrays({"a": a, "b": b}), 0.03)
    # the share at its 80 % upper limit, as a variance with 499 degrees of freedom
    upper = 0.2 * 499 / stats.chi2(499).ppf(0.2)
    assert found.needed == paired_items_needed(upper, 0.03, 0.05, 0.8)
    assert found.more == found.needed - 500
    assert f"{found.needed:,} items, {found.more:,} more" in " ".join(str(found).split())


def test_what_is_detectable_falls_with_the_root_of_the_items():
    rng = np.random.default_rng(0)
    items = op.Items.from_arrays({"a": rng.normal(0.1, 1, 400), "b": rng.normal(0, 1, 400)})
    found = op.plan(items, 0.1)
    sd = (items.means[0] - items.means[1]).std(ddof=1)
    first = found.sizes[0]
    assert first.expected == pytest.approx((1.959964 + 0.841621) * sd / 20, rel=1e-5)
    assert first.detectable > first.expected
    double = next(size for size in found.sizes if size.n == 800)
    assert double.expected == pytest.approx(first.expected / np.sqrt(2), rel=1e-9)


def test_clusters_need_more_items():
    rng = np.random.default_rng(1)
    shared = np.repeat(rng.normal(0, 1, 40), 10)
    sides = {"a": shared + rng.normal(0, 0.3, 400), "b": np.zeros(400)}
    alone = op.plan(op.Items.from_arrays(sides), 0.1)
    whole = op.plan(op.Items.from_arrays(sides, clusters=np.arange(400) // 10), 0.1)
    assert whole.method == "cluster_t"
    assert whole.needed > 4 * alone.needed


def test_samples_take_the_place_of_items_down_to_what_items_vary():
    entry = ITEMS["k_samples/positive"]
    items = op.Items.from_arrays({"a": entry["input"]["A"], "b": entry["input"]["B"]})
    found = op.plan(items, 0.05)
    want = entry["expected"]
    noise = want["sigma2_A"] + want["sigma2_B"]
    assert found.between == pytest.approx(want["omega2"], rel=1e-9)
    assert found.within == pytest.approx(noise, rel=1e-9)
    assert found.best_k == pytest.approx(np.sqrt(noise / want["omega2"]), rel=1e-9)
    reach = (1.9599639845 + 0.8416212336) ** 2
    df = op.compare(items)["a", "b"].df
    upper = df / stats.chi2(df).ppf(0.2)  # the 80 % upper limit, as the plan says
    for row in found.samples:
        exact = reach * upper * (want["omega2"] + noise / row.k) / 0.05**2
        assert row.items == np.ceil(exact)
    assert found.samples[0].items > found.samples[-1].items
    assert json.loads(found.to_json())["best_k"] == pytest.approx(found.best_k)


def test_items_that_do_not_differ_are_floored_and_said():
    entry = ITEMS["k_samples/negative_omega"]
    a, b = (np.array(entry["input"][side], dtype=float) for side in "AB")
    padded = np.full((12, 5), np.nan)
    padded[:, :3] = b
    found = op.plan(op.Items.from_arrays({"a": a, "b": padded}), 0.1)
    assert found.between == 0
    assert found.best_k == np.inf
    assert json.loads(found.to_json())["best_k"] is None
    assert "hardly differ" in " ".join(str(found).split())
    assert "16 cost least of those listed" in " ".join(str(found).split())


def test_costs_decide_how_many_samples_are_best():
    entry = ITEMS["k_samples/positive"]
    items = op.Items.from_arrays({"a": entry["input"]["A"], "b": entry["input"]["B"]})
    plain, dear = op.plan(items, 0.05), op.plan(items, 0.05, item_cost=9, sample_cost=1)
    assert dear.best_k == pytest.approx(3 * plain.best_k, rel=1e-12)  # √9
    costs = [row.cost for row in dear.samples]
    assert costs == [row.items * (9 + row.k) for row in dear.samples]
    cheapest = min(dear.samples, key=lambda row: row.cost)
    nearest = min(dear.samples, key=lambda row: abs(np.log(row.k / dear.best_k)))
    assert cheapest.k == nearest.k
    assert "if an item costs 9 and a sample by both models 1" in " ".join(str(dear).split())
    assert json.loads(dear.to_json())["item_cost"] == 9
    with pytest.raises(op.DataError, match="'sample_cost' parameter must be greater than 0"):
        op.plan(items, sample_cost=0)
