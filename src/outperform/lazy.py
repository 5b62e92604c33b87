"""Public names of a package, loaded on first use: its `if TYPE_CHECKING` block is their one table.

Type checkers read the imports in that block; at run time they are read from the source and done one
by one, when a name is asked for. So importing a package costs nothing, and no list is kept twice.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["lazy"]


def lazy(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package; `__all__` is served, too."""
    import sys

    names: dict[str, str] = {}
    scope = vars(sys.modules[package])

    def table() -> dict[str, str]:
        if not names:
            import ast

            for node in ast.walk(ast.parse(scope["__loader__"].get_source(package))):
                if isinstance(node, ast.ImportFrom) and node.level == 1:
                    for one in node.names:
                        if one.asname == one.name:  # what a type checker takes for public
                            names[one.name] = node.module or ""
        return names

    def get(name: str) -> object:
        from importlib import import_module

        if name == "__all__":
            return [one for one in table() if not one.startswith("_")]
        if (name.startswith("__") and name != "__version__") or name not in table():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(f"{package}.{table()[name]}".rstrip("."))
        if home is sys.modules[package] or not hasattr(home, name):  # it is a module itself
            scope[name] = import_module(f"{home.__name__}.{name}")
        else:
            scope[name] = getattr(home, name)
        return scope[name]

    return get, lambda: sorted({*table(), *(one for one in scope if one.startswith("__"))})
