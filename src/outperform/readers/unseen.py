"""Predicted labels that no item truly has: a class of the training set, or a slip of spelling."""

from __future__ import annotations

from ..columns import listed, shown
from .tables import Table

__all__ = ["unseen_labels"]

LOOKED_AT = 1_000_000
"""Predictions looked at: of larger files, those of the first items."""
NAMED = 3


def unseen_labels(table: Table, truth: str, names: list[str]) -> str:
    """Say which predicted labels never occur among the true ones, and by whom; "" if none."""
    true = table._labels(truth)
    known = true.unique().implode()  # of all items: one beyond those looked at may have the label
    rows = max(LOOKED_AT // len(names), 1)
    found: dict[str, list[str]] = {}
    for name in names:
        predicted = table._labels(name, like=true).head(rows).unique(maintain_order=True)
        for label in predicted.filter(~predicted.is_in(known)).to_list():
            found.setdefault(str(label), []).append(name)
    if not found:
        return ""
    said = [f"{shown(label)} (by {listed(by)})" for label, by in list(found.items())[:NAMED]]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return (
        f"Predicted labels that never occur in {shown(truth)}: {', '.join(said)}{more}. They count "
        "as wrong; check the spelling."
    )
