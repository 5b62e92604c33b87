"""The reference of public names: a page that lists them, and a page for each that Sphinx fills."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import outperform as op
from outperform import registry

REQUIREMENT = re.compile(r" \((?:(?:E-)?[DBRNF]-?\d+(?:, | to | and )?)+\)")
GROUPS = {
    "Functions": "What users call.",
    "Results": "What functions return and accept.",
    "Designs": "How data are split; `parse` reads their [notation](designs.md).",
    "Adjustments": "p-values of a family of tests.",
    "Errors": "Every error is an `OutperformError`.",
    "Modules": "More names, by subject.",
    "Methods": "Statistical tests. The page of each has its formula, its designs and an example.",
}
ROOMS = {"designs": "Designs", "errors": "Errors", "results.adjustments": "Adjustments"}


def public() -> dict[str, dict[str, Any]]:
    """Return the public names and what they are, by group."""
    groups: dict[str, dict[str, Any]] = {title: {} for title in GROUPS}
    for name in sorted(dir(op), key=str.lower):
        if not name.startswith("_"):
            thing = getattr(op, name)
            groups[_group(name, thing)][name] = thing
    return groups


def documented() -> dict[str, Any]:
    """Return what is public by its dotted name: names, those of modules, and members of classes.

    A thing with several names has the first; a member that inherits its docstring is left out.
    """
    found: dict[str, Any] = {}
    for name in dir(op):
        if not name.startswith("_"):
            thing = getattr(op, name)
            inside = _members(thing) if isinstance(thing, ModuleType) else ()
            found |= {f"{name}.{word}": value for word, value in inside} or {name: thing}
    first = {id(thing): name for name, thing in sorted(found.items(), reverse=True)}
    single = {name: found[name] for name in sorted(first.values())}
    for name, thing in list(single.items()):
        others = [one for one in single.values() if one is not thing]
        single |= {f"{name}.{word}": value for word, value in _of_class(thing, others)}
    return dict(sorted(single.items()))


def _of_class(thing: Any, others: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class, without those of other public ones."""
    for home in thing.__mro__ if isinstance(thing, type) else ():
        for word, value in vars(home).items() if home not in others else ():
            bound = isinstance(value, classmethod | staticmethod)
            code = (
                value.__func__ if bound else getattr(value, "fget", getattr(value, "func", value))
            )
            ours = str(getattr(code, "__module__", "")).startswith("outperform")
            inherits = code.__doc__ is None and inspect.getdoc(getattr(thing, word)) is not None
            if inspect.isfunction(code) and ours and not word.startswith("_") and not inherits:
                yield word, getattr(thing, word) if bound else value


def _group(name: str, thing: Any) -> str:
    if isinstance(thing, ModuleType):
        return "Modules"
    if _method(name) is not None:
        return "Methods"
    home = thing.__module__.removeprefix("outperform.")
    found = (title for room, title in ROOMS.items() if home.startswith(room))
    return next(found, "Results" if inspect.isclass(thing) else "Functions")


def _method(name: str) -> Any:
    return registry.METHODS.get(name) or registry.PROCEDURES.get(name)


def names_page() -> str:
    """Return the page that lists every public name, with a link to its own page."""
    lines = [
        "# Public names",
        "",
        "Everything that `import outperform as op` offers, such as `op.compare`.",
        "Names that are not listed here may change in any version.",
    ]
    files = []
    for title, members in public().items():
        rows = []
        for name, thing in members.items():
            file = f"../methods/{name}.md" if title == "Methods" else f"api/{_file(name, thing)}"
            what = _method(name).title if title == "Methods" else summary(thing)
            rows.append((f"[`{name}`]({file})", what))
            files += [file] if title != "Methods" else []
        lines += ["", f"## {title}", "", GROUPS[title], "", table(("name", "what it is"), rows)]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *files, "```", ""])


def name_pages() -> dict[str, str]:
    """Return the page of each public name that is no method, by file name."""
    return {
        f"api/{_file(name, thing)}": f"# {name}\n\n{_body(name, thing)}\n"
        for title, members in public().items()
        if title != "Methods"
        for name, thing in members.items()
    }


def _file(name: str, thing: Any) -> str:
    """Return a file name that is unique where upper and lower case are the same."""
    return f"class-{name.lower()}.md" if inspect.isclass(thing) else f"{name}.md"


def _body(name: str, thing: Any) -> str:
    if isinstance(thing, ModuleType):
        rows = [(f"`op.{name}.{word}`", summary(value)) for word, value in _members(thing)]
        return f"{summary(thing)}\n\n{table(('name', 'what it is'), rows)}"
    kind, options = ("class", "   :members:\n") if inspect.isclass(thing) else ("function", "")
    return f"```{{eval-rst}}\n.. auto{kind}:: outperform.{name}\n{options}```"


def _members(thing: ModuleType) -> Iterator[tuple[str, Any]]:
    for word in sorted(getattr(thing, "__all__", dir(thing)), key=str.lower):
        value = getattr(thing, word)
        ours = str(getattr(value, "__module__", "")).startswith("outperform")
        if not word.startswith("_") and ours and callable(value):
            yield word, value


def summary(thing: Any) -> str:
    """Return the first sentence of a docstring, without ids of requirements."""
    first = (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
    return REQUIREMENT.sub("", first).replace("|", "\\|")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
