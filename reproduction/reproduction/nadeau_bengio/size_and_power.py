"""The Letter study (N-26): Figure 1, natural habitats, and what J and M do (N-27 to N-32)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from outperform.designs import parse
from outperform.lab.scenarios import reading
from outperform.numerics.distributions import Binomial, Normal
from outperform.numerics.exact_sums import Array
from outperform.registry import get
from outperform.views import Differences, Halves

from ..anatomy import Anatomy, anatomy_of
from ..exhibits import (
    Finding,
    HowMany,
    Measurement,
    Scale,
    Side,
    Statement,
    bootstrap,
    claim,
    jackknife,
    mean,
    published,
    settled,
    share,
    within,
)
from ..score_records import Recorded, Records, record

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PAPER = "nadeau-bengio"
ALPHA = 0.1
SEED = 1999
"""Of the datasets and all splits, fixed before any was drawn."""
SETS = HowMany(500, 40)
N = 300
J, M = 15, 10
J_MOST, M_MOST = 25, 20
DISTORTION = 3.6
"""Weight of the first four columns (place and size of the box) in the distances of 1-NN.

It brings the error after 150 items to that of the tree, by `damage.calibrate` over 200 other sets.
"""
OTHERS = (
    "the paper's tree (S-Plus) and metric are not available: ours are C4.5 without pruning and "
    "different weights"
)
"""The reason of what is contradicted, where no nearer one was found."""
HYPOTHESES = {"A": "μ_A", "B": "μ_B", "A−B": "μ_A − μ_B"}
PLANS: dict[str, Any] = {
    "half": f"{J}xresampled@1/2",
    "thrown": (f"{J}xresampled@1/6", N * 6 // 10),  # 150 and 30 of what is left (N-28)
    "twofold": "5x2cv",
    "habitat": f"{M_MOST}x{J_MOST}halves@1/10",
}
PARAMETERS = {"sets": SETS, "n": N, "α": 0.1, "J": J, "M": M}
OUT = ", 40% out"
"""Ends the names of statistics for which 40% of the data were thrown out (N-28)."""


@cache
def records(scale: Scale) -> Records:
    """Run the tree and 1-NN on every dataset by every plan, or go on from where a run stopped."""
    from outperform.lab.contests import Contest
    from outperform.lab.scenarios import Pool

    from ..datasets import load
    from ..learners import C45, NearestNeighbor

    data = load("letter")
    pool = Pool(np.asarray(data.X.to_numpy(), dtype=np.float64), np.asarray(data.y), "letter")
    neighbour = NearestNeighbor(weights=[DISTORTION] * 4 + [1.0] * 12)
    return record(
        Contest(pool, C45(pruning=None), neighbour, n=N),
        PLANS,
        n_reps=scale.of(*SETS),
        random_state=scale.seeded(SEED),
        n_jobs=scale.n_jobs,
        store=scale.store("nadeau-bengio-letter"),
    )


class Means(NamedTuple):
    """Mean losses of splits, and of the squares of the losses, shape (datasets, splits)."""

    values: Array
    squares: Array
    n_train: int
    n_test: int

    def anatomy(self, n_splits: int = J) -> Anatomy:
        """Take the variance apart (N-09)."""
        kept = self.values[:, :n_splits]
        return anatomy_of(
            kept,
            kept.mean(axis=1),
            self.squares[:, :n_splits].mean(axis=1),
            n_train=self.n_train,
            n_test=self.n_test,
        )


@dataclass(frozen=True, eq=False)
class Losses:
    """Losses about one hypothesis: errors of A, of B, or those of A minus those of B (N-27)."""

    name: str
    half: Means
    thrown: Means
    twofold: Means
    habitat: Means
    halves: Means
    """Shape (datasets, halvings, resamples, 2)."""

    def half_means(self, n_halvings: int = M, n_resamples: int = J) -> Array:
        """Return the means of both halves, shape (datasets, M, 2)."""
        found: Array = self.halves.values[:, :n_halvings, :n_resamples].mean(axis=2)
        return found


@cache
def losses(scale: Scale, name: str) -> Losses:
    """Read what was recorded as losses about one hypothesis."""
    kept = records(scale)
    parts = {plan: _means(kept[plan], name) for plan in PLANS}
    every = parts.pop("habitat")
    whole, rest = (slice(None), slice(J_MOST)), (slice(None), slice(J_MOST, None))
    shape = -1, M_MOST, J_MOST, 2
    return Losses(
        name,
        **parts,
        habitat=Means(every.values[whole], every.squares[whole], every.n_train, every.n_test),
        halves=Means(
            every.values[rest].reshape(shape),
            every.squares[rest].reshape(shape),
            N // 2 - every.n_test,
            every.n_test,
        ),
    )


def _means(kept: Recorded, name: str) -> Means:
    a, b = 1 - kept.first, 1 - kept.second
    values, squares = {"A": (a, a), "B": (b, b), "A−B": (a - b, kept.discordant)}[name]
    return Means(values, squares, kept.n_train, kept.n_test)


def truth(found: Means) -> Measurement:
    """Return the μ that splits of these sizes aim at: the mean of all estimates (N-07)."""
    return mean(found.values.mean(axis=1))


def common(found: Losses) -> dict[str, Tests]:
    """Return the eight curves of Figure 1, all aimed at n₁ = n/2 (N-28, N-29)."""
    z = conservative(found)
    return {
        "t-test": t_test(found.half),
        "resampled t": resampled(found.half, "resampled_t"),
        f"resampled t{OUT}": resampled(found.thrown, "resampled_t"),
        "corrected t": resampled(found.half, "corrected_t"),
        f"corrected t{OUT}": resampled(found.thrown, "corrected_t"),
        "conservative Z": z.over(found.half.values.mean(axis=1)),
        f"conservative Z{OUT}": z.over(found.thrown.values.mean(axis=1)),
        "5x2cv": twofold(found.twofold),
    }


def natural(found: Losses) -> dict[str, Tests]:
    """Return the statistics in their natural habitat, n₁ = 9n/10 and n₂ = n/10 (N-31)."""
    return {
        "resampled t": resampled(found.habitat, "resampled_t"),
        "corrected t": resampled(found.habitat, "corrected_t"),
        "conservative Z": conservative(found),
    }


class Tests(NamedTuple):
    """One test on every dataset: estimate, its standard error, and the critical value of (9)."""

    estimate: Array
    stderr: Array
    law: Any

    def rejects(self, mu0: float, alpha: float = ALPHA) -> Array:
        """Return 1 for each dataset where |μ̂ − μ₀| / σ̂ > c (9), else 0 (N-24)."""
        critical = float(self.law.isf(alpha / 2))
        beyond = np.abs(self.estimate - mu0) > critical * self.stderr + 1e-12
        return beyond.astype(np.float64)

    def distances(self, mu0: float) -> Array:
        """Return |μ̂ − μ₀| / σ̂, infinite where nothing varies."""
        gap = np.abs(self.estimate - mu0)
        infinite = np.where(gap > 1e-12, np.inf, 0.0)
        return np.divide(gap, self.stderr, out=infinite, where=self.stderr > 0)

    def over(self, estimate: Array) -> Tests:
        """Return the test with another numerator (N-29)."""
        return self._replace(estimate=estimate)


def t_test(found: Means) -> Tests:
    """The t-test on the items of the first split (N-21)."""
    n = found.n_test
    total, square = (np.rint(n * part[:, 0]) for part in (found.values, found.squares))
    plus, minus = (square + total) / 2, (square - total) / 2
    place = np.arange(n)
    items = (place < plus[:, None]) * 1.0 - (place >= n - minus[:, None]) * 1.0
    return _on("paired_t", items[:, None, None, :])


def resampled(found: Means, method: str, n_resamples: int = J) -> Tests:
    """The resampled t or the corrected one on the first resamples (N-18, N-22)."""
    values = found.values[:, None, :n_resamples, None]
    return _on(method, values, found.n_test / found.n_train)


def twofold(found: Means) -> Tests:
    """The 5x2cv t-test of any μ₀ (N-23)."""
    return _on("five_by_two_t", found.values.reshape(-1, 1, 5, 2))


def conservative(found: Losses, n_halvings: int = M, n_resamples: int = J) -> Tests:
    """Conservative Z at n₁ = 9n/10, its variance from halves (N-19)."""
    whole = found.habitat.values[:, :n_resamples]
    view = Halves(whole, found.half_means(n_halvings, n_resamples), np.ones(len(whole)))
    return _tests(get("conservative_z").on(view))


def _on(method: str, values: Array, ratio: float | None = None) -> Tests:
    return _tests(get(method).on(Differences.subtract(values, None, ratio=ratio)))


def _tests(evidence: Any) -> Tests:
    return Tests(np.asarray(evidence.estimate), np.asarray(evidence.stderr), evidence.dist)


REACH, STEPS = 0.12, 25
"""Hypotheses from μ − 0.12 to μ + 0.12: at the ends all but the weakest statistic reject mostly."""
RIDICULOUS = 2 * ALPHA
"""Read into "ridiculously high size": more than twice the level."""
RANGE = (
    f"the paper's range of μ₀ is not known: ours ends {REACH:g} from μ; and the size of 5x2cv is "
    "different"
)
UNTOLD = "the paper says that it studied this hypothesis, but does not report the results"
SOUND = ("corrected t", f"corrected t{OUT}", "conservative Z", f"conservative Z{OUT}", "5x2cv")


def figure1(scale: Scale) -> Finding:
    """Both panels: μ_A and μ_{A−B}."""
    return _finding(scale, ("A", "A−B"))


def third(scale: Scale) -> Finding:
    """The hypothesis about B, of which the paper tells nothing but that it was studied."""
    found = _finding(scale, ("B",))
    untold = [replace(one, lost=True, reason=UNTOLD) for one in found.statements]
    said = []
    for name, about in HYPOTHESES.items():
        pairs = losses(scale, name).twofold.values.reshape(-1, 5, 2)
        r = jackknife(_fold_correlation, pairs)
        size = share(
            twofold(losses(scale, name).twofold).rejects(truth(losses(scale, name).half).value)
        )
        said.append(f"{about} {r} (size {size})")
    remark = (
        "The errors of the two folds of one run correlate, although the 5x2cv test assumes that "
        f"they are independent: {', '.join(said)}."
    )
    return replace(found, statements=tuple(untold), remarks=(*found.remarks, remark))


def _fold_correlation(pairs: Array) -> float:
    """Return the correlation of the losses of two folds, over datasets and runs."""
    one, other = pairs[..., 0].ravel(), pairs[..., 1].ravel()
    return float(np.corrcoef(np.concatenate([one, other]), np.concatenate([other, one]))[0, 1])


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
        "The paper shows its curves as a picture only, so there are no numbers to compare. Our "
        f"rates are based on {n} sets."
    )
    normal, exact = _dotted()
    remarks.append(
        "The dotted line, above which a rate is significantly greater than .10 at level .05, has "
        f"no number in the paper either: for 500 sets it lies at {normal:.4f} by the normal "
        f"approximation, and by the binomial distribution at {exact:.3f} (E-N8)."
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
        _by_the_line(
            claim(
                f"{about}: the {of}{test} {is_}", sizes[test], side, at, what="size", reason=OTHERS
            ),
            sizes[test],
        )
        for tests, of, is_, side, at in claims
        for test in tests
    ]


def _by_the_line(said: Statement, size: Measurement) -> Statement:
    """Add what the paper's own dotted line says."""
    line = _dotted()[0]
    side = "above" if size.value > line else "not above"
    return replace(said, judged_by=f"{said.judged_by}; {side} the paper's line {line:.4f}")


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
    from outperform.report.figures.canvas import canvas, look, quiet
    from outperform.report.figures.curves import COLOURS

    with quiet():
        seen = look(theme, 0.95, None)
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
                f"{about}: the {test} has the right size or is conservative",
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
        remarks=("The paper describes this study in words only.",),
        curves=panels,
    )


