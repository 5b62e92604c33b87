"""Natural habitat, and what J and M do: the larger study behind the paper (N-31, N-32)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...designs import parse
from ...lab.scenarios import reading
from ..claim_tests import Measurement, claim, mean, settled, share, within
from ..exhibits import Finding, Scale, Statement
from .figure1 import REACH, grid, lower_power, panel
from .letter_study import (
    ALPHA,
    HYPOTHESES,
    J_MOST,
    M_MOST,
    OTHERS,
    J,
    Losses,
    M,
    Tests,
    conservative,
    losses,
    natural,
    resampled,
    truth,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_habitat", "draw_sensitivity", "habitat", "sensitivity"]

MUCH = 0.05
"""Read into "equivalent", "not much" and "no noticeable difference": a rate within 0.05."""
J_TRIED = (5, 10, 15, 20, J_MOST)
M_TRIED = (5, 10, M_MOST)


def habitat(scale: Scale) -> Finding:
    """Size and power of the corrected t and conservative Z at n₁ = 9n/10, n₂ = n/10."""
    panels, rows, statements = {}, [], []
    for name, about in HYPOTHESES.items():
        found = losses(scale, name)
        tests, mu = natural(found), truth(found.habitat)
        panels[about] = panel(tests, mu)
        sizes = {test: share(one.rejects(mu.value)) for test, one in tests.items()}
        rows += [(about, str(mu), test, str(sizes[test])) for test in tests]
        statements += [
            claim(
                f"{about}: the {test} is right in size or conservative",
                sizes[test],
                "below",
                ALPHA,
                what="size",
                reason=OTHERS,
            )
            for test in ("corrected t", "conservative Z")
        ]
        gap = _gap(tests["corrected t"], tests["conservative Z"], mu.value)
        statements += _within(f"{about}: corrected t and conservative Z have equal power", gap)
    return Finding(
        statements=tuple(statements),
        header=("hypothesis", "μ at 9n/10", "statistic", "size"),
        rows=tuple(rows),
        remarks=("The paper tells of this study in words alone.",),
        curves=panels,
    )


def _gap(one: Tests, other: Tests, mu: float) -> Measurement:
    """Return the difference of two rates of rejection, averaged over the hypotheses."""
    gaps = [one.rejects(mu0) - other.rejects(mu0) for mu0 in grid(mu)]
    return mean(np.mean(gaps, axis=0))


def _within(text: str, gap: Measurement) -> list[Statement]:
    told = f"mean difference of the rates over the grid {gap}, within ±{MUCH:g}"
    return [settled(f"{text}, within {MUCH:g}", within(gap, -MUCH, MUCH), told, OTHERS)]


def sensitivity(scale: Scale) -> Finding:
    """Fewer and more resamples and halvings, in the natural habitat."""
    rows, curves = [], {}
    statements = [*_costs()]
    for name, about in HYPOTHESES.items():
        found = losses(scale, name)
        mu = truth(found.habitat).value
        by_j = {j: resampled(found.habitat, "corrected_t", j) for j in J_TRIED}
        by_m = {m: conservative(found, m) for m in M_TRIED}
        curves[about] = {"J": _rates(by_j, mu), "M": _rates(by_m, mu)}
        rows += [_row(about, "corrected t", f"J = {j}", test, mu) for j, test in by_j.items()]
        rows += [_row(about, "conservative Z", f"M = {m}", test, mu) for m, test in by_m.items()]
        statements += _told(about, found, by_j, by_m, mu)
    return Finding(
        statements=tuple(statements),
        header=("hypothesis", "statistic", "with", "size", "power at μ ± 0.12"),
        rows=tuple(rows),
        curves=curves,
    )


def _told(
    about: str, found: Losses, by_j: dict[int, Tests], by_m: dict[int, Tests], mu: float
) -> list[Statement]:
    more = lower_power(by_j[J_MOST], by_j[J], mu)
    z_more = lower_power(conservative(found, M, J_MOST), by_m[M], mu)
    what = "gain in power at the ends"
    said = [
        claim(
            f"{about}: more than 15 resamples gain the {test} little power, below {MUCH:g}",
            gain,
            "below",
            MUCH,
            what=what,
            reason=OTHERS,
        )
        for test, gain in (("corrected t", more), ("conservative Z", z_more))
    ]
    said += _within(f"{about}: 20 halvings do as 10", _gap(by_m[M_MOST], by_m[M], mu))
    five = by_m[5].rejects(mu) - by_m[M].rejects(mu)
    said.append(
        claim(
            f"{about}: with 5 halvings Z is slightly less conservative",
            mean(five),
            "above",
            0.0,
            what="gain in size over 10 halvings",
            reason=OTHERS,
        )
    )
    return said


def _costs() -> list[Statement]:
    """What the statistics cost in fits (N-32, E-N7)."""
    design = parse(f"{J}xresampled@1/10")
    plain, free = design.n_fits(), reading("corrected_t", design) == reading("resampled_t", design)
    halves = parse(f"{M}x{J}halves@1/10").n_fits()
    return [
        Statement(
            "the corrected t costs nothing beside the resampled t",
            free,
            f"both read the same scores, of {plain} fits of a learner",
        ),
        Statement(
            f"conservative Z needs M = {M} times more computation",
            halves - plain == M * plain,
            f"{halves} fits of a learner against {plain}",
            f"2MJ = {2 * M * J} more fits, each on the smaller n₁′ (E-N7)",
        ),
    ]


def _rates(tests: dict[int, Tests], mu: float) -> dict[str, Any]:
    power = {
        k: [float(t.rejects(mu0).mean()) for mu0 in (mu - REACH, mu + REACH)]
        for k, t in tests.items()
    }
    return {
        "x": [float(k) for k in tests],
        "size": [float(test.rejects(mu).mean()) for test in tests.values()],
        "power": [float(np.mean(both)) for both in power.values()],
    }


def _row(about: str, test: str, tried: str, one: Tests, mu: float) -> tuple[str, ...]:
    power = np.mean([one.rejects(mu0).mean() for mu0 in (mu - REACH, mu + REACH)])
    return about, test, tried, str(share(one.rejects(mu))), f"{power:.3f}"


def draw_habitat(finding: Finding, theme: str) -> Figure:
    """Draw the rates by μ₀, a panel for each hypothesis."""
    from ...report.figures.canvas import look, quiet
    from ...report.figures.curves import Curve, panels

    with quiet():
        groups = {
            about: {test: Curve(shown["mu0"], rates) for test, rates in shown["rates"].items()}
            for about, shown in finding.curves.items()
        }
        seen = look(theme, "wide", 0.95, None)
        return panels(groups, seen, xlabel="μ₀", ylabel="share of sets that reject", level=ALPHA)


def draw_sensitivity(finding: Finding, theme: str) -> Figure:
    """Draw size and power by J and by M, a panel for each hypothesis."""
    from ...report.figures.canvas import look, quiet
    from ...report.figures.curves import Curve, panels

    with quiet():
        groups = {
            about: {
                f"{test}, {what}": Curve(shown[k]["x"], shown[k][what])
                for k, test in (("J", "corrected t by J"), ("M", "conservative Z by M"))
                for what in ("size", "power")
            }
            for about, shown in finding.curves.items()
        }
        seen = look(theme, "wide", 0.95, None)
        return panels(
            groups, seen, xlabel="J or M", ylabel="share of sets that reject", level=ALPHA
        )
