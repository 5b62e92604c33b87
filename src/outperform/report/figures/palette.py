"""Colours of the figures: safe for colour-blind readers, for light, dark and CSS variables."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import MethodError, did_you_mean

__all__ = ["CSS_VARIABLES", "THEMES", "Theme", "theme"]

Theme = Mapping[str, str]

# Blue and vermilion are those of Okabe & Ito; the dark set has them lighter, at the same hue.
THEMES: dict[str, Theme] = {
    "light": {
        "paper": "#ffffff", "ink": "#1d232b", "muted": "#5d6773", "faint": "#e3e7ec",
        "first": "#0072b2", "second": "#c24e00", "open": "#6b7683",
    },
    "dark": {
        "paper": "#14181e", "ink": "#e9edf2", "muted": "#a3adb9", "faint": "#2c343e",
        "first": "#56b4e9", "second": "#f28e4b", "open": "#98a3b0",
    },
    # Colours nobody would choose: the page's SVG has each replaced by a CSS variable.
    "page": {
        "paper": "#010a01", "ink": "#010a02", "muted": "#010a03", "faint": "#010a04",
        "first": "#010a05", "second": "#010a06", "open": "#010a07",
    },
}  # fmt: skip

CSS_VARIABLES = {colour: f"var(--{token})" for token, colour in THEMES["page"].items()}


def theme(name: str) -> Theme:
    """Return the colours of a theme, or an error that names the near ones."""
    if name not in THEMES:
        raise MethodError(f"there is no theme {name!r}; {did_you_mean(str(name), THEMES)}")
    return THEMES[name]
