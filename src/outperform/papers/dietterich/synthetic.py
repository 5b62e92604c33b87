"""The designed population: Figures 4, 5 and 6."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..exhibits import DEVIATE, Finding, Scale, Statement, exhibit, published, remarks, share_error
from . import plots
from .plots import TESTS
from .tasks import PAPER, SETTINGS, TRIALS

__all__ = ["EXHIBITS"]

SPLITS = (2, 5, 10, 20, 30, 50, 100, 200)
FOLDS = (2, 3, 5, 10, 15, 20, 30, 50, 100)
BY_SPLITS = {"n": 300, "trials": TRIALS, "ε": 0.10}
SEEDS = {"figure5": 1998, "figure6": 1999}


def figure4(_: Scale) -> Finding:
    """The designed error probabilities for ε = .10 (D-35)."""
    from ...lab import DesignedPopulation

    population = DesignedPopulation(epsilon=0.10)
    first, second = population.kinds()
    a = [first[0]] * 50 + [second[0]] * 50
    b = [first[1]] * 50 + [second[1]] * 50
    means = [float(np.mean(side)) for side in (a, b)]
    return Finding(
        statements=(
            Statement(
                "half of the points have ε_A = ½ε and ε_B = 3⁄2 ε, the others the reverse",
                bool(np.allclose([first, second], [(0.05, 0.15), (0.15, 0.05)])),
                f"(ε_A, ε_B) is {first} and {second}",
            ),
            Statement(
                "both learners have an error rate of .10",
                bool(np.allclose(means, 0.10)),
                f"{means[0]:.3f} and {means[1]:.3f}",
            ),
        ),
        curves={"ε_A(x)": a, "ε_B(x)": b},
    )


def figure5(scale: Scale) -> Finding:
    """Type I error of five tests in the designed population (D-36, D-37)."""
    from ...lab import DesignedPopulation, rejection_rates
    from ...lab.studies import study

    trials = scale.of(TRIALS, 200)
    epsilons = published(PAPER)["synthetic"]["epsilons"]
    epsilons = epsilons[::3] if scale.quick else epsilons
    simulated: dict[str, list[Any]] = {name: [] for name in TESTS}
    exact: dict[str, list[float]] = {name: [] for name in TESTS}
    for at, epsilon in enumerate(epsilons):
        scale.say(f"ε = {epsilon:.2f}")
        population = DesignedPopulation(epsilon=epsilon)
        found = study(
            list(TESTS),
            population,
            n_reps=trials,
            random_state=SEEDS["figure5"] + at,
            n_jobs=1,
            store=scale.store(f"dietterich-figure5-{round(100 * epsilon)}"),
        )
        rates = found.rates(undefined="reject")
        truth = rejection_rates(population)
        for name in TESTS:
            simulated[name].append(rates[name])
            exact[name].append(truth[name])
    return Finding(
        statements=(*_exceed(exact), _true_to(exact, simulated, trials), _resampled_highest(exact)),
        header=("test", *(f"ε = {e:.2f}" for e in epsilons)),
        rows=tuple(
            (
                TESTS[name],
                *(
                    f"{r.rate:.3f} [{r.low:.3f}, {r.high:.3f}], exactly {p:.4f}"
                    for r, p in zip(simulated[name], exact[name], strict=True)
                ),
            )
            for name in TESTS
        ),
        remarks=remarks(PAPER, "figure5"),
        curves={"epsilons": list(epsilons)}
        | {
            name: {
                "rate": [r.rate for r in simulated[name]],
                "low": [r.low for r in simulated[name]],
                "high": [r.high for r in simulated[name]],
                "exact": exact[name],
            }
            for name in TESTS
        },
    )


def _exceed(exact: dict[str, list[float]]) -> list[Statement]:
    statements = []
    too_high = [exact[name] for name in ("proportions", "resampled_t")]
    for name, rates in exact.items():
        told = ", ".join(f"{rate:.4f}" for rate in rates)
        if any(rates is one for one in too_high):
            text = f"{TESTS[name]} exceeds .05"
            statements.append(Statement(text, min(rates) > 0.05, f"exact rates {told}"))
        else:
            text, most = f"{TESTS[name]} is acceptable", 0.05 + DEVIATE * share_error(0.05, TRIALS)
            judged = f"exact rates {told}: none that {TRIALS} trials could tell from .05 at .001"
            statements.append(Statement(text, max(rates) <= most, judged))
    return statements


def _true_to(exact: Any, simulated: Any, trials: int) -> Statement:
    """The simulation is held to the sums: our own claim, not the paper's."""
    furthest = max(
        abs(r.rate - p) / share_error(p, trials)
        for name in TESTS
        for r, p in zip(simulated[name], exact[name], strict=True)
    )
    count = sum(len(rates) for rates in exact.values())
    return Statement(
        f"ours, not the paper's: {trials} trials give the rates that finite sums give",
        furthest < 4.1,
        f"the furthest of {count} rates is {furthest:.2f} standard errors away; 4.1 is .001 "
        "for all together",
    )


