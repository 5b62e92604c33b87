"""Files of logs, also gzipped: read within limits, line by line or whole, and hashed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import DataError
from .column_names import shown
from .files import contents
from .limits import DEFLATED, GZIPPED, PIECE, Unpacked, check, too_large

NEEDED = "expected an evaluation log, or a table with one row per item"


def opening(path: str, limit: Mapping[str, int], size: int = 65536) -> bytes:
    """Return how what a regular file holds begins; refuse one that is too large, or is none."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        return contents(path)[:size]  # which says what is wrong with it
    held = os.path.getsize(path)
    check(limit, repr(path), {"bytes": (held, f"has {held:,} bytes")})
    with opened(path, limit) as file:
        return file.read(size)


def opened(path: str, limit: Mapping[str, int]) -> BinaryIO:
    """Open a log for reading; a gzipped one is unpacked on the way, as far as limits allow."""
    file = open(path, "rb")  # noqa: SIM115 - the caller closes it
    if file.peek(2)[:2] != GZIPPED:
        return file
    size = os.fstat(file.fileno()).st_size
    return BufferedReader(Unpacked(file, size, repr(path), limit), PIECE)


def _most_held(path: str) -> int:
    """Return how many bytes a file can hold at most: of a gzipped one, more than it has."""
    with open(path, "rb") as file:
        packed = file.read(2) == GZIPPED
    return os.path.getsize(path) * (DEFLATED if packed else 1)


def stem_of(path: str) -> str:
    """Return the name of a log without its folder and endings."""
    name = Path(path).name.removesuffix(".gz")
    ending = next((e for e in (".jsonl", ".ndjson", ".csv") if name.endswith(e)), "")
    return name.removesuffix(ending)


class JsonLines:
    """The objects of a JSONL file, one at a time; once all are read, `sha256` is that of them all.

    Of a gzipped file it is that of what it holds, so that packing does not change it.
    """

    def __init__(self, path: str, limit: Mapping[str, int]) -> None:
        self.path, self.limit = path, limit
        self.sha256 = ""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        mixer, most, name = sha256(), self.limit["json"], repr(self.path)
        loads = json.loads
        with opened(self.path, self.limit) as file:
            for number, line in enumerate(iter(lambda: file.readline(most + 1), b""), 1):
                mixer.update(line)
                if len(line) > most:
                    what = f"has more than {most:,} bytes on line {number}"
                    raise too_large(name, what, most, {"json": _most_held(self.path)})
                if line.isspace():
                    continue
                try:
                    value = loads(line)
                except (ValueError, RecursionError) as error:
                    raise DataError(
                        f"{name}, line {number} is not JSON ({shown(error)}); each line must be an "
                        "object. Check that the file is complete"
                    ) from None
                if not isinstance(value, dict):
                    raise DataError(
                        f"{name}, line {number} is not a JSON object; each line must be one"
                    )
                yield value
        self.sha256 = mixer.hexdigest()


def whole_json(path: str, limit: Mapping[str, int]) -> tuple[Any, str]:
    """Return the one JSON value of a file, and the hash of what the file holds."""
    most = limit["json"]
    with opened(path, limit) as file:
        data = file.read(min(_most_held(path), most) + 1)
    if len(data) > most:
        what = f"contains a JSON value of more than {most:,} bytes"
        raise too_large(repr(path), what, most, {"json": _most_held(path)})
    return json_value(data, repr(path)), sha256(data).hexdigest()


def json_value(data: bytes, name: str) -> Any:
    """Return the JSON value that bytes are."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{name} is not JSON ({shown(error)}); {NEEDED}. Check that the file is complete"
        ) from None


def beside(path: str, name: str) -> str | None:
    """Return the path of a file in the same folder, plain or gzipped; None if it is not there."""
    both = (Path(path).parent / one for one in (name, f"{name}.gz"))
    return next((str(found) for found in both if found.is_file()), None)


def key_of(record: Any, key: str, name: str) -> Any:
    """Return an entry that a format promises; where it is missing, say which."""
    if not isinstance(record, Mapping) or key not in record:
        raise DataError(
            f"{name} has no {key!r}, which logs of this kind have; it may be a different version. "
            "Write a table instead, with one row per item and the columns item, model, score"
        )
    return record[key]
