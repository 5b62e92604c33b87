"""Characters nobody sees, or sees to differ: spelt out, and names that look the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable

__all__ = ["alike", "is_blank", "spelt", "spelt_name"]

UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Control, format, surrogate and private characters, and the separators that break a line."""


def spelt(text: str, keep: Collection[str] = ()) -> str:
    """Return text whose control, format and bidirectional characters are spelt out, as <U+202E>.

    A terminal would obey them; left out, two texts that differ by them alone would look the same.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in keep or unicodedata.category(c) not in UNSEEN else _code(c) for c in text
    )


def spelt_name(name: str) -> str:
    """Return a name in which marks that could be part of a letter, and odd spaces, are seen too."""
    ends = len(name) - len(name.lstrip(" ")), len(name.rstrip(" "))
    if name.isascii() and name.isprintable() and ends == (0, len(name)):
        return name
    marks = () if unicodedata.is_normalized("NFC", name) else ("Mn",)
    return "".join(
        _code(c)
        if unicodedata.category(c) in (*UNSEEN, *marks)
        or (c.isspace() and (c != " " or not ends[0] <= at < ends[1]))
        else c
        for at, c in enumerate(name)
    )


def is_blank(name: str) -> bool:
    """Tell whether a name shows nothing: it is empty, or holds spaces and unseen characters."""
    return all(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Zs") for c in name)


def alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two names that look the same: they differ in how letters are composed, or unseen."""
    seen: dict[str, str] = {}
    for name in names:
        look = "".join(c for c in name if unicodedata.category(c) != "Cf")
        look = unicodedata.normalize("NFC", look).strip()
        if seen.setdefault(look, name) != name:
            return seen[look], name
    return None


def _code(character: str) -> str:
    return f"<U+{ord(character):04X}>"
