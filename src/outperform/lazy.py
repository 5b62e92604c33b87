"""What is loaded on first use: public names, whose one table is `if TYPE_CHECKING`, and plug-ins.

Type checkers read the imports in that block; at run time they are read from the source and done one
by one, when a name is asked for. So importing a package costs nothing, and no list is kept twice.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


GROUPS = ("outperform.plugins", "outperform.methods")
_loaded: set[str] = set()


def lazy(module: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package or module; `__all__` is served, too."""
    import sys

    names: dict[str, str] = {}
    scope = vars(sys.modules[module])
    package = scope["__package__"]

    def table() -> dict[str, str]:
        if not names:
            import ast

            for node in ast.walk(ast.parse(scope["__loader__"].get_source(module))):
                if isinstance(node, ast.ImportFrom) and node.level:
                    for one in node.names:
                        if one.asname == one.name:  # what a type checker takes for public
                            names[one.name] = "." * node.level + (node.module or "")
        return names

    def get(name: str) -> object:
        from importlib import import_module

        if name == "__all__":
            return [one for one in table() if not one.startswith("_")]
        if (name.startswith("__") and name != "__version__") or name not in table():
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home = import_module(table()[name], package)
        if home is sys.modules[package] or not hasattr(home, name):  # it is a module itself
            scope[name] = import_module(f"{home.__name__}.{name}")
        else:
            scope[name] = getattr(home, name)
        return scope[name]

    return get, lambda: sorted({*table(), *(one for one in scope if one.startswith("__"))})


def load_plug_ins() -> None:
    """Import, once, the modules that other packages name as entry points: they register there."""
    import warnings
    from importlib.metadata import entry_points

    for group in GROUPS:
        if group in _loaded:
            continue
        _loaded.add(group)
        for point in entry_points(group=group):
            try:
                point.load()
            except Exception as error:
                warnings.warn(
                    f"The plug-in {point.value!r} could not be loaded: {error}", stacklevel=3
                )
