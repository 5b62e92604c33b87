"""One bad learner, one blame: it is recorded by name, and its neighbour keeps every bit."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models_for_tests import CannotArrive, Centroids, Gambler, Logged, Misbehaved, Unsendable

import outperform as op

HERE = Path(__file__).parent


def data(n: int = 30) -> tuple[Any, Any]:
    generator = np.random.default_rng(5)
    y = np.arange(n) % 2
    return generator.normal(size=(n, 3)) + y[:, None], y


X, Y = data()
DESIGN = "3cv"
CATCHABLE = {
    "raise": "RuntimeError: the learner's own error",
    "unpicklable": "Local",
    "exit": "SystemExit: 3",
    "interrupt": "KeyboardInterrupt",
    "memory": "MemoryError",
    "nan": "DataError: predict returned nan for test item 0; expected finite numbers",
    "short": "expected one prediction for each of 10 test items",
    "text": "predict returned text labels, but y has number labels",
    "objects": "expected labels like those in y",
    "nothing": "expected one prediction for each of 10 test items",
}
HARMLESS = ("leak", "print", "write", "reseed")
DEADLY = {"leave": "exit code 3", "segfault": "SIGSEGV", "sigkill": "SIGKILL"}


@pytest.fixture(scope="module")
def alone() -> op.Scores:
    return op.run({"good": Centroids()}, X, Y, design=DESIGN, random_state=1)


def run_beside(bad: Any, **options: Any) -> op.RunFailed:
    """Run a bad learner before and after a good one and return what was raised."""
    models = {"bad": bad, "good": Centroids()}
    with pytest.raises(op.RunFailed) as caught:
        op.run(models, X, Y, design=DESIGN, random_state=1, **options)
    return caught.value


@pytest.mark.parametrize("deed", CATCHABLE)
def test_what_is_raised_is_recorded_by_name_and_the_good_model_keeps_its_bits(
    deed: str, alone: op.Scores
) -> None:
    error = run_beside(Misbehaved(deed))
    (failure,) = error.failures
    assert (failure.learner, failure.status, failure.count) == ("bad", "failed", 3)
    assert CATCHABLE[deed] in failure.example
    assert error.scores.names == ("good",)
    assert error.scores.digest() == alone.digest()


@pytest.mark.parametrize("deed", HARMLESS)
def test_what_harms_nobody_changes_nothing(
    deed: str,
    alone: op.Scores,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    scores = op.run(
        {"bad": Misbehaved(deed), "good": Centroids()}, X, Y, design=DESIGN, random_state=1
    )
    assert (scores.values == alone.values).all()
    assert "noise on standard output" not in capfd.readouterr().out
    assert list(tmp_path.iterdir()) == ([tmp_path / "written_by_a_learner.txt"] * (deed == "write"))


def test_nothing_printed_by_models_in_workers_reaches_standard_output(
    capfd: pytest.CaptureFixture[str],
) -> None:
    op.run(Misbehaved("print"), X, Y, design=DESIGN, random_state=1, n_jobs=2)
    op.run(Misbehaved("print"), X, Y, design=DESIGN, random_state=1, isolate=True)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("deed", ["raise", "unpicklable", "interrupt", "exit", "short"])
def test_workers_send_text_not_exceptions(deed: str, alone: op.Scores) -> None:
    error = run_beside(Misbehaved(deed), n_jobs=2)
    assert CATCHABLE[deed] in error.failures[0].example
    assert error.scores.digest() == alone.digest()


@pytest.mark.parametrize("deed", DEADLY)
def test_what_kills_an_isolated_process_is_recorded_as_killed(deed: str, alone: op.Scores) -> None:
    error = run_beside(Misbehaved(deed), isolate=True)
    (failure,) = error.failures
    assert (failure.learner, failure.status, failure.count) == ("bad", "killed", 3)
    assert DEADLY[deed] in failure.line
    assert error.scores.digest() == alone.digest()


@pytest.mark.slow
def test_a_single_cell_that_kills_is_the_only_one_lost() -> None:
    x, y = data(31)  # folds of 11, 10 and 10, so that one training set has 20 items
    models = {f"good {i}": Centroids(1 + i / 10) for i in range(6)}
    every = {**models, "bad": Misbehaved("leave", only=20)}
    whole = op.run(models, x, y, design=DESIGN, random_state=1)
    with pytest.raises(op.RunFailed) as caught:
        op.run(every, x, y, design=DESIGN, random_state=1, n_jobs=2)
    (failure,) = caught.value.failures
    assert (failure.learner, failure.count) == ("bad", 1)
    assert caught.value.scores.digest() == whole.digest()


@pytest.mark.slow
def test_the_killer_is_found_without_forking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.engine.pools.can_isolate", lambda job: False)
    x, y = data(31)
    with pytest.raises(op.RunFailed) as caught:
        op.run(
            {"bad": Misbehaved("leave", only=20), "good": Centroids()},
            *(x, y),
            design=DESIGN,
            random_state=1,
            n_jobs=2,
        )
    (failure,) = caught.value.failures
    assert (failure.learner, failure.status, failure.count) == ("bad", "killed", 1)
    assert failure.line == "its worker process died"
    assert caught.value.scores.names == ("good",)


@pytest.mark.slow
@pytest.mark.parametrize("deeds", [("sigkill", "leave"), ("leave",)], ids=len)
def test_cells_that_kill_are_started_once_more_at_most(
    deeds: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "starts"
    if len(deeds) == 1:
        monkeypatch.setattr("outperform.engine.pools.can_isolate", lambda job: False)
    bad: dict[str, Any] = {deed: Logged(str(log), deed, deed) for deed in deeds}
    with pytest.raises(op.RunFailed) as caught:
        op.run({**bad, "good": Centroids()}, X, Y, design=DESIGN, random_state=1, n_jobs=2)
    assert {(f.learner, f.status, f.count) for f in caught.value.failures} == {
        (deed, "killed", 3) for deed in deeds
    }
    starts = Counter(log.read_text().splitlines())
    assert len(starts) == 3 * len(deeds)
    assert set(starts.values()) <= {1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"n_jobs": 2}, {"isolate": True}], ids=str)
@pytest.mark.parametrize("deed", ["hang", "swallow", "stop_timer"])
def test_a_time_limit_stops_python_code(
    deed: str, options: dict[str, Any], alone: op.Scores
) -> None:
    error = run_beside(Misbehaved(deed, only=20), time_limit=1.0, **options)
    (failure,) = error.failures
    assert (failure.learner, failure.status) == ("bad", "timeout")
    assert "no answer within 1 s" in failure.line
    assert error.scores.digest() == alone.digest()


@pytest.mark.slow
def test_a_time_limit_reaches_threads_too() -> None:
    from joblib import parallel_config

    with parallel_config("threading"):
        error = run_beside(Misbehaved("hang"), time_limit=1.0, n_jobs=2)
    assert error.failures[0].status == "timeout"
    assert error.scores.names == ("good",)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"isolate": True}], ids=str)
def test_a_hang_in_c_ends_with_its_process(options: dict[str, Any], alone: op.Scores) -> None:
    x, y = data(31)
    with pytest.raises(op.RunFailed) as caught:
        op.run(
            {"bad": Misbehaved("hang_in_c", only=20), "good": Centroids()},
            *(x, y),
            design=DESIGN,
            random_state=1,
            time_limit=1.0,
            **options,
        )
    (failure,) = caught.value.failures
    assert (failure.learner, failure.status, failure.count) == ("bad", "timeout", 1)
    assert "its process had to be killed" in failure.line


def test_a_time_limit_in_this_process_says_what_it_cannot_stop() -> None:
    scores = op.run(Centroids(), X, Y, design=DESIGN, random_state=1, time_limit=60)
    assert "OP507" in [note.code for note in scores.notes]


@pytest.mark.parametrize("manner", ["change", "unlock"])
def test_a_model_that_writes_into_its_input_gets_its_own_copy(
    manner: str, alone: op.Scores
) -> None:
    x, y = X.copy(), Y.copy()
    models = {"bad": Misbehaved(manner), "good": Centroids()}
    scores = op.run(models, x, y, design=DESIGN, random_state=1)
    assert (x == X).all()
    assert (y == Y).all()
    assert (scores.values[1] == alone.values[0]).all()
    assert [note.text for note in scores.notes] == ["'bad' modifies its input arrays."]


def test_the_global_generators_belong_to_the_address_and_come_back_to_the_caller() -> None:
    def states() -> Any:
        return random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002

    random.seed(99)
    before = states()
    alone = op.run({"gambler": Gambler()}, X, Y, design=DESIGN, random_state=1)
    assert states() == before
    random.seed(7)
    models = {"bad": Misbehaved("reseed"), "gambler": Gambler()}
    beside = op.run(models, X, Y, design=DESIGN, random_state=1)
    in_workers = op.run(models, X, Y, design=DESIGN, random_state=1, n_jobs=2)
    assert (beside.values[1] == alone.values[0]).all()
    assert in_workers.digest() == beside.digest()
    assert len(set(alone.values[0])) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "line"),
    [(Unsendable(), "this learner stays at home"), (CannotArrive(), "un-serialize")],
    ids=["sent", "read"],
)
def test_a_model_that_cannot_travel_is_recorded_and_the_others_arrive(
    learner: Any, line: str, alone: op.Scores
) -> None:
    error = run_beside(learner, n_jobs=2)
    (failure,) = error.failures
    assert (failure.learner, failure.status, failure.count) == ("bad", "failed", 3)
    assert "it cannot be sent to a worker process" in failure.example
    assert line in failure.example
    assert error.scores.digest() == alone.digest()


@pytest.mark.slow
def test_nineteen_of_twenty_are_kept_when_one_kills_its_process() -> None:
    models: dict[str, Any] = {f"good {i}": Centroids(1 + i / 100) for i in range(19)}
    whole = op.run(models, X, Y, design="2cv", random_state=1)
    models["bad"] = Misbehaved("sigkill")  # as the system does when memory runs out
    with pytest.raises(op.RunFailed) as caught:
        op.run(models, X, Y, design="2cv", random_state=1, n_jobs=2)
    assert len(caught.value.scores.names) == 19
    assert caught.value.scores.digest() == whole.digest()


@pytest.mark.slow
def test_a_process_that_dies_twice_at_a_cell_records_it_and_goes_on(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import sys
        import outperform as op
        from models_for_tests import Centroids, Misbehaved
        from test_hostile import X, Y
        try:
            op.run({"bad": Misbehaved("leave"), "good": Centroids()}, X, Y,
                   design="holdout@1/3", random_state=1, store="runs.db")
        except op.RunFailed as error:
            print([(f.learner, f.status, f.count, f.line) for f in error.failures])
    """)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    codes, said = [], ""
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        codes.append(done.returncode)
        said = done.stdout
        if done.returncode == 0:
            break
    assert codes == [3, 3, 0], done.stderr
    assert "('bad', 'killed', 1, 'runs died twice with this fit in flight" in said


