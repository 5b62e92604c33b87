"""Stems: columns named after one learner and a measure, as 'svm_acc', 'time_svm' and 'svm' are."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..columns import KNOWN, is_aside, lower_is_better

__all__ = ["several_each", "without_asides"]

SIDES = {"train", "training", "test", "testing", "val", "valid", "validation", "dev", "score"}
LAST = {"mean", "average", "avg", "median", "min", "max", "best", "worst", "last", "final", "rank"}
"""What a name may end with; in front they are parts of names, as in mean_baseline."""
METRICS = {*f"{KNOWN['greater']} {KNOWN['lower']} logloss crossentropy errorrate".split()}
METRICS |= {"meansquarederror", "meanabsoluteerror"}
LONGEST = 3
"""Words of a measure, as in mean_squared_error."""
Stem = tuple[str, ...]


def without_asides(names: Sequence[str]) -> list[str]:
    """Leave out times and the like of a learner that has another column: time_svm beside svm."""
    found = {name: _parted(name) for name in names}
    plain = {stem for stem, measure in found.values() if not _tells_aside(measure)}
    return [n for n in names if not (_tells_aside(found[n][1]) and found[n][0] in plain)]


def several_each(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of which several are named after one learner; and one of each learner."""
    found = {name: _parted(name) for name in names}
    groups: dict[Stem, dict[Stem, list[str]]] = {}
    for name, (stem, measure) in found.items():
        groups.setdefault(stem, {}).setdefault(measure, []).append(name)
    many = [stem for stem, group in groups.items() if len(group) > 1]
    if not many:
        return [], []
    # The measure of most learners: of these none, as in 'svm', and no training score.
    measures = dict.fromkeys(m for stem in many for m in groups[stem])
    best = min(measures, key=lambda m: (m != (), not {"train", "training"}.isdisjoint(m),
                                        -sum(m in groups[stem] for stem in many)))  # fmt: skip
    kept = [n for n, (stem, m) in found.items() if m == best or stem not in many]
    return [n for n in names if found[n][0] in many], kept


def _parted(name: str) -> tuple[Stem, Stem]:
    """Return the words of a name without those of a measure at its ends, and these."""
    words = re.findall(r"[^\W_]+", re.sub("([a-z])([A-Z])", r"\1 \2", name).casefold())
    measure: Stem = ()
    while True:
        sizes = range(min(LONGEST, len(words) - 1), 0, -1)
        last = next((n for n in sizes if _is_measure(words[-n:], LAST)), 0)
        first = 0 if last else next((n for n in sizes if _is_measure(words[:n])), 0)
        if not last and not first:
            return tuple(words) or (name,), measure
        measure = (*words[:first], *words[len(words) - last :], *measure)
        words = words[first : len(words) - last]


def _is_measure(words: Sequence[str], others: Collection[str] = ()) -> bool:
    text = "".join(words)
    if len(words) == 1 and (text in SIDES or text in others or lower_is_better(text) is not None):
        return True
    return text in METRICS or is_aside(" ".join(words))


def _tells_aside(measure: Stem) -> bool:
    return any(is_aside(" ".join(measure[:n])) for n in range(1, len(measure) + 1))
