"""The README keeps its word: its sessions run, its table is the registry's."""

import doctest
import os
import re

from places import ROOT

import method_table
import outperform as op
import reproduction_summary

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_session_in_the_readme_runs_and_prints_what_it_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    sessions = "\n\n".join(re.findall(r"```python\n(.*?)\n```", README, re.DOTALL)) + "\n"
    session = doctest.DocTestParser().get_doctest(sessions, {}, "README.md", "README.md", 0)
    shown: list[str] = []
    found = doctest.DocTestRunner().run(session, out=shown.append)
    assert found.attempted > 25
    assert found.failed == 0, "".join(shown)


def test_the_table_of_methods_is_the_registry():
    assert method_table.renewed(README) == README, "run: make docs"


def test_the_summary_of_the_reproduction_is_that_of_its_page():
    page = reproduction_summary.PAGE.read_text(encoding="utf-8")
    assert reproduction_summary.renewed(README, page) == README, "run: make reproduce"


def test_every_array_form_of_the_readme_exists():
    for name in set(re.findall(r"op\.([a-z_]+)\(", README)):
        assert hasattr(op, name), name


def test_every_link_in_the_readme_leads_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_every_target_named_in_the_readme_is_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([a-z]+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_demo_prints_both_verdicts_and_writes_its_page(tmp_path):
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "judge_scores.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1"},
    )
    assert "outperform" in done.stdout
    assert "no decision" in done.stdout
    assert "<script" not in (tmp_path / "report.html").read_text(encoding="utf-8")
