"""What was measured as plain JSON data and back, exactly, so that others can check a verdict."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ..designs import Design, parse
from ..errors import DataError
from ..notes import NOTES, Note
from .item_codes import Codes
from .item_losses import BitItems, ItemsToRead, SplitLosses
from .items import Items
from .log_header import LogHeader, PrintedMean
from .other_scores import OtherScores
from .preferences import Preferences
from .split_scores import Scores

NOUNS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *(Scores, SplitLosses, BitItems, OtherScores),
        *(Items, Codes, Preferences, LogHeader, PrintedMean),
    )
}
"""The only classes that are made of data from a file: frozen values without code of their own."""
LEFT_OUT = {"store": None}
"""Fields that belong to a machine, not to what was measured."""
DTYPES = ("<f8", "<i8", "|u1", "|b1")
READABLE = 4096
"""Numbers of an array that stand in the file as they are; more are compressed."""
MOST_BYTES = 2**27
"""Bytes that all arrays of a record may unpack to."""


def encoded(value: Any) -> Any:
    """Return a noun, or what its fields contain, as JSON data."""
    if isinstance(value, ItemsToRead):
        value = value.of(range(value.shape[0]))
    if type(value).__name__ in NOUNS:
        shown = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in LEFT_OUT}
        return {"is": type(value).__name__, **{name: encoded(one) for name, one in shown.items()}}
    if isinstance(value, Design):
        return {"is": "Design", "notation": str(value)}
    if isinstance(value, Note):
        return {"is": "Note", "code": value.code, "detail": value.detail}
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Mapping):
        return {"is": "mapping", "of": {str(key): encoded(one) for key, one in value.items()}}
    if isinstance(value, tuple | list):
        return [encoded(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def check_size(value: Any) -> None:
    """Refuse encoded data whose arrays would unpack to too much, before any is unpacked."""
    size = _unpacked(value)
    if size > MOST_BYTES:
        raise DataError(
            f"The arrays of a record may have at most {MOST_BYTES:,} bytes, got {size:,}"
        )


def _unpacked(value: Any) -> int:
    if isinstance(value, dict):
        if "zlib" in value:
            return abs(math.prod(map(int, value["shape"]))) * np.dtype(value["dtype"]).itemsize
        return sum(map(_unpacked, value.values()))
    return sum(map(_unpacked, value)) if isinstance(value, list) else 0


def decoded(value: Any) -> Any:
    """Return what `encoded` was given; a DataError names what is no such data."""
    if isinstance(value, list):
        return tuple(decoded(one) for one in value)
    if not isinstance(value, dict):
        return value
    make: dict[str, Callable[[dict[str, Any]], Any]] = {
        "Design": lambda held: parse(str(held["notation"])),
        "Note": lambda held: _note(str(held["code"]), str(held["detail"])),
        "array": _from_array,
        "mapping": lambda held: {key: decoded(one) for key, one in held["of"].items()},
        **dict.fromkeys(NOUNS, _noun),
    }
    kind = value.get("is")
    if not isinstance(kind, str) or kind not in make:
        raise DataError(f"{kind!r} is not among the things that a record contains")
    _check_keys(kind, value)
    return make[kind](value)


def _check_keys(kind: str, held: Mapping[str, Any]) -> None:
    """Refuse keys that would not be read."""
    if kind in NOUNS:
        known = {field.name for field in fields(NOUNS[kind])} - set(LEFT_OUT)
    elif kind == "array":
        content = next((name for name in ("texts", "numbers") if name in held), "zlib")
        known = {"shape", content} | ({"dtype"} if content != "texts" else set())
    else:
        known = {"Design": {"notation"}, "Note": {"code", "detail"}, "mapping": {"of"}}[kind]
    for name in held:
        if name != "is" and name not in known:
            raise DataError(f"{kind} has an unknown key, {name!r}")


def _noun(held: dict[str, Any]) -> Any:
    kind = NOUNS[held["is"]]
    return kind(**{name: decoded(one) for name, one in held.items() if name != "is"})


def _note(code: str, detail: str) -> Note:
    if code not in NOTES:
        raise DataError(f"Unknown note code {code!r}")
    return Note(code, detail)


def _array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return an array as a list where a reader would look at it, compressed where it is long."""
    about = {"is": "array", "shape": list(array.shape)}
    if array.dtype.kind in "OUS":
        return {**about, "texts": [str(one) for one in array.ravel().tolist()]}
    plain = np.ascontiguousarray(array)
    plain = plain.astype(_dtype(plain.dtype), copy=False)
    about["dtype"] = plain.dtype.str
    if plain.size <= READABLE and (plain.dtype.kind != "f" or bool(np.isfinite(plain).all())):
        return {**about, "numbers": plain.ravel().tolist()}
    packed = zlib.compress(plain.tobytes(), 9)
    return {**about, "zlib": base64.b64encode(packed).decode("ascii")}


def _dtype(dtype: np.dtype[Any]) -> str:
    """Return the type that holds the same numbers on every machine."""
    if dtype.str in DTYPES:
        return dtype.str
    return {"f": "<f8", "i": "<i8", "u": "<i8", "b": "|b1"}[dtype.kind]


def _from_array(held: dict[str, Any]) -> Any:
    shape = tuple(int(size) for size in held["shape"])
    if any(size < 0 for size in shape):
        raise DataError(f"The shape of an array must be counts, got {shape}")
    if "texts" in held:
        return np.array([str(one) for one in held["texts"]], dtype=object).reshape(shape)
    if held["dtype"] not in DTYPES:
        raise DataError(f"The type of an array must be one of {DTYPES}, got {held['dtype']!r}")
    dtype = np.dtype(held["dtype"])
    if "numbers" in held:
        return np.array(held["numbers"], dtype=dtype).reshape(shape)
    size = math.prod(shape) * dtype.itemsize
    packed = zlib.decompressobj()
    content = packed.decompress(base64.b64decode(held["zlib"], validate=True), size + 1)
    if len(content) != size:
        raise DataError(f"An array of shape {shape} must have {size:,} bytes, got {len(content):,}")
    return np.frombuffer(content, dtype=dtype).reshape(shape).copy()
