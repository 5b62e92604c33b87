"""Adjustments that use which hypotheses can be true together: golden values and brute force."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import places
import pytest

import outperform as op
from outperform.results import closed_testing as closed
from outperform.results.adjustments import family_log_pvalues

ENTRIES = json.loads((places.GOLDEN / "many_datasets.json").read_text("utf-8"))
GOLDEN = {entry["name"]: entry for entry in ENTRIES}
RANKED = [name for name in GOLDEN if name.startswith("rank_z_adjusted/")]
JUDGED = [name for name in GOLDEN if name.startswith("wilcoxon_adjusted/")]
RANDOM = [name for name in GOLDEN if name.startswith("bergmann_hommel/")]
RULES = {
    "holm": "holm",
    "hochberg": "hochberg",
    "hommel": "hommel",
    "shaffer": "shaffer_static",
    "bergmann-hommel": "bergmann_hommel",
}


def adjusted(p: list[float], rule: str) -> list[float]:
    return np.exp(family_log_pvalues(np.log(p), rule)).tolist()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", RANKED + JUDGED)
def test_adjusted_p_values_are_the_golden_ones(name: str, rule: str) -> None:
    want = GOLDEN[name]["expected"]
    if RULES[rule] in want:
        raw = want.get("raw", want.get("raw_pratt_exact"))
        assert adjusted(raw, rule) == pytest.approx(want[RULES[rule]], rel=1e-9)


@pytest.mark.parametrize("name", RANDOM)
def test_bergmann_and_hommel_of_random_p_values(name: str) -> None:
    given, want = GOLDEN[name]["input"]["p"], GOLDEN[name]["expected"]
    assert adjusted(given, "bergmann-hommel") == pytest.approx(want["adjusted"], rel=1e-12)
    if "shaffer" in want:
        assert adjusted(given, "shaffer") == pytest.approx(want["shaffer"], rel=1e-12)


def test_no_order_is_forced_where_scmamp_forces_one() -> None:
    want = GOLDEN["rank_z_adjusted/gh8"]["expected"]
    ours = adjusted(want["raw"], "bergmann-hommel")
    assert ours[4] == pytest.approx(0.03034, abs=5e-6)
    assert want["bergmann_hommel_monotone"][4] == pytest.approx(0.03185, abs=5e-6)


def test_the_factors_of_shaffer_are_those_of_his_recursion() -> None:
    for k, factors in GOLDEN["shaffer_t"]["expected"].items():
        assert closed.shaffer_factors(int(k)) == factors


def partitions(members: list[int]) -> Iterator[list[list[int]]]:
    """Yield every way to put the members into blocks."""
    if not members:
        yield []
        return
    first, *rest = members
    for size in range(len(rest) + 1):
        for beside in combinations(rest, size):
            left = [one for one in rest if one not in beside]
            for others in partitions(left):
                yield [[first, *beside], *others]


def test_brute_force_goes_through_as_many_sets_of_hypotheses_as_can_be_true_together() -> None:
    for k, count in GOLDEN["exhaustive_sets_count"]["expected"].items():
        if int(k) <= 8:
            ways = partitions(list(range(int(k))))
            assert sum(any(len(block) > 1 for block in way) for way in ways) == count


@pytest.mark.parametrize("k", [3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(3))
def test_bergmann_and_hommel_is_the_maximum_over_all_partitions(k: int, seed: int) -> None:
    pairs = list(combinations(range(k), 2))
    p = np.random.default_rng(seed).random(len(pairs)) ** 3
    if seed == 2:
        p = np.round(p, 1) + 0.05  # ties
    best = dict.fromkeys(pairs, 0.0)
    for blocks in partitions(list(range(k))):
        inside = [pair for block in blocks for pair in combinations(block, 2)]
        if inside:
            worth = len(inside) * min(p[pairs.index(pair)] for pair in inside)
            best.update({pair: max(best[pair], worth) for pair in inside})
    want = [min(1.0, best[pair]) for pair in pairs]
    assert adjusted(p.tolist(), "bergmann-hommel") == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_hommel_is_closed_testing_with_simes(seed: int) -> None:
    p = np.random.default_rng(seed).random(6) ** 2
    want = np.zeros(6)
    for size in range(1, 7):
        for chosen in combinations(range(6), size):
            ordered = np.sort(p[list(chosen)])
            simes = (size * ordered / np.arange(1, size + 1)).min()
            want[list(chosen)] = np.maximum(want[list(chosen)], simes)
    assert adjusted(p.tolist(), "hommel") == pytest.approx(np.minimum(want, 1).tolist(), rel=1e-12)


@pytest.mark.parametrize("rule", ["hommel", "shaffer", "bergmann-hommel"])
def test_tiny_p_values_keep_their_digits_and_missing_ones_count(rule: str) -> None:
    logs = np.array([[-2000.0, -3.0, -0.1], [-2000.0, np.nan, -0.1]])
    found = family_log_pvalues(logs, rule)
    assert found[0, 0] == pytest.approx(-2000 + math.log(3))
    assert np.isnan(found[1]).tolist() == [False, True, False]
    assert found[1, 0] == found[0, 0]


def test_a_comparison_takes_them_by_name() -> None:
    rng = np.random.default_rng(0)
    means = {"a": 0.9, "b": 0.89, "c": 0.8, "d": 0.7}
    scores = {name: rng.normal(mean, 0.02, 10) for name, mean in means.items()}
    found = {
        rule: op.compare(scores, design="10cv", adjust=rule).adjusted()
        for rule in ("holm", "shaffer", "bergmann-hommel")
    }
    assert (found["shaffer"] <= found["holm"]).all()
    assert (found["bergmann-hommel"] <= found["shaffer"]).all()
    text = op.compare(scores, design="10cv", adjust="bergmann-hommel").methods_text()
    assert "Bergmann and Hommel's method (Bergmann & Hommel, 1988)" in text
