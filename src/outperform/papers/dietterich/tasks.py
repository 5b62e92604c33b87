"""The three tasks with real learners: their data, the damage that makes learners equal, studies.

C4.5 meets the first nearest neighbour. On EXP6 (a stand-in) and Letter the neighbour is damaged by
bad weights of its metric, on Pima C4.5 by random errors (D-41 to D-47, D-49).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..exhibits import Scale
from ..reproduction import remembered

if TYPE_CHECKING:
    from ...lab.contests import Contest
    from ...lab.scenarios import Dataset, Source
    from ...lab.study_results import Study

PAPER = "dietterich"
EXCEEDS = {"mcnemar": False, "proportions": False, "kfold_t": True, "five_by_two_t": False}
"""Whether the paper found the Type I error of a test too high on these tasks."""
METHODS = tuple(EXCEEDS)
LAMBDAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
SIZES = (300, 270, 200, 150)
N = 300
TRIALS = 1000
SETTINGS = {"n": N, "trials": TRIALS, "α": 0.05}
SEEDS = {"exp6": 6001, "letter": 6002, "pima": 6003}
TASKS = {"exp6": "EXP6 (stand-in)", "letter": "Letter", "pima": "Pima"}
DATASETS = {"letter": ("letter",), "pima": ("pima-diabetes",)}
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
"""Items of the calibration set on which each of the 1,000 training sets is tested, drawn anew: all
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
        from ...lab.scenarios import Dataset

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
    from ...learners import C45, NearestNeighbor

    return {
        # One of two coordinates counts less and less.
        "exp6": lambda w: NearestNeighbor(weights=[1.0, 1.0 - w]),
        # The box and the number of pixels count, what is in the box less and less.
        "letter": lambda w: NearestNeighbor(weights=[1.0] * 5 + [(1.0 - w) ** e for e in FADING]),
        "pima": lambda w: C45(noise=w),
    }[task]


def reference(task: str) -> Any:
    """Return the learner that is left as it is."""
    from ...learners import C45, NearestNeighbor

    return NearestNeighbor() if task == "pima" else C45()


def sources(task: str) -> tuple[Source, Source]:
    """Return what experiments are drawn from, and what calibration draws from."""
    from ...lab.scenarios import Pool, SixClasses

    if task == "exp6":
        square = SixClasses()
        grid = square.grid()
        return square, Apart(square, Pool(grid.X, grid.y, "grid"))
    from ...data import load

    data = load(*DATASETS[task])
    pool = Pool(data.X.to_numpy().astype(np.float64), np.asarray(data.y), TASKS[task])
    if task == "pima":
        return pool, pool  # what a dataset leaves is for calibration
    experimental, calibration = pool.split(10_000, random_state=SEEDS[task])
    return experimental, Apart(experimental, calibration)


def calibrated(task: str, scale: Scale) -> Calibrated:
    """Make the learners equal, and a share λ apart, at each training size; kept once found."""
    from ...lab.contests import calibrate

    n_test = 468 if task == "pima" else scale.of(TESTED, 300)
    options: dict[str, Any] = {
        "weights": WEIGHTS[task],
        "sizes": SIZES,
        "fractions": lambdas(scale),
        "n_datasets": scale.of(TRIALS, 20),
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
    from ...lab.contests import Contest

    return Contest(sources(task)[0], reference(task), calibrated(task, scale), n=N)


def null_study(task: str, scale: Scale) -> Study:
    """Judge datasets on which the learners are equal (D-48)."""
    return _study(task, scale, (0.0,), "null", SEEDS[task] + 10)


def power_study(task: str, scale: Scale) -> Study:
    """Judge datasets on which they are a share λ of the way apart (D-51)."""
    return _study(task, scale, lambdas(scale)[1:], "power", SEEDS[task] + 20)


def _study(task: str, scale: Scale, effects: tuple[float, ...], kind: str, seed: int) -> Study:
    from ...lab.studies import study

    meeting = contest(task, scale)
    scale.say(f"{TASKS[task]}: {len(effects)} × {scale.of(TRIALS, 20)} datasets")
    return study(
        list(METHODS),
        meeting,
        effects=effects,
        n_reps=scale.of(TRIALS, 20),
        random_state=seed,
        n_jobs=scale.n_jobs,
        store=scale.store(f"dietterich-{kind}-{task}"),
    )
