"""Draw the pictures of a page, by the code on it, as SVG that follows the theme of the site.

`<!-- picture: cmp.plot("cd") | What it shows. -->` becomes what that call draws after the Python
sessions before it. Commands of a terminal are not run for this.
"""

from __future__ import annotations

import re
from code import InteractiveInterpreter
from typing import Any

import sessions
from outperform.report.figures import svg

MARK = re.compile(r"^<!-- picture: (?P<call>.+?)\)(?: \| (?P<alt>.+))? -->$", re.MULTILINE)


def drawn(text: str, stale: list[str] | None = None) -> str:
    """Return a page with its pictures; sessions that print something else go to `stale`."""
    marks = list(MARK.finditer(text))
    if not marks:
        return text
    sheet, parts, at = svg.Sheet(), [], 0
    with sessions.among_examples() as python:
        for number, mark in enumerate(marks):
            before = text[at : mark.start()]
            changed = run(before, python)
            if stale is not None:
                stale += changed
            parts += [before, picture(mark, python, sheet, f"p{number}")]
            at = mark.end()
    style = f"```{{raw}} html\n<style>\n{sheet.css}\n</style>\n```\n"
    return "".join([*parts, text[at:], "\n", style])


def run(text: str, python: InteractiveInterpreter) -> list[str]:
    """Run the Python sessions of a text, and return those that print something else now."""
    changed = []
    for block in sessions.BLOCK.finditer(text):
        if block["kind"] == "python":
            now = sessions.block(block, python)
            if "Traceback" in now:
                raise SystemExit(f"a session fails:\n{block['body']}")
            if sessions.anywhere(now) != sessions.anywhere(block[0]):
                changed.append(now)
    return changed


def runs_all_of(text: str) -> bool:
    """Tell whether drawing the pictures of a page runs every session on it."""
    after = text[max((mark.end() for mark in MARK.finditer(text)), default=0) :]
    return MARK.search(text) is not None and ">>> " not in after and "```console" not in text


def picture(
    mark: re.Match[str], python: InteractiveInterpreter, sheet: svg.Sheet, name: str
) -> str:
    """Return the figure that a mark asks for, as a block of HTML."""
    subject, options = mark["call"].rsplit(".plot(", 1)
    comma = ", " if options else ""
    call = f'_found.plot({options}{comma}theme="page")'
    figure = value(call, python, value(subject, python))
    alt = mark["alt"] or "What the code above draws."
    made = svg.framed(figure, sheet, name, alt, "")
    html = str(made).replace("<figcaption></figcaption>\n", "")
    return f'```{{raw}} html\n<div class="picture">\n{html}\n</div>\n```'


def value(expression: str, python: InteractiveInterpreter, found: Any = None) -> Any:
    """Return what an expression of a page is, among the names of its sessions."""
    names: dict[str, Any] = python.locals
    names.update(_found=found, _value=None)
    python.runsource(f"_value = {expression}")
    if names["_value"] is None:
        raise SystemExit(f"no picture is drawn by {expression}")
    return names["_value"]
