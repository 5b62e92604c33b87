"""Hostile text made harmless: names and files may hold anything."""

from __future__ import annotations

import html
import re
import unicodedata

__all__ = ["markup", "sentence", "terminal"]

_LONGEST = 200


_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Control, format, surrogate and private characters, and the separators that break a line."""
_BREAKS = re.compile(r"[\t-\r\x85\u2028\u2029]+")


def sentence(text: str) -> str:
    """Return text of any length in one line, without characters that show nothing or turn it."""
    return _seen(_BREAKS.sub(" ", str(text)))


def terminal(text: str) -> str:
    """Return a name whose control, format and bidirectional characters are spelt out, as <U+202E>.

    Left out, two names that differ by them alone would look the same. Its length is bounded.
    """
    spelt = (
        c if unicodedata.category(c) not in _UNSEEN else f"<U+{ord(c):04X}>" for c in str(text)
    )
    kept = "".join(spelt)
    return kept if len(kept) <= _LONGEST else kept[: _LONGEST - 1] + "…"


def _seen(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c) not in _UNSEEN)


def markup(text: str) -> str:
    """Return a sentence, or a name that was bounded, that shows as itself in HTML."""
    return html.escape(sentence(text), quote=True)
