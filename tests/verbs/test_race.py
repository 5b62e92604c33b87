"""Races: decisions, what they keep, and how they go on; errors stay below α at every horizon."""

import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from betting_for_tests import betting_capital, betting_interval
from scipy.stats import binom

import outperform as op
from outperform.numerics.confidence_sequences import asymptotic_interval
from outperform.numerics.e_process import e_path
from outperform.verbs.race_futility import sums_futile
from outperform.verbs.race_watch import RaceWatch

DELTA = 1e-6
"""The chance that a correct product fails a gate."""


def right(p, n, seed):
    return (np.random.default_rng(seed).random(n) < p).astype(float)


def test_a_clear_difference_ends_early_and_either_way():
    a, b = right(0.9, 5000, 0), right(0.6, 5000, 1)
    won, lost = op.race(a, b), op.race(b, a)
    assert (won.outcome, lost.outcome) == ("better", "worse")
    assert won.n == lost.n < 500
    assert won.low > 0
    assert won.pvalue <= 0.05
    assert won.method == "e-process"


@pytest.mark.parametrize("bad", [None, "0.5", float("nan"), [1, 2], 10**400])
def test_a_function_that_returns_no_number_is_named_with_the_item(bad):
    def judge(item):
        return bad if item == "q3" else 0.5

    items = [f"q{i}" for i in range(9)]
    with pytest.raises(op.errors.DataError, match=r"'judge' must .* for items\[3\], 'q3'"):
        op.race(lambda item: 0.4, judge, items, rope=0.01)


def test_a_race_without_decision_says_which_differences_remain_possible():
    found = op.race([0.5, 0.4, 0.3] * 20, [0.4, 0.5, 0.3] * 20, rope=0.01)
    assert found.outcome == "undecided"
    low, high = (f"{end:+.4f}".replace("-", "−") for end in (found.low, found.high))
    said = " ".join(str(found).split())
    assert f"no decision: differences from {low} to {high} remain possible (α = 0.05" in said


