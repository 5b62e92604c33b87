"""The notebooks run from top to bottom, and their outputs are what they print now."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import notebooks
from sessions import anywhere


def shown(notebook: dict[str, Any]) -> list[tuple[str, str]]:
    """Return every output as text; of a picture only that there is one."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            text = "picture" if notebooks.PICTURE in data else "".join(data.get("text/plain", []))
            found.append((cell["id"], text or "".join(output["text"])))
    return found


def test_there_are_three_notebooks() -> None:
    names = [path.stem for path in notebooks.NOTEBOOKS]
    assert names == ["benchmark", "compare_learners", "language_models"]


@pytest.mark.slow
@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_has_kept(path: Path) -> None:
    kept = json.loads(path.read_text(encoding="utf-8"))
    made = notebooks.renewed(path)
    now, before = ([(cell, anywhere(text)) for cell, text in shown(n)] for n in (made, kept))
    assert now == before, "run: make docs"
    assert sum(text == "picture" for _, text in shown(made)) >= 1


def test_a_cell_that_fails_stops_the_notebook() -> None:
    kernel = notebooks.Kernel()
    assert kernel.outputs("1 + 1")[0]["data"]["text/plain"] == ["2"]
    with pytest.raises(ZeroDivisionError):
        kernel.outputs("x = 1\nx / 0")


def test_a_notebook_becomes_a_page_with_its_pictures(tmp_path: Path) -> None:
    text = notebooks.as_markdown(notebooks.NOTEBOOKS[0], tmp_path)
    assert text.startswith("# ")
    pictures = sorted(tmp_path.glob("*.png"))
    assert pictures
    for picture in pictures:
        assert f"]({picture.name})" in text
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert "```python\n" in text
    assert "```text\n" in text


def test_pictures_are_small() -> None:
    for path in notebooks.NOTEBOOKS:
        assert path.stat().st_size < 400_000
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                picture = output.get("data", {}).get(notebooks.PICTURE)
                assert picture is None or base64.b64decode(picture, validate=True)
