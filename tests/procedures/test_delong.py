"""DeLong's test: pROC's numbers, brute force over pairs of items, and what cannot be judged."""

from __future__ import annotations

import json

import numpy as np
import places
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

import outperform as op
from outperform.numerics.placements import area_difference, placements

GOLDEN = {
    entry["name"]: entry
    for entry in json.loads((places.GOLDEN / "delong.json").read_text(encoding="utf-8"))
}


def check(result: op.Result, expected: dict[str, float], within: float) -> None:
    assert result.estimate == pytest.approx(expected["diff"], rel=within)
    assert result.stderr == pytest.approx(expected["se"], rel=within)
    assert result.statistic == pytest.approx(expected["z"], rel=within)
    areas = result.details["p_A"], result.details["p_B"]
    assert areas == pytest.approx(expected["auc"], rel=within)


def test_a_small_sample_with_ties_is_as_proc_has_it():
    entry = GOLDEN["delong/small_with_ties"]
    given = entry["input"]
    result = op.methods.delong(given["y"], given["s1"], given["s2"])
    check(result, entry["expected"], 1e-10)
    half = stats.t.ppf(0.975, 13) * result.stderr  # 14 of its 30 items are positive
    ends = result.estimate - half, result.estimate + half
    assert tuple(result.interval(0.95)) == pytest.approx(ends, abs=1e-10)


@pytest.mark.parametrize("pair", ["s100b_wfns", "s100b_ndka"])
def test_the_data_of_proc_give_its_z(pair: str):
    entry = GOLDEN["delong/aSAH"]
    first, second = pair.split("_")
    given = entry["input"]
    result = op.methods.delong(given["outcome"], given[first], given[second])
    check(result, entry["expected"][pair], 1e-8)


def words(shown: object) -> str:
    return " ".join(str(shown).split())


@pytest.mark.parametrize(("few", "many", "noted"), [(19, 60, True), (20, 60, False)])
def test_the_smaller_class_gives_the_degrees_of_freedom_and_is_named_where_it_is_small(
    few: int, many: int, noted: bool
):
    rng = np.random.default_rng(few)
    y = np.repeat([0, 1], [many, few])
    sides = {name: rng.normal(size=y.size) + y for name in ("one", "other")}
    for truth in (y, 1 - y):
        found = op.methods.delong(truth, *sides.values())
        assert found.df == few - 1
        assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(found.statistic), few - 1))
        sizes = {"n_positive": truth.sum(), "n_negative": (1 - truth).sum()}
        assert found.to_dict()["details"].items() >= sizes.items()
        assert f"{truth.sum()} positive and {(1 - truth).sum()} negative items" in words(found)
        assert ("OP318" in [note.code for note in found.notes]) is noted
    chances = {name: 1 / (1 + np.exp(-side)) for name, side in sides.items()}
    compared = op.compare(op.Items.from_probabilities(y, chances, metric="roc_auc"))
    assert compared["one", "other"].df == few - 1
    assert ("OP318" in [note.code for note in compared.notes]) is noted
    assert f"{few} positive and {many} negative items" in words(compared)
    three = op.Items.from_probabilities(y, chances | {"y": (y + 1) / 3}, metric="roc_auc")
    assert f"{few} positive and {many} negative items" in words(op.compare(three))


def test_equal_ranks_are_the_same_model():
    given = GOLDEN["delong/degenerate"]["input"]
    result = op.methods.delong(given["y"], given["s1"], given["s2"])
    assert (result.estimate, result.pvalue) == (0.0, 1.0)
    assert result.notes[0].code == "OP101"


