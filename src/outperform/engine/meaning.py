"""Meaning: the same text for objects that mean the same, in every process, whatever they hold."""

from __future__ import annotations

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
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from ..errors import DataError
from .origins import origin_of, sources_of, version_of

PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple)
"""Attributes of a class without a file that belong to its text."""
READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}


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
                pairs = ("".join(self._pair(pair, above)) for pair in value.items())
                yield f"map({''.join(sorted(pairs))})"
            case type():
                yield f"class:{class_name(value)}{self._code(value, above)};"
            case functools.partial():
                yield "partial("
                yield from self.words((value.func, value.args, value.keywords), above)
                yield ")"
            case MethodType():
                yield f"method:{value.__name__}"
                yield from self.words(value.__self__, above)
            case FunctionType():
                yield f"function:{value.__module__}.{value.__qualname__}"
                if not self._is_named(value):
                    yield from self._compiled(value, above)
            case BuiltinFunctionType() | np.ufunc():
                yield f"function:{value.__module__ or 'numpy'}.{value.__name__};"
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

    def _pair(self, pair: tuple[Any, Any], above: tuple[int, ...]) -> Iterator[str]:
        for part in pair:
            yield from self.words(part, above)

    def _array(self, value: Any, above: tuple[int, ...]) -> Iterator[str]:
        if value.dtype.hasobject:
            yield f"array:{value.shape}"
            yield from self.words(value.ravel().tolist(), above)
        else:
            body = np.ascontiguousarray(value).tobytes()
            yield f"array:{value.dtype.str}{value.shape}{sha256(body).hexdigest()};"

    def _object(self, value: Any, above: tuple[int, ...]) -> Iterator[str]:
        yield f"{class_name(type(value))}{self._code(type(value), above)}("
        if hasattr(value, "get_params"):
            yield from self.words(value.get_params(deep=False), above)
        elif hasattr(value, "dist") and hasattr(value, "kwds"):  # a distribution to search over
            yield from self.words((value.dist.name, value.args, value.kwds), above)
        elif hasattr(value, "__wrapped__"):  # a cache around a function
            yield from self.words(value.__wrapped__, above)
        else:
            yield from self.words(_state(value), above)
        yield ")"

    def read(self, scope: Mapping[str, Any], name: str) -> Iterator[str]:
        """Yield a name and what it stands for; of a value that cannot be read, its type."""
        yield f"global:{name}="
        try:
            yield "".join(self.words(scope[name], ()))
        except DataError:
            yield class_name(type(scope[name]))

    def _is_named(self, thing: Any) -> bool:
        """Tell whether its name says all: it is in a library, or in a module of its own text."""
        name = str(getattr(thing, "__module__", None) or "")
        module, kind = sys.modules.get(name), origin_of(name)
        if kind in ("python", "library"):
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
        own = [self._class(each, above) for each in cls.__mro__ if not self._is_named(each)]
        text = "".join(own).encode("utf-8", "surrogatepass")
        return f"#{sha256(text).hexdigest()[:16]}" if own else ""

    def _class(self, cls: type, above: tuple[int, ...]) -> str:
        """Return what was compiled of a class, with its plain attributes."""
        if id(cls) in above:
            return "itself"
        above = (*above, id(cls))
        plain = {
            name: part
            for name, part in vars(cls).items()
            if not name.startswith("__") and isinstance(part, PLAIN)
        }
        parts = [part for _, held in sorted(vars(cls).items()) for part in _functions(held)]
        texts = ["".join(self._compiled(part, above)) for part in parts]
        return "".join([cls.__qualname__, *self.words(plain, above), *texts])

    def _compiled(self, function: FunctionType, above: tuple[int, ...]) -> Iterator[str]:
        """Yield what a function does and holds; what it reads is left for later."""
        code, scope = function.__code__, function.__globals__
        yield _code_text(code)
        held = (function.__defaults__, function.__kwdefaults__, list(_closed_over(function)))
        yield from self.words(held, above)
        home = str(scope.get("__name__"))
        if origin_of(home) != "live" and home in sys.modules and vars(sys.modules[home]) is scope:
            self.modules.add(home)
        else:
            for name, imported in _names(code):
                if imported:
                    self.modules.add(name)
                elif name in scope:
                    self.reads[id(scope), name] = scope, name


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
        raise DataError(
            f"a {class_name(type(value))}, which cannot be read ({error}): a change in it would go "
            "unnoticed. Give what holds it a __getstate__ that leaves it out"
        ) from error
    if isinstance(reduced, str):
        return reduced
    call, values, state, *rest = [*reduced, None][: max(3, len(reduced))]
    bare = len(values) == 1 and values[0] is type(value) and not any(rest)
    if bare and getattr(call, "__name__", "") == "__newobj__":
        return state
    return [list(part) if at in (3, 4) and part else part for at, part in enumerate(reduced)]


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


def _names(code: CodeType) -> Iterator[tuple[str, bool]]:
    """Yield the names that code reads from its module or imports, and whether it imports them."""
    for step in dis.get_instructions(code):
        if step.opname in READS or step.opname == "IMPORT_NAME":
            yield str(step.argval), step.opname == "IMPORT_NAME"
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _code_text(code: CodeType) -> str:
    return f"{code.co_code.hex()}{code.co_names}{'|'.join(map(_constant, code.co_consts))}"


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
