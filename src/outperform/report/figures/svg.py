"""Figures as small SVG for the page: colours as CSS variables, styles as classes, text as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from ..formatting import sentence
from ..line_breaks import kept
from . import draw
from .canvas import CSS_VARIABLES, Width, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
MANY = 12
"""From so many equal markers on, one path of dots stands for them."""


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


def framed(draw: Callable[[Width], Figure], sheet: Sheet, kind: str, alt: str, caption: str) -> Any:
    """Return a `<figure>` of what is drawn for a wide page and for a narrow one."""
    from markupsafe import Markup

    shown = []
    widths: tuple[tuple[Width, str], ...] = (("wide", "broad"), ("narrow", "slim"))
    for width, name in widths:
        text = inline(draw(width), sheet=sheet, prefix=f"{kind}-{name}-", alt=alt)
        shown.append(text.replace('class="figure"', f'class="figure {name}"', 1))
    parts = "<figure>", *shown, f"<figcaption>{kept(caption)}</figcaption>", "</figure>"
    return Markup("\n".join(parts))


def figure_of(shown: Any, kind: str, alt: str, caption: str, sheet: Sheet, **options: Any) -> Any:
    """Return a `<figure>` of a comparison."""

    def drawn(width: Width) -> Figure:
        return draw(shown, kind, theme="page", width=width, **options)

    return framed(drawn, sheet, kind, sentence(alt), caption)


def inline(figure: Figure, *, sheet: Sheet, prefix: str, alt: str) -> str:
    """Return an `<svg>` to stand inside HTML; `prefix` keeps its ids apart from other figures'."""
    out = BytesIO()
    with quiet():
        figure.savefig(out, format="svg", metadata=NO_METADATA, transparent=True)
    root = ET.fromstring(out.getvalue())
    _drop_unseen(root)
    _join_dots(root)
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
        elif key == "id":  # of groups nothing is asked by name
            if element.tag != "g":
                yield key, f"{prefix}{value}"
        elif value.startswith("url(#"):
            yield key, value.replace("url(#", f"url(#{prefix}")
        elif key in ("d", "transform", "x", "y", "width", "height"):
            if not value.startswith("rotate(-0 "):
                yield key, re.sub(r"(\.\d)\d+", r"\1", " ".join(value.split()))
        else:
            yield key, value


def _drop_unseen(root: ET.Element) -> None:
    """Drop the built-in style sheet, and boxes without fill or line."""
    for parent in list(root.iter()):
        for child in list(parent):
            blank = child.get("style") == "fill: none" and not child.get("id")
            if child.tag == f"{SVG}style" or (blank and child.tag == f"{SVG}path"):
                parent.remove(child)


def _join_dots(root: ET.Element) -> None:
    """Turn each cloud of round markers into one path of dots: a fifth of the bytes."""
    markers = {element.get("id"): element for element in root.iter(f"{SVG}path")}
    for group in root.iter(f"{SVG}g"):
        uses = group.findall(f"{SVG}use")
        looks = {(use.get(HREF, "")[1:], use.get("style", "")) for use in uses}
        if len(uses) < MANY or len(uses) < len(group) or len(looks) > 1:
            continue
        marker, style = looks.pop()
        radius = _radius(markers[marker])
        if radius is None:
            continue
        for use in uses:
            group.remove(use)
        # The same look, drawn by a round pen instead of a filled shape.
        pen = style.replace("fill", "stroke")
        dots = "".join(f"M{use.get('x')} {use.get('y')}h0" for use in uses)
        look = f"fill: none; {pen}; stroke-width: {2 * radius:.2f}; stroke-linecap: round"
        ET.SubElement(group, f"{SVG}path", {"d": dots, "style": look})


def _radius(marker: ET.Element) -> float | None:
    """Return the radius of a round marker without an edge; None of any other."""
    path = marker.get("d", "")
    if path.count("C") != 8 or "stroke: #" in marker.get("style", ""):
        return None
    return max(float(number) for number in re.findall(r"-?[\d.]+", path))
