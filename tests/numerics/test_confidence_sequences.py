"""Sequences that may be looked at any time: golden values, and what a running one keeps."""

import math

import numpy as np
import pytest
from betting_for_tests import betting_capital, betting_interval
from golden_items import ITEMS, numbers_in

from outperform.numerics.confidence_sequences import BettingSequence, asymptotic_interval
from outperform.numerics.e_process import e_path, log_e_value

CAPITAL = [name for name in ITEMS if name.startswith("betting/capital")]
INTERVALS = [name for name in ITEMS if name.startswith("betting/cs")]


@pytest.mark.parametrize("case", ITEMS["e_value/beta_binomial"]["input"]["cases"])
def test_e_values_are_those_of_forty_digits(case):
    s, f, a = numbers_in(case)
    want = ITEMS["e_value/beta_binomial"]["expected"][case]
    assert np.exp(log_e_value(s, f, a=a)) == pytest.approx(want["two_sided"], rel=1e-9)
    one_sided = log_e_value(s, f, a=a, alternative="greater")
    assert np.exp(one_sided) == pytest.approx(want["one_sided"], rel=1e-9)
    assert log_e_value(f, s, a=a, alternative="less") == one_sided


@pytest.mark.parametrize("name", [name for name in ITEMS if name.startswith("e_process/")])
def test_running_evidence_stops_where_it_should(name):
    entry = ITEMS[name]
    path = e_path(entry["input"]["discordant_signs"], a=entry["input"]["a"])
    want = entry["expected"]
    assert np.exp(path[-1]) == pytest.approx(want["e_last"], rel=1e-8)
    assert np.exp(path.max()) == pytest.approx(want["e_max"], rel=1e-8)
    assert math.exp(-max(path.max(), 0.0)) == pytest.approx(want["anytime_p"], rel=1e-8)
    reached = path >= -math.log(entry["input"]["alpha"])
    assert (reached.argmax() + 1 if reached.any() else None) == want["stop_after_discordant"]


@pytest.mark.parametrize("name", CAPITAL)
def test_capital_is_that_of_confseq(name):
    given = ITEMS[name]["input"]
    path = betting_capital(given["x"], given["m"], alpha=given["alpha"])
    for t, want in ITEMS[name]["expected"]["at"].items():
        assert path[int(t) - 1] == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_are_those_of_bisection(name):
    given, want = ITEMS[name]["input"], ITEMS[name]["expected"]
    for n, key in ((None, ""), (500, "_N500")):
        low, high = betting_interval(given["x"], alpha=given["alpha"], n_population=n)
        ends = want["without_replacement_N500" if n else "with_replacement"]
        assert (low, high) == pytest.approx(ends, abs=1e-7)
        assert (2 * low - 1, 2 * high - 1) == pytest.approx(want[f"as_difference{key}"], abs=2e-7)


@pytest.mark.slow
@pytest.mark.parametrize("n", [None, 500])
def test_a_running_sequence_is_the_intersection_of_all_so_far(n):
    x = np.array(ITEMS["betting/cs/t=200"]["input"]["x"])
    ends = [betting_interval(x[:t], n_population=n) for t in range(1, 201)]
    lows = np.maximum.accumulate([low for low, _ in ends])
    highs = np.minimum.accumulate([high for _, high in ends])
    running = BettingSequence(n_population=n)
    parts = [running.add(part) for part in np.split(x, [7, 8, 100])]
    low, high = (np.concatenate(side) for side in zip(*parts, strict=True))
    assert (low <= lows + 1e-12).all()
    assert (high >= highs - 1e-12).all()
    assert low == pytest.approx(lows, abs=3e-4)
    assert high == pytest.approx(highs, abs=3e-4)


def test_all_items_of_a_benchmark_leave_no_doubt():
    x = np.random.default_rng(0).choice([0, 0.5, 1], 400, p=[0.1, 0.7, 0.2])
    running = BettingSequence(n_population=400)
    low, high = running.add(x)
    assert low[-1] <= x.mean() <= high[-1]
    assert high[-1] - low[-1] < 0.004
    assert running.means.size < 40


@pytest.mark.parametrize("name", [name for name in ITEMS if name.startswith("asymptotic_cs/")])
def test_the_asymptotic_sequence_is_its_formula(name):
    given, want = ITEMS[name]["input"], ITEMS[name]["expected"]
    d = np.array(given["d"], dtype=float)
    for t in (50, 100, 200):
        ends = asymptotic_interval(d[:t].mean(), d[:t].var(), t, t_star=given["t_star"])
        assert [float(end) for end in ends] == pytest.approx(want[str(t)], rel=1e-9)
