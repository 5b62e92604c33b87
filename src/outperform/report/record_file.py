"""Records as files, and the short hash that a table or paragraph carries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from ..results.records import ENDING, text_of
from .html.page import replace_whole

if TYPE_CHECKING:
    from ..results.comparison import Comparison


def write(
    comparison: Comparison,
    path: Any,
    *,
    force: bool = False,
    alpha: float = 0.05,
    level: float | None = None,
    rope: float | None = None,
) -> str:
    """Write the record and return its sha256; whatever goes wrong, an old one stays whole."""
    target = Path(path)
    if not target.name.endswith(ENDING):
        better = str(target.parent / f"{target.name.split('.')[0] or 'verdict'}{ENDING}")
        raise DataError(
            f"The file name of a record must end in {ENDING}, got {target.name!r}. Write "
            f"comparison.record({better!r})"
        )
    if target.exists() and not force:
        raise DataError(
            f"{str(target)!r} already exists. Choose another name, or overwrite it: "
            f"comparison.record({str(target)!r}, force=True)"
        )
    if not target.parent.is_dir():
        raise DataError(
            f"The directory {str(target.parent)!r} was not found. Create it: "
            f"mkdir -p {str(target.parent)!r}"
        )
    text, sha256 = text_of(comparison, alpha=alpha, level=level, rope=rope)
    replace_whole(target, text.encode("ascii"))
    return sha256
