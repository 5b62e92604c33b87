"""Print the oldest version allowed of every dependency, one `name==version` a line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOUND = re.compile(r"(?P<name>[\w.-]+)(\[[\w,-]+\])?>=(?P<version>[\d.]+)")


def lowest(project: dict) -> list[str]:
    """Return the pins of a `[project]` table; a requirement without a lower bound is refused."""
    extras = project.get("optional-dependencies", {})
    pins = []
    for requirement in [*project["dependencies"], *(r for each in extras.values() for r in each)]:
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            raise SystemExit(f"{requirement!r} has no lower bound; write it as 'name>=version'")
        pins.append(f"{bound['name']}=={bound['version']}")
    return pins


if __name__ == "__main__":
    with open(ROOT / "pyproject.toml", "rb") as file:
        print("\n".join(lowest(tomllib.load(file)["project"])))
