"""Mean ranks over datasets, the runs of a critical-difference diagram, and single datasets."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from places import GOLDEN

import outperform as op
from outperform.results.dataset_verdicts import tied_for_best, within_datasets
from outperform.results.influence import carried
from outperform.results.rank_order import longest_runs, omnibus, rank_order

ROWS = {
    row["name"]: row
    for row in json.loads((GOLDEN / "many_datasets.json").read_text(encoding="utf-8"))
}


def table(name: str) -> pl.DataFrame:
    found = ROWS[f"table/{name}"]["input"]
    scores = np.array(found["scores"])
    columns = dict(zip(found["learners"], scores.T, strict=True))
    return pl.DataFrame({"dataset": found["datasets"], **columns})


def folds(n: int = 12, k: int = 3, splits: int = 10) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for d in range(n):
        for j in range(k):
            level = 0.7 + 0.02 * d - 0.05 * j + rng.normal(0, 0.01)
            rows += [
                {"dataset": f"d{d}", "learner": f"a{j}", "fold": f, "accuracy": score}
                for f, score in enumerate((level + rng.normal(0, 0.01, splits)).tolist())
            ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize("name", ["dem", "gh8"])
def test_the_runs_are_those_of_the_golden_diagrams(name: str) -> None:
    known = ROWS[f"cd_groups/{name}"]["expected"]
    for how, key in (
        ({"method": "nemenyi"}, "nemenyi_alpha05"),
        ({"adjust": "holm"}, "wilcoxon_holm_alpha05"),
    ):
        found = rank_order(op.compare(table(name), **how))
        names = ROWS[f"table/{name}"]["input"]["learners"]
        assert found.names == tuple(names[at] for at in known["order"])
        expected = [tuple(names[at] for at in group) for group in known[key] if len(group) > 1]
        assert list(found.groups) == expected


@pytest.mark.parametrize("name", ["dem", "gh8"])
def test_the_omnibus_test_is_iman_and_davenport_with_ties(name: str) -> None:
    known = ROWS[f"friedman/{name}"]["expected"]
    found = omnibus(op.Benchmark.from_frame(table(name)))
    assert found is not None
    assert found[0] == pytest.approx(known["F_ties"], rel=1e-9)
    assert np.exp(found[1]) == pytest.approx(known["p_F_ties"], rel=1e-8)


def test_runs_hold_no_significant_pair_and_none_is_inside_another() -> None:
    apart = np.zeros((4, 4), dtype=bool)
    apart[0, 3] = apart[3, 0] = apart[1, 3] = apart[3, 1] = True
    assert longest_runs(apart) == ((0, 2), (2, 3))


def test_a_pair_that_no_bar_can_show_is_named() -> None:
    # b is significantly better than c, which is between a and d; a and d are not told apart.
    rng = np.random.default_rng(0)
    n = 24
    base = rng.uniform(0.6, 0.9, n)
    noisy = base + rng.normal(0, 0.2, n)
    columns = {"a": noisy + 0.05, "b": base + 0.02, "c": base, "d": noisy - 0.002}
    frame = pl.DataFrame({"dataset": [f"d{i}" for i in range(n)], **columns})
    found = op.compare(frame)
    order = rank_order(found)
    together = {frozenset(pair) for group in order.groups for pair in _pairs(group)}
    apart = found.told_apart()
    same = {
        frozenset((found.names[i], found.names[j]))
        for i in range(4)
        for j in range(i)
        if not apart[i, j]
    }
    assert same - together == {frozenset(pair) for pair in order.hidden}
    assert order.is_interval == (not order.hidden)


def _pairs(group: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(a, b) for i, a in enumerate(group) for b in group[:i]]


def test_each_dataset_is_judged_by_the_method_of_its_design() -> None:
    benchmark = op.Benchmark.from_frame(folds())
    found = within_datasets(benchmark, "a0", "a1")
    assert [one.dataset for one in found] == list(benchmark.datasets)
    alone = op.methods.corrected_t(benchmark.on("d3"), "a0", "a1")
    assert found[3].pvalue == alone.pvalue
    assert found[3].method == "corrected_t"
    assert found[3].low == alone.interval(0.95).low


def test_one_score_for_a_dataset_decides_nothing_alone() -> None:
    benchmark = op.Benchmark.from_frame(table("dem"))
    found = within_datasets(benchmark, "C4.5", "C4.5+m")
    assert {one.verdict for one in found} == {None}
    assert found[0].estimate == pytest.approx(0.763 - 0.768)


def test_the_tied_set_of_a_dataset_holds_its_best_model() -> None:
    benchmark = op.Benchmark.from_frame(folds())
    for dataset in benchmark.datasets:
        tied, worse = tied_for_best(benchmark, dataset)
        best = max(benchmark.names, key=lambda name: benchmark[name, dataset])
        assert best in tied
        assert tied | worse == set(benchmark.names)
        assert not tied & worse
    assert any(tied_for_best(benchmark, dataset)[1] for dataset in benchmark.datasets)


def test_a_verdict_that_one_dataset_carries_is_found_by_leaving_it_out() -> None:
    frame = table("dem")
    found = op.compare(frame)
    changed = carried(found)
    for name in frame["dataset"]:
        rest = op.compare(frame.filter(pl.col("dataset") != name))
        again = dict(zip(rest.pair_names, rest.outcomes(), strict=True))
        differ = {
            pair
            for pair, word in zip(found.pair_names, found.outcomes(), strict=True)
            if again[pair] != word
        }
        assert differ == {one.names for one in changed if name in one.without}
    assert changed


@pytest.mark.slow
def test_a_new_dataset_is_spoken_of_where_splits_are_there_and_datasets_independent() -> None:
    frame = folds()
    assert "On a new dataset, " in str(op.compare(frame))
    assert "On a new dataset, " not in str(op.compare(table("dem")))
    kin = frame.with_columns(family=pl.col("dataset").str.slice(-1, 1).cast(pl.Int64) // 2)
    assert "On a new dataset, " not in str(op.compare(kin))


def test_json_has_ranks_wins_and_what_single_datasets_carry() -> None:
    found = op.compare(table("dem")).to_dict()["datasets"]
    assert found["mean_ranks"]["C4.5+m+cf"] == pytest.approx(1.9285714285714286)
    assert found["wins"][0] == [2, 2, 10]
    assert found["omnibus"]["F"] == pytest.approx(4.585889570552126)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
