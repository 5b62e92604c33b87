"""Bouckaert & Frank's exhibits: printed summaries, and small runs of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from outperform import DataError
from reproduction.bouckaert_frank import EXHIBITS
from reproduction.bouckaert_frank.replicability_tables import (
    SUMMARIES,
    chance_errors,
    datasets,
    outcomes,
    scores,
    spread_of,
)
from reproduction.exhibits import Scale, global_fit, published
from reproduction.running import reproduce

TOLD = published("bouckaert-frank")
BY_NAME = {one.name: one for one in EXHIBITS}


@pytest.mark.requirement("R-16")
def test_the_printed_counts_give_the_printed_summaries():
    counts = 10 - np.array(list(TOLD["table1"]["non_rejections"].values()))
    for key, printed in TOLD["table1"]["summary"].items():
        ours = [float(SUMMARIES[key](counts[:, pair], 10)) for pair in range(3)]
        assert ours == pytest.approx(printed, abs=0.0006 if key == "R" else 0)


def test_the_error_of_a_summary_shrinks_as_repetitions_agree():
    torn, settled = np.full(27, 5), np.zeros(27)
    for key in SUMMARIES:
        assert spread_of(torn, 10, key) > 0
    assert spread_of(settled, 10, "R") < spread_of(torn, 10, "R") * 3
    assert (chance_errors(torn, torn, 10) > chance_errors(settled, settled, 10)).all()


@pytest.mark.slow
def test_table_1_as_a_whole_is_told_from_one_with_other_chances():
    printed = np.array(list(TOLD["table1"]["non_rejections"].values()))
    again = np.random.default_rng(0).binomial(10, (printed + 0.5) / 11)
    assert global_fit(outcomes(again, 10), outcomes(printed, 10))["pvalue"] > 0.01
    assert global_fit(outcomes(10 - printed, 10), outcomes(printed, 10))["pvalue"] < 0.001
    assert outcomes(printed, 10).shape == (81, 2)


def test_datasets_and_seeds_can_be_chosen_and_what_cannot_is_refused_before_it_runs(tmp_path):
    assert datasets(Scale(datasets=("zoo", "iris"))) == ("iris", "zoo")
    with pytest.raises(DataError, match="did you mean 'zoo'"):
        datasets(Scale(datasets=("zooo",)))
    with pytest.raises(DataError, match="cannot be run with --seed, only with: --datasets"):
        list(reproduce([BY_NAME["table1-weka"]], Scale(seed=1, folder=tmp_path)))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_quick_version_says_how_little_it_runs(name):
    told, full = (BY_NAME[name].ran(Scale(quick=quick)) for quick in (True, False))
    assert told | {"seed": 0, "n": 0, "α": 0} != full | {"seed": 0, "n": 0, "α": 0}
    if "datasets" in told:
        assert (told["datasets"], told["repetitions"]) == (3, 4)
        assert (full["datasets"], full["repetitions"]) == (27, 10)


@pytest.mark.slow
@pytest.mark.requirement("R-23")
@pytest.mark.requirement("R-25")
def test_table_5_runs_and_goes_on_from_what_is_kept(tmp_path):
    exhibit = next(one for one in EXHIBITS if one.name == "table5")
    scale = Scale(quick=True, folder=tmp_path)
    ((_, first),) = reproduce([exhibit], scale)
    assert len(first.values) == 25  # 20 cells and the least of each test
    ((_, kept),) = reproduce([exhibit], scale)
    assert kept == first


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.requirement("R-18", "R-20", "R-27", "R-28")
def test_the_tables_run_on_three_datasets(tmp_path):
    scale = Scale(quick=True, folder=tmp_path)
    names = ("table1", "table3", "table4", "equal-effort", "text")
    chosen = [one for one in EXHIBITS if one.name in names]
    found = {one.name: finding for one, finding in reproduce(chosen, scale)}
    assert len(found["table1"].rows) == 3
    assert found["table4"].statements[0].text == "R is greater than 0.9 in every single case"
    assert 9 <= found["table1"].fit["cells"] <= 18
    assert {one.most for one in found["table1"].values[:9]} == {10}  # 10 = 10 is trivial, 1 = 1 not
    by_level = {v.name: v.ours for v in found["table4"].values if "R" in v.name}
    by_runs = {v.name: v.ours for v in found["table3"].values if v.name.endswith("R")}
    for pair in ("NB vs. C4.5", "NB vs. NN", "C4.5 vs. NN"):
        assert by_level[f"α = 0.05, {pair}, R"] == by_runs[f"10 runs, {pair}, R"]
    (effort, text) = (found[name].rows for name in ("equal-effort", "text"))
    assert [row[0] for row in effort][-1] == "10 × 10 folds less 100 resamples"
    mean_r = float(dict(text)["corrected 10x10 t"])
    pairs = [
        by_level[f"α = 0.05, {pair}, R"] for pair in ("NB vs. C4.5", "NB vs. NN", "C4.5 vs. NN")
    ]
    assert mean_r == pytest.approx(np.mean(pairs), abs=0.0006)
    other = replace(scale, datasets=("zoo",), seed=5)
    ((table1, one),) = reproduce(chosen[:1], other)
    assert (table1.ran(other)["datasets"], table1.ran(other)["seed"]) == ("zoo", 5)
    assert [row[0] for row in one.rows] == ["zoo"]
    zoo = [scores(asked, "5x2cv/stratified")["zoo"].values for asked in (scale, other)]
    assert not np.array_equal(*zoo)  # other folds
