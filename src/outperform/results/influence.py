"""Which single dataset carries a verdict: every pair judged again without each dataset."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import MethodError, argument
from ..notes import Note
from ..scores.benchmark import columns_of

if TYPE_CHECKING:
    from .comparison import Comparison

MOST_TESTS = 3000
"""Pairs × datasets that are judged unasked."""
MOST_LEARNERS = 9
"""Learners up to which that is done: closed testing is repeated for each dataset."""
NAMED = 3


@dataclass(frozen=True, slots=True)
class DatasetInfluence:
    """One pair: its verdict, and which datasets would change it if they were left out."""

    names: tuple[str, str]
    verdict: str
    without: dict[str, str]
    """The verdict without each dataset that changes it."""


def leave_one_out(
    shown: Comparison, alpha: float = 0.05, rope: float | None = None
) -> tuple[DatasetInfluence, ...]:
    """Judge every pair again without each dataset, with the same method and adjustment."""
    scores = shown.scores
    labels = () if scores is None else scores.datasets or ()
    names = tuple(dict.fromkeys(labels))
    if scores is None or len(names) < 3 or shown.method.designs != ("datasets",):
        raise MethodError(
            "Leaving out one dataset needs a comparison of scores over at least 3 datasets. "
            "Compare a table with a dataset column"
        )
    stacked = shown.method.view.pairs
    if stacked is None or np.isnan(scores.values).any():
        raise MethodError(
            "Leaving out one dataset needs every score, but some scores are missing. Compare with "
            f"{argument(missing='complete')}"
        )
    whole = shown.outcomes(alpha, rope)
    without: list[dict[str, str]] = [{} for _ in whole]
    for name in names:
        rest = columns_of(scores, np.array(labels) != name)
        view, n = stacked(shown.method.layout, rest, *shown.pairs)
        evidence = shown.method.on(view, **shown.options)
        again = replace(shown, evidence=evidence, n=n, scores=rest, view=None, benchmark=None)
        for place, (before, after) in enumerate(
            zip(whole, again.outcomes(alpha, rope), strict=True)
        ):
            if before != after:
                without[place][name] = after
    return tuple(
        DatasetInfluence(pair, verdict, changed)
        for pair, verdict, changed in zip(shown.pair_names, whole, without, strict=True)
    )


def influence_notes(shown: Comparison) -> list[Note]:
    """Say which verdicts one dataset carries, where that is quick to find."""
    scores = shown.scores
    names = set() if scores is None else set(scores.datasets or ())
    small = shown.n_pairs * len(names) <= MOST_TESTS and len(shown.names) <= MOST_LEARNERS
    judged = shown.method.has_pvalue and shown.method.designs == ("datasets",)
    if scores is None or len(names) < 6 or not (small and judged):
        return []
    if shown.method.view.pairs is None or np.isnan(scores.values).any():
        return []
    carried = [
        one
        for one in leave_one_out(shown)
        if one.verdict in ("outperforms", "outperformed") and one.without
    ]
    if not carried:
        return []
    said = [_said(one) for one in carried[:NAMED]]
    more = f" So do {len(carried) - NAMED} other verdicts." if len(carried) > NAMED else ""
    return [Note("OP347", f"{' '.join(said)}{more}")]


def _said(one: DatasetInfluence) -> str:
    first, second = one.names if one.verdict == "outperforms" else one.names[::-1]
    names = [f"{name!r}" for name in one.without]
    which = names[0] if len(names) == 1 else f"any one of {len(names)} datasets, such as {names[0]}"
    return (
        f"That {first} outperforms {second} depends on one dataset: without {which} there would be "
        "no decision (α = 0.05)."
    )
