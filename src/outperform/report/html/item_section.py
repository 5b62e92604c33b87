"""Items on the page: a table by cluster, and the items on which two models disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import counted
from ...results import item_facts
from ...results.adjustments import holm
from ...scores.item_codes import Codes
from ..figures.svg import Sheet, figure_of
from ..formatting import decimals_for, fixed, pvalue, terminal
from ..item_sentences import lines, measured, widest

if TYPE_CHECKING:
    from ...results.comparison import Comparison
    from ...scores.items import Items

MOST = 200
"""Items, and clusters, in a table."""
LETTERS = 120
"""Of the name of an item that are shown."""
DRAWN = 2
"""Clusters from which there is a figure of them."""


def item_section(shown: Comparison, sheet: Sheet) -> dict[str, Any] | None:
    """Return what the page says of items; None where scores are of splits."""
    items = measured(shown)
    if items is None or shown.n_pairs < 1:
        return None
    first, second = shown.pair_names[0] if shown.n_pairs == 1 else leading(shown)
    groups = items.clusters or items.datasets or items.strata
    known = groups is not None and len(groups.labels) >= DRAWN and items.preferences is None
    return {
        "sentences": [said for _, said in lines(shown) if said],
        "first": terminal(first),
        "second": terminal(second),
        "only": shown.n_pairs == 1,
        "clusters": by_cluster(items, groups, first, second) if known and groups else None,
        "figure": _figure(shown, items, first, second, sheet) if known else None,
        "disagreements": disagreements(items, first, second),
    }


def leading(shown: Comparison) -> tuple[str, str]:
    """Return the two best learners, the better one first."""
    if shown.control is not None:
        return widest(shown)
    one, other, *_ = shown.order()
    return shown.names[one], shown.names[other]


def by_cluster(items: Items, groups: Codes, first: str, second: str) -> dict[str, Any]:
    """Return means and differences within each cluster, p-values adjusted by Holm's method."""
    rows = item_facts.within(items, groups, first, second)
    adjusted = holm([1.0 if row.pvalue is None else row.pvalue for row in rows])
    made = []
    for row, p in sorted(zip(rows, adjusted, strict=True), key=lambda both: -both[0].difference):
        digits = decimals_for(row.stderr, row.difference)
        made.append(
            {
                "name": terminal(row.label[:LETTERS]),
                "n": row.n,
                "first": fixed(row.first, digits),
                "second": fixed(row.second, digits),
                "difference": fixed(row.difference, digits, sign=True),
                "value": f"{row.difference:.6g}",
                "stderr": "–" if row.stderr is None else fixed(row.stderr, digits),
                "p": "–" if row.pvalue is None else pvalue(float(p)),
                "p_value": "" if row.pvalue is None else f"{p:.6g}",
            }
        )
    name = items.cluster_name if groups is items.clusters else "dataset"
    return {
        "name": terminal(name or "cluster"),
        "rows": made[:MOST],
        "left_out": max(len(made) - MOST, 0),
    }


def disagreements(items: Items, first: str, second: str) -> dict[str, Any]:
    """Return the items on which two models differ most, at most so many."""
    d = item_facts.differences(items, first, second)
    order = np.argsort(-np.abs(d), kind="stable")
    order = order[np.abs(d[order]) > 0]
    better, worse = int((d > 0).sum()), int((d < 0).sum())
    half = [order[d[order] > 0][:MOST], order[d[order] < 0][:MOST]]
    share = MOST // 2
    n_first = min(len(half[0]), max(share, MOST - len(half[1])))
    kept = [half[0][:n_first], half[1][: MOST - n_first]]
    rows_of = [items.names.index(name) for name in (first, second)]
    rows = []
    for at in np.concatenate(kept).tolist():
        one, other = (float(items.means[row, at]) for row in rows_of)
        rows.append(
            {
                "id": terminal(items.item_id(at)[:LETTERS]),
                "cluster": "" if items.clusters is None else terminal(items.clusters.of(at)[:60]),
                "first": f"{one:.3g}",
                "second": f"{other:.3g}",
                "difference": f"{d[at]:+.3g}".replace("-", "−"),
                "value": f"{d[at]:.6g}",
            }
        )
    return {
        "words": _words(items, first, second, better, worse),
        "rows": rows,
        "clustered": items.clusters is not None,
        "left_out": better + worse - len(rows),
    }


def _words(items: Items, first: str, second: str, better: int, worse: int) -> str:
    a, b = terminal(first), terminal(second)
    both = int(
        (~np.isnan(items.means[[items.names.index(n) for n in (first, second)]])).all(0).sum()
    )
    same = both - better - worse
    if items.is_right_wrong:
        return (
            f"Of {items.n:,} items, only {a} was right on {better:,} and only {b} on {worse:,}; on "
            f"{same:,} both were right or both wrong."
        )
    return (
        f"Of {counted(both, 'item')}, {a} did better on {better:,} and {b} on {worse:,}; on "
        f"{same:,} they did the same."
    )


def _figure(shown: Comparison, items: Items, first: str, second: str, sheet: Sheet) -> Any:
    what = terminal(items.cluster_name or "dataset")
    caption = (
        f"Difference {terminal(first)} − {terminal(second)} within each {what}, with the interval "
        "of a paired t-test on its items alone, not adjusted."
    )
    alt = f"Differences by {what}; the table below has the numbers."
    return figure_of(shown, "clusters", alt, caption, sheet, pair=(first, second))
