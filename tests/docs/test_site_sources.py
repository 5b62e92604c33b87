"""The sources of the site: pages of the repository, with links that lead to where pages are."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from places import ROOT

import outperform as op
import pictures
import site_sources

INDEX = ROOT / "docs" / "index.md"
GUIDE = ROOT / "docs" / "guide.md"


def test_a_link_to_a_page_outside_docs_leads_to_its_place_on_the_site() -> None:
    assert site_sources.page("[how](../CONTRIBUTING.md)", GUIDE) == "[how](CONTRIBUTING.md)"
    inside = ROOT / "docs" / "methods" / "mcnemar.md"
    assert site_sources.page("[g](../guide.md#a-b)", inside) == "[g](../guide.md#a-b)"
    there = ROOT / "CONTRIBUTING.md"
    assert site_sources.page("[a](docs/lab.md)", there) == "[a](lab.md)"


def test_a_link_to_a_file_that_is_no_page_keeps_its_words() -> None:
    assert site_sources.page("[`plan`](../src/outperform/verbs/plan.py)", GUIDE) == "`plan`"


def test_code_is_left_as_it_is() -> None:
    text = "```python\nx[0](../CONTRIBUTING.md)\n```"
    assert site_sources.page(text, GUIDE) == text


def test_every_section_of_the_first_page_becomes_a_part_of_the_contents() -> None:
    made = site_sources.page(INDEX.read_text(encoding="utf-8"), INDEX)
    captions = [line[10:] for line in made.splitlines() if line.startswith(":caption: ")]
    assert captions[0] == "Start"
    assert captions[-2:] == ["Lab and evidence", "Contributing"]
    assert "\nCONTRIBUTING.md\n" in made


def test_a_picture_has_a_version_for_each_theme() -> None:
    made = site_sources.page(INDEX.read_text(encoding="utf-8"), INDEX)
    assert "{image} figures/estimation_light.svg\n:class: only-light\n" in made
    assert "{image} figures/estimation_dark.svg\n:class: only-dark\n" in made
    assert "<picture>" not in made


def test_the_name_of_a_method_leads_to_its_page() -> None:
    link = "[`mcnemar`](../src/outperform/procedures/mcnemar.py)"
    assert site_sources.page(link, GUIDE) == "[`mcnemar`](methods/mcnemar.md)"


@pytest.mark.slow
def test_every_page_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "to"
    made = {str(path.relative_to(folder)) for path in site_sources.written(folder, draw=False)}
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert pages | {"CONTRIBUTING.md", "CHANGELOG.md", "notebooks/benchmark.md"} <= made
    assert made >= {f"methods/{name}.md" for name in [*op.methods.table().names, "index"]}
    assert not (tmp_path / "to" / "conf.py").exists()


@pytest.mark.parametrize("room", site_sources.MADE)
def test_what_pages_leave_room_for_is_made(room: str) -> None:
    assert sum(room in page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md")) == 1
    assert "mcnemar" in site_sources.MADE[room]()


def test_what_the_drawn_pages_import_is_installed_with_docs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = [*project["dependencies"], *project["optional-dependencies"]["docs"]]
    names = {re.split(r"[\[>=]", each)[0] for each in installed}
    names |= {"outperform", "calibration"}  # make site installs both from here
    names = {"sklearn" if name == "scikit-learn" else name for name in names}
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    imports = {
        name
        for text in texts
        if pictures.MARK.search(text)
        for name in re.findall(r"^>>> (?:import|from) (\w+)", text, re.MULTILINE)
    }
    assert {"sklearn", "dask"} <= imports
    assert imports - names - sys.stdlib_module_names == set()
