"""Lines around a table of text, and spaces for separators: what people's files have beside CSV."""

from __future__ import annotations

import re
from typing import NamedTuple

from .column_names import listed

MARKS = b",;\t|"
LOOKED_AT = 20
MOST_ABOVE = 10
"""Lines above a header that may be titles."""
RULE = re.compile(rb"\s*\|?[\s:|-]*-[\s:|-]*$")
WORD = re.compile(rb'"[^"]*"|\S+')
LARGEST = 2**24
"""Bytes of a text that is rewritten."""


class Plain(NamedTuple):
    """A text that starts with its header, and what stood around it."""

    data: bytes
    above: int = 0
    """Lines left out above the header."""
    below: int = 0
    """Lines left out below the header."""
    said: tuple[str, ...] = ()


def plain(data: bytes) -> Plain:
    """Leave out comments and titles above the header; part words by tabs where spaces do."""
    start = data[: 2**16].split(b"\n")[: MOST_ABOVE + LOOKED_AT]
    n = _above(start)
    said: tuple[str, ...] = ()
    if n:
        lines = [line.strip(b" \r" + MARKS).decode(errors="replace") for line in start[:n]]
        said = (f"Lines above the header left out: {listed([*filter(None, lines)])}.",)
        data = data.split(b"\n", n)[n]
    rest = start[n:]
    barred = len(rest) > 1 and rest[0].lstrip().startswith(b"|") and len(data) <= LARGEST
    if barred and RULE.match(rest[1]):
        return Plain(_of_markdown(data), n, 1, said)
    spaced = _spaced(data, rest)
    if spaced is not None:
        return Plain(spaced, n, 0, (*said, "Cells are separated by spaces."))
    return Plain(data, n, 0, said)


def _above(lines: list[bytes]) -> int:
    """Return how many lines stand above the header: comments, and titles of one cell."""
    n = 0
    while n < len(lines) - 1 and lines[n].startswith(b"#"):
        n += 1
    if n and _is_header(lines[n - 1], lines[n]):
        n -= 1  # as NumPy writes it: # fold,tree,bayes
    if not 0 < n < len(lines) - 1:
        n = 0
    for at in range(n, min(n + MOST_ABOVE, len(lines) - 1)):
        core = lines[at].strip(b" \r" + MARKS)
        if any(mark in core for mark in MARKS):
            named = not any(map(_is_number, re.split(rb"[,;\t|]", lines[at])))
            return at if named and _as_many(lines[at], lines[at + 1]) else n
    return n


def _is_header(line: bytes, following: bytes) -> bool:
    """Tell whether a commented line names the columns of the next one, which has numbers."""
    cells = re.split(rb"[,;\t|]", following)
    named = not any(map(_is_number, re.split(rb"[,;\t|]", line.lstrip(b"# "))))
    words = WORD.findall(line.lstrip(b"# ")), WORD.findall(following)
    if not any(mark in line + following for mark in MARKS):
        as_many = 1 < len(words[0]) == len(words[1])
        return as_many and all(map(_is_number, words[1])) and not any(map(_is_number, words[0]))
    return named and _as_many(line, following) and any(map(_is_number, cells))


def _as_many(line: bytes, following: bytes) -> bool:
    """Tell whether two lines have the same cells, and more than one."""
    unquoted = [re.sub(rb'"[^"]*"', b"", text) for text in (line, following)]
    counts = [[text.count(mark) for mark in (b",", b";", b"\t", b"|")] for text in unquoted]
    return any(0 < first == second for first, second in zip(*counts, strict=True))


def _is_number(cell: bytes) -> bool:
    return (
        re.fullmatch(rb'\s*"?[+-]?[0-9]*[.,]?[0-9]+([eE][+-]?[0-9]+)?\s*%?"?\s*', cell) is not None
    )


def _of_markdown(data: bytes) -> bytes:
    """Return the rows of a Markdown table without the bars around them and the rule below."""
    header, _, *rows = [line.strip().strip(b"|") for line in data.strip().split(b"\n")]
    cells = [b"|".join(cell.strip() for cell in line.split(b"|")) for line in (header, *rows)]
    return b"\n".join(cells) + b"\n"


def _spaced(data: bytes, start: list[bytes]) -> bytes | None:
    """Return a text with tabs, where each line has as many words: or one more, the row's name."""
    header = re.sub(rb'"[^"]*"', b"", b"".join(start[:2]))
    names = WORD.findall(start[0].lstrip(b"# "))
    if any(mark in header for mark in MARKS) or len(names) < 2 or len(data) > LARGEST:
        return None
    lines = [line for line in data.split(b"\n") if line.strip()]
    words = [WORD.findall(line) for line in lines]
    counts = {len(cells) for cells in words[1:]}
    if len(counts) != 1 or not any(map(_is_number, words[1])) or any(map(_is_number, names)):
        return None
    words[0] = names
    if counts == {len(names) + 1}:
        words[0] = [b'""', *names]
    elif counts != {len(names)}:
        return None
    return b"\n".join(map(b"\t".join, words)) + b"\n"
