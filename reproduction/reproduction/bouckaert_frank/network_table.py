"""Table 5: the consistency of tests on data of four Bayesian networks (R-23 to R-25)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from outperform.lab.scenarios import stream
from outperform.lab.studies import study
from outperform.numerics.exact_sums import Array

from ..bayesian_networks import BayesianNetwork, BinaryContest
from ..exhibits import (
    Finding,
    HowMany,
    Measurement,
    Scale,
    Statement,
    Tails,
    Value,
    all_of,
    bootstrap,
    published,
    remarks,
    settled,
    share_error,
    tails,
)
from ..running import remembered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
SETS = HowMany(1000, 30)
OTHERS = 4
"""Other networks for each source."""
OTHER = "different networks: only their Δ is known, not their edges and probability tables"


def table5(scale: Scale) -> Finding:
    """Repeat five tests ten times on each of 1,000 sets of four sources."""
    told = published(PAPER)["table5"]
    sets, root = scale.of(*SETS), scale.seeded(SEED)
    sources = _sources(scale, told["delta"])
    found = [
        _consistent(seed, sets, root + at, scale, f"source {at + 1}, Δ = {delta:.2f}", f"{at}")
        for at, (seed, delta) in enumerate(sources)
    ]
    consistent = {name: np.stack([one[name] for one in found], axis=1) for name in TESTS}
    shares = {name: (100 * sets_by.mean(axis=0)).tolist() for name, sets_by in consistent.items()}
    others = _other_networks(scale, sources)
    values = [
        Value(
            f"{name}, source {at + 1}",
            told[name][at],
            ours,
            0.05,
            _error(told[name][at], ours, sets),
            _reason(told[name][at], others[at][name] if at else []),
            lost=scale.quick or at > 0,
        )
        for name, row in shares.items()
        for at, ours in enumerate(row)
    ]
    values += [
        _least(name, told[name], consistent[name], [source[name] for source in others[1:]], scale)
        for name in TESTS
    ]
    return Finding(
        values=tuple(values),
        statements=tuple(_order(consistent)),
        header=(
            "test",
            *(f"source {at + 1}, Δ = {d:.2f}" for at, (_, d) in enumerate(sources)),
            "min.",
        ),
        rows=tuple(
            (
                name,
                *(f"{_shown(told[name][at])} / {ours:.1f}" for at, ours in enumerate(row)),
                f"{_shown(_printed_least(told[name]))} / {min(row):.1f}",
            )
            for name, row in shares.items()
        ),
        remarks=(*remarks(PAPER, "table5"), _ranges(others)),
        curves={"delta": [delta for _, delta in sources], "shares": shares},
    )


def _consistent(
    seed: int | None, sets: int, random_state: int, scale: Scale, words: str, store: str
) -> dict[str, Array]:
    """Return, for each test, on which sets of a network all repetitions agree."""
    scale.say(f"  {words}")
    found = study(
        list(TESTS.values()),
        BinaryContest(_network(seed), repeated=REPETITIONS),
        n_reps=REPETITIONS * sets,
        random_state=random_state,
        n_jobs=scale.n_jobs,
        store=scale.store(f"bouckaert-frank-table5-{store}"),
    )
    same = {}
    for name, label in zip(TESTS, found.methods, strict=True):
        p = found.column(label)
        rejects = (p < 0.05) | np.isnan(p)  # an infinite t rejects
        rejected = rejects.reshape(sets, REPETITIONS).sum(axis=1)
        same[name] = (rejected == 0) | (rejected == REPETITIONS)
    return same


def _other_networks(
    scale: Scale, sources: list[tuple[int | None, float]]
) -> list[dict[str, list[float]]]:
    """Run the tests on other networks with the Δ of each source: what only Δ leaves open."""
    sets, count = scale.of(200, 10), scale.of(OTHERS, 1)
    found: list[dict[str, list[float]]] = [{}]
    for at, (_, delta) in enumerate(sources[1:], 1):
        taken = {seed for seed, _ in sources}
        seeds = [seed for seed in _nearest(scale, delta) if seed not in taken][:count]
        words = f"source {at + 1}, other networks"
        shares = [
            _consistent(
                seed, sets, scale.seeded(SEED) + at, scale, f"{words}: {seed}", f"{at}-{seed}"
            )
            for seed in seeds
        ]
        found.append({name: [100 * float(one[name].mean()) for one in shares] for name in TESTS})
    return found


def _ranges(others: list[dict[str, list[float]]]) -> str:
    told = "; ".join(
        f"source {at + 1} {name} {min(row):.1f} to {max(row):.1f}"
        for at, one in enumerate(others)
        for name, row in one.items()
    )
    return (
        f"Other networks with about the same Δ, {len(others[1][LOW[0]])} for each source: {told}."
    )


def _printed_least(row: Sequence[float | None]) -> float | None:
    known = [one for one in row if one is not None]
    return min(known) if len(known) == len(row) else None


def _least(
    name: str, told: Sequence[float | None], sets_by: Array, others: list[list[float]], scale: Scale
) -> Value:
    """Compare the printed column "min."; where it differs, other networks say how far it can."""
    printed = _printed_least(told)
    ours = bootstrap(lambda one: 100 * float(one.mean(axis=0).min()), sets_by, seed=SEED)
    reach = [[min(row), max(row)] for row in others]
    low, high = (min(one[side] for one in reach) for side in (0, 1))
    inside = printed is not None and low <= printed <= high
    return Value(
        f"{name}, min.",
        printed,
        ours.value,
        0.05,
        float(np.sqrt(2)) * ours.error,
        "missing from the text (E-R8)"
        if printed is None
        else f"other networks with the same Δ have a minimum of {low:.1f} to {high:.1f}, "
        f"{'which includes the printed one' if inside else 'which excludes the printed one'}",
        lost=scale.quick,
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
    """Test that the smallest share over sources is larger, on the same sets, by a bootstrap."""
    gains = {other: _gain(consistent[better], consistent[other]) for other in others}
    return _judged(gains, "higher than with")


def _less(
    worse: str, others: Sequence[str], consistent: dict[str, Array]
) -> tuple[Tails, str, str]:
    """Test that it is smaller than that of each of the others."""
    gains = {other: _gain(consistent[other], consistent[worse]) for other in others}
    return _judged(gains, "higher with")


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


def _rough(scale: Scale) -> dict[int, float]:
    """Return the Δ accuracy of many networks, roughly; kept, for it chooses them."""
    seeds, few = scale.of(200, 12), scale.of(30, 4)

    def measure() -> list[float]:
        return [abs(_difference(_network(seed), few)) for seed in range(seeds)]

    found = remembered(scale, "bouckaert-frank-rough", [SEED, seeds, few], measure)
    return dict(enumerate(found))


def _nearest(scale: Scale, delta: float) -> list[int]:
    """Return networks by how near their Δ is to one."""
    rough = _rough(scale)
    return sorted(rough, key=lambda seed: abs(rough[seed] - delta))


def _sources(scale: Scale, wanted: list[float]) -> list[tuple[int | None, float]]:
    """Choose networks by Δ accuracy alone; what was chosen is kept."""
    many = scale.of(1000, 20)

    def choose() -> list[tuple[int | None, float]]:
        found: list[tuple[int | None, float]] = [(None, 0.0)]
        for target in wanted[1:]:
            taken = {seed for seed, _ in found}
            seed = next(one for one in _nearest(scale, target) if one not in taken)
            found.append((seed, abs(_difference(_network(seed), many))))
        return found

    chosen = remembered(scale, "bouckaert-frank-networks", [SEED, wanted, many], choose)
    return [(seed, delta) for seed, delta in chosen]


def _network(seed: int | None) -> BayesianNetwork:
    return BayesianNetwork.independent(SEED) if seed is None else BayesianNetwork.ban(seed)


def _difference(network: BayesianNetwork, n_sets: int) -> float:
    """Return the mean difference of accuracies, in points: exact for each training set of 300."""
    from ..learners import C45, NaiveBayes

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


def _reason(printed: float | None, others: Sequence[float]) -> str:
    if printed is None:
        return "missing from the text (E-R8)"
    if not others:
        return OTHER
    return f"{OTHER}; further networks with the same Δ give {min(others):.1f} to {max(others):.1f}"


def _shown(printed: float | None) -> str:
    return "lost" if printed is None else f"{printed:.1f}"


def draw_table5(finding: Finding, theme: str) -> Figure:
    """Draw consistency by Δ."""
    from outperform.report.figures.canvas import look, quiet
    from outperform.report.figures.curves import Curve, curves

    order = np.argsort(finding.curves["delta"])
    delta = [finding.curves["delta"][at] for at in order]
    series = {
        name: Curve(delta, [row[at] for at in order])
        for name, row in finding.curves["shares"].items()
    }
    with quiet():
        return curves(
            series,
            look(theme, 0.95, None),
            xlabel="Δ accuracy, points",
            ylabel="sets on which all repetitions agree, %",
        )
