"""Draw the figure of the README, light and dark, from the scores of examples/."""

import sys
from pathlib import Path

import matplotlib as mpl

import outperform as op

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"


def draw(folder: Path) -> list[Path]:
    """Write the estimation figure in both themes, and return where."""
    found = op.compare(str(ROOT / "examples" / "scores.csv"))
    folder.mkdir(exist_ok=True)
    paths = []
    with mpl.rc_context({"svg.hashsalt": "outperform", "svg.fonttype": "path"}):
        for theme in ("light", "dark"):
            path = folder / f"estimation_{theme}.svg"
            figure = found.plot("estimation", theme=theme)
            figure.savefig(path, metadata={"Date": None})
            paths.append(path)
    return paths


if __name__ == "__main__":
    for path in draw(FIGURES):
        sys.stdout.write(f"{path.relative_to(ROOT)}: written\n")