def _resampled_highest(exact: dict[str, list[float]]) -> Statement:
    others = [rates for rates in exact.values() if rates is not exact["resampled_t"]]
    least = min(
        rate / max(each[at] for each in others) for at, rate in enumerate(exact["resampled_t"])
    )
    return Statement(
        "the resampled t has a much higher Type I error than the others",
        least >= 2,
        f"at least {least:.1f} times that of every other test, at each ε, by exact rates; 2 is "
        "read into the words",
    )


def figure6(scale: Scale) -> Finding:
    """Type I error against the number of splits or folds, ε = .10 (D-38)."""
    from ...lab import DesignedPopulation, rejection_rates
    from ...lab.studies import study

    population, trials = DesignedPopulation(epsilon=0.10), scale.of(TRIALS, 200)
    splits, folded = (SPLITS[1::3], FOLDS[1::3]) if scale.quick else (SPLITS, FOLDS)
    designs = {
        "resampled_t": {j: f"{j}xresampled@1/3" for j in splits},
        "kfold_t": {k: f"{k}cv" for k in folded},
    }
    asked = [(name, plan) for name, plans in designs.items() for plan in plans.values()]
    found = study(
        asked,
        population,
        n_reps=trials,
        random_state=SEEDS["figure6"],
        n_jobs=1,
        store=scale.store("dietterich-figure6"),
    ).rates(undefined="reject")
    curves: dict[str, Any] = {}
    for name, plans in designs.items():
        rows = [found[f"{name} {plan}"] for plan in plans.values()]
        curves[name] = {
            "x": list(plans),
            "rate": [row.rate for row in rows],
            "low": [row.low for row in rows],
            "high": [row.high for row in rows],
            "exact": [rejection_rates(population, {name: p})[name] for p in plans.values()],
        }
    from_five = curves["resampled_t"]["exact"][splits.index(5) :]
    folds = curves["kfold_t"]["exact"][folded.index(3) :]
    spread = max(folds) - min(folds)
    return Finding(
        statements=(
            Statement(
                "more splits raise the Type I error of the resampled t",
                all(a < b for a, b in pairwise(from_five)),
                f"exact rates rise from {from_five[0]:.3f} at 5 splits to "
                f"{from_five[-1]:.3f} at {splits[-1]}",
            ),
            Statement(
                "more folds do not raise that of the cross-validated t",
                max(folds) <= 0.05 + DEVIATE * share_error(0.05, TRIALS)
                and spread < DEVIATE * share_error(0.05, TRIALS),
                f"exact rates lie within {min(folds):.4f} and {max(folds):.4f} from "
                f"3 folds on, which {TRIALS} trials cannot tell apart at .001",
            ),
        ),
        header=("test", "splits or folds", "simulated", "exact"),
        rows=tuple(
            (TESTS[name].replace("10-fold", "k-fold"), str(x), f"{rate:.3f}", f"{exact:.4f}")
            for name, curve in curves.items()
            for x, rate, exact in zip(curve["x"], curve["rate"], curve["exact"], strict=True)
        ),
        remarks=remarks(PAPER, "figure6"),
        curves=curves,
    )


EXHIBITS = (
    exhibit(PAPER, "figure4", figure4, {"ε": 0.10}, plots.designed),
    exhibit(PAPER, "figure5", figure5, SETTINGS, plots.figure5, seed=SEEDS["figure5"]),
    exhibit(PAPER, "figure6", figure6, BY_SPLITS, plots.figure6, seed=SEEDS["figure6"]),
)
