"""Items in sentences: which population a verdict is on, how items cluster, what samples add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import counted
from ..results import item_facts
from .formatting import decimals_for, fixed, pvalue, terminal
from .sentences import percent

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..scores.items import Items


def measured(shown: Any) -> Items | None:
    """Return the items that a comparison was made on; None where it was made on splits."""
    items: Items | None = getattr(getattr(shown, "scores", None), "measured", None)
    return items


SAID = {"clusters": "OP360", "samples": "OP363"}
"""Notes of methods that say the same of clusters and samples, where a method has them."""


def applies_to(items: Items, names: int, *, by_clusters: bool) -> str:
    """Say which models and which population of items a verdict is on."""
    models = (
        "this model" if names == 1 else f"these {names} models" if names > 2 else "these models"
    )
    if items.population == "these":
        return f"{models} on these {items.n:,} items alone: other items might give another result."
    like = f"new items like these {items.n:,}"
    if items.clusters is not None and by_clusters:
        kind = counted(len(items.clusters.labels), "cluster")
        named = items.cluster_name not in ("", "cluster")
        said = f"{kind}, by {terminal(items.cluster_name)}" if named else kind
        like += f", from new clusters like these ({said})"
    return f"{models} on {like}, not to models that are trained again."


def lines(shown: Comparison) -> list[tuple[str, str]]:
    """Return what is said of the items of a comparison, a label and a sentence each."""
    items = measured(shown)
    if items is None:
        return []
    first, second = widest(shown)
    about = "" if shown.n_pairs == 1 else f" ({terminal(first)} vs. {terminal(second)})"
    known = {note.code for note in shown.notes}
    found = [
        ("clusters", cluster_sentence(shown, first, second, about)),
        ("samples", sample_sentence(items, first, second, about)),
        ("printed", printed_sentence(shown, items, first, second)),
    ]
    return [(label, said) for label, said in found if SAID.get(label) not in known]


def widest(shown: Comparison) -> tuple[str, str]:
    """Return the pair with the largest standard error, or the only one."""
    import numpy as np

    errors = np.broadcast_to(np.asarray(shown.evidence.stderr, dtype=float), (shown.n_pairs,))
    row = 0 if np.isnan(errors).all() else int(np.nanargmax(errors))
    return shown.pair_names[row]


def cluster_sentence(shown: Comparison, first: str, second: str, about: str = "") -> str:
    """Say how items cluster, and what ignoring it would have claimed."""
    items = measured(shown)
    if items is None or items.population == "these" or items.preferences is not None:
        return ""  # these items are all there are; judgements have means of their own
    found = item_facts.clusters(items, first, second)
    if found is None:
        return ""
    sizes = f"{found.smallest:,} to {found.largest:,} items"
    if found.smallest == found.largest:
        sizes = counted(found.largest, "item")
    many = counted(found.n_clusters, "cluster")
    said = f"{many} by {terminal(found.name)}, {sizes} each."
    result = shown[first, second]
    own = result.stderr
    digits = decimals_for(found.stderr, found.stderr)
    if own is None or found.pvalue is None:
        return said
    return (
        f"{said} Ignoring them, a paired t-test{about} would claim a standard error of "
        f"{fixed(found.stderr, digits)} (here {fixed(own, digits)}) and {pvalue(found.pvalue)} "
        f"(here {pvalue(result.pvalue, result.log_pvalue)})."
    )


def sample_sentence(items: Items, first: str, second: str, about: str = "") -> str:
    """Say what several answers to an item add."""
    found = item_facts.samples(items, first, second)
    if found is None:
        return ""
    each = counted(found.most, "answer")
    if found.fewest != found.most:
        each = f"{found.fewest} to {found.most} answers"
    if found.share is None or found.least is None:
        return f"{each} per item; how much they vary cannot be estimated."
    digits = decimals_for(found.stderr, found.stderr)
    return (
        f"{each} per item. {percent(round(found.share, 2))} of the squared standard error{about} "
        "is due to variation between answers, the rest to the choice of items: more answers to "
        f"the same items would lower it from {fixed(found.stderr, digits)} to "
        f"{fixed(found.least, digits)} at best."
    )


def printed_sentence(shown: Comparison, items: Items, first: str, second: str) -> str:
    """Contrast what the tool printed, an error of each model alone, with the paired one."""
    found = item_facts.printed(items, first, second)
    own = shown[first, second].stderr
    if found is None or own is None:
        return ""
    clustered = items.clusters is not None and "clustered-items" in shown.method.designs
    digits = decimals_for(min((*found.stderrs, own)), own)
    each = " and ".join(
        f"{terminal(name)} {fixed(mean, digits)} ± {fixed(error, digits)}"
        for name, mean, error in zip((first, second), found.means, found.stderrs, strict=True)
    )
    return (
        f"{found.tool} printed {each}, with standard errors of each model alone. They would give "
        f"the difference ± {fixed(found.unpaired, digits)}; paired by item"
        f"{' and with its clusters' * clustered} it is "
        f"± {fixed(own, digits)}."
    )
