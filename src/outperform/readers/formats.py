"""Formats that plug-ins add to CSV, Parquet and our own files, by the end of a file's name."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeAlias

from ..errors import DataError
from ..lazy import load_plug_ins

Reader: TypeAlias = Callable[[Any], Any]
"""From a path to `Scores`, or to a data frame that is then read like any other."""
OURS = ("", ".csv", ".tsv", ".txt", ".gz", ".parquet", ".html", ".htm", ".db")
"""Endings of files that are known by what they hold."""
FORMATS: dict[str, Reader] = {}


def register_format(suffix: str, read: Reader) -> Reader:
    """Read files with an ending by a function of a plug-in.

    Parameters
    ----------
    suffix : str
        Ending of file names in lower case, such as ".scores".
    read : callable
        Returns `Scores` or a data frame for a path.

    Returns
    -------
    callable
        The same function.

    Raises
    ------
    DataError
        If the ending has a reader.

    Examples
    --------
    >>> import outperform as op
    >>> import pandas as pd
    >>> reader = op.extend.register_format(".scores", pd.read_csv)
    """
    taken = FORMATS.get(suffix)
    ending = suffix.startswith(".") and suffix == suffix.lower() and suffix not in OURS
    if not ending or (taken is not None and taken.__module__ != read.__module__):
        raise DataError(
            "The 'suffix' parameter must be a new file extension in lower case, such as "
            f"'.scores', got {suffix!r}; {', '.join(sorted({*OURS[1:], *FORMATS}))} already have a "
            "reader."
        )
    FORMATS[suffix] = read
    return read


def format_of(path: Any) -> Reader | None:
    """Return what reads a file by its ending; None where what it holds decides."""
    if not isinstance(path, str | os.PathLike):
        return None
    suffix = os.path.splitext(os.fspath(path))[1]
    suffix = os.fsdecode(suffix).lower()
    if suffix not in FORMATS and suffix not in OURS:
        load_plug_ins()
    return FORMATS.get(suffix)
