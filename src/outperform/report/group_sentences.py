"""Which learners are not significantly different: an order, or letters where groups overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .formatting import terminal
from .scope import NAMED

if TYPE_CHECKING:
    from ..results.comparison import Comparison


def group_sentence(shown: Comparison, alpha: float, rope: float | None = None) -> str:
    """Say the groups, best first; or, beside a control, who is better and who is worse."""
    if shown.control is not None:
        return _beside_control(shown, alpha, rope)
    groups = shown.groups(alpha, rope)
    if len(groups) == 1:
        return f"No two learners are significantly different at α = {alpha:g}."
    head = f"Groups at α = {alpha:g}, best first: "
    if is_order(shown, groups, alpha, rope):
        more = "" if len(groups) <= NAMED else f" > … and {len(groups) - NAMED:,} more groups"
        return head + " > ".join(map(_together, groups[:NAMED])) + more
    letters = letters_of(groups)
    best_first = [shown.names[at] for at in shown.order()]
    said = [f"{terminal(name)} {letters[name]}" for name in best_first[:NAMED]]
    if len(best_first) > NAMED:
        said.append(f"… and {len(best_first) - NAMED:,} more")
    return f"{head}{', '.join(said)}. Learners that share a letter are not significantly different."


def is_order(
    shown: Comparison,
    groups: Sequence[tuple[str, ...]],
    alpha: float,
    rope: float | None = None,
) -> bool:
    """Tell whether every learner of a group outperforms every one of the groups after it."""
    place = {name: at for at, group in enumerate(groups) for name in group}
    if sum(map(len, groups)) > len(place):
        return False
    won = {"outperforms": 1, "outperformed": -1}
    outcomes = shown.outcomes(alpha, None if shown.method.has_pvalue else rope)
    return all(
        won.get(outcome) == (1 if place[second] > place[first] else -1)
        for (first, second), outcome in zip(shown.pair_names, outcomes, strict=True)
        if place[first] != place[second]
    )


def letters_of(groups: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """Return the letters of every learner: two that share one are not significantly different."""
    found: dict[str, list[str]] = {}
    for at, group in enumerate(groups):
        for name in group:
            found.setdefault(name, []).append(letter(at))
    joint = "" if len(groups) <= 26 else ","
    return {name: joint.join(marks) for name, marks in found.items()}


def letter(position: int) -> str:
    """Return A to Z, then numbers."""
    return chr(ord("A") + position) if position < 26 else str(position + 1)


def some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" … and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(map(terminal, names[:NAMED])) + more


def _together(names: tuple[str, ...]) -> str:
    return some(names) if len(names) == 1 else f"{{{some(names)}}}"


def _beside_control(shown: Comparison, alpha: float, rope: float | None) -> str:
    found, control = shown.against_control(alpha, rope), terminal(shown.control or "")
    said = [
        f"{word} than {control}: {some(found[word])}" for word in ("better", "worse") if found[word]
    ]
    if found["undecided"]:
        said.append(f"not significantly different from {control}: {some(found['undecided'])}")
    return f"At α = {alpha:g}, {'; '.join(said)}."
