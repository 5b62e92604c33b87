"""Excel workbooks: one worksheet, read by fastexcel once the archive is known to be harmless."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..errors import DataError, argument, did_you_mean
from .column_names import listed, shown
from .limits import HARMLESS, PIECE, WANTED, bounded_table, check, shape, too_large
from .score_table import ScoreTable

if TYPE_CHECKING:
    import polars as pl

ZIPPED = b"PK\x03\x04"
CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?r="([A-Z]{1,3})(\d{1,7})"')
OVERLAP = 256
"""Bytes of a worksheet looked at again, as a cell may begin in one piece and end in the next."""
UNNAMED = "__UNNAMED__"


def read(data: bytes, name: str, sheet: str | None, limit: Mapping[str, int]) -> ScoreTable:
    """Return one worksheet as a table; refuse archives that are none, or unpack to too much."""
    check_archive(data, name, limit)
    try:
        import fastexcel
    except ImportError:
        raise DataError(
            f"{name} is an Excel workbook, which needs the package fastexcel. Install it: pip "
            "install 'outperform[excel]', or save the sheet as CSV"
        ) from None
    try:
        book = fastexcel.read_excel(data)
        names = book.sheet_names
        frames = {one: _frame(book, one) for one in names if sheet in (None, one)}
    except (fastexcel.FastExcelError, ValueError, OSError) as error:
        raise DataError(
            f"{name} cannot be read as an Excel workbook ({shown(error)}); {WANTED}. Save it again"
        ) from None
    if sheet is not None and sheet not in names:
        raise DataError(
            f"The 'sheet' parameter must be a worksheet of {name}, got {sheet!r}; "
            f"{did_you_mean(sheet, names)}"
        )
    full = [one for one, frame in frames.items() if frame.height]
    if len(full) > 1:
        raise DataError(
            f"{name} has {len(full)} worksheets with rows ({listed(full)}). Choose one: "
            f"{argument(sheet=full[0])}"
        )
    if not full:
        raise DataError(
            f"{name} has no worksheet with a header and rows. Check how the file was written"
        )
    frame = frames[full[0]]
    check(limit, name, shape(frame.height, frame.width))
    where = f"{name}, row " if len(names) == 1 else f"{name}, sheet {shown(full[0])}, row "
    return bounded_table(frame, name, limit, lambda row: f"{where}{row + 2}")


def _frame(book: Any, sheet: str) -> pl.DataFrame:
    import polars as pl

    try:
        found: pl.DataFrame = book.load_sheet(sheet, schema_sample_rows=None).to_polars()
    except ValueError:  # a sheet without any cell
        return pl.DataFrame()
    if found.height and all(column.dtype == pl.Null for column in found.get_columns()):
        return pl.DataFrame()
    # An index that pandas wrote has no name.
    return found.rename(lambda n: n.replace(UNNAMED, "Unnamed: ") if n.startswith(UNNAMED) else n)


def check_archive(data: bytes, name: str, limit: Mapping[str, int]) -> None:
    """Unpack every member piece by piece, keeping none; refuse bombs and huge empty sheets."""
    try:
        archive = zipfile.ZipFile(BytesIO(data))
        members = archive.infolist()
        if "xl/workbook.xml" not in archive.namelist():
            raise DataError(
                f"{name} is a zip archive, not an Excel workbook; {WANTED}. Unpack it first"
            )
        allowed = min(limit["bytes"], max(HARMLESS, limit["ratio"] * len(data)))
        total = 0
        for member in members:
            total = _unpack(data, member, name, total, allowed, limit)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{name} is a damaged Excel workbook ({shown(error)}); {WANTED}. Save it again"
        ) from None


def _unpack(
    data: bytes,
    member: zipfile.ZipInfo,
    name: str,
    total: int,
    allowed: int,
    limit: Mapping[str, int],
) -> int:
    """Return the bytes unpacked so far; what the archive says of sizes is not believed."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or (
        member.flag_bits & 1
    ):
        raise DataError(
            f"{name} is encrypted or compressed in an unsupported way; {WANTED}. Save it without a "
            "password"
        )
    header = data[member.header_offset : member.header_offset + 30]
    start = member.header_offset + 30 + int.from_bytes(header[26:28], "little")
    start += int.from_bytes(header[28:30], "little")
    packed = memoryview(data)[start : start + member.compress_size]
    is_sheet = member.filename.startswith("xl/worksheets/")
    far, last = (0, 0), b""
    inflate = zlib.decompressobj(-15) if member.compress_type == zipfile.ZIP_DEFLATED else None
    feed: Any = packed
    while True:
        if inflate is None:
            piece, feed = bytes(feed[:PIECE]), feed[PIECE:]
        else:
            piece = inflate.decompress(feed, PIECE)
            feed = inflate.unconsumed_tail
        total += len(piece)
        if total > allowed:
            raised = {"bytes": 2**40, "ratio": 1032}
            raised = {key: value for key, value in raised.items() if value > limit[key]}
            what = f"unpacks to more than {allowed:,} bytes"
            raise too_large(name, what, limit["bytes"], raised)
        if is_sheet:
            far = _farthest(last + piece, far)
            last = piece[-OVERLAP:]
        if not piece or (inflate is not None and inflate.eof):
            break
    cells = far[0] * far[1]
    check(
        limit, name, {"sheet": (cells, f"has a worksheet of {cells:,} cells, including empty ones")}
    )
    return total


def _farthest(xml: bytes, far: tuple[int, int]) -> tuple[int, int]:
    """Return the last row and column of which a cell is seen."""
    rows, columns = far
    for letters, digits in CELL.findall(xml):
        column = 0
        for letter in letters:
            column = 26 * column + letter - 64
        rows, columns = max(rows, int(digits)), max(columns, column)
    return rows, columns
