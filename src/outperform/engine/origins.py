"""Origins: by what a store knows code again, the version of a library or the text of a module."""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions, version
from importlib.util import decode_source, resolve_name
from pathlib import Path
from typing import Any, Literal

Origin = Literal["python", "library", "file", "live"]
"""Code of Python, of an installed package, of a file of the user's own, or of no file."""

INSTALLED = {"site-packages", "dist-packages"}

_texts: dict[str, tuple[Any, str, tuple[str, ...]]] = {}


def origin_of(name: str) -> Origin:
    """Tell where a module comes from, by its full name."""
    top, file = name.partition(".")[0], _file(name)
    if top == "__main__":
        return "live"
    if top == "outperform":
        return "library"
    if top in sys.stdlib_module_names and (file is None or _is_python(file)):
        return "python"
    if file is None:
        return "live"
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
        kind = origin_of(name)
        if kind == "library":
            libraries.add(name.partition(".")[0])
            continue
        if kind == "python":
            continue
        if "." in name:  # to import a module runs the packages it is in
            waiting.add(name.rpartition(".")[0])
        file = _file(name)
        if kind == "file" and file is not None:
            texts[name], imports = _read(name, file)
            waiting.update(imports)
    return [f"module:{name} {texts[name]};" for name in sorted(texts)], libraries


def _file(name: str) -> str | None:
    """Return the file of a module, also of one that is not imported yet."""
    module = sys.modules.get(name)
    if module is not None:
        return getattr(module, "__file__", None)
    locations = _search(name)
    spec = None if locations == [] else PathFinder.find_spec(name, locations)
    return spec.origin if spec is not None and spec.has_location else None


def _search(name: str) -> list[str] | None:
    """Return where a module that is not imported yet is looked for; None for the path itself."""
    parent = name.rpartition(".")[0]
    if not parent:
        return None
    if parent in sys.modules:
        return list(getattr(sys.modules[parent], "__path__", ()))
    above = _search(parent)
    spec = None if above == [] else PathFinder.find_spec(parent, above)
    return list((spec and spec.submodule_search_locations) or ())


@cache
def _is_python(file: str) -> bool:
    homes = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    real = os.path.realpath(file)
    inside = any(real.startswith(os.path.realpath(home) + os.sep) for home in homes)
    return inside and not INSTALLED & set(Path(real).parts)


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
            if origin_of(base) in ("file", "live"):
                yield from (f"{base}.{alias.name}" for alias in node.names)
