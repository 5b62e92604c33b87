"""Files of logs: opened within limits, line by line or whole, and hashed on the way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import DataError
from .column_names import shown
from .files import contents
from .limits import check

NEEDED = "expected an evaluation log, or a table with one row per item"


def opening(path: str, limit: Mapping[str, int], size: int = 65536) -> bytes:
    """Return how a regular file begins; refuse one that is too large, or is none."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        return contents(path)[:size]  # which says what is wrong with it
    held = os.path.getsize(path)
    check(limit, repr(path), {"bytes": (held, f"holds {held:,} bytes")})
    with open(path, "rb") as file:
        return file.read(size)


class JsonLines:
    """The objects of a JSONL file, one at a time; once all are read, `sha256` is the file's."""

    def __init__(self, path: str, limit: Mapping[str, int]) -> None:
        self.path, self.limit = path, limit
        self.sha256 = ""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        mixer, most, name = sha256(), self.limit["json"], repr(self.path)
        loads = json.loads
        with open(self.path, "rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(most + 1), b""), 1):
                mixer.update(line)
                if len(line) > most:
                    check(self.limit, name, {"json": (len(line), f"has more on line {number}")})
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
    """Return the one JSON value of a file, and the file's hash."""
    data = Path(path).read_bytes()
    check(limit, repr(path), {"json": (len(data), f"holds one JSON value of {len(data):,} bytes")})
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
    """Return the path of a file in the same folder; None if it is not there."""
    found = Path(path).parent / name
    return str(found) if found.is_file() else None


def key_of(record: Any, key: str, name: str) -> Any:
    """Return an entry that a format promises; where it is missing, say which."""
    if not isinstance(record, Mapping) or key not in record:
        raise DataError(
            f"{name} has no {key!r}, which logs of this kind have; it may be a different version. "
            "Write a table instead, with one row per item and the columns item, model, score"
        )
    return record[key]
