"""The command line, run as users run it: what it prints where, and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import RESULT_KEYS, Program, launch, write_scores

COMMANDS = [
    *("run", "compare", "report", "advise", "methods", "explain", "check", "demo", "completion"),
    *("plan", "rank", "race", "verify", "certify"),
]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Run the program in a folder of its own."""
    return lambda *arguments, **variables: launch(tmp_path, *arguments, **variables)


# Help, versions and words that do not exist.


@pytest.mark.slow
def test_help_begins_with_examples(program: Program, snapshot: Callable[[str, str], None]) -> None:
    pages = [program(*command, "-h") for command in [[], *([name] for name in COMMANDS)]]
    assert [page.returncode for page in pages] == [0] * len(pages)
    snapshot("cli_help", pages[0].stdout.rstrip())


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_loads_neither_numpy_nor_anything_slow(arguments: list[str]) -> None:
    code = (
        f"import sys; sys.argv = ['outperform', *{arguments}]\n"
        "from outperform.cli import main\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "loaded = {name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names\n"
        "assert not loaded & {'numpy', 'scipy', 'sklearn', 'polars', 'rich'}, loaded\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_the_version_is_that_of_the_package(program: Program) -> None:
    from outperform import __version__

    assert program("--version").stdout == f"outperform {__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chek"], "did you mean 'check'?"),
        (["explain", "correctd_t"], "did you mean 'corrected_t'"),
        (["explain", "OP999"], "OP999"),
        (["methods", "--design", "10-fold"], "did you mean '10cv'?"),
        (["methods", "--desing", "10cv"], "--design"),
        (["run", "data.csv"], "--target COLUMN and --learner"),
        (["run", "a.py", "--target", "y"], "a .py file defines learners"),
        (["run", "a.py", "--export", "s.csv"], "add --store results.db"),
        (["run", "a.py", "--store", "a.db", "--export", "s.xls"], ".csv or .parquet"),
        (["run", "a.py", "--jobs", "0"], "must be a non-zero integer, got 0"),
        (["run", "nowhere.py"], "'nowhere.py' is not a file"),
        (["compare", "nowhere.csv"], "'nowhere.csv' was not found"),
        (["compare", "scores.csv", "new"], "Name at least two"),
        (["compare", "scores.csv", "--require", "equivalent"], "needs --rope"),
        (["compare", "scores.csv", "--alpha", "5"], "alpha"),
        (["check", "nowhere.db"], "nowhere.db"),
    ],
)
def test_bad_usage_exits_2_and_says_what_to_do(
    program: Program, arguments: list[str], hint: str
) -> None:
    answer = program(*arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert hint in answer.stderr
    assert "Traceback" not in answer.stderr
    assert sum(line.startswith("Error: ") for line in answer.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("outperform compare a.csv --method corr", "plain,corrected_t"),
        ("outperform run a.py --design 5x", "plain,5x2cv"),
        ("outperform explain OP10", "plain,OP101"),
        ("outperform che", "plain,check"),
    ],
)
def test_shells_complete_commands_methods_and_designs(
    program: Program, words: str, offered: str
) -> None:
    count = str(len(words.split()) - 1)
    asked = {"_OUTPERFORM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    assert offered in program(**asked).stdout.splitlines()


# methods, explain, compare.


@pytest.mark.slow
def test_methods_lists_those_of_a_design(program: Program) -> None:
    assert program("methods", "--design", "10x10cv").stdout.startswith("corrected_t ")
    about = json.loads(program("methods", "--design", "5x2cv", "--json").stdout)
    defaults = [m["name"] for m in about["methods"] if "repeated-2fold" in m["default_for"]]
    assert (about["schema"], defaults) == ("outperform/methods/1", ["five_by_two_t"])


@pytest.mark.slow
def test_explain_speaks_of_methods_and_codes(program: Program) -> None:
    assert program("explain", "mcnemar").stdout.startswith("McNemar's test\n")
    about = json.loads(program("explain", "op101", "--json").stdout)
    assert about["name"] == "OP101"


@pytest.mark.slow
def test_what_was_inferred_is_said_once_in_the_answer_or_beside_it(
    program: Program, tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv")
    answer = program("compare", "scores.csv", "--alpha", "0.01")
    assert answer.returncode == 0
    assert "new outperforms old (α = 0.01)." in answer.stdout
    assert "at 99 % confidence" in answer.stdout
    assert "OP001 Design read as 10cv" in answer.stdout
    assert answer.stderr == ""
    in_json = program("compare", "scores.csv", "--json")
    assert in_json.stderr == ""
    assert "OP001" in {note["code"] for note in json.loads(in_json.stdout)["notes"]}
    table = program("compare", "scores.csv", "--markdown")
    assert "Design read as 10cv" in table.stderr
    assert "Design read as 10cv" not in table.stdout


@pytest.mark.slow
def test_compare_in_json_has_the_common_vocabulary(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    answer = program("compare", "scores.csv", "old", "new", "--method", "kfold_t", "--json")
    about = json.loads(answer.stdout)
    assert set(about) >= RESULT_KEYS
    assert (about["method"], about["names"]) == ("kfold_t", ["old", "new"])
    assert about["verdict"] == "outperformed"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gain", "asked", "status"),
    [
        (0.1, ["--require", "outperforms"], 0),
        (0.0, ["--require", "outperforms"], 1),
        (0.0, ["--require", "equivalent", "--rope", "0.1"], 0),
    ],
)
def test_a_gate_that_is_not_met_exits_1(
    program: Program, tmp_path: Path, gain: float, asked: list[str], status: int
) -> None:
    write_scores(tmp_path / "scores.csv", gain=gain)
    answer = program("compare", "scores.csv", *asked)
    assert answer.returncode == status
    assert ("Required of new vs. old: " in answer.stderr) == bool(status)


@pytest.mark.slow
def test_compare_judges_all_pairs_of_more_than_two(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv", ("a", "b b", "c"))
    whole = program("compare", "scores.csv")
    assert whole.returncode == 0, whole.stderr
    assert whole.stdout.startswith("3 learners: score")
    about = json.loads(program("compare", "scores.csv", "--json").stdout)
    assert about["schema"] == "outperform/comparison/1"
    assert [pair["names"] for pair in about["pairs"]] == [["a", "b b"], ["a", "c"], ["b b", "c"]]


@pytest.mark.slow
def test_compare_keeps_to_the_models_named(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv", ("a", "b b", "c", "d"))
    pair = json.loads(program("compare", "scores.csv", "c", "a", "--json").stdout)
    assert (pair["schema"], pair["names"]) == ("outperform/result/1", ["c", "a"])
    three = json.loads(program("compare", "scores.csv", "d", "c", "a", "--json").stdout)
    assert three["names"] == ["d", "c", "a"]


@pytest.mark.slow
def test_hostile_names_reach_no_terminal(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv", ("\u202egnp.exe", "=cmd()\x9b31m"))
    text, data = program("compare", "scores.csv"), program("compare", "scores.csv", "--json")
    for said in (text.stdout, text.stderr, data.stdout, data.stderr):
        assert not {"\u202e", "\x9b"} & set(said)
    assert json.loads(data.stdout)["names"] == ["\u202egnp.exe", "=cmd()\x9b31m"]


@pytest.mark.slow
def test_an_output_that_cannot_show_every_letter_still_gets_the_answer(
    program: Program, tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv")
    answer = program("compare", "scores.csv", PYTHONIOENCODING="ascii")
    assert answer.returncode == 0
    assert "outperforms" in answer.stdout


@pytest.mark.slow
def test_compare_against_a_control_and_gate_on_it(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv", ("a", "b", "base"))
    unclear = program("compare", "scores.csv", "--require", "outperforms")
    assert unclear.returncode == 2
    assert "--control LEARNER" in unclear.stderr
    about = json.loads(program("compare", "scores.csv", "--control", "base", "--json").stdout)
    assert [pair["names"] for pair in about["pairs"]] == [["a", "base"], ["b", "base"]]
    gate = program("compare", "scores.csv", "--control", "base", "--require", "outperforms")
    assert gate.returncode == 1
    assert "Required of b vs. base: outperforms (α = 0.05, adjusted for 2 pairs)" in gate.stderr
    assert "Required of a vs. base" not in gate.stderr
    met = program("compare", "scores.csv", "b", "base", "--require", "no decision")
    assert met.returncode == 0


@pytest.mark.slow
def test_compare_prints_tables_for_papers(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv", ("a_1", "b|2"))
    assert r"a\_1 $-$ b" in program("compare", "scores.csv", "--latex").stdout
    assert r"b\|2" in program("compare", "scores.csv", "--markdown").stdout
    assert program("compare", "scores.csv", "--latex", "--json").returncode == 2


@pytest.mark.slow
def test_columns_and_limits_are_said_by_options(program: Program, tmp_path: Path) -> None:
    rows = [f"{name},{fold},{0.7 + fold / 100}" for name in ("x", "y") for fold in range(4)]
    (tmp_path / "odd.csv").write_text("system,part,quality\n" + "\n".join(rows) + "\n")
    assert program("compare", "odd.csv").returncode == 2
    columns = ["--column", "learner=system", "--column", "fold=part", "--column", "score=quality"]
    said = program("compare", "odd.csv", *columns, "--design", "4cv", "--json")
    assert json.loads(said.stdout)["names"] == ["x", "y"], said.stderr
    few = program("compare", "odd.csv", *columns, "--limit", "rows=3")
    assert (few.returncode, "limit" in few.stderr) == (2, True)
    wrong = program("compare", "odd.csv", "--column", "lerner=system")
    assert "did you mean 'learner'?" in wrong.stderr


@pytest.mark.slow
def test_a_report_holds_the_scores_and_is_not_overwritten_unless_forced(
    program: Program, tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv", ("a", "b", "c"))
    written = program("report", "scores.csv", "-o", "page.html")
    assert (written.returncode, written.stdout) == (0, "page.html\n"), written.stderr
    again = program("report", "scores.csv", "-o", "page.html")
    assert (again.returncode, again.stdout) == (2, "")
    assert "add --force" in again.stderr
    assert program("report", "scores.csv", "-o", "page.html", "--force").returncode == 0
    direct = json.loads(program("compare", "scores.csv", "--json").stdout)
    inside = json.loads(program("compare", "page.html", "--json").stdout)
    assert [pair["pvalue"] for pair in inside["pairs"]] == [p["pvalue"] for p in direct["pairs"]]
    about = json.loads(program("report", "scores.csv", "-o", "two.html", "--json").stdout)
    assert (about["schema"], about["path"]) == ("outperform/report/1", "two.html")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_where_the_shell_looks(
    program: Program, tmp_path: Path, shell: str
) -> None:
    asked = {"HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}
    done = program("completion", "--install", **asked)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    (path,) = (p for p in tmp_path.rglob("*outperform*") if p.is_file())
    assert str(path) in done.stderr
    assert path.read_text() == program("completion", shell).stdout.removesuffix("\n")
    path.write_text("mine")
    assert program("completion", "--install", **asked).returncode == 2


@pytest.mark.slow
def test_the_demo_prints_a_verdict_and_writes_its_page_over_an_old_one(
    program: Program, tmp_path: Path
) -> None:
    (tmp_path / "report.html").write_text("old")
    answer = program("demo", "--design", "2x2cv", "--jobs", "1")
    assert answer.returncode == 0, answer.stderr
    assert "  verdict " in answer.stdout
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_without_a_verb_the_help_is_shown(tmp_path):
    bare, helped = launch(tmp_path), launch(tmp_path, "--help")
    assert bare.returncode == 0
    assert bare.stdout == helped.stdout
