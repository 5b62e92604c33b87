"""Hostile text made harmless: names and files may hold anything."""

from __future__ import annotations

import html
import re

from ..errors import spelt, spelt_name

__all__ = ["markup", "sentence", "terminal"]

_LONGEST = 200
_BREAKS = re.compile(r"[\t-\r\x85\u2028\u2029]+")


def sentence(text: str) -> str:
    """Return text of any length in one line; characters that show nothing or turn it are spelt."""
    return spelt(_BREAKS.sub(" ", str(text)))


def terminal(text: str) -> str:
    """Return a name with unseen characters spelt out, as <U+202E>; its length is bounded."""
    kept = spelt_name(str(text))
    return kept if len(kept) <= _LONGEST else kept[: _LONGEST - 1] + "…"


def markup(text: str) -> str:
    """Return a sentence, or a name that was bounded, that shows as itself in HTML."""
    return html.escape(sentence(text), quote=True)
