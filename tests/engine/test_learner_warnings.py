"""What learners warn of is shown once, counted, with their names; what they leave behind ends."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from models_for_tests import Centroids, Misbehaved, Warner
from test_hostile import HERE, X, Y

import outperform as op

WAYS = [{}, {"n_jobs": 2}, {"isolate": True}]


def heard(learners: Any, **options: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        op.run(learners, X, Y, design="2x3cv", random_state=1, **options)
    return caught


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_a_warning_is_shown_once_with_how_often_and_by_whom_it_was_raised(
    options: dict[str, Any],
) -> None:
    learners = {"a": Warner(20), "b": Warner(30), "good": Centroids()}
    (shown,) = heard(learners, **options)
    assert str(shown.message) == "no end in sight after 0 (raised 300 times, by 'a', 'b')"
    assert shown.category is RuntimeWarning
    assert shown.filename == sys.modules["models_for_tests"].__file__


def test_threads_of_joblib_are_heard_too() -> None:
    from joblib import parallel_config

    with parallel_config("threading"):
        (shown,) = heard({"a": Warner(20), "good": Centroids()}, n_jobs=2)
    assert str(shown.message) == "no end in sight after 0 (raised 120 times, by 'a')"


def test_warnings_that_say_something_else_are_shown_apart_up_to_a_limit() -> None:
    learners = {chr(97 + n): Warner(1, "so " + chr(97 + n)) for n in range(25)}
    shown = [str(one.message) for one in heard(learners)]
    assert shown[0] == "so a 0 (raised 6 times, by 'a')"
    assert len(shown) == 21
    assert shown[-1] == "Other warnings (raised 30 times, by 'u', 'v', 'w', 'x', 'y')"


def test_controls_in_a_warning_are_spelt_out() -> None:
    (shown,) = heard(Warner(1, "\x1b[31mred\u202e"))
    assert str(shown.message).startswith("<U+001B>[31mred<U+202E> 0 ")


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_the_callers_filters_hold(options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message="no end in sight")
        before = list(warnings.filters), warnings.showwarning
        op.run(Warner(), X, Y, design="3cv", random_state=1, **options)
        assert (list(warnings.filters), warnings.showwarning) == before
    assert caught == []


def test_where_warnings_are_errors_a_model_meets_them_in_this_process() -> None:
    with pytest.raises(op.RunFailed, match="RuntimeWarning: no end in sight"):
        op.run(Warner(), X, Y, design="3cv", random_state=1)


def test_where_warnings_are_errors_those_of_workers_do_not_cost_the_result() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        scores = op.run(Warner(), X, Y, design="3cv", random_state=1, n_jobs=2)
    assert scores.names == ("Warner",)
    (shown,) = caught
    assert "(raised 3 times, by 'Warner')" in str(shown.message)


def launched(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    head = (
        "import outperform as op\nfrom models_for_tests import *\nfrom test_hostile import X, Y\n"
    )
    return subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(program)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.slow
def test_workers_with_threads_that_models_left_behind_are_ended(tmp_path: Path) -> None:
    program = """
        learners = {"bad": Misbehaved("thread"), "good": Centroids()}
        for _ in range(2):
            scores = op.run(learners, X, Y, design="3cv", random_state=1, n_jobs=2)
            print(scores.digest())
    """
    done = launched(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(set(done.stdout.split())) == 1


@pytest.mark.slow
def test_threads_left_in_this_process_are_told_of(tmp_path: Path) -> None:
    program = """
        import os, warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            op.run({"bad": Misbehaved("thread"), "good": Centroids()}, X, Y, design="3cv",
                   random_state=1)
        print([str(one.message) for one in caught], flush=True)
        os._exit(0)
    """
    assert "'bad' has left 3 threads running." in launched(program, tmp_path).stdout


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_program_ends_though_a_model_has_left_threads(jobs: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.py").write_text(
        "from models_for_tests import *\nfrom test_hostile import X, Y as y\n"
        "learners = {'bad': Misbehaved('thread'), 'good': Centroids()}\n"
        "design, random_state = '3cv', 1\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "outperform", "run", "experiment.py", "--jobs", jobs],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0
    assert "verdict" in done.stdout
    said = "Ended without waiting for the threads that 'bad' left running."
    assert (said in done.stderr) == (jobs == "1")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"isolate": True}], ids=str)
def test_a_crash_is_told_once_with_the_models_line(
    options: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(op.RunFailed) as caught:
        op.run(
            {"bad": Misbehaved("segfault"), "good": Centroids()},
            *(X, Y),
            design="3cv",
            random_state=1,
            **options,
        )
    assert capfd.readouterr() == ("", "")
    (failure,) = caught.value.failures
    lines = failure.example.splitlines()
    assert lines[0] == "Stack (most recent call first):"
    assert any("models_for_tests.py" in line and "_segfault" in line for line in lines)
    assert lines[-1] == "it killed its process: signal 11 (SIGSEGV)"
    assert len(lines) < 8


class Waiting(Centroids):
    """Lets another thread warn while it is fitted, as often as it says."""

    def fit(self, X: Any, y: Any) -> Waiting:
        ASKED.release()
        assert SAID.acquire(timeout=60)
        super().fit(X, y)
        return self


ASKED, SAID = threading.Semaphore(0), threading.Semaphore(0)


def elsewhere(fits: int) -> None:
    for _ in range(fits):
        assert ASKED.acquire(timeout=60)
        warnings.warn("of another thread", FutureWarning, stacklevel=1)
        SAID.release()


@pytest.mark.parametrize(("action", "times"), [("default", 1), ("always", 6), ("ignore", 0)])
def test_warnings_of_threads_that_are_not_the_models_are_left_alone(
    action: Any, times: int
) -> None:
    thread = threading.Thread(target=elsewhere, args=(6,))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        thread.start()
        op.run({"a": Waiting()}, X, Y, design="2x3cv", random_state=1)
        thread.join()
    assert [str(one.message) for one in caught] == ["of another thread"] * times


class Threaded(Centroids):
    def fit(self, X: Any, y: Any) -> Threaded:
        thread = threading.Thread(target=warnings.warn, args=("of its own thread", UserWarning))
        thread.start()
        thread.join()
        super().fit(X, y)
        return self


def test_warnings_of_threads_that_a_model_starts_are_counted_as_its_own() -> None:
    (shown,) = heard({"a": Threaded()})
    assert str(shown.message) == "of its own thread (raised 6 times, by 'a')"


@pytest.mark.slow
def test_workers_that_others_use_too_are_not_ended(tmp_path: Path) -> None:
    program = """
        import os, time
        from joblib import Parallel, delayed
        def busy():  # long enough for both workers to get some
            time.sleep(0.1)
            return os.getpid()
        with Parallel(n_jobs=2) as parallel:
            before = {*parallel(delayed(busy)() for _ in range(20))}
            learners = {"bad": Misbehaved("thread"), "good": Centroids()}
            op.run(learners, X, Y, design="3cv", random_state=1, n_jobs=2)
            after = {*parallel(delayed(busy)() for _ in range(20))}
        print(after <= before)
    """
    done = launched(program, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
