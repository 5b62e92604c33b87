"""The README keeps its word: its sessions run, its table is the registry's."""

import doctest
import os
import re
import shlex

import pytest
from launching import run_here
from places import ROOT

import calibration_table
import outperform as op
import readme_figure
import reproduction_summary
from outperform.numerics.measured_sizes import SIZES, size_range
from outperform.registry import GRADES

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_session_in_the_readme_runs_and_prints_what_it_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    sessions = "\n\n".join(re.findall(r"```python\n(.*?)\n```", README, re.DOTALL)) + "\n"
    session = doctest.DocTestParser().get_doctest(sessions, {}, "README.md", "README.md", 0)
    shown: list[str] = []
    found = doctest.DocTestRunner().run(session, out=shown.append)
    assert found.attempted >= 10
    assert found.failed == 0, "".join(shown)


def test_the_first_example_has_the_grades_and_the_verdicts_that_its_comments_say(monkeypatch):
    monkeypatch.chdir(ROOT)
    block = re.findall(r"```python\n(.*?)\n```", README, re.DOTALL)[0]
    names: dict[str, object] = {}
    rows = []
    for example in doctest.DocTestParser().get_examples(block + "\n"):
        call, _, comment = example.source.strip().partition("#")
        if not comment:
            exec(call, names)
            continue
        result = eval(call, names)
        words = {word.strip("*,.:;()") for word in comment.split()} & {*GRADES}
        assert words == {result.grade}, example.source
        assert f"{result.estimate:+.4f} [" in example.want
        rows.append((result.method.name, result.grade, result.verdict().outcome))
    assert rows == [
        ("repeated_kfold_t", "discouraged", "outperforms"),
        ("corrected_t", "assumed", "no decision"),
        ("calibrated_t", "assumed", "outperforms"),
    ]


def test_the_ranges_of_sizes_in_the_readme_are_those_of_the_benchmark():
    quoted = dict(re.findall(r"`(\w+)` (?:rejected )?(\d+ to \d+ %)", README))
    assert quoted == {name: size_range(name) for name in ("corrected_t", "calibrated_t")}
    cases = {size.cases for label, size in SIZES.items() if label.split()[0] in quoted}
    assert cases == {int(n) for n in re.findall(r"all (\d+) cases", README)}


@pytest.mark.slow
def test_every_command_of_the_readme_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = re.findall(r"^\$ outperform (.+)$", README, re.MULTILINE)
    assert len(commands) == 6
    said = []
    for line in commands:
        assert run_here(*shlex.split(line)) == 0, line
        said.append(capsys.readouterr().out)
    scores, models, benchmark, logs, gate, judged = said
    assert "logistic vs. forest" in scores
    assert "tree vs. nb" in models
    assert "We compared RF, XGB, SVM, kNN and NB on 30 datasets." in benchmark
    assert "new outperforms old" in logs
    assert "We compared new and old" in logs
    assert "not worse" in gate or "outperforms" in gate
    assert "win rate" in judged
    for name in ("report.html", "iris.db", "cd.pdf", "tables.tex", "subjects.pdf"):
        assert (tmp_path / name).exists(), name
    assert (tmp_path / "cd.pdf").read_bytes().startswith(b"%PDF")
    tables = (tmp_path / "tables.tex").read_text(encoding="utf-8")
    assert tables.count(r"\begin{table}") == 2


def test_the_sizes_of_the_readme_are_those_of_the_page():
    page = calibration_table.PAGE.read_text(encoding="utf-8")
    made = page.split(calibration_table.START)[1].split(calibration_table.END)[0].strip()
    shown = calibration_table.renewed(README, calibration_table.quoted(made))
    assert shown == README, "run: calibration_table.py"
    assert f"{calibration_table.REPS:,} datasets" in README


def test_the_figure_is_drawn_from_the_scores_beside_it(tmp_path):
    for path in readme_figure.draw(tmp_path):
        kept = readme_figure.FIGURES / path.name
        assert f'"docs/figures/{path.name}"' in README
        assert outline(path) == outline(kept), "run: make docs"


def outline(path):
    """Return which elements a drawing has; their coordinates are those of a matplotlib version."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r'id="((?:axes|text|PathCollection|LineCollection|line2d)_\d+)"', text)


def test_the_summary_of_the_reproduction_is_that_of_its_page():
    page = reproduction_summary.PAGE.read_text(encoding="utf-8")
    assert reproduction_summary.renewed(README, page) == README, "run: make reproduce"


def test_every_call_of_the_readme_and_every_array_form_exists():
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    assert "op.quasi_f(" in page
    for name in set(re.findall(r"op\.([a-z_]+)\(", README + page)):
        assert hasattr(op, name), name


def test_every_link_in_the_readme_leads_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_every_target_named_in_the_readme_is_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([a-z]+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.slow
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
