"""`outperform run` and `check`, run as users run them: stores, failures, signals, terminals."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from launching import ENVIRONMENT, RESULT_KEYS, Program, launch
from places import ROOT
from waiting import wait_until

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
from pathlib import Path
class Slow(GaussianNB):
    # Waits at its fourth fit, and at every later one, until it may go on.
    n_fits = 0
    def fit(self, X, y):
        Slow.n_fits += 1
        while Slow.n_fits > 3 and not Path("go on").exists():
            time.sleep(0.05)
        return super().fit(X, y)
learners["bayes"], design = Slow(), "20cv"
"""

CONSOLE = "import sys; del sys.path[0]; from outperform.cli import main; main()"
"""As the console script starts, which has its own folder in front instead of the working one."""


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


@pytest.mark.slow
def test_a_run_prints_means_and_the_verdict_of_two(done: tuple[Path, Any]) -> None:
    _, answer = done
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith(
        "tree vs. bayes: accuracy, 5-fold cross-validation\n  mean ± sd"
    )
    assert answer.stdout.count("(5 splits)") == 2
    assert "standard deviation over splits" not in answer.stdout
    assert "Random seed: 0." in answer.stderr
    assert "  verdict " in answer.stdout
    assert "a word from the file" in answer.stderr
    assert "a word from the file" not in answer.stdout


@pytest.mark.slow
def test_a_finished_run_answers_from_its_store_and_from_its_export(
    done: tuple[Path, Any],
) -> None:
    folder, first = done
    asked = "run", "experiment.py", "--store", "results.db", "--json"
    again = launch(folder, *asked, PYTHONHASHSEED="1")
    about = json.loads(again.stdout)
    files = "results.db", "scores.csv"
    read = [json.loads(launch(folder, "compare", name, "--json").stdout) for name in files]
    assert about["schema"] == "outperform/run/1"
    assert set(about["result"]) >= RESULT_KEYS
    for key in ("names", "estimate", "pvalue", "design", "seed"):
        assert read[0][key] == read[1][key] == about["result"][key]
    shown = launch(folder, "compare", "results.db").stdout
    assert shown in first.stdout


@pytest.mark.slow
def test_an_export_is_not_overwritten_unless_forced(done: tuple[Path, Any]) -> None:
    folder, _ = done
    before = (folder / "scores.csv").read_bytes()
    refused = launch(folder, "check", "results.db", "--export", "scores.csv")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "add --force" in refused.stderr
    forced = launch(folder, "check", "results.db", "--export", "scores.csv", "--force")
    assert forced.returncode == 0, forced.stderr
    assert (folder / "scores.csv").read_bytes() == before


@pytest.mark.slow
def test_damage_is_named(done: tuple[Path, Any], tmp_path: Path) -> None:
    folder, _ = done
    (tmp_path / "results.db").write_bytes((folder / "results.db").read_bytes())
    whole = launch(tmp_path, "check", "results.db")
    assert whole.returncode == 0, whole.stderr
    assert "'tree': 5 of 5 fits ok" in whole.stdout
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


