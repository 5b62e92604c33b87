"""How far a run is: a bar on terminals and in notebooks, lines in logs, or told to a function."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from waiting import HandClock

from outperform.engine.progress import Progress, ProgressState


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]  # a class attribute will do

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    clock = HandClock()
    monkeypatch.setattr("outperform.engine.progress.monotonic", clock.monotonic)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return clock


def work(clock: HandClock, show: Any, stream: Any, *, fits: int = 10, seconds: float = 1) -> None:
    with Progress(show, fits, stream=stream) as progress:
        for _ in range(fits):
            clock.now += seconds
            progress.add(1)


def test_a_function_is_told_at_most_ten_times_a_second(clock: HandClock) -> None:
    seen: list[ProgressState] = []
    progress = Progress(seen.append, total=300)
    for _ in range(300):  # in three seconds
        clock.now += 0.01
        progress.add(1)
    assert 25 <= len(seen) <= 31
    progress.close()
    assert seen[-1].done == 300


def test_a_bar_is_drawn_on_a_terminal_unless_it_is_unwanted(clock: HandClock) -> None:
    for show, drawn in ((None, True), (True, True), (False, False)):
        stream = Terminal()
        work(clock, show, stream)
        assert bool(stream.getvalue()) is drawn
        if drawn:
            assert "━" in stream.getvalue()
            assert "5 of 10 fits (50%), 1 fits/s, 5 s left" in stream.getvalue()
            assert stream.getvalue().endswith("10 of 10 fits (100%), 1 fits/s\x1b[K\n")


def test_failures_are_counted_by_model(clock: HandClock) -> None:
    stream = Terminal()
    with Progress(None, 10, stream=stream) as progress:
        clock.now += 1
        progress.add(6, failed=["tree", "nb", "tree"])
    assert "3 failed (nb 1, tree 2)" in stream.getvalue()
    assert progress.state.failures == {"nb": 1, "tree": 2}


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_the_bar_keeps_to_the_width_of_the_terminal(
    width: int, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.cells import cell_len
    from rich.text import Text

    monkeypatch.setenv("COLUMNS", str(width))
    stream = Terminal()
    work(clock, None, stream, fits=1000)
    lines = [Text.from_ansi(one).plain for one in stream.getvalue().rstrip("\n").split("\r")]
    assert max(map(cell_len, lines)) < width


def test_a_log_gets_a_line_now_and_then_and_short_runs_none(clock: HandClock) -> None:
    log = io.StringIO()
    work(clock, None, log, fits=10, seconds=2)
    assert log.getvalue() == ""
    work(clock, None, log, fits=100, seconds=2)
    first, *_, last = log.getvalue().splitlines()
    assert first == "15 of 100 fits (15%), 0.5 fits/s, 2 min 50 s left"
    assert last == "100 of 100 fits (100%), 0.5 fits/s"
    assert len(log.getvalue().splitlines()) == 7
    assert "\r" not in log.getvalue()


@pytest.mark.parametrize("show", [None, lambda state: told.append(state)])
def test_nothing_is_shown_after_a_stop(
    show: Callable[[ProgressState], object] | None, clock: HandClock
) -> None:
    told.clear()
    stream = Terminal()
    with suppress(KeyboardInterrupt), Progress(show, 10, stream=stream) as progress:
        clock.now += 1
        progress.add(3)
        progress.add(4)  # too soon to be shown
        raise KeyboardInterrupt
    assert "7 of 10" not in stream.getvalue()
    assert [state.done for state in told] == ([3] if show else [])
    assert stream.getvalue().endswith("\n") is (show is None)


told: list[ProgressState] = []


def test_a_notebook_gets_one_output_that_is_updated(
    clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, updated = [], []

    def display(what: Any, *, display_id: bool) -> Any:
        assert display_id
        shown.append(what)
        return SimpleNamespace(update=updated.append)

    ipython, displays = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    displays.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    stream = io.StringIO()
    work(clock, None, stream)
    assert stream.getvalue() == ""
    assert len(shown) == 1
    mimes = updated[-1]._repr_mimebundle_([], [])
    assert "10 of 10 fits (100%)" in mimes["text/html"]
    assert "10 of 10 fits (100%)" in mimes["text/plain"]


@pytest.mark.parametrize(
    ("left", "said"), [(5, "5 s left"), (125, "2 min 5 s left"), (7380, "2 h 3 min left")]
)
def test_the_time_left_is_said_in_words(left: float, said: str) -> None:
    assert said in str(ProgressState(10, 10 + round(left), 0, 10.0, 1.0))
