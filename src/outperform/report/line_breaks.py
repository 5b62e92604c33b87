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
    from markupsafe import Markup, escape

    first, *words = text.split(" ")
    for word in words:
        together = word.startswith("%") or word == "=" or first.endswith("=")
        first += ("\u00a0" if together else " ") + word
    return Markup(str(escape(first)).replace("p-value", "<span class=kept>p-value</span>"))
