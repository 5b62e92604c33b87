"""Bouckaert & Frank's exhibits: printed summaries, and small runs of them."""

from __future__ import annotations

import numpy as np
import pytest

from outperform.papers.bouckaert_frank import EXHIBITS
from outperform.papers.bouckaert_frank.replicability_tables import (
    SUMMARIES,
    chance_errors,
    spread_of,
)
from outperform.papers.exhibits import Scale, published
from outperform.papers.reproduction import reproduce

TOLD = published("bouckaert-frank")


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
@pytest.mark.requirement("R-23")
@pytest.mark.requirement("R-25")
def test_table_5_runs_and_goes_on_from_what_is_kept(tmp_path):
    pytest.importorskip("numba")
    exhibit = next(one for one in EXHIBITS if one.name == "table5")
    scale = Scale(quick=True, folder=tmp_path)
    ((_, first),) = reproduce([exhibit], scale)
    assert len(first.values) == 25  # 20 cells and the least of each test
    ((_, kept),) = reproduce([exhibit], scale)
    assert kept == first
    ((_, again),) = reproduce([exhibit], scale, again=True)
    assert again.values == first.values


@pytest.mark.slow
@pytest.mark.needs("datasets")
@pytest.mark.requirement("R-20")
def test_the_tables_run_on_three_datasets(tmp_path):
    scale = Scale(quick=True, folder=tmp_path)
    chosen = [one for one in EXHIBITS if one.name in ("table1", "table3", "table4")]
    found = {one.name: finding for one, finding in reproduce(chosen, scale)}
    assert len(found["table1"].rows) == 3
    by_level = {v.name: v.ours for v in found["table4"].values if "R" in v.name}
    by_runs = {v.name: v.ours for v in found["table3"].values if v.name.endswith("R")}
    for pair in ("NB vs. C4.5", "NB vs. NN", "C4.5 vs. NN"):
        assert by_level[f"α = 0.05, {pair}, R"] == by_runs[f"10 runs, {pair}, R"]
