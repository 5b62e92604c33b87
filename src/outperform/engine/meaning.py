"""Meaning: the same text for objects that mean the same, in every process, whatever they hold."""

from __future__ import annotations

import builtins
import copyreg
import dis
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from types import (
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from ..errors import DataError
from .origins import origin_of, sources_of, version_of

PLAIN = {type(None), bool, int, float, complex, str, bytes}
READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
TAKES = {"LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"}


def same_text(value: Any) -> str:
    """Return a text that is the same, in every process, for objects that mean the same."""
    return described(value)[0]


def described(*values: Any) -> tuple[str, dict[str, str]]:
    """Return that text, and the versions of the libraries that the user's own code uses."""
    walk = _Walk()
    text = "".join(part for value in values for part in walk.words(value, ()))
    texts_read = {}
    while walk.reads:
        place, (scope, name) = walk.reads.popitem()
        if place not in texts_read:
            texts_read[place] = f"global:{name}={walk.leniently(scope[name], ())}"
    sources, libraries = sources_of(walk.modules)
    versions = {name: version_of(name) or "" for name in sorted(libraries)}
    return "".join([text, *sorted(texts_read.values()), *sources]), versions


class _Walk:
    """What an object leads to: texts on the way, own modules and names read for later."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.reads: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}
        self.fitted = False
        """Inside a model that stays fitted where it is cloned."""

    def words(self, value: Any, above: tuple[int, ...]) -> Iterator[str]:
        if id(value) in above:
            yield "itself"
            return
        below, kind = (*above, id(value)), type(value)
        if kind in PLAIN:
            yield f"{kind.__name__}:{value!r};"
        elif isinstance(value, np.generic):
            yield f"{value.dtype.str}:{value.item()!r};"
        elif kind in (np.ndarray, np.memmap) and value.dtype.hasobject:
            yield f"array:{value.shape}"
            yield from self.words(value.ravel().tolist(), below)
        elif kind in (np.ndarray, np.memmap) and value.dtype.names is None:
            body = np.ascontiguousarray(value).tobytes()
            yield f"array:{value.dtype.str}{value.shape}{sha256(body).hexdigest()};"
        elif kind in (set, frozenset):
            parts = ("".join(self.words(part, below)) for part in value)
            yield f"set({''.join(sorted(parts))})"
        elif kind in (list, tuple, dict, MappingProxyType):
            yield f"{kind.__name__}("
            for part in value.items() if kind in (dict, MappingProxyType) else value:
                yield from self.words(part, below)
            yield ")"
        elif isinstance(value, type):
            yield from self._class(value, above)
        elif isinstance(value, MethodType):
            yield "method:"
            yield from self.words((value.__func__, value.__self__), below)
        elif isinstance(value, FunctionType):
            yield f"function:{value.__module__}.{value.__qualname__}"
            if not self._is_named(value):
                yield from self._compiled(value, below)
            elif "<locals>" in value.__qualname__:  # made by a library, of what it closes over
                yield from (self.leniently(cell, below) for cell in _closed_over(value))
        elif isinstance(value, ModuleType):
            self.modules.add(value.__name__)
            yield f"module:{value.__name__};"
        else:
            yield from self._object(value, below)

    def _object(self, value: Any, above: tuple[int, ...]) -> Iterator[str]:
        yield from self.words(type(value), above)
        yield "("
        if hasattr(value, "get_params") and not (self.fitted or _keeps_fit(value)):
            yield from self.words(value.get_params(deep=False), above)
        elif not self.fitted and _keeps_fit(value):
            self.fitted = True
            try:
                text = "".join(self.words(_state(value), above))
            finally:
                self.fitted = False
            yield text
        elif hasattr(value, "dist") and hasattr(value, "kwds"):  # a distribution to search over
            distribution = type(value.dist), value.dist.name
            yield from self.words((distribution, value.args, value.kwds), above)
        elif hasattr(value, "__wrapped__") and origin_of(type(value).__module__) == "library":
            yield from self.words(value.__wrapped__, above)
        else:
            yield from self.words(_state(value), above)
        yield ")"

    def leniently(self, value: Any, above: tuple[int, ...]) -> str:
        """Return its text; of a value that cannot be read, that of its type."""
        try:
            return "".join(self.words(value, above))
        except DataError:
            return "".join(self.words(type(value), above))

    def _is_named(self, thing: Any) -> bool:
        """Tell whether its name says all: it is in a library, or in a module of its own text."""
        name = str(thing.__module__)
        if name == "builtins" and not hasattr(builtins, thing.__qualname__):
            return False  # as `exec` makes it without a name for its module
        origin, there = origin_of(name), sys.modules.get(name)
        if origin == "live":
            return False
        self.modules.add(name)
        for part in thing.__qualname__.split("."):
            there = getattr(there, part, None)
        return origin == "library" or there is thing

    def _class(self, cls: type, above: tuple[int, ...]) -> Iterator[str]:
        """Yield its name, and the code that no library nor the text of a module stands for."""
        yield f"class:{class_name(cls)};"
        for each in [*cls.__mro__, *type.mro(type(cls))]:
            if id(each) not in above and not self._is_named(each):
                yield from self._body(each, (*above, id(each)))

    def _body(self, cls: type, above: tuple[int, ...]) -> Iterator[str]:
        """Yield what was compiled of a class, with its attributes."""
        for name, part in sorted(vars(cls).items()):
            functions = list(_functions(part))
            if functions:
                yield f"{name}:"
                for function in functions:
                    yield from self._compiled(function, above)
            if not (name.startswith("__") or isinstance(part, FunctionType)):
                yield f"{name}={self.leniently(part, above)}"

    def _compiled(self, function: FunctionType, above: tuple[int, ...]) -> Iterator[str]:
        """Yield what a function does and holds; what it reads is left for later."""
        code, scope = function.__code__, function.__globals__
        yield _constant(code)
        closed_over = list(_closed_over(function))
        yield from self.words((function.__defaults__, function.__kwdefaults__, closed_over), above)
        for name, part in vars(function).items():
            yield f"{name}={self.leniently(part, above)}"
        home = str(scope.get("__name__"))
        if origin_of(home) != "live" and home in sys.modules and vars(sys.modules[home]) is scope:
            self.modules.add(home)
        else:
            names = list(_names(code))
            attributes = {name for name, how in names if how == "attribute"}
            for name, how in names:
                if how == "import":
                    self.modules.update(_modules_in(name, attributes))
                elif how == "global" and name in scope:
                    self.reads[id(scope), name] = scope, name
                    if isinstance(scope[name], ModuleType):
                        self.modules.update(_modules_in(scope[name].__name__, attributes))


def _state(value: Any) -> Any:
    """Return what `pickle` would keep of an object."""
    reduce: Callable[[Any], Any] | None = copyreg.dispatch_table.get(type(value))
    try:
        reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
    except Exception as error:
        raise _unreadable(value, str(error)) from error
    if isinstance(reduced, str) and reduced.endswith("(vectorized)"):
        raise _unreadable(value, "np.frompyfunc hides its function")
    if isinstance(reduced, str):
        return f"{getattr(value, '__module__', None)}.{reduced}"
    return [list(part) if isinstance(part, Iterator) else part for part in reduced]


def _unreadable(value: Any, why: str) -> DataError:
    return DataError(
        f"a {class_name(type(value))}, which cannot be read ({why}): a change in it would go "
        "unnoticed. Give what holds it a __getstate__ that leaves it out"
    )


def _keeps_fit(value: Any) -> bool:
    """Tell whether a clone of it may stay fitted, as of scikit-learn's FrozenEstimator."""
    clone = getattr(type(value), "__sklearn_clone__", None)
    return clone is not None and clone.__module__ != "sklearn.base"


def _functions(part: Any) -> Iterator[FunctionType]:
    """Yield the functions of an attribute of a class: a method, or the parts of a property."""
    for name in ("", "__func__", "__wrapped__", "fget", "fset", "fdel", "func"):
        function = getattr(part, name, None) if name else part
        if isinstance(function, FunctionType):
            yield function


def _closed_over(function: FunctionType) -> Iterator[Any]:
    """Yield what a function has from where it was made, but not the class it belongs to."""
    names = function.__code__.co_freevars
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        if name != "__class__":
            with suppress(ValueError):  # a name that was never given a value
                yield cell.cell_contents


def _names(code: CodeType) -> Iterator[tuple[str, str]]:
    """Yield the names that code reads from its module, imports, or takes from what it has."""
    for step in dis.get_instructions(code):
        if step.opname in READS:
            yield str(step.argval), "global"
        elif step.opname == "IMPORT_NAME":
            yield str(step.argval), "import"
        elif step.opname in TAKES:
            yield str(step.argval), "attribute"
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _modules_in(name: str, attributes: set[str]) -> Iterator[str]:
    """Yield a module and the own modules in it that are taken from it."""
    yield name
    for inner in attributes:
        if origin_of(f"{name}.{inner}") == "file":
            yield from _modules_in(f"{name}.{inner}", attributes)


def _constant(value: Any) -> str:
    """Return code or a constant as text; the order of a set is another in every process."""
    match value:
        case CodeType():
            names = value.co_names, value.co_varnames, value.co_argcount, value.co_kwonlyargcount
            body = value.co_code.hex(), value.co_exceptiontable.hex(), value.co_flags
            return f"{body}{names}{'|'.join(map(_constant, value.co_consts))}"
        case tuple():
            return f"({','.join(map(_constant, value))})"
        case frozenset():
            return f"{{{','.join(sorted(map(_constant, value)))}}}"
    return repr(value)


def class_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
