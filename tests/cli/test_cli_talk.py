"""What the program does on a terminal: progress, a dialogue, a verdict that stands out."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from launching import ENVIRONMENT, launch, write_scores
from waiting import LIMIT

from outperform.cli._output import wrapped

EXPERIMENT = """
import time
import numpy as np
from sklearn.naive_bayes import GaussianNB
class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.02)
        return super().fit(X, y)
y = np.arange(60) % 2
X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
learners = {"slow": Slow(), "bayes": GaussianNB()}
design, random_state = "10cv", 0
"""


class Terminal:
    """The program on a pseudo-terminal: what it shows, and what is typed."""

    def __init__(self, folder: Path, *arguments: str, stdout: int | None = None, **more: str):
        self.ours, theirs = pty.openpty()
        environment = {k: v for k, v in ENVIRONMENT.items() if k != "NO_COLOR"} | more
        self.running = subprocess.Popen(
            [sys.executable, "-m", "outperform", *arguments],
            cwd=folder,
            env=environment,
            stdin=theirs,
            stderr=theirs,
            stdout=theirs if stdout is None else stdout,
        )
        os.close(theirs)
        self.shown = ""

    def read_until(self, words: str) -> str:
        """Read until the words are shown; a program that ends without them is a failure."""
        while words not in self.shown and self._read(LIMIT):
            pass
        assert words in self.shown, self.shown
        return self.shown

    def type(self, line: str) -> None:
        os.write(self.ours, f"{line}\n".encode())

    def finish(self) -> int:
        while self._read(LIMIT):
            pass
        os.close(self.ours)
        return self.running.wait(timeout=120)

    def _read(self, seconds: float) -> bool:
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.ours, 65536)
        except OSError:  # the other side is closed
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)


@pytest.mark.slow
def test_progress_is_a_bar_on_a_terminal_and_nothing_in_a_short_log(tmp_path: Path) -> None:
    (tmp_path / "experiment.py").write_text(EXPERIMENT)
    terminal = Terminal(tmp_path, "run", "experiment.py")
    assert terminal.finish() == 0
    assert "━" in terminal.shown
    assert "20 of 20 fits (100%)" in terminal.shown
    assert "\x1b[?25l" not in terminal.shown  # a run that is killed leaves a cursor
    assert "slow vs. bayes" in terminal.shown
    plain = launch(tmp_path, "run", "experiment.py")
    assert "fits (" not in plain.stdout + plain.stderr


@pytest.mark.slow
def test_a_stopped_run_ends_with_how_to_resume(tmp_path: Path) -> None:
    (tmp_path / "experiment.py").write_text(EXPERIMENT.replace('"10cv"', '"100x10cv"'))
    terminal = Terminal(tmp_path, "run", "experiment.py", "--store", "results.db")
    terminal.read_until("left")
    terminal.running.send_signal(signal.SIGINT)
    assert terminal.finish() == 130
    before, stopped, after = terminal.shown.replace("\r\n", "\n").partition("\nStopped: ")
    assert stopped, terminal.shown[-600:]
    assert "fits (" in before
    assert after.endswith("Run the same command again to resume.\n")
    assert after.count("\n") == 1


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_lines_break_between_words_at_the_width_of_the_terminal(
    columns: int, tmp_path: Path
) -> None:
    refused = Terminal(tmp_path, "run", "nowhere.csv", COLUMNS=str(columns))
    assert refused.finish() == 2
    lines = refused.shown.replace("\r\n", "\n").splitlines()
    assert max(map(len, lines)) < columns
    assert (
        "A data file needs --target COLUMN and --learner, as in --target species --learner tree "
        "--learner nb; an experiment is a .py file" in " ".join(lines)
    )


@pytest.mark.slow
@pytest.mark.requirement("D-01")
def test_advise_asks_on_a_terminal_and_takes_numbers_words_and_defaults(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "advise", "--n", "300")
    terminal.read_until("domains: ")
    terminal.type("1")
    terminal.read_until("about: ")
    terminal.type("algorythm")
    terminal.read_until("did you mean 'algorithm'?")
    terminal.type("algorithm")
    terminal.read_until("aim: ")
    terminal.type("2")
    for question in ("loss [zero-one]: ", "learners [2]: ", "fits [450]: ", "worse [neither]: "):
        terminal.read_until(question)
        terminal.type("")
    assert terminal.finish() == 0
    assert "Question 8" in terminal.shown
    assert "calibrated_t" in terminal.shown


def test_a_dialogue_that_is_left_is_not_an_answer(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "advise")
    terminal.read_until("domains: ")
    os.write(terminal.ours, b"\x04")  # Ctrl-D
    assert terminal.finish() == 130
    assert "Question" not in terminal.shown


@pytest.mark.slow
@pytest.mark.requirement("D-01")
def test_advise_takes_flags_where_nobody_can_be_asked(tmp_path: Path) -> None:
    lacking = launch(tmp_path, "advise", "--domains", "one", "--n", "300")
    assert (lacking.returncode, lacking.stdout) == (2, "")
    assert "Add --about classifier or --about algorithm" in lacking.stderr
    asked = ["--domains", "one", "--about", "classifier", "--aim", "compare", "--sample", "large"]
    text, data = launch(tmp_path, "advise", *asked), launch(tmp_path, "advise", *asked, "--json")
    assert text.stdout.startswith("Question 3")
    about = json.loads(data.stdout)
    assert (about["schema"], about["method"]) == ("outperform/advice/1", "mcnemar")
    assert about["versions"]["outperform"]


@pytest.mark.slow
@pytest.mark.parametrize(("variable", "bold"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_the_verdict_stands_out_on_a_terminal_unless_no_color_is_set(
    tmp_path: Path, variable: dict[str, str], bold: bool
) -> None:
    write_scores(tmp_path / "scores.csv")
    terminal = Terminal(tmp_path, "compare", "scores.csv", **variable)
    assert terminal.finish() == 0
    assert ("\x1b[1m  verdict" in terminal.shown) == bold
    assert ("\x1b" in terminal.shown) == bold
    assert "\x1b" not in launch(tmp_path, "compare", "scores.csv").stdout


def test_ctrl_c_ends_a_dialogue_with_a_word(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "advise")
    terminal.read_until("domains: ")
    terminal.running.send_signal(signal.SIGINT)
    assert terminal.finish() == 130
    assert "Cancelled. Run `outperform advise` to start again." in terminal.shown
    assert "Traceback" not in terminal.shown


def test_a_command_to_paste_is_never_broken():
    long = "outperform run data.csv " + " ".join(f"--learner name{i}" for i in range(20))
    for label in ("  command  ", "  python   ", ""):
        assert wrapped(f"{label}{long}", 80) == f"{label}{long}"
    assert "\n" in wrapped(f"  why      {long}", 80)
