"""Where lines of a page may break: names between words, numbers never before their units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .formatting import name_parts

if TYPE_CHECKING:
    from markupsafe import Markup


def breakable(name: str) -> Markup:
    """Return a name that a narrow table breaks between words, also of CamelCase."""
    from markupsafe import Markup

    words = (Markup("<wbr>").join(name_parts(word)) for word in name.split(" "))
    return Markup(" ").join(words)


UNITS = re.compile(r"(?<=\d) (?=%)|(?<=\w) (?== [\d.+−<])|(?<= =) (?=[\d.+−<])")
"""The blanks of 95 % and of α = 0.05."""


def kept(text: str) -> Markup:
    """Return a sentence in which 95 %, α = 0.05 and p-values stay on one line each."""
    from markupsafe import Markup, escape

    words = str(escape(UNITS.sub("\u00a0", text)))
    return Markup(re.sub("p-values?", r"<span class=kept>\g<0></span>", words))
