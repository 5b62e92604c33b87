"""The journal of a race: the scores so far, one JSON line for each item, so that it can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import DataError

SCHEMA = "outperform/race-journal/2"


class RaceJournal:
    """Scores of items by their position, kept in a file if there is a path.

    Its first line is what the race is known by; each row ends in a check that depends on that line.
    """

    def __init__(self, path: Any, binding: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[int, tuple[float, float]] = {}
        self._first_line = json.dumps({"schema": SCHEMA, **binding}) + "\n"
        self._file: BinaryIO | None = None

    def __enter__(self) -> RaceJournal:
        if self.path is not None:
            self._file = self.path.open("a+b")
            try:
                self._read(self._file)
            except BaseException:
                self._file.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, scored: Sequence[tuple[int, float, float]]) -> None:
        """Keep the scores of items, also if the process or the machine ends right after."""
        self.known.update({item: (a, b) for item, a, b in scored})
        if scored:
            self._write("".join(self._row(f"[{item}, {a!r}, {b!r}") for item, a, b in scored))

    def _read(self, file: BinaryIO) -> None:
        """Read what was kept; a last line that was cut off is dropped and its item asked again."""
        if os.name == "posix":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DataError(
                    f"{self.path} is in use by another race. Wait until it has ended to continue, "
                    "or pass another path as journal."
                ) from None
        file.seek(0)
        content = file.read()
        if self._first_line.encode().startswith(content) and not content.endswith(b"\n"):
            file.truncate(0)
            self._write(self._first_line)
            return
        whole = content[: content.rfind(b"\n") + 1]
        first_line, *rows = whole.decode("utf-8", "replace").split("\n")
        if first_line + "\n" != self._first_line:
            raise self._of_another(first_line)
        for number, row in enumerate(rows[:-1], 2):
            if row + "\n" != self._row(row.rpartition(", ")[0]):
                raise DataError(f"Line {number} of {self.path} is damaged; remove it to continue.")
            item, a, b, _ = json.loads(row)
            self.known[item] = (a, b)
        file.truncate(len(whole))

    def _of_another(self, first_line: str) -> DataError:
        """Return the refusal of the journal of another race, which names what differs."""
        try:
            before = dict(json.loads(first_line))
        except (ValueError, TypeError, RecursionError):
            before = {}
        binding = json.loads(self._first_line)
        differing = [name for name, value in binding.items() if before.get(name) != value]
        if not differing or "schema" in differing:
            return DataError(
                f"{self.path} is not the journal of a race, or of an earlier version. "
                "Pass another path as journal."
            )
        return DataError(
            f"{self.path} is the journal of a race with different {' and '.join(differing)}. Pass "
            "the same to continue, or another path as journal."
        )

    def _row(self, body: str) -> str:
        check = sha256((self._first_line + body).encode()).hexdigest()[:16]
        return f'{body}, "{check}"]\n'

    def _write(self, text: str) -> None:
        if self._file is not None:
            self._file.write(text.encode())
            self._file.flush()
            os.fsync(self._file.fileno())


def binding_of(
    sides: Sequence[tuple[str, Any]], items: Sequence[Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a journal is known by: names, code of functions, content of items, options."""
    import joblib

    from ..engine.meaning import same_text

    codes = []
    for name, function in sides:
        try:
            text = same_text(function)
        except DataError as error:
            raise DataError(f"{name!r} contains {error}, or pass no journal") from error
        codes.append(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    try:  # one by one, so that equal items need not be the same object
        content = joblib.hash([joblib.hash(items[at]) for at in range(len(items))])
    except Exception as error:
        raise DataError(
            f"A journal needs items that can be pickled, to know them again: {error}. Pass their "
            "ids as items, or no journal."
        ) from error
    names = [name for name, _ in sides]
    return {"functions": codes, "names": names, "items": content, **options}
