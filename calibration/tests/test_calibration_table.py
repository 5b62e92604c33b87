"""The table of measured sizes on the page of the calibrated test is that of its tool."""

from __future__ import annotations

import re

import places
import pytest


@pytest.fixture
def tool(monkeypatch):
    import calibration_table

    return calibration_table


@pytest.mark.slow
def test_the_page_has_the_rows_and_columns_that_the_tool_measures(tool):
    page = (places.ROOT / "docs" / "calibrated.md").read_text(encoding="utf-8")
    shown = page.split(tool.START)[1].split(tool.END)[0].strip().splitlines()
    measured = tool.table(20).splitlines()
    heads = [[line.split("|")[1] for line in lines if "|" in line] for lines in (shown, measured)]
    assert heads[0] == heads[1]
    assert shown[2] == measured[2]
    assert f"{tool.REPS:,} datasets" in shown[0]
    assert tool.renewed(page, "\n".join(shown)) == page


def test_on_the_page_the_calibrated_test_keeps_its_level(tool):
    page = (places.ROOT / "docs" / "calibrated.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and " to " in line]
    rates = [[float(x) for x in re.findall(r"\| ([\d.]+) \(", row)] for row in rows]
    assert len(rates) == len(tool.CONTESTS)
    assert max(max(row[2:]) for row in rates) <= 6.5


@pytest.mark.slow
def test_on_the_page_the_level_is_kept_at_the_lowest_degrees_of_freedom(tool):
    page = (places.ROOT / "docs" / "calibrated.md").read_text(encoding="utf-8")
    shown = page.split(tool.REMARKS)[1].split(tool.REMARKED)[0]
    hits, n = map(int, re.findall(r"(\d+) of (\d+) true", shown)[0])
    assert n >= 100
    assert hits / n <= 0.065
    assert tool.renewed(page, shown.strip(), tool.REMARKS, tool.REMARKED) == page
    words, again = (re.sub(r"[\d.]+", "", text) for text in (shown.strip(), tool.remarks(40)))
    assert words == again
