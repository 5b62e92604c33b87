"""Hostile text made harmless: names and files may hold anything."""

from __future__ import annotations

import html
import unicodedata

__all__ = ["markup", "terminal"]

_LONGEST = 200


def terminal(text: str) -> str:
    """Return text without control, format and bidirectional characters, of bounded length."""
    kept = "".join(c for c in str(text) if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co"))
    return kept if len(kept) <= _LONGEST else kept[: _LONGEST - 1] + "…"


def markup(text: str) -> str:
    """Return text that shows as itself in HTML."""
    return html.escape(terminal(text), quote=True)