@pytest.mark.parametrize("clusters", [None, np.arange(500) // 5])
def test_a_race_begins_with_the_scores_of_the_items_it_saw(clusters):
    a, b = right(0.8, 500, 0), right(0.6, 500, 1)
    found = op.race(a, b, clusters=clusters)
    first, second = found.measured.drawn(found.seed, found.n)
    assert first.mean() - second.mean() == pytest.approx(found.estimate, abs=1e-12)
    assert str(found).splitlines()[1] == f"  mean       A  {first.mean():.3f} ({found.n} items)"


def test_the_order_is_drawn_and_recorded():
    a, b = right(0.75, 3000, 0), right(0.6, 3000, 1)
    again = op.race(a, b, random_state=3)
    assert op.race(a, b, random_state=3).to_dict() == again.to_dict()
    assert again.to_dict()["seed"] == 3
    assert len({op.race(a, b, random_state=seed).n for seed in range(5)}) > 1
    best_first = np.argsort(-(a - b), kind="stable")  # a log sorted in favour of the first
    sorted_log = op.race(a[best_first], b[best_first], random_state=3)
    assert sorted_log.n > 40


def test_it_stops_at_the_item_where_the_e_value_reaches_its_bound():
    a, b = right(0.8, 2000, 2), right(0.7, 2000, 3)
    found = op.race(a, b, random_state=1)
    order = np.random.default_rng(1).permutation(2000)
    path = e_path((a - b)[order])
    assert found.n == int(np.argmax(path >= np.log(20))) + 1
    assert found.estimate == pytest.approx((a - b)[order][: found.n].mean())


def test_equal_models_are_equivalent_within_a_rope():
    a = right(0.8, 20_000, 4)
    b = np.where(right(0.01, 20_000, 5) == 1, 1 - a, a)
    found = op.race(a, b, rope=0.05)
    assert found.outcome == "equivalent"
    assert found.n < 20_000
    assert -0.05 < found.low < found.high < 0.05


def test_a_race_that_cannot_be_won_any_more_is_futile():
    a, b = right(0.7, 60, 6), right(0.7, 60, 6)
    found = op.race(a, b)
    assert found.outcome == "futile"
    left = 60 - found.n
    assert np.exp(e_path(np.ones(left))[-1] if left else 0) < 20


def favoured(x, rest, leader):
    """Return the capital against a difference of 0 if all remaining items favour one side."""
    ahead = np.concatenate([x, np.full(rest, leader)])
    return betting_capital(ahead, 0.5)[-1]


def test_bets_are_futile_at_the_first_item_from_which_even_wins_alone_do_not_reach_the_bound():
    rng = np.random.default_rng(11)
    a, b = rng.random(120), rng.random(120)
    found = op.race(a, b, random_state=1)
    assert found.outcome == "futile"
    x = ((a - b)[np.random.default_rng(1).permutation(120)] + 1) / 2
    best = [max(favoured(x[:t], 120 - t, side) for side in (0.0, 1.0)) for t in range(1, 120)]
    assert found.n == 1 + int(np.argmax(np.array(best) < 20))
    assert found.n < 120


def test_the_asymptotic_sequence_is_futile_where_scores_have_bounds():
    rng = np.random.default_rng(12)
    a, b = rng.random(150), rng.random(150)
    found = op.race(a, b, method="asymptotic", random_state=1)
    assert found.outcome == "futile"
    d = (a - b)[np.random.default_rng(1).permutation(150)]

    def excluded(seen):
        """Tell whether 0 is ever ruled out if the rest favours one side as far as it can."""
        for side in (1.0, -1.0):
            path = np.concatenate([d[:seen], np.full(150 - seen, side)])
            t = np.arange(1, 151)
            mean = np.cumsum(path) / t
            spread = np.cumsum(path * path) / t - mean**2
            low, high = asymptotic_interval(mean, spread, t, t_star=75)
            out = ((low > 0) | (high < 0)) & (t >= 30) & (t > seen)
            if out.any():
                return True
        return False

    assert not excluded(found.n)
    assert excluded(found.n - 1)
    beyond = op.race(3 * a, 3 * b, method="asymptotic", random_state=1)
    assert (beyond.outcome, beyond.n) == ("undecided", 150)  # nobody knows how far scores could go


def test_smaller_differences_may_decide_what_the_largest_would_not():
    state = [np.array([x]) for x in (1000, 20.0, 10.4, 30)]  # items, Σd, Σd², items left
    n = np.arange(1001, 1031)

    def wins(each, alpha):
        """Tell whether further items that each differ by so much rule out 0."""
        mean = (20 + each * (n - 1000)) / n
        spread = (10.4 + each**2 * (n - 1000)) / n - mean**2
        low, _ = asymptotic_interval(mean, spread, n, alpha=alpha, t_star=500)
        return bool((low > 0).any())

    assert wins(0.52, 1e-14)
    assert not wins(1.0, 1e-14)
    assert not sums_futile(*state, 1.0, (1e-14, 500)).item()
    assert not any(wins(each, 1e-15) for each in np.linspace(0.01, 1, 100))
    assert sums_futile(*state, 1.0, (1e-15, 500)).item()


def test_a_race_with_a_rope_or_through_a_whole_benchmark_is_never_futile():
    rng = np.random.default_rng(13)
    a, b = rng.random(60), rng.random(60)
    assert op.race(a, b, rope=0.01).n == 60
    assert op.race(a, b, population="these").outcome in ("better", "worse")


@pytest.mark.parametrize("method", ["betting", "asymptotic"])
def test_how_many_items_come_at_a_time_does_not_change_a_bit(method):
    rng = np.random.default_rng(14)
    a, b = rng.random(700), rng.random(700) - 0.02

    def state(sizes):
        watch = RaceWatch(method=method, bounds=(-1, 1), n_items=700)
        at = 0
        for size in sizes:
            if watch.take(a[at : at + size], b[at : at + size]):
                break
            at += size
        return watch.outcome, watch.n, watch.mean, watch.low, watch.high, watch.path

    assert state([700]) == state([1] * 700) == state([300, 7, 393])


def test_all_items_of_a_benchmark_are_decided_though_new_items_are_not():
    rng = np.random.default_rng(7)
    a = rng.random(400)
    b = np.clip(a - 0.01 + rng.normal(0, 0.05, 400), 0, 1)
    these = op.race(a, b, population="these")
    assert these.outcome == ("better" if a.mean() > b.mean() else "worse")
    assert these.low <= (a - b).mean() <= these.high


def test_scores_beyond_their_bounds_are_refused():
    with pytest.raises(op.DataError, match="bounds"):
        op.race(np.arange(50.0), np.zeros(50), method="betting")
    assert op.race(np.arange(50.0), np.zeros(50), bounds=(0, 50)).outcome == "better"


def test_wins_of_graded_scores_are_not_counted_against_the_mean():
    often_a_little = [0.91, 0.91, 0.91, 0.91, 0.0] * 80
    with pytest.raises(op.DataError, match="neither 0 nor 1"):
        op.race(often_a_little.__getitem__, lambda at: 0.9, range(400), method="e-process")


def test_items_keep_their_direction_and_take_the_clusters_that_are_passed():
    a, b = np.tile([0.0, 1.0, 1.0], 40), np.tile([0.0, 0.0, 1.0], 40)
    items = op.Items.from_arrays({"a": a, "b": b}, clusters=np.arange(120))
    with pytest.raises(op.DataError, match="'lower_is_better' parameter is for arrays"):
        op.race(items, lower_is_better=True)
    with pytest.raises(op.DataError, match="weights, which a race does not take into account"):
        op.race(op.Items.from_arrays({"a": a, "b": b}, weights=1 + a))
    found = op.race(items, clusters=np.arange(120) // 3)
    assert (
        found.to_dict() == op.race(a, b, clusters=np.arange(120) // 3, names=("a", "b")).to_dict()
    )


@pytest.mark.parametrize("gain", [0.0, 0.4])
def test_items_that_repeat_one_another_tell_no_more_than_one_of_each(gain: float):
    a = 3 * np.random.default_rng(6).normal(gain, 1, 200)  # beyond the bounds: none is futile
    alone = op.race(a, np.zeros(200), method="asymptotic", random_state=5)
    labels = np.repeat(np.arange(200), 20)
    copies = op.race(np.repeat(a, 20), np.zeros(4000), clusters=labels, random_state=5)
    assert copies.outcome == alone.outcome == ("better" if gain else "undecided")
    assert copies.n == 20 * alone.n
    assert (copies.low, copies.high) == pytest.approx((alone.low, alone.high), rel=1e-9)


def test_any_scores_can_be_raced_asymptotically_and_clusters_are_drawn_whole():
    rng = np.random.default_rng(8)
    shared = np.repeat(rng.normal(0, 1, 100), 20)
    a = shared + rng.normal(0.05, 0.3, 2000)
    naive = op.race(a, np.zeros(2000), method="asymptotic")
    whole = op.race(a, np.zeros(2000), clusters=np.arange(2000) // 20)
    assert whole.method == "asymptotic"
    assert whole.high - whole.low > 2 * (naive.high - naive.low)
    assert whole.n % 20 == 0


def strong(item):
    return float(item % 10 != 0)


def weak(item):
    return float(item % 3 != 0)


def test_functions_are_called_no_more_often_than_needed_and_a_race_goes_on(tmp_path):
    items, calls = list(range(400)), tmp_path / "calls"

    def counting(item):
        with calls.open("a") as file:
            file.write(".")
        return float(item % 10 != 0)

    journal = tmp_path / "race.jsonl"
    whole = op.race(counting, weak, items, journal=journal)
    assert whole.outcome == "better"
    assert whole.names == ("counting", "weak")
    before = calls.stat().st_size
    assert before == whole.n < 400
    content = journal.read_bytes()
    journal.write_bytes(content[: len(content) // 2])  # stopped in the middle of a line
    again = op.race(counting, weak, items, journal=journal)
    assert again.to_dict() == whole.to_dict()
    assert 0 < calls.stat().st_size - before < whole.n
    assert journal.read_bytes() == content
    journal.write_bytes(content[:100])  # stopped in the middle of the first line
    assert op.race(counting, weak, items, journal=journal).to_dict() == whole.to_dict()
    assert op.race(counting, weak, items, n_jobs=2).to_dict() == whole.to_dict()


def scorer(right):
    return lambda item: float(item in right)


@pytest.mark.parametrize(
    ("first", "second", "options", "differing"),
    [
        (weak, strong, {}, ["functions", "names"]),
        (weak, strong, {"names": ("strong", "weak")}, ["functions"]),
        (strong, scorer({1}), {"names": ("strong", "weak")}, ["functions"]),
        (strong, weak, {"names": ("weak", "strong")}, ["names"]),
        (strong, weak, {"items": list(range(1, 401))}, ["items"]),
        (strong, weak, {"items": list(range(401))}, ["items"]),
        (strong, weak, {"random_state": 5}, ["random_state"]),
        (strong, weak, {"alpha": 0.2}, ["alpha"]),
        (strong, weak, {"rope": 0.1}, ["rope"]),
        (strong, weak, {"lower_is_better": True}, ["lower_is_better"]),
        (strong, weak, {"bounds": (0, 2)}, ["bounds"]),
        (strong, weak, {"method": "asymptotic"}, ["method"]),
        (strong, weak, {"population": "these"}, ["population"]),
    ],
)
def test_a_journal_is_for_one_race_only(tmp_path, first, second, options, differing):
    journal = tmp_path / "race.jsonl"
    same = {"items": list(range(400)), "journal": journal}
    op.race(strong, weak, **same)
    content = journal.read_bytes()
    with pytest.raises(op.DataError) as refused:
        op.race(first, second, **{**same, **options})
    names = {"functions", "names", "items", "random_state", "alpha", "rope", "lower_is_better"}
    names |= {"bounds", "method", "population"}
    assert sorted(names & set(re.findall(r"\w+", str(refused.value)))) == differing
    assert len(str(refused.value).splitlines()) == 1
    assert journal.read_bytes() == content


def test_items_whose_reprs_are_shortened_are_told_apart(tmp_path):
    journal = tmp_path / "race.jsonl"
    one, other = np.zeros((2, 40, 100))
    other[20, 50] = 1
    assert repr(one) == repr(other)
    sides = (lambda item: 1.0), (lambda item: 0.0)
    for pack in (np.array, pd.DataFrame):
        journal.unlink(missing_ok=True)
        op.race(*sides, [pack(one)] * 9, journal=journal)
        with pytest.raises(op.DataError, match="items"):
            op.race(*sides, [pack(one)] * 8 + [pack(other)], journal=journal)


def test_rows_that_the_race_did_not_write_are_refused(tmp_path):
    items, journal = list(range(400)), tmp_path / "race.jsonl"
    op.race(strong, weak, items, journal=journal)
    head, row, *others = journal.read_text().splitlines(keepends=True)
    position, a, b, check = json.loads(row)
    forged = json.dumps([position, 1 - a, 1 - b, check])
    elsewhere = tmp_path / "other.jsonl"
    op.race(strong, weak, items, journal=elsewhere, alpha=0.2)
    foreign = elsewhere.read_text().splitlines()[1]
    assert json.loads(foreign)[:3] == [position, a, b]
    bad = (forged, foreign, row[:-3], "[0, 1.0, 0.0]", f"[0, {10**400}, 1]", "[" * 5000, "", "é")
    for line in bad:
        journal.write_text("".join([head, f"{line}\n", *others]))
        with pytest.raises(op.DataError, match=r"Line 2 of .* damaged"):
            op.race(strong, weak, items, journal=journal)
    for content in ("not a journal\n", "notes", '{"schema": "outperform/race-journal/1"}\n'):
        journal.write_text(content)
        with pytest.raises(op.DataError):
            op.race(strong, weak, items, journal=journal)
        assert journal.read_text() == content


def test_a_journal_serves_one_race_at_a_time_and_survives_a_kill(tmp_path):
    script = tmp_path / "race.py"
    script.write_text(
        "import sys, time\n"
        "import outperform as op\n"
        "def right(item):\n"
        "    if item == 6 and len(sys.argv) > 1:\n"
        "        print('scoring', flush=True)\n"
        "        time.sleep(60)\n"
        "    return 1.0\n"
        "def wrong(item):\n"
        "    return 0.0\n"
        "print(op.race(right, wrong, range(9), rope=0.01, journal='race.jsonl'))\n"
    )
    command = [sys.executable, script.name]
    place = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    before = np.random.default_rng(0).permutation(9).tolist().index(6)
    with subprocess.Popen([*command, "slow"], **place) as running:
        assert running.stdout.readline() == "scoring\n"
        second = subprocess.run(command, **place, check=False)
        running.kill()
    assert second.returncode != 0
    assert "DataError" in second.stderr.splitlines()[-1]
    journal = tmp_path / "race.jsonl"
    assert len(journal.read_text().splitlines()) == 1 + before
    third = subprocess.run(command, **place, check=False)
    assert third.returncode == 0, third.stderr
    assert len(journal.read_text().splitlines()) == 10


def test_a_race_that_failed_lets_go_of_its_journal(tmp_path):
    race = {"items": range(9), "journal": tmp_path / "race.jsonl"}
    failures = []  # alive, as in a notebook, with the frames of the race
    for _ in range(2):
        with pytest.raises(op.DataError, match="'bounds'") as failure:
            op.race(lambda item: 5.0, weak, **race)
        failures.append(failure)


def test_memory_does_not_grow_with_items():
    watch = RaceWatch(n_items=None)
    rng = np.random.default_rng(9)
    sizes = []
    for _ in range(6):
        a, b = rng.integers(0, 2, (2, 5000))
        watch.take(a.astype(float), b.astype(float))
        sizes.append((watch.sequence.means.size, len(watch.path)))
    assert sizes[-1][0] <= sizes[0][0]
    assert sizes[-1][1] <= 400


def test_the_interval_of_a_race_holds_that_of_bisection():
    rng = np.random.default_rng(10)
    a, b = rng.random(150), rng.random(150)
    found = op.race(a, b, random_state=2)
    order = np.random.default_rng(2).permutation(150)
    low, high = betting_interval(((a - b)[order][: found.n] + 1) / 2)
    assert found.low >= 2 * low - 1 - 1e-3
    assert found.high <= 2 * high - 1 + 1e-3


def test_a_race_prints_draws_and_is_json():
    found = op.race(right(0.9, 500, 0), right(0.6, 500, 1), names=("a\x1b[31m", "b"), rope=0.02)
    assert "outperforms" in str(found)
    assert "\x1b" not in str(found)
    assert "seed 0" in str(found)
    assert json.loads(found.to_json())["outcome"] == "better"
    assert found.plot().axes[0].get_title(loc="left").count("outperforms b after") == 1


def gate(errors: int, runs: int, alpha: float) -> bool:
    """Tell whether so many errors are too many for an error rate of at most α."""
    return bool(binom.sf(errors - 1, runs, alpha) < DELTA)


def peeked(seed: int, runs: int = 10_000, horizon: int = 600):
    """Return differences of equal models, runs × items, with a tenth of the items discordant."""
    rng = np.random.default_rng(seed)
    return rng.choice(np.array([-1, 0, 1], dtype=np.int8), (runs, horizon), p=[0.1, 0.8, 0.1])


@pytest.mark.slow
def test_looking_after_every_item_errs_less_often_than_alpha_at_every_horizon():
    d = peeked(0)
    crossed = np.maximum.accumulate(e_path(d), axis=1) >= np.log(20)
    for horizon in (50, 100, 200, 400, 600):
        assert not gate(int(crossed[:, horizon - 1].sum()), len(d), 0.05)


def test_the_gate_catches_a_plain_test_that_is_peeked_at():
    d = peeked(0)
    n = np.arange(50, 601, 50)
    wins, losses = (np.cumsum(d == s, axis=1)[:, n - 1] for s in (1, -1))
    z = (wins - losses) / np.sqrt(np.maximum(wins + losses, 1))
    assert gate(int((np.abs(z) > 1.96).any(axis=1).sum()), len(d), 0.05)


def test_betting_against_the_truth_reaches_its_bound_less_often_than_alpha():
    lost = [(betting_capital((d + 1) / 2, 0.5) >= 20).any() for d in peeked(1, 2000, 300) * 1.0]
    assert not gate(sum(lost), 2000, 0.05)
    assert sum(lost) > 0


def test_the_asymptotic_sequence_holds_the_truth_at_all_times():
    d = peeked(2, 4000, 500).astype(float)
    t = np.arange(1, 501)
    mean = np.cumsum(d, axis=1) / t
    variance = np.cumsum(d * d, axis=1) / t - mean**2
    low, high = asymptotic_interval(mean, variance, t, t_star=250)
    missed = ((low > 0) | (high < 0))[:, 29:].any(axis=1)
    assert not gate(int(missed.sum()), 4000, 0.05)


@pytest.mark.slow
def test_a_real_difference_is_found_nearly_always():
    rng = np.random.default_rng(2)
    d = rng.choice(np.array([-1, 0, 1], dtype=np.int8), (2000, 2000), p=[0.075, 0.8, 0.125])
    power = float((np.maximum.accumulate(e_path(d), axis=1)[:, -1] >= np.log(20)).mean())
    assert power > 0.95


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("metric", ["rmse", "loss", "accuracy"])
def test_columns_of_models_say_what_the_metric_is_and_which_way_it_points(tmp_path, metric, ids):
    rng = np.random.default_rng(3)
    low, high = rng.uniform(0.1, 0.3, 200), rng.uniform(0.7, 0.9, 200)
    path, head = tmp_path / "items.csv", f"id,lr_{metric},rf_{metric}".split(",")
    rows = [[i, *pair] for i, pair in enumerate(zip(low, high, strict=True))]
    lines = [head, *rows] if ids else [line[1:] for line in (head, *rows)]
    path.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    items = op.Items.read(path)
    found = op.race(items)
    assert found.metric == metric
    assert found.outcome == ("worse" if metric == "accuracy" else "better")
    assert ("lower" in str(found)) is (metric != "accuracy")
    rows_said = any("every row was read as one item" in note.detail for note in items.notes)
    assert rows_said is not ids


def test_the_metric_that_was_chosen_of_several_is_said(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(
        "id,model,rmse,mae\n" + "".join(f"{i // 2},{'ab'[i % 2]},.2,.3\n" for i in range(40))
    )
    items = op.Items.read(path)
    assert any("'rmse' was read as the score; for 'mae'" in note.detail for note in items.notes)
    assert items.metric == "rmse"
    again = op.Items.read(path, metric="mae")
    assert again.metric == "mae"
    assert not any("was read as the score" in note.detail for note in again.notes)