def test_placements_count_pairs_of_items_and_give_scikit_learns_area():
    rng = np.random.default_rng(3)
    positive = rng.random((4, 50)) < 0.3
    scores = np.round(rng.normal(size=(4, 50)) + positive, 1)
    found = placements(positive, scores)
    for row, kind, score in zip(found, positive, scores, strict=True):
        wins = np.sign(score[:, None] - score[None, :]) + 1
        above = wins[:, ~kind].sum(axis=1)
        below = (2 - wins)[:, kind].sum(axis=1)
        assert (row == np.where(kind, above, below)).all()
        area = row[kind].sum() / (2 * kind.sum() * (~kind).sum())
        assert area == pytest.approx(roc_auc_score(kind, score), rel=1e-14)


def test_the_standard_error_is_that_of_the_covariances_of_placements():
    rng = np.random.default_rng(4)
    positive = np.arange(80) % 3 == 0
    first, second = (placements(positive, rng.normal(size=80) + positive) for _ in range(2))
    n1, n0 = positive.sum(), (~positive).sum()
    tens = np.cov(np.stack([first, second])[:, positive] / (2 * n0))
    ones = np.cov(np.stack([first, second])[:, ~positive] / (2 * n1))
    total = tens / n1 + ones / n0
    _, stderr = area_difference(positive, first - second)
    variance = total[0, 0] + total[1, 1] - 2 * total[0, 1]
    assert stderr == pytest.approx(np.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize(
    ("y", "message"),
    [([0, 1, 2, 0], "must contain 0 and 1"), ([0, 0, 0, 1], "at least 2 items of each class")],
)
def test_what_has_no_area_is_refused(y: list[int], message: str):
    with pytest.raises(op.DataError, match=message):
        op.methods.delong(y, [1, 2, 3, 4], [4, 3, 2, 1])


def test_scores_of_another_length_are_refused():
    with pytest.raises(op.DataError, match="one score for each of the 4 items"):
        op.methods.delong([0, 1, 0, 1], [1, 2, 3], [1, 2, 3, 4])


def test_one_area_has_delongs_error_and_an_interval_between_0_and_1():
    entry = GOLDEN["delong/small_with_ties"]  # pROC's var(auc)
    y, score = entry["input"]["y"], np.array(entry["input"]["s1"], dtype=float)
    chance = (score - score.min() + 1) / (np.ptp(score) + 2)
    items = op.Items.from_probabilities(y, {"one": chance}, metric="roc_auc")
    found = op.estimate(items)
    assert found.estimate == pytest.approx(entry["expected"]["auc"][0], rel=1e-12)
    assert found.stderr == pytest.approx(np.sqrt(entry["expected"]["var"][0]), rel=1e-10)
    low, high = found.interval(0.95)
    area = found.estimate
    for end, side in ((low, -1), (high, 1)):
        logit = np.log(area / (1 - area)) + side * 1.959963985 * found.stderr / area / (1 - area)
        assert end == pytest.approx(1 / (1 + np.exp(-logit)), rel=1e-8)
    assert "roc_auc of one" in repr(found)


def test_an_area_of_one_has_no_interval_and_says_so():
    items = op.Items.from_probabilities([0, 0, 1, 1], {"m": [0.1, 0.2, 0.8, 0.9]}, metric="roc_auc")
    found = op.estimate(items)
    assert (found.estimate, found.stderr, found.interval()) == (1.0, None, None)
    assert "The area is 1" in str(found)


def test_an_estimate_of_one_model_does_not_ignore_clusters():
    items = op.Items.from_arrays({"m": [1, 0, 1, 1]}, clusters=[1, 1, 2, 2])
    with pytest.raises(op.MethodError, match="treats items as independent"):
        op.estimate(items)


@pytest.mark.parametrize("method", ["sampled_items_t", "crossed_t"])
def test_an_auc_is_not_compared_as_a_mean_over_items(method: str) -> None:
    chances = {"a": [0.1, 0.2, 0.8, 0.9], "b": [0.3, 0.2, 0.6, 0.5]}
    items = op.Items.from_probabilities([0, 0, 1, 1], chances, metric="roc_auc")
    with pytest.raises(op.MethodError, match="delong"):
        op.compare(items, method=method)