def _gap(one: Tests, other: Tests, mu: float) -> Measurement:
    """Return the difference of two rates of rejection, averaged over the hypotheses."""
    gaps = [one.rejects(mu0) - other.rejects(mu0) for mu0 in grid(mu)]
    return mean(np.mean(gaps, axis=0))


def _within(text: str, gap: Measurement) -> list[Statement]:
    told = f"mean difference of the rejection rates over the grid {gap}, within ±{MUCH:g}"
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
            f"{about}: more than 15 resamples give the {test} little additional power, below "
            f"{MUCH:g}",
            gain,
            "below",
            MUCH,
            what=what,
            reason=OTHERS,
        )
        for test, gain in (("corrected t", more), ("conservative Z", z_more))
    ]
    said += _within(f"{about}: 20 halvings do as well as 10", _gap(by_m[M_MOST], by_m[M], mu))
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
            "the corrected t costs nothing compared with the resampled t",
            free,
            f"both use the same scores, from {plain} fits of each learner",
        ),
        Statement(
            f"conservative Z needs M = {M} times more computation",
            halves - plain == M * plain,
            f"{halves} fits of each learner instead of {plain}",
            f"2MJ = {2 * M * J} additional fits, each on the smaller n₁′ (E-N7)",
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
    from outperform.report.figures.canvas import look, quiet
    from outperform.report.figures.curves import Curve, panels

    with quiet():
        groups = {
            about: {test: Curve(shown["mu0"], rates) for test, rates in shown["rates"].items()}
            for about, shown in finding.curves.items()
        }
        seen = look(theme, 0.95, None)
        return panels(groups, seen, xlabel="μ₀", ylabel="share of sets that reject", level=ALPHA)


def draw_sensitivity(finding: Finding, theme: str) -> Figure:
    """Draw size and power by J and by M, a panel for each hypothesis."""
    from outperform.report.figures.canvas import look, quiet
    from outperform.report.figures.curves import Curve, panels

    with quiet():
        groups = {
            about: {
                f"{test}, {what}": Curve(shown[k]["x"], shown[k][what])
                for k, test in (("J", "corrected t by J"), ("M", "conservative Z by M"))
                for what in ("size", "power")
            }
            for about, shown in finding.curves.items()
        }
        seen = look(theme, 0.95, None)
        return panels(
            groups, seen, xlabel="J or M", ylabel="share of sets that reject", level=ALPHA
        )
