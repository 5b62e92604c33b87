"""The command line, run as users run it: what it prints where, and how it exits."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

COMMANDS = ["run", "compare", "check", "methods", "explain"]
RESULT_KEYS = {
    *("schema", "method", "names", "metric", "design", "n", "estimate", "stderr", "statistic"),
    *("df", "pvalue", "low", "high", "level", "alternative", "verdict", "notes", "seed"),
    "versions",
}
EXPERIMENT = """
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
print("a word from the file")
rng = np.random.default_rng(0)
y = np.arange(60) % 2
X = rng.normal(size=(60, 3)) + y[:, None]
learners = {"tree": DecisionTreeClassifier(max_depth=2), "bayes": GaussianNB()}
design, random_state = "5cv", 0
"""
BAD = """
class Bad(GaussianNB):
    def fit(self, X, y):
        raise RuntimeError("no \\x1b[31mred")
learners["bad"] = Bad()
"""
SLOW = """
import time
class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.15)
        return super().fit(X, y)
learners["bayes"], design = Slow(), "20cv"
"""
ENVIRONMENT = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}

Program = Callable[..., subprocess.CompletedProcess[str]]


def launch(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "outperform", *arguments],
        cwd=folder,
        env=ENVIRONMENT | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Run the program in a folder of its own."""
    return lambda *arguments, **variables: launch(tmp_path, *arguments, **variables)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder with a finished run, its store and what it exported; and what it printed."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "experiment.py").write_text(EXPERIMENT)
    options = ["--store", "results.db", "--export", "scores.csv"]
    return folder, launch(folder, "run", "experiment.py", *options)


def write_scores(path: Path, names: tuple[str, ...] = ("new", "old"), gain: float = 0.1) -> None:
    draws = np.random.default_rng(1).normal(0.7, 0.01, size=(10, len(names)))
    draws[:, 0] += gain
    rows = [f"{fold},{','.join(map(str, row))}" for fold, row in enumerate(draws)]
    head = ",".join(f'"{name}"' for name in names)
    path.write_text(f"fold,{head}\n" + "\n".join(rows) + "\n", encoding="utf-8")


# Help, versions and words that do not exist.


def test_help_begins_with_examples(program: Program, snapshot: Callable[[str, str], None]) -> None:
    pages = [program(*command, "-h") for command in [[], *([name] for name in COMMANDS)]]
    assert [page.returncode for page in pages] == [0] * len(pages)
    snapshot("cli_help", "\n".join(page.stdout for page in pages).rstrip())


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


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chek"], "did you mean 'check'?"),
        (["explain", "correctd_t"], "did you mean 'corrected_t'?"),
        (["explain", "OP999"], "OP999"),
        (["methods", "--design", "10-fold"], "did you mean '10cv'?"),
        (["methods", "--desing", "10cv"], "--design"),
        (["run", "data.csv"], "--target COLUMN and --learner"),
        (["run", "a.py", "--target", "y"], "a .py file defines learners"),
        (["run", "a.py", "--export", "s.csv"], "add --store results.db"),
        (["run", "a.py", "--store", "a.db", "--export", "s.xls"], ".csv or .parquet"),
        (["run", "a.py", "--jobs", "0"], "0 workers"),
        (["run", "nowhere.py"], "'nowhere.py' is not a file"),
        (["compare", "nowhere.csv"], "'nowhere.csv' is not there"),
        (["compare", "scores.csv", "new"], "Name both learners"),
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


def test_methods_lists_those_of_a_design(program: Program) -> None:
    assert program("methods", "--design", "10x10cv").stdout.startswith("corrected_t ")
    about = json.loads(program("methods", "--design", "5x2cv", "--json").stdout)
    defaults = [m["name"] for m in about["methods"] if "repeated-2fold" in m["default_for"]]
    assert (about["schema"], defaults) == ("outperform/methods/1", ["five_by_two_t"])


