"""The note to cite: its numbers are those that commands print, and it becomes a PDF."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from places import ROOT

import calibration_table
import note
from outperform import references

TEXT = note.NOTE.read_text(encoding="utf-8")
PAGE = calibration_table.PAGE.read_text(encoding="utf-8")


def test_its_table_is_that_of_the_page() -> None:
    made = PAGE.split(calibration_table.START)[1].split(calibration_table.END)[0].strip()
    assert calibration_table.renewed(TEXT, made) == TEXT, "run: calibration_table.py"


def test_its_figure_is_drawn_from_the_table(tmp_path: Path) -> None:
    made = PAGE.split(calibration_table.START)[1].split(calibration_table.END)[0].strip()
    for path in calibration_table.draw(made, tmp_path):
        kept = (calibration_table.FIGURES / path.name).read_text(encoding="utf-8")
        assert f"figures/{path.name}" in TEXT
        for text in (kept, path.read_text(encoding="utf-8")):
            assert "true null hypotheses rejected at 5 %" in text
        shown = [re.findall(r">([^<>]+)</text>", text) for text in (kept, path.read_text("utf-8"))]
        assert shown[0] == shown[1], "run: calibration_table.py"


def test_the_rate_of_the_case_that_breaks_it_is_the_one_measured_on_the_page() -> None:
    shown = re.search(r"calibrated_t \S+ +effect 0 +(\S+) \[(\S+), (\S+)\]", PAGE)
    rate, low, high = (f"{100 * float(x):.1f}" for x in shown.groups())
    words = " ".join(TEXT.split())
    assert f"error rate of {rate} % (95 % interval {low} to {high} %) at 5 %" in words


def test_the_citation_file_and_the_reference_of_results_name_it() -> None:
    title = TEXT.splitlines()[0].removeprefix("# ")
    assert f'title: "{title}"' in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert title in references.PAPERS["outperform"]


@pytest.mark.slow
@pytest.mark.needs("chromium", "sphinx")
def test_it_becomes_a_pdf_of_about_four_pages(tmp_path: Path) -> None:
    html, pdf = note.written(tmp_path)
    assert "](" not in html.read_text(encoding="utf-8")
    data = pdf.read_bytes()
    assert data.startswith(b"%PDF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 6
