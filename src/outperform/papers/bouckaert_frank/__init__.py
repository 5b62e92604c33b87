"""Bouckaert & Frank: does a test say the same when it is repeated? Tables 1 to 5.

Here stands Table 5, the consistency of tests on data of four Bayesian networks (R-23 to R-25).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data import BOUCKAERT_FRANK
from ...lab.bayesian_networks import BayesianNetwork, BinaryContest
from ...lab.scenarios import stream
from ...lab.studies import study
from ...numerics.exact_sums import Array
from ..exhibits import (
    Finding,
    Measurement,
    Scale,
    Statement,
    Tails,
    Value,
    all_of,
    bootstrap,
    exhibit,
    published,
    remarks,
    settled,
    share_error,
    tails,
)
from ..reproduction import remembered
from .replicability_tables import stratification, table1, table2, table3, table4, text_results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXHIBITS"]


PAPER = "bouckaert-frank"
SEED = 2004
TESTS: dict[str, tuple[str, str]] = {
    "5x2 cv": ("five_by_two_t", "5x2cv/stratified"),
    "10 x resampling": ("corrected_t", "10xresampled@1/10"),
    "100 x resampling": ("corrected_t", "100xresampled@1/10"),
    "10-fold cv": ("kfold_t", "10cv/stratified"),
    "corrected 10x10 cv": ("corrected_t", "10x10cv/stratified"),
}
REPETITIONS = 10
LOW = ("5x2 cv", "10 x resampling", "10-fold cv")
"""The tests of which the paper says that they show rather low consistency."""
OTHER = "other networks: only their Δ is known, not their arrows and tables"
SETTINGS = {"datasets": 27, "repetitions": 10, "α": 0.05}
DATA = tuple(BOUCKAERT_FRANK)


def table5(scale: Scale) -> Finding:
    """Repeat five tests ten times on each of 1,000 sets of four sources."""
    told = published(PAPER)["table5"]
    sets = scale.of(1000, 30)
    sources = _sources(scale, told["delta"])
    same: dict[str, list[Array]] = {name: [] for name in TESTS}
    for number, (seed, delta) in enumerate(sources):
        scale.say(f"  source {number + 1}, Δ = {delta:.2f}")
        found = study(
            list(TESTS.values()),
            BinaryContest(_network(seed), repeated=REPETITIONS),
            n_reps=REPETITIONS * sets,
            random_state=SEED + number,
            n_jobs=scale.n_jobs,
            store=scale.store(f"bouckaert-frank-table5-{number}"),
        )
        for name, label in zip(TESTS, found.methods, strict=True):
            p = found.column(label)
            rejects = (p < 0.05) | np.isnan(p)  # an infinite t rejects
            rejected = rejects.reshape(sets, REPETITIONS).sum(axis=1)
            same[name].append((rejected == 0) | (rejected == REPETITIONS))
    consistent = {name: np.stack(rows, axis=1) for name, rows in same.items()}
    shares = {name: (100 * sets_by.mean(axis=0)).tolist() for name, sets_by in consistent.items()}
    values = [
        Value(
            f"{name}, source {at + 1}",
            told[name][at],
            ours,
            0.05,
            _error(told[name][at], ours, sets),
            _reason(told[name][at]),
            scale.quick,
        )
        for name, row in shares.items()
        for at, ours in enumerate(row)
    ]
    return Finding(
        values=tuple(values),
        statements=tuple(_order(consistent)),
        header=("test", *(f"source {at + 1}, Δ = {d:.2f}" for at, (_, d) in enumerate(sources))),
        rows=tuple(
            (name, *(f"{_shown(told[name][at])} / {ours:.1f}" for at, ours in enumerate(row)))
            for name, row in shares.items()
        ),
        remarks=remarks(PAPER, "table5"),
        curves={"delta": [delta for _, delta in sources], "shares": shares},
    )


def _order(consistent: dict[str, Array]) -> list[Statement]:
    """Judge what the text says of the order by the paper's measure, the least of the sources."""
    many, best = "100 x resampling", "corrected 10x10 cv"
    return [
        settled(
            "consistency increases with 100 times resampling over " + ", ".join(LOW),
            *_more(many, LOW, consistent),
        ),
        settled(
            "it increases even further with 10 times repeated 10-fold cross-validation",
            *_more(best, (many,), consistent),
        ),
        settled(
            "the 5x2cv t is the least consistent of all",
            *_less("5x2 cv", [name for name in consistent if name != "5x2 cv"], consistent),
        ),
    ]


