"""Variants of the calibrated test: the first is the test itself, and the page has all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import places
import pytest

from calibration.cases import ECONOMY, case_named
from calibration.counts import DEVELOPMENT
from calibration.runs import seed_of
from outperform.lab import reading
from outperform.registry import get


@pytest.fixture
def tool(monkeypatch):
    import calibration_variants

    return calibration_variants


@pytest.mark.parametrize("name", ["bayes-A60", "lasso-R60"])
def test_the_first_variant_is_the_test_that_users_call(tool, name):
    case, asked = case_named(name), reading("calibrated_t", ECONOMY)
    contest, seed = case.contest(), seed_of(case, tool.FIRST, DEVELOPMENT)
    view = contest.draw([asked], contest.block, seed)[asked]
    measured = tool.measured(case, tool.FIRST)
    for null in (0.0, 0.1):
        want = get("calibrated_t").on(replace(view, null=null)).pvalue()
        np.testing.assert_allclose(tool.pvalues(measured, "as it is", null), want, rtol=1e-8)
    less = tool.pvalues(measured, "g below 1 counts", 0.1)
    assert (less <= tool.pvalues(measured, "as it is", 0.1) * (1 + 1e-9)).all()


def test_quarters_share_no_item_and_are_as_many_cross_validations_as_halves(tool):
    labels = tool.quartered(61, np.random.SeedSequence(1)).labels[0]
    assert labels.shape == (2 * tool.HALVINGS, 61)
    taken = (labels >= 0).reshape(-1, 4, 61).sum(axis=1)
    assert taken.max() == 1
    assert (taken.sum(axis=1) == 60).all()


@pytest.mark.slow
def test_the_page_has_the_rows_and_columns_that_the_tool_measures(tool, monkeypatch):
    page = (places.ROOT / "docs" / "calibrated.md").read_text(encoding="utf-8")
    shown = page.split(tool.START)[1].split(tool.END)[0].strip().splitlines()
    assert f"{tool.REPS:,} datasets" in shown[0]
    rows = [line.split("|")[1].strip(" `") for line in shown[4:]]
    assert rows == list(tool.CASES)
    monkeypatch.setattr(tool, "CASES", tool.CASES[:2])
    measured = tool.table(20).splitlines()
    assert measured[2] == shown[2]
    firsts = [[line.split("|")[1] for line in lines[2:6]] for lines in (measured, shown)]
    assert firsts[0] == firsts[1]
