"""The three tasks with real learners: their data, the damage that makes learners equal, studies.

C4.5 meets the first nearest neighbour. On EXP6 (a stand-in) and Letter the neighbour is damaged by
bad weights of its metric, on Pima C4.5 by random errors (D-41 to D-47, D-49).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..exhibits import Finding, HowMany, Scale
from ..running import remembered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from outperform.lab.contests import Contest
    from outperform.lab.scenarios import Dataset, Source
    from outperform.lab.study_results import Study
    from outperform.report.figures.canvas import Look


PAPER = "dietterich"
EXCEEDS = {"mcnemar": False, "proportions": False, "kfold_t": True, "five_by_two_t": False}
"""Whether the paper found the Type I error of a test too high on these tasks."""
METHODS = tuple(EXCEEDS)
LAMBDAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
SIZES = (300, 270, 200, 150)
N = 300
TRIALS = 1000
SETS = HowMany(TRIALS, 20)
SETTINGS = {"n": N, "trials": SETS, "α": 0.05}
SEEDS = {"exp6": 6001, "letter": 6002, "pima": 6003}
TASKS = {"exp6": "EXP6 (stand-in)", "letter": "Letter", "pima": "Pima"}
DATASETS = {"letter": ("letter",), "pima": ("pima-diabetes",)}
BANDS = tuple((1.25 + 2.5 * at,) * 2 for at in range(6))
"""Sites of the stand-in for EXP6: six bands across the diagonal, on which nearest neighbour is much
better than C4.5 (by 8 points after 300 items), as the paper says it is on EXP6."""
WEIGHTS = {
    "exp6": (0.0, 0.8, 0.95, 0.98, 0.99, 0.995, 0.999),
    "letter": (0.0, 0.31, 0.53, 0.69, 0.81, 0.9),
    "pima": (0.0, 0.1, 0.2, 0.3),
}
"""Damage at which errors are measured before they are interpolated; the most is too much."""
FADING = tuple(np.linspace(0.8, 1.2, 11))
"""Letter's attributes are whole numbers: if what is in the box faded at one rate, many distances
would tie at every simple fraction, errors would jump there, and some targets could not be met."""
TESTED = 1000
"""Items of the calibration set on which each of the 1,000 training sets is tested, drawn again: all
10,000 (Letter) or 22,801 (EXP6) are met in turn, and the mean is known nearly as well in a tenth of
the time, because training sets make errors vary more than 1,000 items do."""


@dataclass(frozen=True, eq=False, slots=True)
class Apart:
    """Training items from one source, followed by test items from another (D-45)."""

    training: Source
    test: Source
    name: ClassVar[str] = "experiment and calibration"
    delta: ClassVar[float | None] = None

    def draw(self, n: int, rng: np.random.Generator) -> Dataset:
        from outperform.lab.scenarios import Dataset

        parts = self.training.draw(N, rng), self.test.draw(n - N, rng)
        return Dataset(*(np.concatenate([getattr(p, at) for p in parts]) for at in ("X", "y")))


@dataclass(frozen=True, slots=True)
class Spot:
    """What was found for one λ and one training size."""

    fraction: float
    n_train: int
    weight: float
    target: float
    error: float
    gap: float
    stderr: float


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A damaged learner for every λ and training size: what a `Contest` takes."""

    task: str
    spots: tuple[Spot, ...]

    def at(self, fraction: float, n_train: int) -> Spot:
        [found] = [s for s in self.spots if (s.fraction, s.n_train) == (fraction, n_train)]
        return found

    def __call__(self, effect: float, n_train: int) -> Any:
        return damaged(self.task)(self.at(effect, n_train).weight)

    def points(self, fraction: float) -> float:
        """The difference in percentage points at 300 training items."""
        return 100 * (self.at(0.0, N).target - self.at(fraction, N).target)


def damaged(task: str) -> Callable[[float], Any]:
    """Return the learner of a task as a function of its damage; 0 is none."""
    from ..learners import C45, NearestNeighbor

    return {
        # One of two coordinates counts less and less.
        "exp6": lambda w: NearestNeighbor(weights=[1.0, 1.0 - w]),
        # The box and the number of pixels count, what is in the box less and less.
        "letter": lambda w: NearestNeighbor(weights=[1.0] * 5 + [(1.0 - w) ** e for e in FADING]),
        "pima": lambda w: C45(release=1, noise=w),
    }[task]


