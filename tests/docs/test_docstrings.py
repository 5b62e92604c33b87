"""The examples of public names print what they show."""

from __future__ import annotations

import doctest
import io
import os
from collections.abc import Iterator
from typing import Any

import pytest
from places import ROOT

from outperform.notes import NOTES
from outperform.readers.formats import FORMATS
from outperform.registry import METHODS, PROCEDURES
from outperform.views.contract import VIEWS
from reference_names import documented

EXAMPLES = {
    name: text for name, thing in documented().items() if ">>> " in (text := thing.__doc__ or "")
}


@pytest.fixture(scope="module", autouse=True)
def in_the_repository() -> Iterator[None]:
    here = os.getcwd()
    os.chdir(ROOT)
    yield
    os.chdir(here)


@pytest.fixture
def registries() -> Iterator[None]:
    """Take out what examples of plug-ins register."""
    tables: tuple[dict[str, Any], ...] = (FORMATS, NOTES, METHODS, PROCEDURES, VIEWS)
    before = [dict(table) for table in tables]
    yield
    for table, held in zip(tables, before, strict=True):
        table.clear()
        table.update(held)


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_print_what_they_show(name: str) -> None:
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, None)
    output = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=output.write, clear_globs=True)
    assert runner.failures == 0, output.getvalue()
