"""Sign flips: counted as brute force counts them, at any size, in any tail."""

import itertools
import math

import numpy as np
import pytest
from golden_items import ITEMS

from outperform.numerics import sign_flips
from outperform.numerics.sign_flips import common_unit, convolved_tails, flip_tails


@pytest.mark.parametrize("name", ["permutation/binary", "permutation/scores_n24"])
def test_golden_values_are_counted(name):
    d = np.array(ITEMS[name]["input"]["d"], dtype=float)
    found = flip_tails(d)
    less, greater = found.sides(d.sum())
    want = ITEMS[name]["expected"]
    assert found.how == "convolution"
    assert math.exp(greater) == pytest.approx(want["p_greater"], rel=1e-12)
    assert 2 * math.exp(min(less, greater)) == pytest.approx(want["p_two_sided"], rel=1e-12)


def test_sums_of_clusters_are_flipped_whole():
    entry = ITEMS["cluster_sign_flip/A"]
    sums = np.array(entry["expected"]["cluster_sums"])
    less, greater = flip_tails(sums).sides(sums.sum())
    assert math.exp(greater) == pytest.approx(entry["expected"]["p_greater"], rel=1e-12)
    assert 2 * math.exp(min(less, greater)) == pytest.approx(entry["expected"]["p_two_sided"])


@pytest.mark.parametrize("seed", range(6))
def test_every_way_counts_what_brute_force_counts(seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(-6, 7, 11).astype(float)
    for d in (whole, whole * 0.1, rng.normal(size=11)):
        signs = np.array(list(itertools.product((-1, 1), repeat=11)))
        sums = signs @ np.abs(d)
        less, greater = flip_tails(d).sides(d.sum())
        near = 1e-9 * np.abs(d).sum()
        assert math.exp(greater) == pytest.approx(np.mean(sums >= d.sum() - near), rel=1e-12)
        assert math.exp(less) == pytest.approx(np.mean(sums <= d.sum() + near), rel=1e-12)


def test_right_and_wrong_is_the_exact_mcnemar_test_also_where_floats_end():
    d = np.r_[np.ones(9000), -np.ones(1000), np.zeros(4042)]
    exact = math.log(sum(math.comb(10_000, k) for k in range(1001))) - 10_000 * math.log(2)
    less, greater = flip_tails(d).sides(d.sum())
    assert greater == pytest.approx(exact, rel=1e-12)
    assert greater < -3000
    assert less == 0


def test_a_transform_agrees_with_the_direct_convolution(monkeypatch):
    rng = np.random.default_rng(1)
    for shift in (0, 8, 60):
        d = rng.integers(-90, 91, 300) + shift
        sizes, total = np.abs(d[d != 0]), int(abs(d.sum()))
        direct = convolved_tails(sizes, total)
        with monkeypatch.context() as patch:
            patch.setattr(sign_flips, "WORK", 0)
            assert convolved_tails(sizes, total) == pytest.approx(direct, rel=1e-11)


def test_draws_estimate_what_is_too_large_to_count():
    rng = np.random.default_rng(2)
    d = rng.normal(0.1, 1, 400)
    drawn = flip_tails(d)
    assert drawn.how == "Monte Carlo"
    counted = flip_tails(np.round(d, 2))
    assert counted.how == "convolution"
    p, q = math.exp(drawn.log_reached), math.exp(counted.log_reached)
    assert abs(p - q) < 5 * math.sqrt(q * (1 - q) / 9999)
    assert flip_tails(d, seed=3).log_reached != drawn.log_reached
    assert flip_tails(rng.permutation(d)).log_reached == drawn.log_reached


def test_a_unit_is_found_whatever_the_scale_and_not_made_up():
    values = np.array([3, 12, 30, 45]) * 1.0
    for scale in (1, 0.1, 1e-9, 2.0**40, 1 / 3):
        assert common_unit(values * scale) == pytest.approx(3 * scale, rel=1e-9)
    assert common_unit(np.sort(np.random.default_rng(0).random(50))) is None
