"""Every numbered requirement of the five papers is held by a test."""

from __future__ import annotations

import re

from places import ROOT

PAPERS = {"D": 65, "B": 34, "R": 29, "N": 32, "F": 24}
"""How many numbered requirements each paper has, by the letter of its ids."""
FOLDERS = ("tests", "reproduction/tests", "calibration/tests")
MARK = re.compile(r"\brequirement\(([^)]*)\)")
ID = re.compile(r'"([A-Z]-\d\d)"')


def test_every_requirement_is_marked_on_a_test_and_no_other() -> None:
    requirements = {
        f"{paper}-{n:02d}" for paper, last in PAPERS.items() for n in range(1, last + 1)
    }
    marked = {
        requirement
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("test_*.py")
        for mark in MARK.findall(path.read_text(encoding="utf-8"))
        for requirement in ID.findall(mark)
    }
    assert marked == requirements
