"""Excel workbooks: one worksheet, read by fastexcel once the archive is known to be harmless."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..errors import DataError, argument, did_you_mean
from .column_names import listed, shown
from .limits import HARMLESS, PIECE, WANTED, bounded_table, check, shape, too_large
from .score_table import ScoreTable
from .text_lines import MOST_ABOVE
from .zip_members import refuse_unreadable

if TYPE_CHECKING:
    import polars as pl

ZIPPED = b"PK\x03\x04"
PLACE = rb"(?:[^<>]*?\sr\s*=\s*[\"']([A-Za-z]{0,3})(\d{1,10})[\"'])?"
TAG = re.compile(rb"<(?:\w+:)?(?:(row|si)|c)(?=[\s>/])" + PLACE)
"""A row or cell of a worksheet, with its place where it says one, or a string that cells share."""
REFERENCE = re.compile(rb"\st\s*=\s*[\"']s[\"']")
"""By which a cell says that it holds a shared string."""
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
        sheets = {one: _frame(book, one) for one in names if sheet in (None, one)}
        frames = {one: frame for one, (frame, _) in sheets.items()}
    except BaseException as error:
        panic = type(error).__name__ == "PanicException"  # of a library that has no other name
        if not panic and not isinstance(error, fastexcel.FastExcelError | ValueError | OSError):
            raise
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
    above = sheets[full[0]][1]
    table = bounded_table(frame, name, limit, lambda row: f"{where}{row + above + 2}")
    rows = "Row 1 above the header was" if above == 1 else f"{above} rows above the header were"
    return replace(table, said=(f"{rows} left out.",)) if above else table


def _frame(book: Any, sheet: str) -> tuple[pl.DataFrame, int]:
    """Return a worksheet, and how many rows of a title stand above its header."""
    import polars as pl

    try:
        found: pl.DataFrame = book.load_sheet(sheet, schema_sample_rows=None).to_polars()
    except ValueError:  # a sheet without any cell
        return pl.DataFrame(), 0
    if found.height and all(column.dtype == pl.Null for column in found.get_columns()):
        return pl.DataFrame(), 0
    above = _titled(found)
    if above:
        rows = book.load_sheet(sheet, header_row=above, schema_sample_rows=None)
        found = rows.to_polars()
    # An index that pandas wrote has no name.
    named = found.rename(lambda n: n.replace(UNNAMED, "Unnamed: ") if n.startswith(UNNAMED) else n)
    return named, above


def _titled(found: pl.DataFrame) -> int:
    """Return the rows above the first that has a word in every column; 0 unless one is a title."""
    names = [name for name in found.columns if not name.startswith(UNNAMED)]
    if len(names) != 1 or found.width < 2:
        return 0
    for row, cells in enumerate(found.head(MOST_ABOVE).iter_rows(), 1):
        if all(isinstance(cell, str) and not _is_number(cell) for cell in cells):
            return row
        if sum(cell is not None for cell in cells) > 1:
            return 0
    return 0


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def check_archive(data: bytes, name: str, limit: Mapping[str, int]) -> None:
    """Unpack every member piece by piece, keeping none; refuse bombs and huge empty sheets."""
    try:
        archive = zipfile.ZipFile(BytesIO(data))
        members = archive.infolist()
        if "xl/workbook.xml" not in archive.namelist():
            raise DataError(
                f"{name} is a zip archive, not an Excel workbook; {WANTED}. Unpack it first"
            )
        refuse_unreadable(members, name)
        allowed = min(limit["bytes"], max(HARMLESS, limit["ratio"] * len(data)))
        seen = _Unpacked(name, allowed, limit)
        for member in members:
            _unpack(data, member, seen)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{name} is a damaged Excel workbook ({shown(error)}); {WANTED}. Save it again"
        ) from None


@dataclass
class _Unpacked:
    """How much the members of an archive hold, added up while none is kept."""

    name: str
    allowed: int
    limit: Mapping[str, int]
    total: int = 0
    references: int = 0
    longest: int = 0
    """Bytes of the longest shared string, with its markup."""

    def add(self, n_bytes: int) -> None:
        self.total += n_bytes
        if self.total > self.allowed:
            raised = {"bytes": 2**40, "ratio": 1032}
            raised = {key: value for key, value in raised.items() if value > self.limit[key]}
            what = f"unpacks to more than {self.allowed:,} bytes"
            raise too_large(self.name, what, self.limit["bytes"], raised)

    def check_cells(self, cells: int) -> None:
        """Refuse a sheet of too many cells, and shared strings that cells would copy too often."""
        what = f"has a worksheet of {cells:,} cells, including empty ones"
        copied = self.references * self.longest
        text = f"has {self.references:,} cells of text, of up to {self.longest:,} bytes each"
        check(self.limit, self.name, {"sheet": (cells, what), "bytes": (copied, text)})


def _unpack(data: bytes, member: zipfile.ZipInfo, seen: _Unpacked) -> None:
    """Unpack a member piece by piece; what the archive says of names and sizes is not believed."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{seen.name} is compressed in an unsupported way; {WANTED}. Save it again")
    header = data[member.header_offset : member.header_offset + 30]
    start = member.header_offset + 30 + int.from_bytes(header[26:28], "little")
    start += int.from_bytes(header[28:30], "little")
    feed: Any = memoryview(data)[start : start + member.compress_size]
    inflate = zlib.decompressobj(-15) if member.compress_type == zipfile.ZIP_DEFLATED else None
    extent = _Extent()
    while True:
        if inflate is None:
            piece, feed = bytes(feed[:PIECE]), feed[PIECE:]
        else:
            piece = inflate.decompress(feed, PIECE)
            feed = inflate.unconsumed_tail
        seen.add(len(piece))
        extent.read(piece)
        seen.references += len(REFERENCE.findall(piece))
        if not piece or (inflate is not None and inflate.eof):
            break
    extent.end()
    seen.longest = max(seen.longest, extent.longest)
    seen.check_cells(extent.rows * extent.columns)


class _Extent:
    """The last row and column of a worksheet of which a cell is seen, and its longest string."""

    def __init__(self) -> None:
        self.rows = self.columns = self.longest = 0
        self._row = self._column = self._read = 0
        self._string: int | None = None
        self._rest = b""

    def read(self, piece: bytes) -> None:
        """Look at the tags that have ended; the last may go on in the next piece."""
        xml = self._rest + piece
        end = max(xml.rfind(b"<"), 0)
        end = end if len(xml) - end < PIECE else len(xml)  # no tag is as long
        for tag in TAG.finditer(xml, 0, end):
            kind, letters, digits = tag.groups()
            if kind == b"si":
                self._end_string(self._read + tag.start())
                self._string = self._read + tag.start()
            elif kind == b"row":
                self._row, self._column = int(digits or self._row + 1), 0
            else:
                self._column = _number(letters) if letters else self._column + 1
                self._row = int(digits or self._row)
                self.rows, self.columns = max(self.rows, self._row), max(self.columns, self._column)
        self._read, self._rest = self._read + end, xml[end:]

    def end(self) -> None:
        """Look at what is left."""
        self.read(b"<")
        self._end_string(self._read)

    def _end_string(self, at: int) -> None:
        if self._string is not None:
            self.longest = max(self.longest, at - self._string)


def _number(letters: bytes) -> int:
    """Return the number of a column: A is 1, AA 27."""
    column = 0
    for letter in letters.upper():
        column = 26 * column + letter - 64
    return column