@pytest.mark.slow
def test_among_many_cells_in_flight_the_one_that_ends_the_process_is_started_twice(
    tmp_path: Path,
) -> None:
    program = textwrap.dedent("""
        import outperform as op
        from models_for_tests import Centroids, Logged
        from test_hostile import data
        x, y = data(31)  # one in three training sets has 20 items
        bad = Logged("starts", "bad", "leave", only=20)
        try:
            op.run({"good": Centroids(), "bad": bad}, x, y, design="3x3cv", random_state=1,
                   store="runs.db")
        except op.RunFailed as error:
            print([(f.learner, f.status, f.count, f.line) for f in error.failures])
    """)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    codes = []
    while 0 not in codes and len(codes) < 7:
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        codes.append(done.returncode)
    assert codes[-1] == 0, done.stderr
    assert "('bad', 'killed', 3, 'runs died twice" in done.stdout
    starts = Counter((tmp_path / "starts").read_text().splitlines())
    assert len(starts) == 9
    assert set(starts.values()) <= {1, 2}


def test_a_hostile_scorer_is_recorded_too() -> None:
    def scorer(model: Any, X: Any, y: Any) -> float:
        return float("nan")

    with pytest.raises(op.RunFailed, match="scorer is nan on this test set"):
        op.run(Centroids(), X, Y, design=DESIGN, random_state=1, scoring=scorer)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("0.93", "got '0.93' (str)"),
        (b"0.93", "got b'0.93' (bytes)"),
        (None, "got None (NoneType)"),
        (0.9 + 0.1j, "got (0.9+0.1j) (complex)"),
        ({"accuracy": 0.9}, "got {'accuracy': 0.9} (dict)"),
        (np.array([0.9, 0.8]), "got array([0.9, 0.8]) (ndarray)"),
        (np.array("0.93"), "got '0.93' (str)"),
    ],
    ids=str,
)
def test_a_scorer_that_returns_no_number_is_refused_by_name_and_type(given: Any, said: str) -> None:
    def my_scorer(model: Any, X: Any, y: Any) -> Any:
        return given

    with pytest.raises(op.RunFailed) as caught:
        op.run(Centroids(), X, Y, design=DESIGN, random_state=1, scoring=my_scorer)
    (failure,) = caught.value.failures
    assert (failure.status, failure.count) == ("failed", 3)
    assert f"The scorer 'my_scorer' must return one number, {said}." in failure.line


@pytest.mark.parametrize(
    "given",
    [
        True,
        np.bool_(True),
        1,
        np.int8(1),
        np.float32(1),
        np.array(1.0),
        np.array([1.0]),
        Fraction(1),
        Decimal(1),
    ],
    ids=repr,
)
def test_a_scorer_may_return_any_real_number(given: Any) -> None:
    scores = op.run(
        Centroids(), X, Y, design=DESIGN, random_state=1, scoring=lambda model, X, y: given
    )
    assert scores.values.tolist() == [[1.0, 1.0, 1.0]]


def test_stopping_at_the_first_failure_fits_nothing_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(op.RunFailed, match="the learner's own error") as caught:
        op.run(
            {"bad": Misbehaved("raise"), "after": Misbehaved("write")},
            *(X, Y),
            design=DESIGN,
            random_state=1,
            on_error="raise",
        )
    assert caught.value.failures[0].count == 1
    assert list(tmp_path.iterdir()) == []
