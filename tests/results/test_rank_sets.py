"""Rank sets: golden values, simultaneous intervals by max-t, and how they are shown."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import places
import pytest
import scipy.stats
from launching import run_here

import outperform as op
from outperform.numerics.distributions import T
from outperform.numerics.largest_t import bootstrap_maximum

ENTRIES = json.loads((places.GOLDEN / "many_datasets.json").read_text("utf-8"))
GOLDEN = {entry["name"]: entry for entry in ENTRIES}
TABLES = [name.partition("/")[2] for name in GOLDEN if name.startswith("rank_sets/")]


def over_datasets(values: np.ndarray, names: tuple[str, ...]) -> op.Scores:
    addresses = np.zeros((values.shape[1], 3), dtype=np.int64)
    return op.Scores(names, values, addresses, datasets=tuple(map(str, range(values.shape[1]))))


def golden(name: str) -> op.Scores:
    given = GOLDEN[f"table/{name}"]["input"]
    return over_datasets(np.array(given["scores"]).T, tuple(given["learners"]))


def drawn(n: int = 40, k: int = 5) -> op.Scores:
    rng = np.random.default_rng(3)
    level = rng.normal(0.8, 0.1, n) + np.linspace(0.1, 0.0, k)[:, None]
    return over_datasets(level + rng.normal(0, 0.03, (k, n)), tuple("abcdefghij"[:k]))


@pytest.mark.parametrize("name", TABLES)
def test_rank_sets_by_bonferronis_t_are_the_golden_ones(name: str) -> None:
    want = GOLDEN[f"rank_sets/{name}"]["expected"]
    compared = op.compare(golden(name), method="dataset_t")
    low, high = compared.intervals(0.95)
    ends = np.array(want["simultaneous_ci"])
    assert np.stack([low, high], axis=1) == pytest.approx(ends, rel=1e-9)
    found = compared.rank_sets()
    for model, best, worst in zip(compared.names, want["rank_low"], want["rank_high"], strict=True):
        assert found[model] == (best, worst)


def test_the_largest_t_of_one_pair_is_students() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(25, 2))
    pair = np.array([0]), np.array([1])
    law = bootstrap_maximum(values, pair, 200_000, np.random.default_rng(1))
    assert law.isf(0.05) == pytest.approx(float(T(24).isf(0.025)), abs=4 * law.isf_error(0.05))
    assert 0.003 < law.isf_error(0.05) < 0.02


def test_max_t_is_seeded_narrower_than_bonferroni_and_says_its_error() -> None:
    scores = drawn()
    found, again = op.methods.max_t(scores), op.methods.max_t(scores)
    assert found.critical_value() == again.critical_value()
    assert found.critical_value() != op.methods.max_t(scores, random_state=1).critical_value()
    single = op.compare(scores, method="dataset_t")
    assert found.critical_value() < single.critical_value()
    assert found.evidence.estimate.tolist() == single.evidence.estimate.tolist()
    said = {note.code: note.text for note in found.notes}
    assert "standard errors (Monte Carlo error 0.0" in said["OP344"]
    low, high = found.intervals()
    excludes = (low > 0) | (high < 0)
    assert excludes.tolist() == (found.adjusted() < 0.05).tolist()


def test_few_datasets_are_judged_by_bonferronis_t() -> None:
    scores = golden("dem")
    found = op.methods.max_t(scores)
    assert found.adjust == "single-step"
    assert "With 14 datasets, fewer than 20" in str(found)
    assert op.rank(scores)["C4.5"] == op.compare(scores, method="dataset_t").rank_sets()["C4.5"]


@pytest.mark.slow
def test_max_t_covers_all_differences_at_its_level() -> None:
    """δ = 1e-6: with coverage 0.94 or more, at most 59 of 400 experiments miss."""
    misses = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(25, 4)) * [1, 2, 0.5, 1] + rng.normal(size=(25, 1))
        low, high = op.methods.max_t(values, n_draws=1000, random_state=seed).intervals(0.95)
        misses += bool(((low > 0) | (high < 0)).any())
    assert misses <= 59
    assert misses >= 5


def test_ranks_are_shown_as_text_latex_json_and_frame() -> None:
    scores = over_datasets(drawn().values, ("a_b<i>", "b", "c", "d", "e"))
    found = op.rank(scores)
    assert found.names[0] == "a_b<i>"
    assert found.tied_for_first == tuple(n for n in found.names if found[n][0] == 1)
    assert "With 95 % confidence, every true rank is in its set" in str(found)
    assert "a\\_b" in found.to_latex()
    assert "\\underline{" in found.to_latex()
    said = json.loads(found.to_json())
    assert [row["name"] for row in said["ranks"]] == list(found.names)
    assert said["schema"] == "outperform/rank/1"
    assert found.to_frame("polars")["low"].to_list() == list(found.low)


def test_ranks_need_all_pairs_and_simultaneous_intervals() -> None:
    scores = drawn()
    with pytest.raises(op.MethodError, match="Leave control out"):
        op.compare(scores, control="a").rank_sets()
    folds = {name: np.random.default_rng(k).normal(size=10) for k, name in enumerate("abc")}
    with pytest.raises(op.MethodError, match="Ranks need simultaneous intervals"):
        op.compare(folds, design="10cv", adjust="holm").rank_sets()
    with pytest.raises(op.DataError, match="'n_draws' parameter must be at least 1000"):
        op.methods.max_t(scores, n_draws=10)
    with pytest.raises(op.DataError, match="'random_state' parameter must be a non-negative"):
        op.methods.max_t(scores, random_state=-1)


def test_a_comparison_over_datasets_says_who_is_tied_for_first() -> None:
    scores = drawn()
    compared, ranked = op.compare(scores), op.rank(scores)
    assert compared.rank_sets().rows() == ranked.rows()
    said = compared.to_dict()["datasets"]
    assert said["tied_for_first"] == list(ranked.tied_for_first)
    assert said["rank_sets"] == {name: list(ranked[name]) for name in ranked.names}
    assert ranked.tied_for_first == ("a", "b")
    assert "Tied for first: a and b (by their means, simultaneous 95 % intervals" in " ".join(
        str(compared).split()
    )


def test_ranks_of_a_table_with_gaps_follow_from_each_pairs_own_datasets() -> None:
    scores = drawn()
    values = scores.values.copy()
    values[0, 0] = np.nan
    gaps = replace(scores, values=values)
    found = op.rank(op.Benchmark(gaps).to_scores("pairwise"))
    means = np.nanmean(values, axis=1)
    known = dict(zip(scores.names, means, strict=True))
    assert dict(zip(found.names, found.means, strict=True)) == pytest.approx(known)
    with pytest.raises(op.DataError, match="1 of 200 scores is missing"):
        op.rank(gaps)


def test_pairs_with_gaps_keep_their_own_estimates_and_intervals() -> None:
    """Student's t of each pair on the datasets that both have, as scipy computes it."""
    values = drawn().values.copy()
    values[0, 3] = values[1, 5] = values[2, 5] = np.nan
    gaps = op.Benchmark(replace(drawn(), values=values)).to_scores("pairwise")
    found = op.compare(gaps, method="dataset_t", adjust="single-step")
    low, high = found.intervals(0.95)
    for at, (i, j) in enumerate(zip(*found.pairs, strict=True)):
        both = ~np.isnan(values[[i, j]]).any(axis=0)
        one = scipy.stats.ttest_rel(values[i, both], values[j, both])
        ends = one.confidence_interval(1 - 0.05 / found.n_pairs)
        assert (low[at], high[at]) == pytest.approx((ends.low, ends.high), rel=1e-9)
        better = {found.names[j]} if ends.low > 0 else {found.names[i]} if ends.high < 0 else set()
        assert not better & set(op.rank(gaps).tied_for_first)


def test_items_and_splits_are_ranked_too() -> None:
    right = np.random.default_rng(7).random((3, 200)) < [[0.95], [0.7], [0.72]]
    held = op.Scores.from_correct(("tree", "bayes", "knn"), right)
    found = op.rank(held)
    assert found["tree"] == (1, 1)
    assert found["knn"] == (2, 3)
    rng = np.random.default_rng(0)
    folds = {name: rng.normal(mean, 0.01, 10) for name, mean in (("a", 0.9), ("b", 0.7))}
    assert op.rank(folds, design="10cv").tied_for_first == ("a",)


def test_the_command_prints_what_the_function_returns(tmp_path, capsys) -> None:
    scores = drawn()
    names = ",".join(scores.names)
    rows = [f"{d},{','.join(map(repr, row))}" for d, row in enumerate(scores.values.T.tolist())]
    (tmp_path / "bench.csv").write_text(f"dataset,{names}\n" + "\n".join(rows) + "\n")
    assert run_here("rank", str(tmp_path / "bench.csv"), "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ranks"] == json.loads(op.rank(scores).to_json())["ranks"]
    assert run_here("rank", str(tmp_path / "bench.csv")) == 0
    assert "the ranks each may have" in capsys.readouterr().out
