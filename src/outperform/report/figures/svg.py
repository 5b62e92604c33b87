"""Figures as small SVG for the page: colours as CSS variables, styles as classes, text as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from .canvas import Width, quiet
from .palette import CSS_VARIABLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Sheet", "framed", "inline"]

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
        style = re.sub(r"font: (?:(\w+) )?([\d.]+)px [^;]+", _font, style)
        return self._names.setdefault(style, f"f{len(self._names)}")

    @property
    def css(self) -> str:
        return "\n".join(f".{name}{{{style}}}" for style, name in self._names.items())


def framed(draw: Callable[[Width], Figure], sheet: Sheet, kind: str, alt: str, caption: str) -> Any:
    """Return a `<figure>` of what is drawn for a wide page and for a narrow one."""
    from markupsafe import Markup, escape

    shown = []
    widths: tuple[tuple[Width, str], ...] = (("wide", "broad"), ("narrow", "slim"))
    for width, name in widths:
        text = inline(draw(width), sheet=sheet, prefix=f"{kind}-{name}-", alt=alt)
        shown.append(text.replace('class="figure"', f'class="figure {name}"', 1))
    parts = "<figure>", *shown, f"<figcaption>{escape(caption)}</figcaption>", "</figure>"
    return Markup("\n".join(parts))


def inline(figure: Figure, *, sheet: Sheet, prefix: str, alt: str) -> str:
    """Return an `<svg>` to stand inside HTML; `prefix` keeps its ids apart from other figures'."""
    out = BytesIO()
    with quiet():
        figure.savefig(out, format="svg", metadata=NO_METADATA, transparent=True)
    root = ET.fromstring(out.getvalue())
    _compact(root)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        if "style" in element.attrib:
            element.set("class", sheet.name(element.attrib.pop("style")))
        if HREF in element.attrib:
            element.set("href", f"#{prefix}{element.attrib.pop(HREF)[1:]}")
        for key, value in list(element.attrib.items()):
            if value.startswith("url(#"):
                element.set(key, value.replace("url(#", f"url(#{prefix}"))
            elif key == "transform" and value.startswith("rotate(-0 "):
                del element.attrib[key]
            elif key in ("d", "transform", "x", "y", "width", "height"):
                element.set(key, _rounded(value))
        element.text, element.tail = (_stripped(text) for text in (element.text, element.tail))
    _keep_used_ids(root, prefix)
    _prune(root)
    width = float(root.attrib["width"].removesuffix("pt"))
    box = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib.update({
        "viewBox": box, "width": f"{width * 4 / 3:.0f}", "class": "figure",
        "role": "img", "aria-label": alt,
    })  # fmt: skip
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")


def _compact(root: ET.Element) -> None:
    """Drop the built-in sheet and unseen boxes; turn clouds of round markers into one path."""
    parents = {child: parent for parent in root.iter() for child in parent}
    for element in list(root.iter()):
        unseen = element.tag == f"{SVG}path" and element.get("style", "") == "fill: none"
        if element.tag in (f"{SVG}style", f"{SVG}metadata") or (unseen and not element.get("id")):
            parents[element].remove(element)
    for group in list(root.iter(f"{SVG}g")):
        uses = group.findall(f"{SVG}use")
        kinds = {(use.get(HREF), use.get("style")) for use in uses}
        if len(uses) >= MANY and len(uses) == len(group) and len(kinds) == 1:
            marker = root.find(f".//*[@id='{(uses[0].get(HREF) or '#')[1:]}']")
            radius = _radius(marker)
            if radius:
                _as_dots(group, uses, radius)


def _prune(parent: ET.Element) -> None:
    """Drop what shows nothing: groups that only hold others, and definitions of nothing."""
    kept: list[ET.Element] = []
    for child in list(parent):
        _prune(child)
        if child.tag in ("g", "defs") and not len(child):
            continue
        if child.tag == "g" and not child.attrib:
            kept.extend(child)
        else:
            kept.append(child)
    parent[:] = kept


def _as_dots(group: ET.Element, uses: list[ET.Element], radius: float) -> None:
    style = uses[0].get("style", "")
    fill = re.search(r"fill: (#\w+)", style)
    faint = re.search(r"fill-opacity: ([\d.]+)", style)
    for use in uses:
        group.remove(use)
    dots = "".join(f"M{use.get('x')} {use.get('y')}h0" for use in uses)
    opacity = f"; stroke-opacity: {faint[1]}" if faint else ""
    look = (
        f"fill: none; stroke: {fill[1] if fill else '#000000'}{opacity}; "
        f"stroke-width: {2 * radius:.2f}; stroke-linecap: round"
    )
    ET.SubElement(group, f"{SVG}path", {"d": dots, "style": look})


def _radius(marker: ET.Element | None) -> float | None:
    """Return the radius of a round marker without an edge; None of any other."""
    path = "" if marker is None else marker.get("d", "")
    edge = "" if marker is None else marker.get("style", "")
    if path.count("C") != 8 or "stroke: #" in edge:
        return None
    ends = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]
    return max(ends) if ends else None


def _keep_used_ids(root: ET.Element, prefix: str) -> None:
    used = set()
    for element in root.iter():
        used |= set(re.findall(r"#([\w-]+)", " ".join(element.attrib.values())))
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own is not None and f"{prefix}{own}" in used:
            element.set("id", f"{prefix}{own}")


def _rounded(text: str) -> str:
    short = re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.1f}".removesuffix(".0"), text)
    return re.sub(r"\s+", " ", re.sub(r"\s*([MLCQzh])\s*", r"\1", short)).strip()


def _font(found: re.Match[str]) -> str:
    weight = f"font-weight: {found[1]}; " if found[1] else ""
    return f"{weight}font-size: {found[2]}px"


def _stripped(text: str | None) -> str | None:
    return text if text and text.strip() else None