def _more(
    better: str, others: Sequence[str], consistent: dict[str, Array]
) -> tuple[Tails, str, str]:
    """Test that the smallest share over sources is larger, on the same sets, sets drawn anew."""
    gains = {other: _gain(consistent[better], consistent[other]) for other in others}
    return _judged(gains, "over")


def _less(
    worse: str, others: Sequence[str], consistent: dict[str, Array]
) -> tuple[Tails, str, str]:
    """Test that it is smaller than that of each of the others."""
    gains = {other: _gain(consistent[other], consistent[worse]) for other in others}
    return _judged(gains, "gain of")


def _gain(one: Array, other: Array) -> Measurement:
    return bootstrap(
        lambda one, two: 100 * float(one.mean(axis=0).min() - two.mean(axis=0).min()),
        one,
        other,
        seed=SEED,
    )


def _judged(gains: dict[str, Measurement], word: str) -> tuple[Tails, str, str]:
    told = "; ".join(f"{word} {other} by {gain}" for other, gain in gains.items())
    judged = f"smallest % of consistent sets over the sources, the same sets for both: {told}"
    return all_of([tails(gain, "above", 0.0) for gain in gains.values()]), judged, OTHER


def _sources(scale: Scale, wanted: list[float]) -> list[tuple[int | None, float]]:
    """Choose networks by Δ accuracy alone; what was chosen is kept."""
    seeds, few, many = scale.of(200, 12), scale.of(30, 4), scale.of(1000, 20)

    def choose() -> list[tuple[int | None, float]]:
        rough = {seed: abs(_difference(_network(seed), few)) for seed in range(seeds)}
        found: list[tuple[int | None, float]] = [(None, 0.0)]
        for target in wanted[1:]:
            taken = {seed for seed, _ in found}
            seed = min((s for s in rough if s not in taken), key=lambda s: abs(rough[s] - target))
            found.append((seed, abs(_difference(_network(seed), many))))
        return found

    about = [SEED, wanted, seeds, few, many]
    chosen = remembered(scale, "bouckaert-frank-networks", about, choose)
    return [(seed, delta) for seed, delta in chosen]


def _network(seed: int | None) -> BayesianNetwork:
    return BayesianNetwork.independent(SEED) if seed is None else BayesianNetwork.ban(seed)


def _difference(network: BayesianNetwork, n_sets: int) -> float:
    """Return the mean difference of accuracies, in points: exact for each training set of 300."""
    from ...learners import C45, NaiveBayes

    root = np.random.SeedSequence(SEED)
    mask = [True] * (len(network.parents) - 1)
    gaps = []
    for number in range(n_sets):
        data = network.draw(300, stream(root, number))
        learners: list[Any] = [NaiveBayes(nominal=mask), C45(nominal=mask)]
        first, second = (network.accuracy(one.fit(data.X, data.y)) for one in learners)
        gaps.append(first - second)
    return 100 * float(np.mean(gaps))


def _error(printed: float | None, ours: float, sets: int) -> float:
    if printed is None:
        return 0.0
    return 100 * float(np.hypot(share_error(ours / 100, sets), share_error(printed / 100, 1000)))


def _reason(printed: float | None) -> str:
    return "lost in the text (E-R8)" if printed is None else OTHER


def _shown(printed: float | None) -> str:
    return "lost" if printed is None else f"{printed:.1f}"


def draw_table5(finding: Finding, theme: str) -> Figure:
    """Draw consistency by Δ."""
    from ...report.figures.canvas import look, quiet
    from ...report.figures.curves import Curve, curves

    order = np.argsort(finding.curves["delta"])
    delta = [finding.curves["delta"][at] for at in order]
    series = {
        name: Curve(delta, [row[at] for at in order])
        for name, row in finding.curves["shares"].items()
    }
    with quiet():
        return curves(
            series,
            look(theme, "wide", 0.95, None),
            xlabel="Δ accuracy, points",
            ylabel="sets on which all repetitions agree, %",
        )


EXHIBITS = (
    exhibit(PAPER, "table1", table1, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "table2", table2, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "table3", table3, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "table4", table4, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "text", text_results, SETTINGS, needs=DATA, seed=SEED),
    exhibit(PAPER, "stratification", stratification, SETTINGS, needs=DATA, seed=SEED),
    exhibit(
        PAPER, "table5", table5, {"sets": 1000, "n": 300, "repetitions": 10}, draw_table5, seed=SEED
    ),
)
