"""The docstring of a method: its own words, the arguments of the view it reads, and its papers."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable
from typing import Any

WIDTH = 96
SHARED = {
    "mu0": ("float, default=0.0", "Difference under the null hypothesis."),
    "lower_is_better": (
        "bool, optional",
        "Whether smaller scores are better, as with errors and losses. By default greater ones "
        "are, with a note.",
    ),
    "design": ("str, Design or splitter, optional", "The design that produced the scores."),
    "unit": (
        "str, optional",
        'What each value is of: "datasets" for tests over datasets, "items" for tests on items. '
        "Arrays need it, or a design.",
    ),
    "n_train": (
        "int or array-like, optional",
        "Number of training items of each split, if the design does not determine it.",
    ),
    "n_test": (
        "int or array-like, optional",
        "Number of test items of each split, if the design does not determine it.",
    ),
    "names": ("tuple of str, optional", "Names of the learners, for printing."),
    "alternative": (
        '{"two-sided", "less", "greater"}, default="two-sided"',
        'Alternative hypothesis; "greater": the first side is better.',
    ),
}
"""What arguments of several views mean, unless a view says otherwise."""


def sections(docstring: str | None) -> dict[str, list[str]]:
    """Return the lines of a docstring by the title of their section, "" for what comes first."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    found: dict[str, list[str]] = {"": []}
    title = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and below == "-" * len(line):
            title = line
            found[title] = []
        elif not (line and line == "-" * len(line)):
            found[title].append(line)
    return {name: "\n".join(part).strip("\n").splitlines() for name, part in found.items()}


def explanation(docstring: str | None) -> str:
    """Return what a docstring says before its sections."""
    return "\n".join(sections(docstring)[""])


def arguments(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the entries of a section by the name of the argument."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line and not line.startswith(" "):
            found[name := line.partition(" : ")[0]] = []
        if line:
            found[name].append(line)
    return found


def composed(
    title: str, kernel: Any, reader: Any, taken: Iterable[str], about: Iterable[str]
) -> str:
    """Return the docstring of a method that judges what a reader makes of its arguments.

    `taken` are the arguments in order, `about` the sentences of its notes.
    """
    own = sections(kernel.__doc__)
    known = {name: [f"{name} : {kind}", f"    {text}"] for name, (kind, text) in SHARED.items()}
    read = sections(getattr(reader, "func", reader).__doc__)
    for part in (read, own):
        known |= arguments(part.get("Parameters", ()))
    entries = [line for name in taken for line in known.get(name, [f"{name} : object"])]
    returns = ["Result", "    Estimate, p-value, interval, verdict and notes."]
    notes = textwrap.wrap(" ".join(about), WIDTH, break_on_hyphens=False)
    parts = {"Parameters": entries, "Returns": returns, "Notes": notes}
    parts["Examples"] = own.get("Examples", [])
    lines = [f"{title}.", "", *own[""]]
    for name, written in parts.items():
        lines += ["", name, "-" * len(name), *written] if written else []
    return "\n".join(lines)
