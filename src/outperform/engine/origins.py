"""Origins: by what a store knows code again, the version of a library or the text of a module."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import packages_distributions, version
from importlib.util import decode_source, resolve_name
from pathlib import Path
from typing import Any, Literal

Origin = Literal["library", "file", "live"]
"""Code of Python or an installed package, of a file of the user's own, or of no file."""

INSTALLED = {"site-packages", "dist-packages"}

_texts: dict[str, tuple[Any, str, tuple[str, ...]]] = {}


def origin_of(name: str) -> Origin:
    """Tell where a module comes from, by its full name."""
    top, file = name.partition(".")[0], _file(name)
    if top == "__main__":
        return "live"
    if top == "outperform":
        return "library"
    if file is None:
        return "library" if top in sys.stdlib_module_names else "live"
    if top in sys.stdlib_module_names and file.startswith(sys.base_prefix):
        return "library"
    return "library" if INSTALLED & set(Path(file).parts) and version_of(top) else "file"


def version_of(top: str) -> str | None:
    """Return the version of a package, by its own word or that of its distributions."""
    own = getattr(sys.modules.get(top), "__version__", None)
    return str(own) if isinstance(own, str) else _distributed(top)


@cache
def _distributed(top: str) -> str | None:
    names = sorted(set(packages_distributions().get(top, ())))
    return ", ".join(f"{name} {version(name)}" for name in names) or None


def sources_of(names: Iterable[str]) -> tuple[list[str], set[str]]:
    """Return digests of own modules and of all own modules they import, and the libraries used."""
    waiting, texts, libraries = set(names), dict[str, str](), set[str]()
    seen = set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        origin, file, (package, _, _) = origin_of(name), _file(name), name.rpartition(".")
        if origin == "library":
            libraries.add(name.partition(".")[0])
            continue
        if package:  # to import a module runs the packages it is in
            waiting.add(package)
        if origin == "file" and file is not None:
            texts[name], imports = _read(name, file)
            waiting.update(imports)
    sources = [f"module:{name} {texts[name]};" for name in sorted(texts)]
    return sources, libraries - sys.stdlib_module_names


def _file(name: str) -> str | None:
    """Return the file of a module, also of one that is not imported yet."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__file__", None)
    spec = _spec(name)
    return spec.origin if spec is not None and spec.has_location else None


def _spec(name: str) -> ModuleSpec | None:
    """Return how a module is imported, without importing it or the packages it is in."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__spec__", None)
    parent = name.rpartition(".")[0]
    if not parent:
        return PathFinder.find_spec(name)
    package = _spec(parent)
    locations = package and package.submodule_search_locations
    return PathFinder.find_spec(name, locations) if locations else None


def _read(name: str, file: str) -> tuple[str, tuple[str, ...]]:
    """Return a digest of the text of a module, and what it imports.

    The text of an imported module is read once: edited without being imported again, it still runs
    as it was.
    """
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if name in _texts and spec is not None and _texts[name][0] is spec:
        return _texts[name][1:]
    body = Path(file).read_bytes()
    imports: tuple[str, ...] = ()
    if file.endswith(".py"):
        package = name if Path(file).name == "__init__.py" else name.rpartition(".")[0]
        with suppress(SyntaxError, ImportError):  # what no import can run
            imports = tuple(dict.fromkeys(_imports(decode_source(body), package)))
    _texts[name] = spec, sha256(body).hexdigest(), imports
    return _texts[name][1:]


def _imports(text: str, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            yield base
            if origin_of(base) != "library":
                yield from (f"{base}.{alias.name}" for alias in node.names)
