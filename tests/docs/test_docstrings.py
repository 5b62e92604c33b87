"""Public names are documented: what they do, take and return, with an example that runs."""

from __future__ import annotations

import doctest
import inspect
import io
import os
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString
from places import ROOT

from outperform.notes import NOTES
from outperform.readers.formats import FORMATS
from outperform.registry import METHODS, PROCEDURES
from outperform.report.html.added_sections import SECTIONS
from outperform.views.contract import VIEWS
from reference_names import documented

ID = re.compile(r"\b(?:[DBRNF]-\d\d|E-[DBRNF]\d)\b")

NAMES = documented()


@cache
def parsed(name: str) -> NumpyDocString:
    return NumpyDocString(inspect.getdoc(NAMES[name]) or "")


def kind(name: str) -> str:
    thing = NAMES[name]
    if isinstance(thing, type):
        return "error" if issubclass(thing, Exception) else "class"
    return "call" if callable(thing) else "property"


def parameters(name: str) -> list[str]:
    """Return what is taken, in order, a method's own object apart."""
    if getattr(NAMES[name], "_is_protocol", False):
        return []
    if kind(name) == "class" and is_dataclass(NAMES[name]):
        taken = sorted((one for one in fields(NAMES[name]) if one.init), key=lambda f: f.kw_only)
        return [one.name for one in taken]
    given = inspect.signature(NAMES[name]).parameters.values()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = [stars.get(one.kind, "") + one.name for one in given]
    return names[1:] if names[:1] == ["self"] else names


def examples(name: str) -> list[str]:
    return parsed(name)["Examples"]


def faults(name: str) -> Iterator[str]:
    """Yield what the docstring of one name lacks."""
    doc, what = parsed(name), kind(name)
    summary = " ".join(doc["Summary"])
    if len(doc["Summary"]) != 1 or not summary.endswith("."):
        yield f"its summary must be one line that ends with a period, got {summary!r}"
    if ID.search(inspect.getdoc(NAMES[name]) or ""):
        yield "it has the id of a requirement"
    if what == "property":
        return
    entries = doc["Parameters"] or (doc["Attributes"] if what == "class" else [])
    told = [one.name for one in entries]
    if what == "class" and not doc["Parameters"]:  # attributes may be more than what is passed
        told = [word for word in told if word in parameters(name)]
    if what != "error" and told != parameters(name):
        yield f"it takes {parameters(name)}, and documents {told}"
    lacking = [one.name for one in [*entries, *doc["Attributes"]] if not (one.type and one.desc)]
    if lacking:
        yield f"no type or no description for {lacking}"
    gives = inspect.signature(NAMES[name]).return_annotation if what == "call" else None
    if gives not in (None, "None") and not (doc["Returns"] or doc["Yields"]):
        yield "it does not say what it returns"
    if not any(line.startswith(">>> ") for line in examples(name)) and not used(name):
        yield "it has no example, nor is it used in that of its class"


def used(name: str) -> bool:
    """Tell whether a method occurs in the example of its class."""
    home, _, word = name.rpartition(".")
    return home in NAMES and kind(home) == "class" and f".{word}(" in "\n".join(examples(home))


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_documented(name: str) -> None:
    assert list(faults(name)) == []


def test_a_name_without_documentation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def bare(a: int, *, b: int = 0) -> int:
        return a + b

    def wrong(a: int) -> int:
        """Add D-16

        Parameters
        ----------
        c : int
        """
        return a

    monkeypatch.setitem(NAMES, "bare", bare)
    monkeypatch.setitem(NAMES, "wrong", wrong)
    assert len(list(faults("bare"))) == 4
    assert len(list(faults("wrong"))) == 6


@pytest.fixture(scope="module", autouse=True)
def in_the_repository() -> Iterator[None]:
    here = os.getcwd()
    os.chdir(ROOT)
    yield
    os.chdir(here)


@pytest.fixture
def registries() -> Iterator[None]:
    """Take out what examples of plug-ins register."""
    tables: tuple[dict[str, Any], ...] = (FORMATS, NOTES, SECTIONS, METHODS, PROCEDURES, VIEWS)
    before = [dict(table) for table in tables]
    yield
    for table, held in zip(tables, before, strict=True):
        table.clear()
        table.update(held)


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("name", [name for name in NAMES if kind(name) != "property"])
def test_examples_print_what_they_show(name: str) -> None:
    text = "\n".join(examples(name))
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    told = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=told.write, clear_globs=True)
    assert runner.failures == 0, told.getvalue()
