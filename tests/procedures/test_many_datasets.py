"""Tests over datasets, against the tables of Demšar (2006) and García & Herrera (2008)."""

from __future__ import annotations

import json

import numpy as np
import places
import pytest

import outperform as op

ENTRIES = json.loads((places.GOLDEN / "many_datasets.json").read_text("utf-8"))
GOLDEN = {entry["name"]: entry for entry in ENTRIES}
TABLES = [name.partition("/")[2] for name in GOLDEN if name.startswith("table/")]


def table(name: str) -> np.ndarray:
    return np.array(GOLDEN[f"table/{name}"]["input"]["scores"])


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("name", [t for t in TABLES if f"wilcoxon_pairs/{t}" in GOLDEN])
def test_signed_ranks_of_all_pairs_are_the_golden_ones(name: str, zeros: str) -> None:
    scores, want = table(name), GOLDEN[f"wilcoxon_pairs/{name}"]["expected"]
    for (i, j), cell in zip(want["pairs"], want["cells"], strict=True):
        found = op.wilcoxon(scores[:, i], scores[:, j], zeros=zeros)
        assert found.pvalue == pytest.approx(cell[zeros]["p_exact"], rel=1e-9)
        sums = found.details["positive_sum"], found.details["negative_sum"]
        assert sums == (cell[zeros]["w_plus"], cell[zeros]["w_minus"])


def test_p_values_are_counted_to_a_hundred_datasets() -> None:
    rng = np.random.default_rng(0)
    d = rng.normal(0.1, 1, 100)
    from scipy import stats

    want = stats.wilcoxon(d, method="exact").pvalue
    assert op.wilcoxon(d).pvalue == pytest.approx(want, rel=1e-11)
