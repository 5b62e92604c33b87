"""A race in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .formatting import terminal

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
        "futile": "no decision is possible any more: even if all remaining items favoured the "
        "leader, a difference of 0 would not be ruled out",
        "undecided": "no decision",
    }[race.outcome]
    return f"{said} (α = {race.alpha:g}, at any time)"


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")


def text(race: Race) -> str:
    """Return the block that is printed."""
    first, second = (terminal(name) for name in race.names)
    ends = ""
    if race.low is not None and race.high is not None:
        ends = f" [{_signed(race.low)}, {_signed(race.high)}]"
        if race.outcome in ("better", "worse") and race.low <= 0 <= race.high:
            ends += "; the interval (betting) uses a different formula than the verdict"
    population = "these items alone" if race.population == "these" else "new items like these"
    lines = [
        f"{first} vs. {second}: {terminal(race.metric)}",
        f"  items      {race.n:,} of {race.n_items:,}, in random order (seed {race.seed})",
        f"  effect     {first} − {second}: {_signed(race.estimate)}{ends}",
    ]
    if race.pvalue is not None:
        p = f"= {race.pvalue:.3g}" if race.pvalue >= 0.001 else "< 0.001"
        lines.append(
            f"  items won  {first} alone {race.wins:,}, {second} alone {race.losses:,}; anytime "
            f"p {p}"
        )
    lines += [
        f"  method     {METHODS[race.method]}; applies to {population}",
        f"  verdict    {verdict(race)}.",
    ]
    return "\n".join(lines)
