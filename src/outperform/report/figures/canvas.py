"""What all figures share: a bare canvas, axes without chart junk, and names that stay text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ...errors import MethodError, did_you_mean
from ...numerics.exact_sums import Array
from ..formatting import name_parts, terminal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ft2font import FT2Font

    from ...results.comparison import Comparison


Theme = Mapping[str, str]

# Blue and vermilion are those of Okabe & Ito; the dark set has them lighter, at the same hue.
THEMES: dict[str, Theme] = {
    "light": {
        "paper": "#ffffff",
        "ink": "#1d232b",
        "muted": "#5d6773",
        "faint": "#e3e7ec",
        "first": "#0072b2",
        "second": "#c24e00",
        "open": "#6b7683",
    },
    "dark": {
        "paper": "#14181e",
        "ink": "#e9edf2",
        "muted": "#a3adb9",
        "faint": "#2c343e",
        "first": "#56b4e9",
        "second": "#f28e4b",
        "open": "#98a3b0",
    },
    # Colours nobody would choose: the page's SVG has each replaced by a CSS variable.
    "page": {
        "paper": "#010a01",
        "ink": "#010a02",
        "muted": "#010a03",
        "faint": "#010a04",
        "first": "#010a05",
        "second": "#010a06",
        "open": "#010a07",
    },
}

CSS_VARIABLES = {colour: f"var(--{token})" for token, colour in THEMES["page"].items()}


def theme(name: str) -> Theme:
    """Return the colours of a theme, or an error that names the near ones."""
    if name not in THEMES:
        raise MethodError(f"there is no theme {name!r}; {did_you_mean(str(name), THEMES)}")
    return THEMES[name]


INCHES = 8.4
LETTERS = 30
"""How much of a name is shown; the table beside a figure has it whole."""
FEWER = 400
"""Points drawn for one learner; beyond, every so many in order of size."""
MOST = 60
"""Rows drawn; a figure of more learners or pairs says how many it leaves out."""
LINES = 3
"""Lines of a name that breaks between words."""
SALT = "outperform"
ZERO = 1303 / 2048
"""Width of a digit of DejaVu Sans, in units of its size."""

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same measures everywhere
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.0,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "figure.dpi": 100,
    "svg.fonttype": "none",
    "svg.hashsalt": SALT,
    "path.simplify": True,
}


@dataclass(frozen=True, slots=True)
class Look:
    """How a figure is to look: its colours, its confidence level and its rope."""

    colours: Theme
    level: float = 0.95
    rope: float | None = None

    def __getitem__(self, token: str) -> str:
        return self.colours[token]


@contextmanager
def quiet() -> Iterator[None]:
    """Use the style of this package, and the caller's again afterwards; no words on fonts."""
    from matplotlib import style

    with style.context(["default", STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def look(name: str, level: float, rope: float | None) -> Look:
    return Look(theme(name), level, rope)


def canvas(look: Look, height: float, **grid: Any) -> tuple[Figure, Any]:
    """Return a figure that no window system knows of, and its axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(INCHES, height), layout="constrained", facecolor=look["paper"])
    FigureCanvasAgg(figure)
    axes = figure.subplots(**grid)
    for one in np.ravel(np.asarray(axes, dtype=object)):
        bare(one, look)
    # Notebooks show a figure that pyplot has not made only if it can show itself.
    figure._repr_png_ = partial(png, figure)  # type: ignore[attr-defined]  # ours
    return figure, axes


def bare(axes: Axes, look: Look) -> None:
    """Leave two thin spines and quiet ticks."""
    axes.set_facecolor("none")
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(look["muted"])
    axes.tick_params(colors=look["muted"], labelcolor=look["ink"], labelsize=8.5)
    axes.xaxis.label.set_color(look["ink"])
    axes.yaxis.label.set_color(look["ink"])
    axes.title.set_color(look["ink"])


def grid(axes: Axes, look: Look, axis: Literal["x", "y"]) -> None:
    """Draw faint lines behind the data."""
    axes.grid(axis=axis, color=look["faint"], lw=0.7)
    axes.set_axisbelow(True)


def short_name(name: str, *, letters: int = LETTERS) -> str:
    """Return a name without control characters, shortened in its middle: ends tell names apart."""
    text, most = terminal(name), letters
    if len(text) <= most:
        return text
    tail = most // 3
    start, end = text[: most - tail - 1], text[-tail:]
    return _whole_words(text, most) or f"{start}…{end}"


def _whole_words(name: str, most: int) -> str:
    """Return the words of both ends that fit, else the first ones; "" if less than half."""
    words, gap = name_parts(name), " … " if " " in name else "…"
    places = range(min(len(words), most))
    found: tuple[bool, bool, int, int, str] = (False, False, 0, 0, "")
    for first, last in ((a, b) for a in places for b in places if a + b < len(words)):
        start, end = "".join(words[:first]).rstrip(), "".join(words[len(words) - last :])
        text = f"{start}{gap}{end}".strip()
        if start and most // 2 <= len(text) <= most:
            short = len(end) <= most // 3
            found = max(found, (bool(end), short, len(end) * short, len(text), text))
    return found[-1]


def in_lines(name: str, *, letters: int) -> str:
    """Return a name that breaks between words, for a place that is narrow but not low."""
    broken = [""]
    for part in name_parts(terminal(name)):
        word = short_name(part.rstrip(), letters=letters)
        if broken[-1] and len(broken[-1]) + len(word) > letters:
            broken.append("")
        broken[-1] += word + part[len(part.rstrip()) :]
    if len(broken) > LINES:  # the ends tell names apart
        gap = "… " if " " in name else "…"
        broken = [*broken[: LINES - 1], f"{gap}{broken[-1]}"]
    return "\n".join(line.rstrip() for line in broken)


def named(
    set_ticks: Callable[..., Any], places: Sequence[float], names: Sequence[str], **looks: Any
) -> None:
    """Put names beside an axis as plain text: a dollar sign is a dollar sign."""
    set_ticks(places, names, parse_math=False, **looks)


def text_width(text: str) -> float:
    """Return the width of a line, in units of its font size; matplotlib takes long to tell."""
    return sum(map(_advance, text))


@cache
def _advance(character: str) -> float:
    """Return how far a character takes the pen, in the font of all figures."""
    wide, zero = (_font().load_char(ord(one)).linearHoriAdvance for one in (character, "0"))
    return ZERO * wide / zero


@cache
def _font() -> FT2Font:
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    font = FT2Font(findfont(STYLE["font.family"]))
    font.set_size(12, 72)
    return font


def fewer(values: Array, most: int = FEWER) -> npt.NDArray[np.int64]:
    """Return at most so many positions of the values, evenly by rank, both ends among them."""
    order = np.argsort(values, kind="stable")
    if values.size <= most:
        return np.arange(values.size, dtype=np.int64)
    kept = order[np.linspace(0, values.size - 1, most).round().astype(np.int64)]
    return np.asarray(np.sort(kept), dtype=np.int64)


def best(comparison: Comparison, beside: str | None = None) -> tuple[list[int], int]:
    """Return the learners that are drawn, best first with one that must be there; and the rest."""
    order = comparison.order()
    kept = order[:MOST]
    if beside is not None and beside not in {comparison.names[index] for index in kept}:
        kept[-1] = comparison.names.index(beside)
    return kept, len(order) - len(kept)


def png(figure: Figure, *, dpi: float = 200) -> bytes:
    """Return the figure as PNG."""
    out = BytesIO()
    with quiet():
        figure.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()