def reference(task: str) -> Any:
    """Return the learner that is left as it is."""
    from ..learners import C45, NearestNeighbor

    return NearestNeighbor() if task == "pima" else C45(release=1)


def sources(task: str) -> tuple[Source, Source]:
    """Return what experiments are drawn from, and what calibration draws from."""
    from outperform.lab.scenarios import Pool, SixClasses

    if task == "exp6":
        square = SixClasses(BANDS)
        grid = square.grid()
        return square, Apart(square, Pool(grid.X, grid.y, "grid"))
    from ..datasets import load

    data = load(*DATASETS[task])
    pool = Pool(data.X.to_numpy().astype(np.float64), np.asarray(data.y), TASKS[task])
    if task == "pima":
        return pool, pool  # what a dataset leaves is for calibration
    experimental, calibration = pool.split(10_000, random_state=SEEDS[task])
    return experimental, Apart(experimental, calibration)


def calibrated(task: str, scale: Scale) -> Calibrated:
    """Make the learners equal, and a share λ apart, at each training size; kept once found."""
    from ..damage import calibrate

    n_test = 468 if task == "pima" else scale.of(TESTED, 300)
    options: dict[str, Any] = {
        "weights": WEIGHTS[task],
        "sizes": SIZES,
        "fractions": lambdas(scale),
        "n_datasets": scale.of(*SETS),
        "test": n_test,
        "tolerance": 0.01 if scale.quick else 0.001,
        "random_state": SEEDS[task],
    }

    needs, name = DATASETS.get(task, ()), f"dietterich-calibration-{task}"
    about = {key: options[key] for key in ("test", "random_state")}

    def keep(part: str, compute: Callable[[], Any]) -> Any:
        found = remembered(scale, f"{name}/{part}", about, lambda: compute().tolist(), needs)
        scale.say("")  # nothing to say, but the clock of attempts is kept at every word
        return np.array(found)

    def compute() -> list[dict[str, float]]:
        scale.say(f"{TASKS[task]}: calibrating over {options['n_datasets']} datasets")
        found = calibrate(
            reference(task),
            damaged(task),
            sources(task)[1],
            **options,
            n_jobs=scale.n_jobs,
            keep=keep,
        )
        return [
            asdict(
                Spot(p.fraction, p.n_train, p.weight, p.target, p.error, p.gap.mean, p.gap.stderr)
            )
            for p in found.points
        ]

    rows = remembered(scale, name, options | {"damage": repr(damaged(task)(0.5))}, compute, needs)
    return Calibrated(task, tuple(Spot(**row) for row in rows))


def lambdas(scale: Scale) -> tuple[float, ...]:
    """Return the shares of the way from equal learners to the undamaged one."""
    return LAMBDAS[::5] if scale.quick else LAMBDAS


def contest(task: str, scale: Scale) -> Contest:
    """Return the learners on datasets of 300, calibrated for each training size."""
    from outperform.lab.contests import Contest

    return Contest(sources(task)[0], reference(task), calibrated(task, scale), n=N)


def null_study(task: str, scale: Scale) -> Study:
    """Judge datasets on which the learners are equal (D-48)."""
    return _study(task, scale, (0.0,), "null", SEEDS[task] + 10)


def power_study(task: str, scale: Scale) -> Study:
    """Judge datasets on which they are a share λ of the way apart (D-51)."""
    return _study(task, scale, lambdas(scale)[1:], "power", SEEDS[task] + 20)


def _study(task: str, scale: Scale, effects: tuple[float, ...], kind: str, seed: int) -> Study:
    from outperform.lab.studies import study

    meeting = contest(task, scale)
    scale.say(f"{TASKS[task]}: {len(effects)} × {scale.of(*SETS)} datasets")
    return study(
        list(METHODS),
        meeting,
        effects=effects,
        n_reps=scale.of(*SETS),
        random_state=seed,
        n_jobs=scale.n_jobs,
        store=scale.store(f"dietterich-{kind}-{task}"),
    )


