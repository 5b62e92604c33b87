"""Meaning: the same text for objects that mean the same, in every process, whatever they hold."""

from __future__ import annotations

import builtins
import copyreg
import dis
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from ..errors import DataError
from .origins import origin_of, sources_of, version_of

DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType)
"""Attributes of a class that compiled code makes, which say nothing of its own."""
READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
FOREIGN = {"python", "library"}
TAKES = {"LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"}


def same_text(value: Any) -> str:
    """Return a text that is the same, in every process, for objects that mean the same."""
    return described(value)[0]


def described(*values: Any) -> tuple[str, dict[str, str]]:
    """Return that text, and the versions of the libraries that the user's own code uses."""
    walk = _Walk()
    text = "".join(part for value in values for part in walk.words(value, ()))
    read = {}
    while walk.reads:
        place, (scope, name) = walk.reads.popitem()
        if place not in read:
            read[place] = "".join(walk.read(scope, name))
    sources, libraries = sources_of(walk.modules)
    versions = {name: version_of(name) or "" for name in sorted(libraries)}
    return "".join([text, *sorted(read.values()), *sources]), versions


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
        above = (*above, id(value))
        match value:
            case None | bool() | int() | float() | complex() | str() | bytes() if _is_basic(value):
                yield f"{type(value).__name__}:{value!r};"
            case np.generic():
                yield f"{value.dtype.str}:{value.item()!r};"
            case np.ndarray() if _is_basic(value) and value.dtype.names is None:
                yield from self._array(value, above)
            case list() | tuple() if _is_basic(value):
                yield f"{type(value).__name__}("
                for part in value:
                    yield from self.words(part, above)
                yield ")"
            case set() | frozenset() if _is_basic(value):
                parts = ("".join(self.words(part, above)) for part in value)
                yield f"set({''.join(sorted(parts))})"
            case Mapping() if _is_basic(value):
                yield "map("
                for pair in value.items():
                    yield from self.words(pair, above)
                yield ")"
            case type():
                yield f"class:{class_name(value)}{self._code(value, above[:-1])};"
            case functools.partial():
                yield "partial("
                yield from self.words((value.func, value.args, value.keywords), above)
                yield ")"
            case MethodType():
                yield "method:"
                yield from self.words((value.__func__, value.__self__), above)
            case FunctionType():
                yield f"function:{value.__module__}.{value.__qualname__}"
                if not self._is_named(value):
                    yield from self._compiled(value, above)
                elif "<locals>" in value.__qualname__:  # made by a library, of what it closes over
                    yield from (self._leniently(cell, above) for cell in _closed_over(value))
            case BuiltinFunctionType() | np.ufunc():
                if value.__name__.endswith("(vectorized)"):
                    raise _unreadable(value, "np.frompyfunc hides its function")
                yield f"function:{getattr(value, '__module__', None) or 'numpy'}.{value.__name__};"
                owner = getattr(value, "__self__", None)
                if owner is not None and not isinstance(owner, ModuleType):
                    yield from self.words(owner, above)
            case ModuleType():
                self.modules.add(value.__name__)
                yield f"module:{value.__name__};"
            case np.random.RandomState():
                yield from self.words(value.get_state(legacy=False), above)
            case np.random.Generator():
                yield from self.words(value.bit_generator.state, above)
            case _:
                yield from self._object(value, above)

    def _array(self, value: Any, above: tuple[int, ...]) -> Iterator[str]:
        if value.dtype.hasobject:
            yield f"array:{value.shape}"
            yield from self.words(value.ravel().tolist(), above)
        else:
            body = np.ascontiguousarray(value).tobytes()
            yield f"array:{value.dtype.str}{value.shape}{sha256(body).hexdigest()};"

    def _object(self, value: Any, above: tuple[int, ...]) -> Iterator[str]:
        yield f"{class_name(type(value))}{self._code(type(value), above)}("
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
            kind = type(value.dist), value.dist.name
            yield from self.words((kind, value.args, value.kwds), above)
        elif hasattr(value, "__wrapped__") and origin_of(type(value).__module__) in FOREIGN:
            yield from self.words(value.__wrapped__, above)
        else:
            yield from self.words(_state(value), above)
        yield ")"

    def read(self, scope: Mapping[str, Any], name: str) -> Iterator[str]:
        """Yield a name and what it stands for; of a value that cannot be read, its type."""
        yield f"global:{name}={self._leniently(scope[name], ())}"

    def _leniently(self, value: Any, above: tuple[int, ...]) -> str:
        try:
            return "".join(self.words(value, above))
        except DataError:
            return "".join(self.words(type(value), above))

    def _is_named(self, thing: Any) -> bool:
        """Tell whether its name says all: it is in a library, or in a module of its own text."""
        name = str(getattr(thing, "__module__", None) or "")
        if name == "builtins" and not hasattr(builtins, thing.__qualname__):
            return False  # as `exec` makes it without a name for its module
        module, kind = sys.modules.get(name), origin_of(name)
        if kind in FOREIGN:
            self.modules.add(name)
            return True
        if kind == "live" or module is None:
            return False
        self.modules.add(name)
        there: Any = module
        for part in thing.__qualname__.split("."):
            there = getattr(there, part, None)
        return there is thing

    def _code(self, cls: type, above: tuple[int, ...]) -> str:
        """Return a digest of code that neither a library nor the text of a module stands for."""
        classes = [*cls.__mro__, *type.mro(type(cls))]
        own = ["".join(self._class(each, above)) for each in classes if not self._is_named(each)]
        text = "".join(own).encode("utf-8", "surrogatepass")
        return f"#{sha256(text).hexdigest()[:16]}" if own else ""

    def _class(self, cls: type, above: tuple[int, ...]) -> Iterator[str]:
        """Yield what was compiled of a class, with its attributes."""
        if id(cls) in above:
            yield "itself"
            return
        above = (*above, id(cls))
        yield cls.__qualname__
        for name, part in sorted(vars(cls).items()):
            functions = list(_functions(part))
            if functions:
                yield f"{name}:"
                for function in functions:
                    yield from self._compiled(function, above)
            if not (name.startswith("__") or isinstance(part, (FunctionType, *DESCRIPTORS))):
                yield f"{name}={self._leniently(part, above)}"

    def _compiled(self, function: FunctionType, above: tuple[int, ...]) -> Iterator[str]:
        """Yield what a function does and holds; what it reads is left for later."""
        code, scope = function.__code__, function.__globals__
        yield _code_text(code)
        held = (function.__defaults__, function.__kwdefaults__, list(_closed_over(function)))
        yield from self.words(held, above)
        for name, part in vars(function).items():
            yield f"{name}={self._leniently(part, above)}"
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


