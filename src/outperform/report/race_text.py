"""A race in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..numerics.confidence_sequences import FIRST_ASYMPTOTIC
from ..scores.performance import of_arrays
from . import learner_scores
from .formatting import terminal
from .sentences import percent
from .wrapping import laid_out

if TYPE_CHECKING:
    from ..verbs.race import Race

METHODS = {
    "e-process": "beta-binomial e-process on the items that only one model wins",
    "betting": "betting confidence sequence",
    "asymptotic": "asymptotic confidence sequence",
}


def verdict(race: Race) -> str:
    """Say how the race ended."""
    first, second = (terminal(name) for name in race.names)
    said = {
        "better": f"{first} outperforms {second}",
        "worse": f"{first} is outperformed by {second}",
        "equivalent": f"{first} and {second} are equivalent within ±{race.rope or 0:g}",
        "futile": "no decision, and none is possible: even if all remaining items favoured the "
        "leader, a difference of 0 could not be ruled out",
        "undecided": f"no decision{_possible(race)}",
    }[race.outcome]
    return f"{said} (α = {race.alpha:g}, at any time)"


def _possible(race: Race) -> str:
    """Say which differences remain possible, as long as 0 is one of them."""
    if race.low is None or race.high is None or not race.low <= 0 <= race.high:
        return ""
    return f": differences from {_signed(race.low)} to {_signed(race.high)} remain possible"


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")


def text(race: Race, *, width: int | None = None) -> str:
    """Return the block that is printed: scores, effect, interval, method, verdict."""
    return laid_out(*parts(race), width)


def parts(race: Race) -> tuple[str, list[tuple[str, str]]]:
    """Return who raced, and the labelled lines on how it went."""
    first, second = (terminal(name) for name in race.names)
    population = "these items alone" if race.population == "these" else "new items like these"
    rows = [
        *_scores(race),
        ("items", f"{race.n:,} of {race.n_items:,}, in random order (seed {race.seed})"),
        ("effect", _effect(race)),
        ("interval", _interval(race)),
    ]
    if race.pvalue is not None:
        p = f"= {race.pvalue:.3g}" if race.pvalue >= 0.001 else "< 0.001"
        won = f"{first} alone {race.wins:,}, {second} alone {race.losses:,}"
        rows.append(("items won", f"{won}; anytime p {p}"))
    rows += [
        ("method", f"{METHODS[race.method]}; applies to {population}"),
        ("verdict", f"{verdict(race)}. Evidence: {race.grade}."),
    ]
    return f"{first} vs. {second}: {terminal(race.metric)}", rows


def _effect(race: Race) -> str:
    """Return the difference; say which side a positive one favours where lower is better."""
    first, second = (terminal(name) for name in race.names)
    if race.measured is None or not race.measured.lower_is_better:
        return f"{first} − {second}: {_signed(race.estimate)}"
    turned = f"lower {terminal(race.metric)} is better; positive: {first} is better"
    return f"{first} vs. {second}: {_signed(race.estimate)} ({turned})"


def _scores(race: Race) -> list[tuple[str, str]]:
    """Return the mean of each model on the items that were seen, best first."""
    raced = race.measured
    if raced is None or race.n == 0:
        return []
    sides = raced.drawn(race.seed, race.n)
    found = of_arrays(race.names, sides, "item", lower_is_better=raced.lower_is_better)
    if all(((side == 0) | (side == 1)).all() for side in sides):
        found = tuple(replace(one, sd=None) for one in found)
    lines = learner_scores.lines(found, 2)
    return list(zip((learner_scores.label(found), ""), lines, strict=True))


def _interval(race: Race) -> str:
    if race.low is None or race.high is None:
        return _no_interval(race)
    ends = f"[{_signed(race.low)}, {_signed(race.high)}] at {percent(1 - race.alpha)} confidence"
    ends += ", at any time"
    if race.outcome in ("better", "worse") and race.low <= 0 <= race.high:
        ends += "; the interval (betting) uses a different formula than the verdict"
    return ends


def _no_interval(race: Race) -> str:
    """Say why the asymptotic sequence has no interval yet."""
    raced = race.measured
    clustered = raced is not None and raced.clusters is not None
    units = len(raced.clusters.labels) if raced and raced.clusters else race.n
    noun = "cluster" if clustered else "item"
    if units < FIRST_ASYMPTOTIC:
        return (
            f"none: the asymptotic confidence sequence needs at least {FIRST_ASYMPTOTIC} {noun}s, "
            f"and there {'is' if units == 1 else 'are'} {units}"
        )
    return f"none: the differences do not vary between {noun}s"