TESTS = {
    "mcnemar": "McNemar",
    "proportions": "proportions",
    "resampled_t": "resampled t",
    "kfold_t": "10-fold t",
    "five_by_two_t": "5x2cv t",
}
RATE = "probability of a Type I error"


@contextmanager
def _panel(
    theme: str, height: float, xlabel: str, ylabel: str, *, corner: str = "best"
) -> Iterator[tuple[Figure, Any, Look]]:
    """Yield a figure, its axes and its look; label them and add the legend afterwards."""
    from outperform.report.figures.canvas import canvas, look, quiet

    seen = look(theme, 0.95, None)
    with quiet():
        figure, axes = canvas(seen, height)
        yield figure, axes, seen
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.legend(frameon=False, labelcolor=seen["ink"], fontsize=8.5, loc=corner)


def designed(finding: Finding, theme: str) -> Figure:
    """Figure 4: ε of both learners, point by point."""
    places = {name: np.arange(1, len(row) + 1) for name, row in finding.curves.items()}
    return _steps(finding.curves, places, theme, "point of the population", top=0.2)


def profile(finding: Finding, theme: str) -> Figure:
    """Figure 3: sorted ε(x)."""
    found = finding.curves
    series = {name: curve for name, curve in found.items() if name != "n"}
    places = {name: np.linspace(1, found["n"], len(curve)) for name, curve in series.items()}
    return _steps(series, places, theme, "point of the population, in order of ε", top=1.02)


def figure5(finding: Finding, theme: str) -> Figure:
    """Figure 5: five tests, a bar for each ε; diamonds are exact rates."""
    found = finding.curves
    groups = {label: found[name] for name, label in TESTS.items()}
    return _bars(groups, [f"ε = {e:.2f}" for e in found["epsilons"]], theme)


def figure7(finding: Finding, theme: str) -> Figure:
    """Figure 7: four tests, a bar for each task."""
    found = finding.curves["tests"]
    groups = {label: found[name] for name, label in TESTS.items() if name in found}
    return _bars(groups, finding.curves["tasks"], theme)


def figure6(finding: Finding, theme: str) -> Figure:
    """Figure 6: Type I error by the number of splits; broken lines are exact rates."""
    from outperform.report.figures.curves import Curve, draw_curves

    found = finding.curves
    names = {"resampled_t": "resampled t", "kfold_t": "k-fold t"}
    series = {names[k]: Curve(c["x"], c["rate"], c["low"], c["high"]) for k, c in found.items()}
    with _panel(theme, 4.4, "number of splits or folds", RATE, corner="upper left") as all_:
        figure, axes, look = all_
        for curve in found.values():
            axes.plot(curve["x"], curve["exact"], color=look["muted"], lw=1.0, ls=(0, (2, 2)))
        draw_curves(axes, series, look, level=0.05)
        axes.set_ylim(bottom=0)
        axes.set_xscale("log")
        ticks = sorted({x for curve in found.values() for x in curve["x"]} - {3, 15})
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
    return figure


def replications(finding: Finding, theme: str) -> Figure:
    """Size of r×2cv by the number of replications."""
    from outperform.report.figures.canvas import look, quiet
    from outperform.report.figures.curves import Curve, curves

    found, seen = finding.curves, look(theme, 0.95, None)
    series = {"r×2cv t, exact": Curve(found["replications"], found["size"])}
    with quiet():
        figure = curves(series, seen, xlabel="replications r", ylabel=RATE, level=0.05, marks=[5])
        figure.axes[0].set_ylim(bottom=0)
        figure.axes[0].set_xticks(found["replications"])
    return figure


def quantiles(finding: Finding, theme: str) -> Figure:
    """Figure 2: t̃ against t with 5 degrees of freedom, one panel for each population."""
    from outperform.report.figures.canvas import canvas, look, quiet

    seen, found = look(theme, 0.95, None), finding.curves
    dots = {"ms": 2.6, "mew": 0, "color": seen["first"], "alpha": 0.75, "zorder": 2}
    with quiet():
        figure, axes = canvas(seen, 4.3, ncols=len(found), squeeze=False, sharex=True, sharey=True)
        for panel, (name, curve) in zip(axes[0], found.items(), strict=True):
            ends = [min(curve["expected"]), max(curve["expected"])]
            panel.plot(ends, ends, color=seen["muted"], lw=0.9, zorder=1)
            panel.plot(curve["expected"], curve["observed"], "o", **dots)
            panel.set_title(name, loc="left", color=seen["ink"], parse_math=False)
            panel.set_xlabel("quantile of t with 5 degrees of freedom")
        axes[0, 0].set_ylabel("5x2cv statistic")
    return figure