def _is_basic(value: Any) -> bool:
    """Tell whether a value is of a plain type, not of one that is made of it."""
    return isinstance(value, np.generic) or type(value) in (
        *(type(None), bool, int, float, complex, str, bytes, list, tuple, set, frozenset),
        *(dict, MappingProxyType, np.ndarray, np.memmap),
    )


def _state(value: Any) -> Any:
    """Return what `pickle` would keep of an object."""
    reduce: Callable[[Any], Any] | None = copyreg.dispatch_table.get(type(value))
    try:
        reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
    except Exception as error:
        raise _unreadable(value, str(error)) from error
    if isinstance(reduced, str):
        return reduced
    call, values, state, *rest = [*reduced, None][: max(3, len(reduced))]
    bare = len(values) == 1 and values[0] is type(value) and not any(rest)
    if bare and getattr(call, "__name__", "") == "__newobj__":
        return state
    return [list(part) if at in (3, 4) and part else part for at, part in enumerate(reduced)]


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


def _code_text(code: CodeType) -> str:
    names = code.co_names, code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    body = code.co_code.hex(), code.co_exceptiontable.hex(), code.co_flags
    return f"{body}{names}{'|'.join(map(_constant, code.co_consts))}"


def _constant(value: Any) -> str:
    """Return a constant as text; the order of a set is another in every process."""
    match value:
        case CodeType():
            return _code_text(value)
        case tuple():
            return f"({','.join(map(_constant, value))})"
        case frozenset():
            return f"{{{','.join(sorted(map(_constant, value)))}}}"
    return repr(value)


def class_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
