"""A posterior as a figure: its density with the rope, and a triangle of three regions."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, either
from ...numerics.exact_sums import Array
from ...results.evidence import Draws, PosteriorSample
from ..sentences import posterior_number
from .canvas import Look, canvas, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.result import Result

ROOT = math.sqrt(3) / 2
POINTS = 800
"""Draws in the triangle; more are one blot, and make pages large."""
BINS = 40
TOKENS = ("first", "open", "second")
"""Colours of better, equivalent and worse."""


def posterior(result: Result, look: Look) -> Figure:
    """Draw how probable it is that the first side is better, equivalent or worse.

    With a rope there are two panels, the density and a triangle whose corners are the regions;
    without one, the density alone.
    """
    evidence, rope = result.evidence, look.rope or 0.0
    drawn = evidence.sample(rope, evidence.null) if isinstance(evidence, Draws) else None
    if drawn is None or not isinstance(evidence, Draws):
        how = either(
            python="op.compare(scores, method='bayesian_signed_rank').plot('posterior', rope=0.01)",
            typed="--method bayesian_signed_rank --rope 0.01",
        )
        raise MethodError(
            f"{result.method.name} gives no posterior to draw. For scores on several datasets use "
            f"a Bayesian method: {how}"
        )
    letters = 22
    names = [short_name(name or "0", letters=letters) for name in result.names]
    odds = evidence.regions(rope, evidence.null)
    shares = [float(odds.better), float(odds.equivalent), float(odds.worse)]
    two = look.rope is not None
    across = {"ncols": 2} if two else {}
    figure, axes = canvas(look, 3.3, **across)
    panels = np.ravel(np.asarray(axes, dtype=object))
    if drawn.values is None:
        _thetas(panels[0], drawn.regions, look)
    else:
        _next(panels[0], drawn, look)
    if two:
        _triangle(panels[1], drawn.regions, shares, names, look)
    words = _words(result, names, shares, look)
    figure.supxlabel(
        fill(words, 118),
        fontsize=7.6,
        color=look["muted"],
        parse_math=False,
    )
    return figure


def _next(axes: Axes, drawn: PosteriorSample, look: Look) -> None:
    """Draw the density of the difference on the next dataset, with the rope."""
    x, y = np.asarray(drawn.values), np.asarray(drawn.density)
    rope = look.rope or 0.0
    for token, where in (
        ("first", x >= rope),
        ("second", x <= -rope),
        ("open", (x >= -rope) & (x <= rope)),
    ):
        axes.fill_between(x, 0, y, where=where.tolist(), color=look[token], alpha=0.3, lw=0)
    axes.plot(x, y, color=look["ink"], lw=1.2)
    axes.axvline(0, color=look["muted"], lw=0.8)
    for end in (-rope, rope) if rope else ():
        axes.axvline(end, color=look["muted"], lw=0.8, ls=(0, (4, 3)))
    axes.set_ylim(0, None)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.locator_params(axis="x", nbins=5)
    axes.set_xlabel("difference on the next dataset", fontsize=8.5)


def _thetas(axes: Axes, regions: Array, look: Look) -> None:
    """Draw the density of the probability of each region over the draws."""
    named = ("better", "equivalent", "worse")
    edges = np.linspace(0, 1, BINS + 1)
    for column, (token, word) in enumerate(zip(TOKENS, named, strict=True)):
        if word == "equivalent" and look.rope is None:
            continue
        heights, _ = np.histogram(regions[:, column], edges, density=True)
        axes.stairs(heights, edges, fill=True, color=look[token], alpha=0.3)
        axes.stairs(heights, edges, color=look[token], lw=1.2, label=word)
    axes.set_xlim(0, 1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.legend(frameon=False, fontsize=8, labelcolor=look["ink"])
    axes.set_xlabel("probability of each, over draws", fontsize=8.5)


def _triangle(
    axes: Axes, regions: Array, shares: list[float], names: list[str], look: Look
) -> None:
    """Draw each draw as a point: the nearer to a corner, the more probable that region."""
    shown = regions[np.linspace(0, len(regions) - 1, POINTS).astype(int)]  # in whatever order
    better, alike, _ = shown.T
    x, y = better + alike / 2, ROOT * alike
    largest = np.argmax(shown, axis=1)
    for column, token in enumerate(TOKENS):
        at = largest == column
        axes.plot(x[at], y[at], "o", ms=2.2, mew=0, color=look[token], alpha=0.35)
    axes.plot([0, 1, 0.5, 0], [0, 0, ROOT, 0], color=look["muted"], lw=1.0)
    for end in ((0.5, 0.0), (0.25, ROOT / 2), (0.75, ROOT / 2)):
        axes.plot([0.5, end[0]], [ROOT / 3, end[1]], color=look["muted"], lw=0.7)
    corners: tuple[tuple[float, float, str, Any, str], ...] = (
        (0.0, -0.05, f"{names[1]} better\n{_share(shares[2])}", "left", "top"),
        (1.0, -0.05, f"{names[0]} better\n{_share(shares[0])}", "right", "top"),
        (0.5, ROOT + 0.03, f"equivalent {_share(shares[1])}", "center", "bottom"),
    )
    for (px, py, text, ha, va), token in zip(corners, ("second", "first", "open"), strict=True):
        axes.text(px, py, text, ha=ha, va=va, fontsize=8.5, color=look[token], parse_math=False)
    axes.set_xlim(-0.08, 1.08)
    axes.set_ylim(-0.24, ROOT + 0.12)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _share(value: float) -> str:
    return posterior_number(value).lstrip("= ")


def _words(result: Result, names: list[str], shares: list[float], look: Look) -> str:
    """Say what is drawn."""
    first, second = names
    better, alike, worse = map(_share, shares)
    middle = f", within ±{look.rope:g} {alike}" if look.rope is not None else ""
    return (
        f"{result.method.title}, {result.n} datasets: {first} better {better}{middle}, {second} "
        f"better {worse}."
    )
