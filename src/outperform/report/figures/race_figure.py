"""The sequence of a race: its intervals over the items seen, and where it stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .canvas import canvas, grid, look, quiet, short_name

if TYPE_CHECKING:
    from ...verbs.race import Race


def sequence(race: Race, *, theme: str = "light") -> Any:
    """Return a matplotlib figure of the interval after each item."""
    shown = look(theme, 1 - race.alpha, race.rope)
    with quiet():
        figure, axes = canvas(shown, 4.0)
        grid(axes, shown, "y")
        points = [point for point in race.path if abs(point[2]) < 1e300 and abs(point[3]) < 1e300]
        n, mean, low, high = zip(*points, strict=True) if points else ((), (), (), ())
        axes.fill_between(n, low, high, color=shown["first"], alpha=0.18, lw=0)
        axes.plot(n, low, color=shown["first"], lw=0.8)
        axes.plot(n, high, color=shown["first"], lw=0.8)
        axes.plot(n, mean, color=shown["first"], lw=1.6)
        axes.axhline(0.0, color=shown["ink"], lw=0.8)
        for end in () if race.rope is None else (-race.rope, race.rope):
            axes.axhline(end, color=shown["muted"], lw=0.8, ls=(0, (4, 3)))
        axes.axvline(race.n, color=shown["second"], lw=1.0)
        first, second = (short_name(name) for name in race.names)
        axes.set_xlabel("items seen, in random order", parse_math=False)
        axes.set_ylabel(f"{first} − {second}", parse_math=False)
        said = {
            "better": f"{first} outperforms {second}",
            "worse": f"{first} is outperformed by {second}",
            "equivalent": f"{first} and {second} are equivalent",
        }.get(race.outcome, "no decision")
        title = f"{said} after {race.n:,} of {race.n_items:,} items"
        axes.set_title(title, loc="left", color=shown["ink"], parse_math=False)
    return figure