@pytest.mark.slow
def test_a_model_that_fails_is_named_and_there_is_no_verdict(
    program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "experiment.py"
    path.write_text(EXPERIMENT + BAD)
    answer = program("run", "experiment.py", "--store", "results.db", "--json")
    (failure,) = json.loads(answer.stdout)["failures"]
    assert answer.returncode == 3
    assert (failure["learner"], failure["status"], failure["count"]) == ("bad", "failed", 5)
    assert "'bad': 5 failed (first at (0, 0, 0)): RuntimeError: no <U+001B>[31mred" in answer.stderr
    assert "\x1b" not in answer.stdout + answer.stderr
    found = program("check", "results.db")
    assert found.returncode == 3
    assert "'bad': 5 failed" in found.stdout
    assert program("compare", "results.db", "tree", "bayes").returncode == 0
    retried = program("run", "experiment.py", "--store", "results.db", "--retry")
    assert "Rerunning 5 failed fits." in retried.stderr
    assert retried.returncode == 3


@pytest.mark.slow
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
    out, err = running.communicate(timeout=120)
    assert (running.returncode, out) == (status, "")
    assert "Run the same command again to resume" in err
    assert "Traceback" not in err
    if name == "SIGINT":
        part = json.loads(program("check", "results.db", "--json").stdout)
        kept = sum(counts["ok"] for counts in part["learners"].values())
        assert 0 < kept < 40
        assert part["problems"][0]["status"] == "missing"
        (tmp_path / "go on").touch()
        assert program(*command).returncode == 0


def wait_for_cells(path: Path, running: subprocess.Popen[str]) -> None:
    def stored() -> bool:
        assert running.poll() is None, running.communicate()
        if not path.exists():
            return False
        with (
            closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db,
            suppress(sqlite3.OperationalError),  # it has no tables yet
        ):
            return bool(db.execute("SELECT count(*) FROM cell").fetchone()[0])
        return False

    wait_until(stored, "the first cell to be stored")


@pytest.mark.slow
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
    assert b" of 40 fits" in os.read(ours, 10_000)
    os.close(ours)
    (tmp_path / "go on").touch()  # it learns of the terminal's end when it next writes there
    assert running.wait(timeout=120) == 129


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("\nx = 1 / 0", "'e.py', line 2 cannot be run: ZeroDivisionError: division by zero"),
        ("x = (", "'e.py', line 1 cannot be run: SyntaxError"),
        ("raise SystemExit(0)", "'e.py', line 1 cannot be run: SystemExit"),
        ("X = 1", "'e.py' does not define learners or y"),
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


@pytest.mark.slow
def test_a_table_with_hostile_columns_is_run(program: Program, tmp_path: Path) -> None:
    write_items(tmp_path / "items.csv")
    (tmp_path / "mine.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\ndef make():\n    return GaussianNB()\n"
    )
    options = ["--target", "kind", "--learner", "tree", "--learner", "bayes=mine:make"]
    more = ["--learner", "sklearn.dummy:DummyClassifier", "--design", "holdout@1/4", "--seed", "0"]
    answer = program("run", "items.csv", *options, *more)
    assert answer.returncode == 0, answer.stderr
    assert (
        "\n  mean       tree             1.00 (10 items)\n             bayes            "
        in answer.stdout
    )
    assert "Target 'kind': 2 classes." in answer.stderr
    assert "3 learners: accuracy" in answer.stdout
    missing = program("run", "items.csv", "--target", HOSTILE[1] + "\x1b", "--learner", "tree")
    assert missing.returncode == 2
    assert not {"\u202e", "\x1b"} & set(missing.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "options", "names"),
    [
        (["-m", "outperform"], [], ["sklearn", "numpy", "polars", "json"]),
        (["-c", CONSOLE], ["--jobs", "2"], ["sklearn", "numpy", "joblib", "json"]),
        (["-c", CONSOLE], ["--learner", "mine:make"], ["sklearn", "numpy", "polars"]),
    ],
)
def test_no_file_of_the_working_folder_stands_in_for_a_library(
    tmp_path: Path, start: list[str], options: list[str], names: list[str]
) -> None:
    write_items(tmp_path / "items.csv")
    (tmp_path / "mine.py").write_text("from sklearn.dummy import DummyClassifier as make\n")
    for name in names:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('imported ./{name}.py')\n")
    run = ["run", "items.csv", "--target", "kind", "--learner", "tree", "--learner", "nb"]
    answer = subprocess.run(
        [sys.executable, *start, *run, "--design", "holdout@1/4", "--seed", "0", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "learner", "said"),
    [
        ("kin", "tree", "did you mean 'kind'?"),
        ("__class__", "logistic", "use linear"),
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
    running.communicate("\n", timeout=120)


@pytest.mark.slow
@pytest.mark.needs("dask")
def test_a_run_on_dask_gives_the_same_answer(done: tuple[Path, Any], scheduler: str) -> None:
    folder, first = done
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^outperform (run .+ --dask) tcp://", guide, re.MULTILINE)
    answer = launch(folder, *shown.split(), scheduler)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == first.stdout


@pytest.mark.slow
@pytest.mark.needs("dask")
def test_a_dask_address_that_is_none_is_one_line(done: tuple[Path, Any]) -> None:
    folder, _ = done
    answer = launch(folder, "run", "experiment.py", "--dask", "nothing://here")
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1].startswith("Error: Cannot connect to a Dask scheduler at")


def write_mixed(path: Path, target: Callable[[float, str], object]) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for number in range(60):
        size, colour = rng.normal(), ["red", "green", "blue"][number % 3]
        shown = "" if number == 7 else f"{size}"
        rows.append(f"{shown},{'' if number == 9 else colour},{target(size, colour)}")
    path.write_text("size,colour,y\n" + "\n".join(rows) + "\n")


@pytest.mark.slow
def test_short_names_read_text_and_holes(program: Program, tmp_path: Path) -> None:
    write_mixed(tmp_path / "items.csv", lambda size, colour: "yes" if colour == "red" else "no")
    models = [w for name in ("tree", "nb", "logistic", "knn") for w in ("--learner", name)]
    options = ["--target", "y", "--design", "2cv", "--seed", "0", "--json"]
    answer = program("run", "items.csv", *models, *options)
    about = json.loads(answer.stdout)
    assert "Text columns: 'colour'" in answer.stderr
    assert {each["name"]: each["mean"] > 0.9 for each in about["scores"]} == dict.fromkeys(
        ("tree", "nb", "logistic", "knn"), True
    )
    assert (about["failures"], about["result"]["schema"]) == ([], "outperform/comparison/1")


@pytest.mark.slow
def test_a_target_of_numbers_gets_regressors(program: Program, tmp_path: Path) -> None:
    write_mixed(tmp_path / "items.csv", lambda size, colour: 2 * size + (colour == "red") + 0.5)
    models = ["--learner", "linear", "--learner", "tree", "--design", "3cv", "--seed", "0"]
    answer = program("run", "items.csv", "--target", "y", *models)
    assert answer.returncode == 0, answer.stderr
    assert "Target 'y': numbers." in answer.stderr
    assert "linear vs. tree" in answer.stdout
    refused = program("run", "items.csv", "--target", "y", "--learner", "nb")
    assert "use linear" in refused.stderr


@pytest.mark.slow
def test_many_whole_numbers_are_classes_or_amounts_as_is_said(
    program: Program, tmp_path: Path
) -> None:
    write_mixed(tmp_path / "items.csv", lambda size, colour: round(100 * size))
    asked = ["run", "items.csv", "--target", "y", "--learner", "tree", "--design", "2cv"]
    unclear = program(*asked)
    assert (unclear.returncode, unclear.stdout) == (2, "")
    assert "--task classes or --task numbers" in unclear.stderr
    assert program(*asked, "--task", "numbers", "--seed", "0").returncode == 0


@pytest.mark.slow
def test_a_run_writes_its_report(done: tuple[Path, Any], tmp_path: Path) -> None:
    folder, _ = done
    page = tmp_path / "page.html"
    answer = launch(folder, "run", "experiment.py", "--store", "results.db", "--report", str(page))
    assert answer.returncode == 0, answer.stderr
    assert "tree" in page.read_text(encoding="utf-8")
