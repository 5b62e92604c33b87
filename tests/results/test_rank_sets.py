"""Rank sets: golden values, simultaneous intervals by max-t, and how they are shown."""

from __future__ import annotations

import json

import numpy as np
import places
import pytest
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
    for learner, best, worst in zip(
        compared.names, want["rank_low"], want["rank_high"], strict=True
    ):
        assert found[learner] == (best, worst)


def test_the_largest_t_of_one_pair_is_students() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(25, 2))
    pair = np.array([0]), np.array([1])
    law = bootstrap_maximum(values, pair, 200_000, np.random.default_rng(1))
    assert law.isf(0.05) == pytest.approx(float(T(24).isf(0.025)), abs=4 * law.isf_error(0.05))
    assert 0.003 < law.isf_error(0.05) < 0.02


def test_max_t_is_seeded_narrower_than_bonferroni_and_says_its_error() -> None:
    scores = drawn()
    found, again = op.max_t(scores), op.max_t(scores)
    assert found.critical_value() == again.critical_value()
    assert found.critical_value() != op.max_t(scores, random_state=1).critical_value()
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
    found = op.max_t(scores)
    assert found.adjust == "single-step"
    assert "With 14 datasets, fewer than 20" in str(found)
    assert op.rank(scores)["C4.5"] == op.compare(scores, method="dataset_t").rank_sets()["C4.5"]


def test_max_t_covers_all_differences_at_its_level() -> None:
    """δ = 1e-6: with coverage 0.94 or more, at most 59 of 400 experiments miss."""
    misses = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(25, 4)) * [1, 2, 0.5, 1] + rng.normal(size=(25, 1))
        low, high = op.max_t(values, n_draws=1000, random_state=seed).intervals(0.95)
        misses += bool(((low > 0) | (high < 0)).any())
    assert misses <= 59
    assert misses >= 5


def test_ranks_are_shown_as_text_latex_json_frame_and_html() -> None:
    scores = over_datasets(drawn().values, ("a_b<i>", "b", "c", "d", "e"))
    found = op.rank(scores)
    assert found.names[0] == "a_b<i>"
    assert found.tied_for_first == tuple(n for n in found.names if found[n][0] == 1)
    assert "All rank sets cover the true ranks together with 95 % confidence" in str(found)
    assert "a\\_b" in found.to_latex()
    assert "\\underline{" in found.to_latex()
    assert "<i>" not in found._repr_html_()
    said = json.loads(found.to_json())
    assert [row["name"] for row in said["ranks"]] == list(found.names)
    assert said["schema"] == "outperform/rank/1"
    assert found.to_frame("polars")["low"].to_list() == list(found.low)


def test_ranks_need_all_pairs_and_simultaneous_intervals() -> None:
    scores = drawn()
    with pytest.raises(op.MethodError, match="Leave control out"):
        op.compare(scores, control="a").rank_sets()
    with pytest.raises(op.MethodError, match="Ranks need simultaneous intervals"):
        op.compare(scores).rank_sets()
    with pytest.raises(op.DataError, match="'n_draws' parameter must be at least 1000"):
        op.max_t(scores, n_draws=10)
    with pytest.raises(op.DataError, match="'random_state' parameter must be a non-negative"):
        op.max_t(scores, random_state=-1)


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
