"""Pictures of pages are drawn by the code on them, for both themes."""

from __future__ import annotations

import pytest

import pictures

PAGE = """\
# A page

```python
>>> import outperform as op
>>> table = op.compare("benchmark.csv")
```

<!-- picture: table.plot("cd") | Mean ranks. -->

The end.
"""


def test_a_mark_becomes_what_its_call_draws() -> None:
    made = pictures.drawn(PAGE)
    assert "<!-- picture" not in made
    assert made.count('aria-label="Mean ranks."') == 1
    assert "XGB" in made
    assert "var(--ink)" in made
    assert made.index("<svg") < made.index("The end.")


def test_a_page_without_marks_is_left_as_it_is() -> None:
    assert pictures.drawn("# A page\n") == "# A page\n"


def test_a_mark_that_draws_nothing_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"no picture is drawn by nobody"):
        pictures.drawn("<!-- picture: nobody.plot() -->")
    assert "NameError" in capsys.readouterr().err


def test_a_session_that_fails_is_an_error() -> None:
    with pytest.raises(SystemExit, match="a session fails"):
        pictures.drawn("```python\n>>> 1 / 0\n```\n<!-- picture: nobody.plot() -->")


def test_a_session_that_prints_something_else_is_found() -> None:
    stale: list[str] = []
    pictures.drawn("```python\n>>> 1 + 1\n3\n```\n\n" + PAGE, stale)
    assert stale == ["```python\n>>> 1 + 1\n2\n```"]


def test_only_pages_whose_sessions_are_all_run_for_pictures_are_left_to_them() -> None:
    assert pictures.runs_all_of(PAGE)
    assert not pictures.runs_all_of(PAGE + "```python\n>>> 1\n1\n```\n")
    assert not pictures.runs_all_of("```console\n$ outperform demo\n```\n" + PAGE)
    assert not pictures.runs_all_of("```python\n>>> 1\n1\n```\n")
