"""Tests on items, from arrays and from `Items`: the same numbers, and what is said of them."""

import numpy as np
import pytest
from golden_items import ITEMS

import outperform as op

CLUSTERED = ITEMS["cluster_se/A"]["input"]


def clustered() -> op.Items:
    sides = {"a": CLUSTERED["a"], "b": CLUSTERED["b"]}
    return op.Items.from_arrays(sides, clusters=CLUSTERED["cluster"], cluster_name="subject")


def codes(result) -> list[str]:
    return [note.code for note in result.notes]


@pytest.mark.parametrize("name", ["cluster_t", "cluster_sign_flip"])
def test_items_with_clusters_are_read_as_arrays_are(name):
    method = getattr(op, name)
    from_arrays = method(CLUSTERED["a"], CLUSTERED["b"], clusters=CLUSTERED["cluster"])
    from_items = method(clustered())
    assert from_items.pvalue == from_arrays.pvalue
    assert tuple(from_items.interval(0.9)) == tuple(from_arrays.interval(0.9))


def test_the_default_for_clusters_is_robust_and_says_what_ignoring_them_claims():
    found = op.compare(clustered())["a", "b"]
    want = ITEMS["cluster_se/A"]["expected"]
    assert found.method.name == "cluster_t"
    assert found.stderr == pytest.approx(want["CR2"], rel=1e-10)
    said = next(note.text for note in found.notes if note.code == "OP360")
    assert f"{want['se_iid']:.3g}" in said
    assert f"{want['p_iid_t']:.3g}" in said
    assert {"OP361", "OP362"} <= {*codes(found)}


def test_the_default_for_right_and_wrong_items_is_the_mid_p_test():
    rng = np.random.default_rng(0)
    right = {"a": rng.random(300) < 0.8, "b": rng.random(300) < 0.7}
    found = op.compare(op.Items.from_arrays(right))["a", "b"]
    assert found.method.name == "mcnemar_mid_p"
    a, b = right["a"], right["b"]
    table = [[(~a & ~b).sum(), (~a & b).sum()], [(a & ~b).sum(), (a & b).sum()]]
    alone = op.mcnemar(table=table, variant="mid-p")
    assert found.pvalue == pytest.approx(alone.pvalue, rel=1e-12)


def test_the_default_for_other_scores_is_the_paired_t():
    rng = np.random.default_rng(0)
    items = op.Items.from_arrays({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    assert op.compare(items).method.name == "paired_t"


def test_flipping_signs_of_right_and_wrong_is_the_exact_mcnemar_test():
    rng = np.random.default_rng(1)
    a, b = (rng.random(14_042) < p for p in (0.62, 0.61))
    table = [[(~a & ~b).sum(), (~a & b).sum()], [(a & ~b).sum(), (a & b).sum()]]
    exact = op.mcnemar(table=table, variant="exact")
    flipped = op.sign_flip(a.astype(int), b.astype(int))
    for side in ("two-sided", "greater", "less"):
        assert flipped.evidence.log_pvalue(side) == pytest.approx(
            exact.evidence.log_pvalue(side), rel=1e-10
        )
    assert flipped.grade == "exact"


def test_drawn_signs_are_seeded_and_no_longer_called_exact():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.1, 1, 60), rng.normal(0, 1, 60)
    assert op.sign_flip(a, b).pvalue == op.sign_flip(a, b).pvalue
    assert op.sign_flip(a, b, seed=1).pvalue != op.sign_flip(a, b).pvalue
    assert op.sign_flip(a, b).grade == "assumed"


def test_one_cluster_is_refused():
    with pytest.raises(op.DataError, match="at least 2 clusters"):
        op.cluster_t([1, 0, 1], [0, 0, 1], clusters=["x", "x", "x"])


def test_all_pairs_of_clustered_items_are_judged_at_once():
    rng = np.random.default_rng(3)
    sides = {name: rng.normal(m, 1, 200) for name, m in zip("abc", (0, 0.2, 0.5), strict=True)}
    items = op.Items.from_arrays(sides, clusters=np.arange(200) // 8)
    found = op.compare(items)
    for pair in (("a", "b"), ("b", "c")):
        alone = op.cluster_t(sides[pair[0]], sides[pair[1]], clusters=np.arange(200) // 8)
        assert found[pair].stderr == pytest.approx(alone.stderr, rel=1e-12)


def test_a_mixed_model_that_pools_all_pairs_is_not_what_a_pair_is_judged_by():
    """The pooled interaction gives every pair one standard error, though pairs differ tenfold."""
    pooled = {row["_row"]: row for row in ITEMS["mixed_model/kcv"]["expected"]["coef"]}
    # Mean differences from A on the ten datasets of scmamp's data.kcv.example.
    c = [
        -0.02503,
        0.01349,
        -0.03583,
        0.01096,
        -0.07766,
        -0.0042,
        -0.02567,
        0.03399,
        -0.02199,
        0.00763,
    ]
    b = [
        -0.05613,
        -0.07395,
        -0.09664,
        -0.32084,
        -0.15978,
        -0.85314,
        -0.21965,
        -0.57574,
        -0.38069,
        -0.84276,
    ]
    for row, differences in (("algC", c), ("algB", b)):
        found = op.paired_t(differences)
        assert found.estimate == pytest.approx(pooled[row]["Estimate"], abs=1e-4)
    assert op.paired_t(c).stderr < pooled["algC"]["Std. Error"] / 6
    assert op.paired_t(b).stderr > 1.3 * pooled["algB"]["Std. Error"]
