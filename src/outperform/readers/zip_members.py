"""Members of zip files, stored, deflated or packed with Zstandard, unpacked within limits."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from types import TracebackType

from ..errors import DataError
from .column_names import shown
from .limits import HARMLESS, PIECE, check, too_large

ZSTANDARD = 93
ENCRYPTED = 1
"""The flag of a member that needs a password."""
LOCAL_HEADER = 30
"""Bytes before the name of a member, as the format has them."""


def refuse_unreadable(members: Sequence[zipfile.ZipInfo], name: str) -> None:
    """Refuse members that need a password, and two of one name: either could be meant."""
    names = Counter(member.filename for member in members)
    twice = next((member for member, n in names.items() if n > 1), None)
    if twice is not None:
        raise DataError(
            f"{name} has the member {shown(twice)} more than once; a member must have a name of "
            "its own. Write the file again"
        )
    if any(member.flag_bits & ENCRYPTED for member in members):
        raise DataError(f"{name} is encrypted. Save it without a password")


class ZipMembers:
    """A zip file whose members are read one at a time, none larger than the limits allow."""

    def __init__(self, path: str, limit: Mapping[str, int]) -> None:
        self.name, self.limit, self.unpacked = repr(path), limit, 0
        self._file = open(path, "rb")  # noqa: SIM115 - closed by __exit__
        try:
            self._zip = zipfile.ZipFile(self._file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            self._file.close()
            raise self._damaged(error) from None
        members = self._zip.infolist()
        check(limit, self.name, {"rows": (len(members), f"has {len(members):,} members")})
        try:
            refuse_unreadable(members, self.name)
        except DataError:
            self._file.close()
            raise
        self._about = {one.filename: one for one in members}

    @property
    def names(self) -> list[str]:
        return list(self._about)

    def read(self, member: str) -> bytes:
        """Return what a member holds, or refuse it as soon as it is too much."""
        if member not in self._about:
            raise DataError(
                f"{self.name} has no member {shown(member)}, which a log of this kind has. Check "
                "that the file is complete"
            )
        about = self._about[member]
        ratio = max(HARMLESS, self.limit["ratio"] * about.compress_size)
        allowed = min(self.limit["json"], ratio, self.limit["bytes"] - self.unpacked)
        try:
            if about.compress_type == ZSTANDARD:
                data = self._zstandard(about, allowed)
            else:
                with self._zip.open(about) as stream:
                    data = stream.read(allowed + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, struct.error) as error:
            raise self._damaged(error) from None
        except NotImplementedError as error:
            raise self._damaged(error) from None
        if len(data) > allowed:
            what = f"has a member {shown(member)} that unpacks to more than {allowed:,} bytes"
            needed = {
                "json": about.file_size,
                "ratio": -(-about.file_size // max(about.compress_size, 1)),
                "bytes": self.unpacked + about.file_size,
            }
            raised = {key: n for key, n in needed.items() if n > self.limit[key]}
            raise too_large(self.name, what, allowed, raised or {"json": 2 * allowed})
        self.unpacked += len(data)
        return data

    def _zstandard(self, about: zipfile.ZipInfo, allowed: int) -> bytes:
        """Unpack the frames of a member; before Python 3.14 zipfile cannot."""
        try:
            import zstandard
        except ModuleNotFoundError:
            raise DataError(
                f"{self.name} is packed with Zstandard, and the package zstandard is not "
                "installed. Install it: pip install 'outperform[inspect]', or convert the log to "
                ".json: inspect log convert --to json"
            ) from None
        self._file.seek(about.header_offset)
        start = self._file.read(LOCAL_HEADER)
        name_size, extra_size = struct.unpack("<HH", start[26:30])
        self._file.seek(name_size + extra_size, 1)
        packed = BytesIO(self._file.read(about.compress_size))
        out = bytearray()
        try:
            reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
            while len(out) <= allowed and (piece := reader.read(PIECE)):
                out += piece
        except zstandard.ZstdError as error:
            raise self._damaged(error) from None
        if len(out) <= allowed and zlib.crc32(out) != about.CRC:
            raise self._damaged(f"a wrong checksum of {shown(about.filename)}")
        return bytes(out)

    def _damaged(self, error: object) -> DataError:
        return DataError(f"{self.name} is a damaged zip file ({shown(error)}). Download it again")

    def __enter__(self) -> ZipMembers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._zip.close()
        self._file.close()