def learning_curves(finding: Finding, theme: str) -> Figure:
    """Figure 8: error by training size, for C4.5 (broken line), the neighbour and those between."""
    from outperform.report.figures.curves import Curve, draw_curves

    sizes, errors = finding.curves["sizes"], dict(finding.curves["errors"])
    with _panel(theme, 4.4, "training items", "error rate") as (figure, axes, look):
        # Six colours are there for seven lines, and damage of λ = 0 lies upon C4.5.
        broken = {"color": look["ink"], "lw": 1.6, "ls": (0, (4, 2)), "zorder": 5}
        axes.plot(sizes, errors.pop("C4.5"), label="C4.5", **broken)
        draw_curves(axes, {name: Curve(sizes, row) for name, row in errors.items()}, look)
        axes.set_xticks(sizes)
    return figure


def power(finding: Finding, theme: str) -> Figure:
    """Figures 9 to 11: power of four tests by the difference at 300 training items."""
    from outperform.report.figures.canvas import look, quiet
    from outperform.report.figures.curves import Curve, curves

    points, tests = finding.curves["points"], finding.curves["tests"]
    series = {TESTS[n]: Curve(points, c["rate"], c["low"], c["high"]) for n, c in tests.items()}
    xlabel = "difference in percentage points, 300 training items"
    with quiet():
        seen = look(theme, 0.95, None)
        figure = curves(series, seen, xlabel=xlabel, ylabel="power", level=0.05)
        figure.axes[0].set_ylim(0, 1.0)
    return figure


def _steps(
    series: Mapping[str, Sequence[float]], places: Any, theme: str, xlabel: str, *, top: float
) -> Figure:
    with _panel(theme, 3.6, xlabel, "ε(x)") as (figure, axes, look):
        styles = ({"ls": "-", "color": look["first"]}, {"ls": (0, (4, 2)), "color": look["second"]})
        for row, (name, values) in enumerate(series.items()):
            style: Any = styles[min(row, 1)]
            axes.step(places[name], values, where="mid", lw=1.8, label=name, **style)
        axes.set_ylim(0, top)
        axes.grid(axis="y", color=look["faint"], lw=0.7)
    return figure


def _bars(groups: Mapping[str, Mapping[str, Any]], labels: Sequence[str], theme: str) -> Figure:
    """Draw a group of bars for each test, with 95% intervals, and diamonds at exact rates."""
    n, width, tests = len(labels), 0.8 / len(labels), list(groups.values())
    with _panel(theme, 4.2, "", RATE) as (figure, axes, look):
        whisker = {"fmt": "none", "ecolor": look["ink"], "elinewidth": 0.9, "capsize": 2}
        diamond = {"ms": 4, "mfc": look["paper"], "mec": look["second"], "zorder": 5}
        axes.axhline(0.05, color=look["muted"], lw=0.9, ls=(0, (4, 3)), zorder=3)
        for at, label in enumerate(labels):
            x = np.arange(len(tests)) + (at - (n - 1) / 2) * width
            rate, low, high = (
                np.array([test[key][at] for test in tests]) for key in ("rate", "low", "high")
            )
            # One colour, lighter for the first: the order of the bars is that of the legend.
            shade = {"color": look["first"], "alpha": 0.3 + 0.6 * (at + 1) / n, "zorder": 2}
            axes.bar(x, rate, width * 0.9, label=label, **shade)
            axes.errorbar(x, rate, yerr=[rate - low, high - rate], zorder=4, **whisker)
            if "exact" in tests[0]:
                last = "exact" if at == n - 1 else None
                axes.plot(x, [test["exact"][at] for test in tests], "D", label=last, **diamond)
        axes.set_xticks(np.arange(len(groups)), list(groups))
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y", color=look["faint"], lw=0.7)
        axes.set_axisbelow(True)
    return figure
