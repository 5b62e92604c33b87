"""Where lines of a page may break: names between words, numbers never before their units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .formatting import name_parts

if TYPE_CHECKING:
    from markupsafe import Markup


def breakable(name: str) -> Markup:
    """Return a name that a narrow table breaks between words, also of CamelCase."""
    from markupsafe import Markup

    words = (Markup("<wbr>").join(name_parts(word)) for word in name.split(" "))
    return Markup(" ").join(words)


def kept(text: str) -> Markup:
    """Return a sentence in which 95 %, α = 0.05 and p-values stay on one line each."""
    from markupsafe import Markup

    parts: list[list[str]] = []
    for word in text.split(" "):
        if parts and (word.startswith("%") or word == "=" or parts[-1][-1] == "="):
            parts[-1].append(word)
        else:
            parts.append([word])
    return Markup(" ").join(
        Markup("<span class=kept>{}</span>").format(" ".join(part))
        if len(part) > 1 or "p-value" in part[0]
        else part[0]
        for part in parts
    )
