"""Each extension is made as the author of a plug-in would, in the files CONTRIBUTING promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from places import ROOT

import outperform as op
from outperform import DataError, MethodError, extend
from outperform.lazy import GROUPS

GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## Add an? ([^\n]+)\n(.*?)(?=^## |\Z)", CONTRIBUTING, re.M | re.S))
DOCTEST = """
import doctest, pathlib, sys
session = pathlib.Path("session.txt").read_text(encoding="utf-8")
test = doctest.DocTestParser().get_doctest(session, {}, "CONTRIBUTING.md", "CONTRIBUTING.md", 0)
found = doctest.DocTestRunner().run(test)
sys.exit(found.failed or not found.attempted)
"""


def blocks_of(section: str) -> tuple[dict[str, str], str]:
    """Return the files that a section shows, by name, and its sessions."""
    blocks = re.findall(r"^```python\n(.*?)^```", SECTIONS[section], re.M | re.S)
    files = {
        block.partition("\n")[0].removeprefix("# "): block
        for block in blocks
        if block.startswith("# ")
    }
    return files, "\n".join(block for block in blocks if block.startswith(">>> "))


def written(folder: Path, *sections: str) -> list[str]:
    """Write the files of sections into a folder and return the names of their modules."""
    files = {name: text for each in sections for name, text in blocks_of(each)[0].items()}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [name.removesuffix(".py") for name in files]


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder whose modules can be imported: what is registered stays there."""
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"},
    )


def answer(folder: Path, program: str) -> str:
    done = python(folder, "-W", "error::UserWarning", "-c", program)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def installed(folder: Path, *modules: str, group: str = GROUPS[0]) -> None:
    """Make a folder look like an installed distribution that names modules as entry points."""
    about = folder / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    points = "\n".join(f"{name} = {name}" for name in modules)
    (about / "entry_points.txt").write_text(f"[{group}]\n{points}\n")


def test_contributing_has_a_section_for_each_extension() -> None:
    assert [*SECTIONS] == ["procedure", "view", "design", "metric", "reader", "scenario"]


@pytest.mark.slow
@pytest.mark.parametrize("section", SECTIONS)
def test_the_example_runs_in_as_many_files_as_are_promised(section: str, tmp_path: Path) -> None:
    files, session = blocks_of(section)
    promised = re.search(r"^\*\*Files: (\d)\.\*\*", SECTIONS[section], re.M)
    assert promised is not None
    assert len(files) == int(promised[1])
    written(tmp_path, section)
    (tmp_path / "session.txt").write_text(session, encoding="utf-8")
    done = python(tmp_path, "-W", "error::UserWarning", "-c", DOCTEST)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_view_that_counts_wrongly_does_not_pass_the_conformance_suite(tmp_path: Path) -> None:
    written(tmp_path, "view")
    file = tmp_path / "wins.py"
    file.write_text(file.read_text().replace("(b, a) if lower_is_better", "(a, b) if True"))
    done = python(
        tmp_path,
        "-c",
        "import split_signs as s; s.split_signs; import outperform as op;"
        "op.testing.check_method('split_signs')",
    )
    assert "breaks the law 'orientation'" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_an_installed_plug_in_needs_no_import(group: str, tmp_path: Path) -> None:
    sections = ("procedure", "view", "design", "reader")
    installed(tmp_path, *written(tmp_path, *sections), group=group)
    (tmp_path / "run.scores").write_text("tree 0.81 0.79 0.84\nbayes 0.80 0.76 0.85\n")
    read = "import outperform as op; print(op.Scores.read('run.scores'))"
    assert answer(tmp_path, read) == "<Scores 2 learners × 3 splits, score>"
    assert answer(tmp_path, "import outperform as op; print(op.parse('6blocks'))") == "6blocks"
    listed = answer(tmp_path, "import outperform as op; print(*op.methods.table('kfold').names)")
    assert "split_signs" in listed.split()


@pytest.mark.slow
def test_an_installed_plug_in_is_known_to_the_command_line(tmp_path: Path) -> None:
    installed(tmp_path, *written(tmp_path, "view", "reader"))
    (tmp_path / "run.scores").write_text("tree 0.81 0.79 0.84\nbayes 0.80 0.76 0.85\n")
    options = ("--design", "3cv", "--method", "split_signs")
    done = python(tmp_path, "-m", "outperform", "compare", "run.scores", *options)
    assert done.returncode == 0, done.stderr
    assert "Sign test on splits" in done.stdout


def test_a_broken_plug_in_is_named_and_stops_nothing(tmp_path: Path) -> None:
    installed(tmp_path, "broken")
    (tmp_path / "broken.py").write_text("1 / 0")
    done = python(tmp_path, "-c", "import outperform as op; print(len(op.methods.table()))")
    assert int(done.stdout) == len(op.methods.table())
    assert "The plug-in 'broken' could not be loaded: division by zero" in done.stderr


COUNTING = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Counting(ClassifierMixin, BaseEstimator):
    fits = 0
    def fit(self, X, y):
        Counting.fits += 1
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.zeros(len(X), dtype=int)
"""
RESUMED = """
import blocks, numpy as np, outperform as op
from counting import Counting

