"""What is shipped: a small wheel of the package alone, the same bytes from the same source."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from places import ROOT

from lowest import lowest


def build_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def version() -> str:
    scope = (ROOT / "src/outperform/_version.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', scope, re.MULTILINE)[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("first"))


def test_the_wheel_is_small(wheel: Path) -> None:
    # A third of it is the lab; readers of many formats, stores that grow,
    # seeds, series, items, benchmarks, the calibrated test and the public benchmark, whose cells
    # anybody can measure again with the wheel alone, took it beyond the 650 kB it was meant to keep
    # to.
    assert wheel.stat().st_size < 1_020_000


def test_the_wheel_holds_the_package_its_type_marker_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    packaged = {name for name in names if name.startswith("outperform/")}
    assert {name.split("/")[0] for name in names} == {
        "outperform",
        f"outperform-{version()}.dist-info",
    }
    assert "outperform/py.typed" in packaged
    source = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src/outperform").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packaged == source


def test_building_twice_gives_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    assert build_wheel(tmp_path).read_bytes() == wheel.read_bytes()


def test_version_citation_and_changelog_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == version()
    assert re.search(r"^## \[(.+?)\]", changelog, re.MULTILINE)[1] == version()


def test_every_dependency_has_a_lower_bound() -> None:
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    pins = lowest(project)
    assert "numpy==2.0" in pins
    assert "dask==2024.8" in pins


def test_a_dependency_without_a_lower_bound_is_refused() -> None:
    with pytest.raises(SystemExit, match="'numpy' has no lower bound"):
        lowest({"dependencies": ["numpy"]})