def test_explain_speaks_of_methods_and_codes(program: Program) -> None:
    assert program("explain", "mcnemar").stdout.startswith("McNemar's test\n")
    about = json.loads(program("explain", "op101", "--json").stdout)
    assert about["name"] == "OP101"


def test_compare_answers_on_stdout_and_says_what_it_inferred_on_stderr(
    program: Program, tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv")
    answer = program("compare", "scores.csv", "--alpha", "0.01")
    assert answer.returncode == 0
    assert "new outperforms old (α = 0.01)." in answer.stdout
    assert "at 0.99 confidence" in answer.stdout
    assert "Design read as 10cv" in answer.stderr
    assert "Design read as" not in answer.stdout


def test_compare_in_json_has_the_common_vocabulary(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv")
    answer = program("compare", "scores.csv", "old", "new", "--method", "kfold_t", "--json")
    about = json.loads(answer.stdout)
    assert set(about) >= RESULT_KEYS
    assert (about["method"], about["names"]) == ("kfold_t", ["old", "new"])
    assert about["verdict"] == "outperformed"


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
    assert ("required: " in answer.stderr) == bool(status)


def test_compare_names_the_learners_where_there_are_more_than_two(
    program: Program, tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv", ("a", "b b", "c"))
    answer = program("compare", "scores.csv")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "'a', 'b b', 'c'" in answer.stderr
    assert program("compare", "scores.csv", "a", "b b").returncode == 0


def test_hostile_names_reach_no_terminal(program: Program, tmp_path: Path) -> None:
    write_scores(tmp_path / "scores.csv", ("\u202egnp.exe", "=cmd()\x9b31m"))
    text, data = program("compare", "scores.csv"), program("compare", "scores.csv", "--json")
    for said in (text.stdout, text.stderr, data.stdout, data.stderr):
        assert not {"\u202e", "\x9b"} & set(said)
    assert json.loads(data.stdout)["names"] == ["\u202egnp.exe", "=cmd()\x9b31m"]


def test_an_output_that_cannot_show_every_letter_still_gets_the_answer(
    program: Program, tmp_path: Path
) -> None:
    write_scores(tmp_path / "scores.csv")
    answer = program("compare", "scores.csv", PYTHONIOENCODING="ascii")
    assert answer.returncode == 0
    assert "outperforms" in answer.stdout


# run and check.


def test_a_run_prints_means_and_the_verdict_of_two(done: tuple[Path, Any]) -> None:
    _, answer = done
    assert answer.returncode == 0, answer.stderr
    assert "mean accuracy (5-fold cross-validation, 5 splits, seed 0)" in answer.stdout
    assert "tree v bayes (5 values, 5-fold cross-validation)" in answer.stdout
    assert "  verdict " in answer.stdout
    assert "a word from the file" in answer.stderr
    assert "a word from the file" not in answer.stdout


def test_a_finished_run_answers_from_its_store_and_from_its_export(
    done: tuple[Path, Any],
) -> None:
    folder, first = done
    again = launch(folder, "run", "experiment.py", "--store", "results.db", "--json")
    about = json.loads(again.stdout)
    asked = ["results.db", "scores.csv"]
    read = [json.loads(launch(folder, "compare", name, "--json").stdout) for name in asked]
    assert about["schema"] == "outperform/run/1"
    assert set(about["result"]) >= RESULT_KEYS
    for key in ("names", "estimate", "pvalue", "design", "seed"):
        assert read[0][key] == read[1][key] == about["result"][key]
    shown = launch(folder, "compare", "results.db").stdout
    assert shown in first.stdout


def test_an_export_is_not_overwritten_unless_forced(done: tuple[Path, Any]) -> None:
    folder, _ = done
    before = (folder / "scores.csv").read_bytes()
    refused = launch(folder, "check", "results.db", "--export", "scores.csv")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "add --force" in refused.stderr
    forced = launch(folder, "check", "results.db", "--export", "scores.csv", "--force")
    assert forced.returncode == 0, forced.stderr
    assert (folder / "scores.csv").read_bytes() == before


def test_damage_is_named_and_what_is_dropped_is_run_again(
    done: tuple[Path, Any], tmp_path: Path
) -> None:
    folder, first = done
    (tmp_path / "results.db").write_bytes((folder / "results.db").read_bytes())
    (tmp_path / "experiment.py").write_text(EXPERIMENT)
    whole = launch(tmp_path, "check", "results.db")
    assert whole.returncode == 0, whole.stderr
    assert "'tree': 5 of 5 cells ok" in whole.stdout
    with sqlite3.connect(tmp_path / "results.db") as db:
        first_cell = (
            "(learner, address) = (SELECT learner, address FROM cell ORDER BY 1, 2 LIMIT 1)"
        )
        db.execute(f"UPDATE cell SET score = score + 0.1 WHERE {first_cell}")
    db.close()
    found = launch(tmp_path, "check", "results.db", "--json")
    (damage,) = json.loads(found.stdout)["damages"]
    assert (found.returncode, damage["learner"], damage["address"]) == (3, "tree", [0, 0, 0])
    assert launch(tmp_path, "compare", "results.db").returncode == 3
    dropped = launch(tmp_path, "check", "results.db", "--drop")
    assert dropped.returncode == 3
    assert "1 missing (first at (0, 0, 0))" in dropped.stdout
    mended = launch(tmp_path, "run", "experiment.py", "--store", "results.db")
    assert mended.stdout == first.stdout


def test_a_learner_that_fails_is_named_and_there_is_no_verdict(
    program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "experiment.py"
    path.write_text(EXPERIMENT + BAD)
    answer = program("run", "experiment.py", "--store", "results.db", "--json")
    (failure,) = json.loads(answer.stdout)["failures"]
    assert answer.returncode == 3
    assert (failure["learner"], failure["status"], failure["count"]) == ("bad", "failed", 5)
    assert "'bad': 5 failed (first at (0, 0, 0)): RuntimeError: no [31mred" in answer.stderr
    assert "\x1b" not in answer.stdout + answer.stderr
    found = program("check", "results.db")
    assert found.returncode == 3
    assert "'bad': 5 failed" in found.stdout
    assert program("compare", "results.db", "tree", "bayes").returncode == 0
    retried = program("run", "experiment.py", "--store", "results.db", "--retry")
    assert "5 failed cells will be run anew" in retried.stderr
    assert retried.returncode == 3


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_keeps_what_is_done_and_the_same_again_resumes(
    program: Program, tmp_path: Path, name: str, status: int
) -> None:
    (tmp_path / "experiment.py").write_text(EXPERIMENT + SLOW)
    command = ["run", "experiment.py", "--store", "results.db"]
    running = subprocess.Popen(
        [sys.executable, "-m", "outperform", *command],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    wait_for_cells(tmp_path / "results.db", running)
    running.send_signal(getattr(signal, name))
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (status, "")
    assert "run the same again to resume" in err
    assert "Traceback" not in err
    if name == "SIGINT":
        part = json.loads(program("check", "results.db", "--json").stdout)
        kept = sum(counts["ok"] for counts in part["learners"].values())
        assert 0 < kept < 40
        assert part["problems"][0]["status"] == "missing"
        assert program(*command).returncode == 0


def wait_for_cells(path: Path, running: subprocess.Popen[str]) -> None:
    for _ in range(600):
        time.sleep(0.05)
        assert running.poll() is None, running.communicate()
        if path.exists():
            db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
            try:
                if db.execute("SELECT count(*) FROM cell").fetchone()[0]:
                    return
            except sqlite3.OperationalError:
                continue
            finally:
                db.close()
    pytest.fail("no cell was stored within 30 seconds")


def test_a_terminal_that_is_closed_ends_the_run_with_129(tmp_path: Path) -> None:
    (tmp_path / "experiment.py").write_text(EXPERIMENT + SLOW)
    ours, theirs = os.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "outperform", "run", "experiment.py", "--store", "results.db"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=theirs,
        stderr=theirs,
        encoding="utf-8",
    )
    os.close(theirs)
    wait_for_cells(tmp_path / "results.db", running)
    assert b" of 40 cells" in os.read(ours, 10_000)
    os.close(ours)
    assert running.wait(timeout=30) == 129


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("\nx = 1 / 0", "'e.py', line 2 cannot be used: ZeroDivisionError: division by zero"),
        ("x = (", "'e.py', line 1 cannot be used: SyntaxError"),
        ("raise SystemExit(0)", "'e.py', line 1 cannot be used: SystemExit"),
        ("X = 1", "'e.py' defines no learners and no y"),
    ],
)
def test_an_experiment_that_cannot_be_used_is_one_line(
    program: Program, tmp_path: Path, source: str, said: str
) -> None:
    (tmp_path / "e.py").write_text(source)
    answer = program("run", "e.py")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert said in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


HOSTILE = ["=cmd|' /C calc'!A0", "\u202edesrever", 'x,"; import os', "__class__"]


def write_items(path: Path, *, target: str = "kind") -> None:
    draws = np.random.default_rng(2).normal(size=(40, len(HOSTILE)))
    head = ",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE)
    rows = [f"{','.join(map(str, row))},{'ab'[int(row[0] > 0)]}" for row in draws]
    path.write_text(f"{head},{target}\n" + "\n".join(rows) + "\n", encoding="utf-8")


def test_a_table_with_hostile_columns_is_run(program: Program, tmp_path: Path) -> None:
    write_items(tmp_path / "items.csv")
    (tmp_path / "mine.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\ndef make():\n    return GaussianNB()\n"
    )
    options = ["--target", "kind", "--learner", "tree", "--learner", "bayes=mine:make"]
    more = ["--learner", "sklearn.dummy:DummyClassifier", "--design", "holdout@1/4", "--seed", "0"]
    answer = program("run", "items.csv", *options, *more)
    assert answer.returncode == 0, answer.stderr
    assert "\n  tree             1.000\n  bayes            " in answer.stdout
    assert "target 'kind' read as 2 classes" in answer.stderr
    assert "outperform compare" in answer.stderr
    missing = program("run", "items.csv", "--target", HOSTILE[1] + "\x1b", "--learner", "tree")
    assert missing.returncode == 2
    assert not {"\u202e", "\x1b"} & set(missing.stderr)


@pytest.mark.parametrize(
    ("target", "learner", "said"),
    [
        ("kin", "tree", "did you mean 'kind'?"),
        ("__class__", "tree", "columns of text came ('kind')"),
        ("kind", "tre", "did you mean 'tree'?"),
        ("kind", "nowhere:Model", "ModuleNotFoundError"),
        ("kind", "sklearn.dummy:Dumy", "AttributeError"),
    ],
)
def test_a_table_that_cannot_be_run_is_one_line(
    program: Program, tmp_path: Path, target: str, learner: str, said: str
) -> None:
    write_items(tmp_path / "items.csv")
    answer = program("run", "items.csv", "--target", target, "--learner", learner)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert said in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


@pytest.fixture
def scheduler() -> Iterator[str]:
    code = (
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False,\n"
        "                      dashboard_address=None, protocol='tcp://') as made:\n"
        "        print(made.scheduler_address, flush=True)\n"
        "        input()\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    yield running.stdout.readline().strip()
    running.communicate("\n", timeout=60)


@pytest.mark.needs("dask")
def test_a_run_on_dask_gives_the_same_answer(done: tuple[Path, Any], scheduler: str) -> None:
    folder, first = done
    answer = launch(folder, "run", "experiment.py", "--dask", scheduler)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == first.stdout


@pytest.mark.needs("dask")
def test_a_dask_address_that_is_none_is_one_line(done: tuple[Path, Any]) -> None:
    folder, _ = done
    answer = launch(folder, "run", "experiment.py", "--dask", "nothing://here")
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1].startswith("Error: no Dask scheduler answers at")