X, y = np.arange(24.0)[:, None], np.arange(24) % 2
first = op.run({"a": Counting()}, X, y, design="4blocks", random_state=0, store="kept.db")
again = op.run({"a": Counting()}, X, y, design="4blocks", random_state=0, store="kept.db")
print(Counting.fits, (first.values == again.values).all(), again.design)
"""


@pytest.mark.slow
def test_a_store_of_a_plug_ins_design_is_resumed(tmp_path: Path) -> None:
    written(tmp_path, "design")
    (tmp_path / "counting.py").write_text(COUNTING)
    assert answer(tmp_path, RESUMED) == "4 True 4blocks"
    installed(tmp_path, "blocks")
    read = "import outperform as op; print(op.Scores.read('kept.db').n_splits)"
    assert answer(tmp_path, read) == "4"


def test_a_design_named_like_one_of_ours_does_not_replace_it(tmp_path: Path) -> None:
    written(tmp_path, "design")
    file = tmp_path / "blocks.py"
    file.write_text(file.read_text().replace("Blocks(Design)", "KFold(Design)"))
    program = "import blocks, outperform as op; print(op.parse('3cv'), op.parse('3blocks'))"
    assert answer(tmp_path, program) == "3cv 3blocks"


@pytest.mark.slow
def test_a_method_may_be_valid_for_a_kind_of_design_of_its_own(tmp_path: Path) -> None:
    written(tmp_path, "procedure", "design")
    for name in ("blocks", "one_repeat_t"):
        file = tmp_path / f"{name}.py"
        file.write_text(file.read_text().replace('"kfold"', '"blocked"'))
    program = (
        "import blocks, one_repeat_t, outperform as op; print(op.methods.table('blocked').names);"
        "op.testing.check_method('one_repeat_t')"
    )
    assert answer(tmp_path, program) == "('one_repeat_t',)"


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".db", "scores", ".SCORES", ""])
def test_an_ending_that_is_read_already_or_is_none_is_refused(suffix: str) -> None:
    with pytest.raises(DataError, match="must be a new file extension in lower case"):
        extend.register_format(suffix, lambda path: None)


def test_options_beside_a_reader_that_returns_scores_are_refused(tmp_path: Path) -> None:
    program = (
        "import outperform as op; from outperform.extend import register_format, Scores;"
        "register_format('.two', lambda path: Scores.from_arrays({'a': [1, 2], 'b': [2, 1]}));"
        "open('run.two', 'w').close(); print(op.Scores.read('run.two').n_splits);"
        "op.Scores.read('run.two', layout='wide')"
    )
    done = python(tmp_path, "-c", program)
    assert done.stdout.strip() == "2"
    assert "DataError: layout was passed, but the reader of 'run.two' already" in done.stderr


def test_a_file_of_a_plug_ins_format_that_does_not_exist_is_refused_as_any_other() -> None:
    with pytest.raises(DataError, match=r"'absent\.scores' was not found"):
        op.Scores.read("absent.scores")


def test_a_name_that_is_taken_is_refused() -> None:
    class Differences:
        """Another thing of the same name."""

    like = op.methods.corrected_t.view
    with pytest.raises(MethodError, match="must have a unique name, got 'Differences'"):
        extend.register_view(extend.View(Differences, like.arrays, like.scores, like.cases))
    with pytest.raises(MethodError, match="must be new and in upper case, got 'OP101'"):
        extend.register_note(extend.Code("OP101", "info", "Mine.", "Mine."))


def test_every_name_of_extend_is_served_and_importing_it_is_cheap() -> None:
    for name in extend.__all__:
        assert getattr(getattr(extend, name), "__name__", "Evidence") == name
    loaded = answer(ROOT, "import sys, outperform.extend; print(*sys.modules)")
    assert not {"numpy", "sklearn", "polars", "jinja2"} & set(loaded.split())


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/guide.md"])
def test_pages_import_from_extend_alone(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    homes = set(re.findall(r"^(?:>>> )?from (outperform[\w.]*) import", text, re.M))
    assert homes == {"outperform.extend"}


def test_every_file_and_target_that_contributing_names_exists() -> None:
    for path in re.findall(r"`((?:src|tests|docs)/[\w/.]+)`", CONTRIBUTING):
        assert (ROOT / path.replace("NAME.py", "")).exists(), path
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`?make ([a-z]+)`?  ", CONTRIBUTING)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "outperform"


def test_the_rooms_of_the_architecture_are_the_folders_of_the_package() -> None:
    named = re.findall(r"^\| \d \| `(\w+)/` \| \S", ARCHITECTURE, re.M)
    assert sorted(named) == sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def test_the_architecture_names_every_module_that_lies_flat() -> None:
    beside = ARCHITECTURE.partition("A few modules are outside the rooms")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+\.py)`", beside)
    assert sorted(named) == sorted(path.name for path in PACKAGE.glob("*.py"))


def test_the_layers_of_the_architecture_are_those_that_are_held() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    held = project["tool"]["importlinter"]["contracts"][0]["layers"]
    for layer, room in re.findall(r"^\| (\d) \| `(\w+)/`", ARCHITECTURE, re.M):
        assert room in held[-int(layer)].split(" : "), room


def test_every_file_of_the_walk_through_a_comparison_exists() -> None:
    walk = ARCHITECTURE.partition("## One comparison")[2]
    files = re.findall(r"`([\w/]+\.py)`", walk)
    assert len(files) > 20
    for file in files:
        assert (PACKAGE / file).exists(), file


def test_the_note_of_a_plug_in_is_explained_however_its_code_is_typed() -> None:
    from outperform.extend import Code, register_note
    from outperform.notes import NOTES

    register_note(Code("MINE7", "info", "It is so.", "Because it is."))
    try:
        for typed in ("MINE7", "mine7"):
            assert "Because it is." in str(op.explain(typed))
    finally:
        del NOTES["MINE7"]
