"""The page of error rates on items has the tables of its tool, and races err below their level."""

from __future__ import annotations

import places
import pytest

PAGE = (places.ROOT / "docs" / "calibration_items.md").read_text(encoding="utf-8")


@pytest.fixture
def tool(monkeypatch):
    import calibration_items

    for name, few in {"FLIPPED": 5, "AREAS": 3, "RESAMPLED": 1, "DRAWS": 199}.items():
        monkeypatch.setattr(calibration_items, name, few)
    return calibration_items


@pytest.mark.slow
def test_the_page_has_the_sections_and_rows_that_the_tool_measures(tool):
    sections = [section for section in tool.SECTIONS if section is not tool.raced]
    measured = [line for section in sections for line in section(8)]
    shown = PAGE.split("## Races")[0].splitlines()[4:]
    heads = [line for line in measured if line.startswith("## ")]
    assert heads == [line for line in shown if line.startswith("## ")]
    rows = [len([li for li in lines if li.startswith("| ")]) for lines in (measured, shown)]
    assert rows[0] == rows[1]


def test_on_the_page_no_sequence_errs_above_its_level_but_peeking_does():
    table = PAGE.split("## Races")[1].split("With a difference")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    rates = {name: [float(x) for x in found] for name, *found in rows[2:]}
    peeked = rates.pop("z-test, repeated")
    assert len(rates) == 4
    assert max(map(max, rates.values())) < 5 < min(peeked)
    assert peeked[-1] > 30


def test_on_the_page_robust_tests_on_clusters_keep_their_level():
    table = PAGE.split("## Items in clusters")[1].split("##")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    assert max(float(row[5]) for row in rows[2:]) < 6.5  # CR2
    assert max(float(row[3]) for row in rows[2:]) > 40  # clusters ignored
