"""Which single dataset carries a verdict: every pair judged again without each dataset."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import MethodError, argument
from ..scores.benchmark import columns_of

if TYPE_CHECKING:
    from .comparison import Comparison

MOST_TESTS = 5000
"""Pairs × datasets that are judged unasked."""
MOST_LEARNERS = 9
"""Learners up to which that is done by closed testing, which is repeated for each dataset."""


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


def carried(shown: Comparison, alpha: float = 0.05) -> list[DatasetInfluence]:
    """Return the pairs whose verdict a single dataset changes, where that is quick to find."""
    scores, method = shown.scores, shown.method
    if scores is None or shown.benchmark is None or shown.law is not None:
        return []
    n, k = len(set(scores.datasets or ())), len(shown.names)
    slow = k > MOST_LEARNERS and shown.adjust == "bergmann-hommel"
    if n < 3 or shown.n_pairs * n > MOST_TESTS or slow or not method.has_pvalue:
        return []
    if method.view.pairs is None or np.isnan(scores.values).any():
        return []
    if method.designs != ("datasets",):
        return []
    return [one for one in leave_one_out(shown, alpha) if one.without]
