"""Figure 1: size and power of five statistics about A, B and A − B, by μ₀ (N-27 to N-30)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dists import Binomial, Normal
from ...sums import Array
from ..claim_tests import Measurement, Side, bootstrap, claim, mean, share
from ..exhibits import Finding, Scale, Statement, published
from .letter_study import ALPHA, HYPOTHESES, OTHERS, OUT, PAPER, SEED, Tests, common, losses, truth

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["REACH", "draw", "figure1", "grid", "lower_power", "panel", "third"]

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
    from ...report.figures.learning_curve import COLOURS

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
