"""Figure 1: size and power of five statistics about A, B and A − B, by μ₀ (N-27 to N-30)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...designs import parse
from ...lab.scenarios import reading
from ...numerics.distributions import Binomial, Normal
from ...numerics.exact_sums import Array
from ..exhibits import (
    Finding,
    Measurement,
    Scale,
    Side,
    Statement,
    bootstrap,
    claim,
    mean,
    published,
    settled,
    share,
    within,
)
from .letter_study import (
    ALPHA,
    HYPOTHESES,
    J_MOST,
    M_MOST,
    OTHERS,
    OUT,
    PAPER,
    SEED,
    J,
    Losses,
    M,
    Tests,
    common,
    conservative,
    losses,
    natural,
    resampled,
    truth,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "REACH",
    "draw",
    "draw_habitat",
    "draw_sensitivity",
    "figure1",
    "grid",
    "habitat",
    "lower_power",
    "panel",
    "sensitivity",
    "third",
]


REACH, STEPS = 0.12, 25
"""Hypotheses from μ − 0.12 to μ + 0.12: at the ends all but the weakest statistic reject mostly."""
RIDICULOUS = 2 * ALPHA
"""Read into "ridiculously high size": more than twice the level."""
RANGE = f"the paper's range of μ₀ is lost: ours ends {REACH:g} from μ; and 5x2cv's size is another"
SOUND = ("corrected t", f"corrected t{OUT}", "conservative Z", f"conservative Z{OUT}", "5x2cv")


def figure1(scale: Scale) -> Finding:
    """Both panels: μ_A and μ_{A−B}."""
    return _finding(scale, ("A", "A−B"))


def third(scale: Scale) -> Finding:
    """The hypothesis about B, which the paper studied and did not draw."""
    return _finding(scale, ("B",))


def grid(centre: float) -> list[float]:
    """Return the hypotheses μ₀."""
    return [float(mu0) for mu0 in centre + np.linspace(-REACH, REACH, STEPS)]


def panel(tests: dict[str, Tests], mu: Measurement) -> dict[str, Any]:
    """Return what a panel shows: rejection rates by μ₀, and the interval of the true μ."""
    places = grid(mu.value)
    ends = [mu.value - 1.96 * mu.error, mu.value + 1.96 * mu.error]
    rates = {
        name: [float(test.rejects(mu0).mean()) for mu0 in places] for name, test in tests.items()
    }
    return {"mu0": places, "interval": ends, "rates": rates}


def _finding(scale: Scale, names: tuple[str, ...]) -> Finding:
    panels, rows, statements, remarks = {}, [], [], []
    for name in names:
        found = losses(scale, name)
        mu, tests = truth(found.half), common(found)
        panels[HYPOTHESES[name]] = panel(tests, mu)
        sizes = {test: share(one.rejects(mu.value)) for test, one in tests.items()}
        statements += _sizes(HYPOTHESES[name], sizes)
        statements += _powers(HYPOTHESES[name], tests, mu.value)
        rows += [
            (
                HYPOTHESES[name],
                test,
                str(sizes[test]),
                *(
                    f"{tests[test].rejects(mu.value + shift).mean():.3f}"
                    for shift in (-REACH, REACH)
                ),
            )
            for test in tests
        ]
        remarks.append(f"{HYPOTHESES[name]} at n/2 is {mu}.")
    n = losses(scale, names[0]).half.values.shape[0]
    remarks.append(
        "The curves of the paper are a picture: nothing of them is in print to compare digit by "
        f"digit. Rates stand on {n} sets."
    )
    normal, exact = _dotted()
    remarks.append(
        "The dotted line, above which a rate is significantly greater than .10 at level .05, has "
        f"no number in the paper either: by the normal law it lies at {normal:.4f} for 500 sets, "
        f"by the binomial law at {exact:.3f} (E-N8)."
    )
    return Finding(
        statements=tuple(statements),
        header=("hypothesis", "statistic", "size", "power at μ − 0.12", "power at μ + 0.12"),
        rows=tuple(rows),
        remarks=tuple(remarks),
        curves=panels,
    )


def _dotted() -> tuple[float, float]:
    """Return where a rate becomes significantly greater than α at level .05, by both laws."""
    n = published(PAPER)["data"]["sets"]
    normal = ALPHA + float(Normal().isf(0.05)) * (ALPHA * (1 - ALPHA) / n) ** 0.5
    law = Binomial(n, ALPHA)
    exact = next(k for k in range(n) if float(law.at_least(k)) <= 0.05) / n
    return normal, exact


def _sizes(about: str, sizes: dict[str, Measurement]) -> list[Statement]:
    resampled = [test for test in sizes if test.startswith("resampled")]
    claims: list[tuple[Any, str, str, Side, float]] = [
        (("t-test", *resampled), "", "is liberal", "above", ALPHA),
        (resampled, "size of the ", "is ridiculously high", "above", RIDICULOUS),
        (SOUND, "size of the ", "is not above 10%, or barely", "below", ALPHA),
    ]
    return [
        claim(f"{about}: the {of}{test} {is_}", sizes[test], side, at, what="size", reason=OTHERS)
        for tests, of, is_, side, at in claims
        for test in tests
    ]


def _powers(about: str, tests: dict[str, Tests], mu: float) -> list[Statement]:
    others = [test for test in tests if test != "5x2cv"]
    said = []
    for other in others:
        claimed = f"{about}: at the ends of the grid 5x2cv has less power than the {other}"
        gain = lower_power(tests[other], tests["5x2cv"], mu)
        said.append(claim(claimed, gain, "above", 0.0, what="gain in power", reason=RANGE))
    said += [
        claim(
            f"{about}: with sizes aligned, the {other} has more power than 5x2cv (E-N6)",
            aligned_gain(tests[other], tests["5x2cv"], mu),
            "above",
            0.0,
            what="gain in power",
            reason=OTHERS,
        )
        for other in (f"corrected t{OUT}", f"conservative Z{OUT}")
    ]
    return said


def lower_power(better: Tests, worse: Tests, mu: float) -> Measurement:
    """Return by how much more often the first rejects at both ends, pairing the datasets."""
    ends = (mu - REACH, mu + REACH)
    gains = [better.rejects(mu0) - worse.rejects(mu0) for mu0 in ends]
    return mean(np.mean(gains, axis=0))


def aligned_gain(better: Tests, worse: Tests, mu: float) -> Measurement:
    """Return the gain in power at both ends with critical values that give both the size α.

    "One should mentally align the size of these two curves": here the 0.9 quantile of |μ̂ − μ| / σ̂
    over the datasets is the critical value of each.
    """

    def gain(*columns: Array) -> float:
        powers = [
            np.mean([far > np.quantile(null, 1 - ALPHA) for far in ends])
            for null, *ends in (columns[:3], columns[3:])
        ]
        return float(powers[0] - powers[1])

    places = (mu, mu - REACH, mu + REACH)
    columns = [test.distances(mu0) for test in (better, worse) for mu0 in places]
    return bootstrap(gain, *columns, seed=SEED)


STYLES = {
    "t-test": "--",
    "resampled t": "-",
    "corrected t": "-",
    "conservative Z": "-.",
    "5x2cv": ":",
}


def draw(finding: Finding, theme: str) -> Figure:
    """Draw a panel for each hypothesis, circles where 40% of the data were thrown out."""
    from ...report.figures.canvas import canvas, look, quiet
    from ...report.figures.curves import COLOURS

    with quiet():
        seen = look(theme, "wide", 0.95, None)
        figure, axes = canvas(seen, 4.6, ncols=len(finding.curves), squeeze=False, sharey=True)
        for place, (about, shown) in zip(axes.ravel(), finding.curves.items(), strict=True):
            place.axhline(ALPHA, color=seen["muted"], lw=0.9, zorder=1)
            place.axhline(_dotted()[0], color=seen["muted"], lw=0.9, ls=(0, (1, 2)), zorder=1)
            for end in shown["interval"]:
                place.axvline(end, color=seen["muted"], lw=0.9, ls=(0, (1, 2)), zorder=1)
            for test, rates in shown["rates"].items():
                kind = test.removesuffix(OUT)
                place.plot(
                    shown["mu0"],
                    rates,
                    label=test,
                    lw=1.4,
                    ls=STYLES[kind],
                    color=COLOURS[list(STYLES).index(kind)],
                    marker="o" if test.endswith(OUT) else None,
                    ms=3.6,
                    mfc="none",
                    zorder=2,
                )
            place.set_title(f"H₀: {about} = μ₀", loc="left", parse_math=False, color=seen["ink"])
            place.set_xlabel("μ₀")
            place.set_ylim(0, 1)
        axes[0, 0].set_ylabel("share of sets that reject")
        figure.legend(
            *axes[0, 0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=4,
            frameon=False,
            labelcolor=seen["ink"],
            fontsize=8.5,
        )
    return figure


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
