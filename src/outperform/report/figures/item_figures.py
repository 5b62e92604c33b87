"""Figures of items: the difference of two models within each cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError, either
from ...numerics.distributions import T
from ...results import item_facts
from ...scores.items import Items
from ..item_sentences import measured
from .canvas import Look, canvas, grid, named, short_name
from .pair_figures import zero_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 40
"""Clusters drawn; of more, those with most items."""


def clusters(items: Items, first: str, second: str, shape: Look) -> Figure:
    """Draw the difference within each cluster with its own interval, the largest on top."""
    groups = items.clusters or items.datasets or items.strata
    if groups is None:
        raise DataError(
            "The 'clusters' figure needs items in clusters. Give them: Items.from_arrays(scores, "
            "clusters=labels)"
        )
    rows = item_facts.within(items, groups, first, second)
    left_out = max(len(rows) - MOST, 0)
    rows = sorted(sorted(rows, key=lambda row: -row.n)[:MOST], key=lambda row: row.difference)
    figure, axes = canvas(shape, 0.95 + 0.24 * len(rows))
    at = np.arange(len(rows))
    for y, row in zip(at, rows, strict=True):
        if row.stderr:
            reach = float(T(row.n - 1).isf((1 - shape.level) / 2)) * row.stderr
            ends = [row.difference - reach, row.difference + reach]
            axes.plot(ends, [y, y], color=shape["open"], lw=1.4, zorder=2)
        token = "first" if row.difference > 0 else "second" if row.difference < 0 else "open"
        axes.plot(row.difference, y, "o", ms=5, color=shape[token], zorder=3)
    zero_line(axes, shape)
    names = [f"{short_name(row.label)} ({row.n:,})" for row in rows]
    named(axes.set_yticks, at.tolist(), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.locator_params(axis="x", nbins=7)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    more = f"; {left_out} more are not drawn" if left_out else ""
    sides = " − ".join(short_name(name, letters=18) for name in (first, second))
    axes.set_xlabel(f"{sides}, {short_name(items.metric)}{more}", parse_math=False)
    grid(axes, shape, "x")
    return figure


def of_items(subject: Any, pair: tuple[str, str] | None, shape: Look) -> Figure:
    """Draw a pair of models of `Items`, or of a comparison of items; by default the first two."""
    items = subject if isinstance(subject, Items) else measured(subject)
    if items is None:
        how = either(
            python="op.compare(items).plot('clusters')",
            typed="outperform compare a.jsonl b.jsonl --cluster subject --plot clusters FILE",
        )
        raise DataError(
            "The 'clusters' figure needs a comparison of items with clusters, got another. Compare "
            f"items: {how}"
        )
    first, second = items.names[:2] if pair is None else pair
    return clusters(items, first, second, shape)
