"""Records as files, and the short hash that a table or paragraph carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..results.records import ENDING, text_of
from .html.page import replace_whole


def write(made: Callable[[], Mapping[str, Any]], path: Any, *, of: str, force: bool = False) -> str:
    """Write a record and return its sha256; whatever goes wrong, an old one stays whole.

    `of` is what hints call that which is recorded, such as "comparison".
    """
    target = Path(path)
    if not target.name.endswith(ENDING):
        better = str(target.parent / f"{target.name.split('.')[0] or 'verdict'}{ENDING}")
        raise DataError(
            f"The file name of a record must end in {ENDING}, got {target.name!r}. Write "
            f"{of}.record({better!r})"
        )
    if target.exists() and not force:
        raise DataError(
            f"{str(target)!r} already exists. Choose another name, or overwrite it: "
            f"{of}.record({str(target)!r}, force=True)"
        )
    if not target.parent.is_dir():
        raise DataError(
            f"The directory {str(target.parent)!r} was not found. Create it: "
            f"mkdir -p {str(target.parent)!r}"
        )
    record = made()
    replace_whole(target, text_of(record).encode("ascii"))
    return str(record["sha256"])
