"""Write docs/coverage.md: each requirement, its modules, its tests and the exhibits that run it."""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"
SOURCES = (ROOT / "src" / "outperform", ROOT / "reproduction" / "reproduction")
REQUIREMENT = re.compile(r"(?<![\w-])[DBRNF]-\d{2}(?!\d)")


def requirements() -> list[dict]:
    """Return the papers, each with the titles of its requirements by id."""
    return json.loads((ROOT / "tools" / "requirements.json").read_text(encoding="utf-8"))


def cited_in_source(root: Path = ROOT, folders: Sequence[Path] = SOURCES) -> dict[str, list[str]]:
    """Return the files that name each requirement; within a range only its ends are named."""
    cited: dict[str, list[str]] = {}
    for folder in folders:
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.json")]):
            for requirement in sorted(set(REQUIREMENT.findall(path.read_text(encoding="utf-8")))):
                cited.setdefault(requirement, []).append(path.relative_to(root).as_posix())
    return cited


def marked_tests() -> dict[str, list[str]]:
    """Collect the tests, without running them, and return those marked with each requirement."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "requirements.json"
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, f"--requirements-json={answer}"],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise SystemExit(f"the tests cannot be collected:\n{done.stdout}{done.stderr}")
        return without_parameters(json.loads(answer.read_text(encoding="utf-8")))


def without_parameters(tests: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the tests of each requirement, one for all parameters."""
    return {
        requirement: sorted({node.partition("[")[0] for node in nodes})
        for requirement, nodes in tests.items()
    }


def run_by_exhibits() -> dict[str, list[str]]:
    """Return the exhibits of the papers that run each requirement again."""
    from reproduction.exhibits import exhibits

    found: dict[str, list[str]] = {}
    for exhibit in exhibits():
        for requirement in filter(REQUIREMENT.fullmatch, exhibit.requirements):  # errata are not
            found.setdefault(requirement, []).append(f"{exhibit.paper} {exhibit.name}")
    return found


def page(
    papers: list[dict],
    cited: Mapping[str, list[str]],
    tests: Mapping[str, list[str]],
    shown_by: Mapping[str, list[str]],
) -> str:
    """Return the page as Markdown; an id that no paper has is refused."""
    known = [requirement for paper in papers for requirement in paper["requirements"]]
    unknown = sorted((set(cited) | set(tests) | set(shown_by)) - set(known))
    if unknown:
        raise SystemExit(f"no paper has these requirements: {', '.join(unknown)}")
    held = sum(requirement in tests for requirement in known)
    lines = [
        "# Coverage of the papers",
        "",
        "Each numbered requirement of the five papers, the modules that cite it, the tests that",
        "verify it and the exhibits (`python -m reproduction`) that rerun it: "
        f"{held} of {len(known)} have a test.",
        "`make docs` writes this page.",
    ]
    for paper in papers:
        lines += ["", f"## {paper['paper']}", ""]
        lines += ["| id | requirement | modules | tests | exhibits |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        for requirement, title in paper["requirements"].items():
            files = cited.get(requirement, [])
            modules = [f"[`{m.removeprefix('src/outperform/')}`](../{m})" for m in files]
            nodes = tests.get(requirement, [])
            shown = [f"[`{n.removeprefix('tests/')}`](../{n.partition('::')[0]})" for n in nodes]
            run = shown_by.get(requirement, [])
            cells = [requirement, title, *("<br>".join(c) or "–" for c in (modules, shown, run))]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def outdated(tests: Mapping[str, list[str]]) -> str:
    """Return how the page differs from what source and tests say now: nothing if it does not."""
    old = PAGE.read_text(encoding="utf-8").splitlines()
    new = page(requirements(), cited_in_source(), tests, run_by_exhibits()).splitlines()
    return "\n".join(difflib.unified_diff(old, new, "docs/coverage.md", "now", n=0, lineterm=""))


def main() -> None:
    text = page(requirements(), cited_in_source(), marked_tests(), run_by_exhibits())
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
