"""Run the notebooks of examples/, keep what they print and draw, and turn them to Markdown.

A notebook is run from top to bottom in this process, in a copy of its folder. `make docs` renews
all of them; Jupyter shows and runs the same files.
"""

from __future__ import annotations

import ast
import base64
import json
import os
import shutil
import sys
import tempfile
from code import InteractiveInterpreter
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from outperform.report.figures import png

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
PICTURE, DPI = "image/png", 100
Cell = dict[str, Any]


class Kernel(InteractiveInterpreter):
    """Python that runs cells, keeps what they show, and stops at the first error."""

    def __init__(self) -> None:
        super().__init__({"__name__": "__main__"})
        self.shown: list[Cell] = []

    def showtraceback(self) -> None:
        """Raise the error of a cell instead of printing it."""
        raise

    def show(self, value: Any) -> None:
        """Keep the value of a cell's last line as Jupyter would."""
        if value is None:
            return
        data: dict[str, Any] = {"text/plain": lines(repr(value))}
        if isinstance(value, Figure):
            data = {
                PICTURE: base64.b64encode(png(value, dpi=DPI)).decode(),
                "text/plain": ["<Figure>"],
            }
        self.shown.append(
            {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}
        )

    def outputs(self, source: str) -> list[Cell]:
        """Run a cell and return its outputs."""
        self.shown, printed, hook = [], StringIO(), sys.displayhook
        *before, last = ast.parse(source).body
        sys.displayhook = self.show
        try:
            with redirect_stdout(printed):
                self.runcode(compile(ast.Module(before, []), "<cell>", "exec"))
                self.runcode(compile(ast.Interactive([last]), "<cell>", "single"))
        finally:
            sys.displayhook = hook
        text = printed.getvalue()
        stream = {"name": "stdout", "output_type": "stream", "text": lines(text)}
        return [*([stream] if text else []), *self.shown]


def lines(text: str) -> list[str]:
    """Return text as notebooks keep it."""
    return text.splitlines(keepends=True)


def renewed(path: Path) -> dict[str, Any]:
    """Return a notebook with the outputs of all its cells."""
    os.environ["COLUMNS"] = "100"
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    kernel, count = Kernel(), 0
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "examples", Path(name) / "examples")
        with chdir(Path(name) / "examples" / "notebooks"):
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    count += 1
                    found = kernel.outputs("".join(cell["source"]))
                    for output in found:
                        if "execution_count" in output:
                            output["execution_count"] = count
                    cell.update(execution_count=count, outputs=found)
    return notebook


def as_markdown(path: Path, folder: Path) -> str:
    """Return a notebook as a page, and write its pictures beside it."""
    parts = []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if PICTURE in data:
                picture = folder / f"{path.stem}_{number}.png"
                picture.parent.mkdir(parents=True, exist_ok=True)
                picture.write_bytes(base64.b64decode(data[PICTURE]))
                alt = source.splitlines()[-1].replace("[", "(").replace("]", ")")
                parts.append(f"![What {alt} draws]({picture.name})")
            else:
                text = "".join(output.get("text") or data["text/plain"]).rstrip("\n")
                parts.append(f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def written(notebook: dict[str, Any]) -> str:
    """Return a notebook as the text of its file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for path in NOTEBOOKS:
        path.write_text(written(renewed(path)), encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)}: run\n")
