"""Figures as small SVG for the page: colours as CSS variables, styles as classes, text as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from ..formatting import sentence
from ..line_breaks import kept
from . import draw
from .canvas import CSS_VARIABLES, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


class Sheet:
    """The style rules of all figures of a page: a policy may forbid style attributes."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, style: str) -> str:
        """Return the class that stands for a style."""
        for colour, variable in CSS_VARIABLES.items():
            style = style.replace(colour, variable)
        return self._names.setdefault(style, f"f{len(self._names)}")

    @property
    def css(self) -> str:
        return "\n".join(f".{name}{{{style}}}" for style, name in self._names.items())


def framed(figure: Figure, sheet: Sheet, kind: str, alt: str, caption: str) -> Any:
    """Return a `<figure>` of what is drawn."""
    from markupsafe import Markup

    text = inline(figure, sheet=sheet, prefix=f"{kind}-", alt=alt)
    parts = "<figure>", text, f"<figcaption>{kept(caption)}</figcaption>", "</figure>"
    return Markup("\n".join(parts))


def figure_of(shown: Any, kind: str, alt: str, caption: str, sheet: Sheet, **options: Any) -> Any:
    """Return a `<figure>` of a comparison."""
    figure = draw(shown, kind, theme="page", **options)
    return framed(figure, sheet, kind, sentence(alt), caption)


def inline(figure: Figure, *, sheet: Sheet, prefix: str, alt: str) -> str:
    """Return an `<svg>` to stand inside HTML; `prefix` keeps its ids apart from other figures'."""
    out = BytesIO()
    with quiet():
        figure.savefig(out, format="svg", metadata=NO_METADATA, transparent=True)
    root = ET.fromstring(out.getvalue())
    for parent in list(root.iter()):  # matplotlib's style sheet would style the whole page
        for child in parent.findall(f"{SVG}style"):
            parent.remove(child)
    width, box = float(root.attrib["width"].removesuffix("pt")), root.attrib["viewBox"]
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        element.attrib = dict(_attributes(element, sheet, prefix))
        element.text, element.tail = (
            text if text and text.strip() else None for text in (element.text, element.tail)
        )
    size = {"viewBox": box, "width": f"{width * 4 / 3:.0f}"}
    root.attrib = {**size, "class": "figure", "role": "img", "aria-label": alt}
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")


def _attributes(element: ET.Element, sheet: Sheet, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield attributes as they may stand in a page: a style as a class, numbers rounded."""
    for key, value in element.items():
        if key == "style":
            yield "class", sheet.name(value)
        elif key == HREF:
            yield "href", f"#{prefix}{value[1:]}"
        elif key == "id":
            yield key, f"{prefix}{value}"
        elif value.startswith("url(#"):
            yield key, value.replace("url(#", f"url(#{prefix}")
        elif key in ("d", "transform", "x", "y"):
            yield key, re.sub(r"(\.\d)\d+", r"\1", " ".join(value.split()))
        else:
            yield key, value
