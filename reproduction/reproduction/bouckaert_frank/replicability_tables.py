"""Tables 1 to 4 and the results in the text: repeated tests on the 27 datasets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from outperform.numerics.distributions import T
from outperform.numerics.exact_sums import Array
from outperform.procedures.replicability import pair_agreement
from outperform.scores.split_scores import Scores

from ..exhibits import (
    Finding,
    HowMany,
    Measurement,
    Scale,
    Statement,
    Value,
    all_of,
    binomial,
    claim,
    global_fit,
    mean,
    published,
    remarks,
    settled,
    tails,
    within,
)
from ..repetitions import Repetitions, repetitions, replicate

SEED = 2004
LEARNERS = ("NB", "C4.5", "NN")
PAIRS = tuple(combinations(LEARNERS, 2))
QUICK = ("iris", "labor", "zoo")
REPEATED = HowMany(10, 4)
BOOTSTRAPS = 4000


def datasets(scale: Scale) -> tuple[str, ...]:
    """Return the names of the datasets in the order of Table 1, fewer at the quick scale."""
    from ..datasets import BOUCKAERT_FRANK

    return scale.among(PAPER, BOUCKAERT_FRANK, QUICK)


def learners_of() -> dict[str, Any]:
    """Return Weka's three learners with its default settings (R-15)."""
    from ..learners import C45, NaiveBayes, NearestNeighbor

    return {"NB": NaiveBayes(), "C4.5": C45(), "NN": NearestNeighbor(normalize=True)}


def scores(scale: Scale, design: str) -> dict[str, Scores]:
    """Run all learners over repetitions of a design on every dataset; stores make it go on."""
    from ..datasets import load

    learners = learners_of()
    word = design.replace("/", "-").replace("@", "-")
    found = {}
    for name in datasets(scale):
        data = load(name)
        scale.say(f"  {name}, {design}")
        found[name] = replicate(
            learners,
            data.X,
            data.y,
            design=design,
            n=scale.of(*REPEATED),
            random_state=scale.seeded(SEED),
            n_jobs=scale.n_jobs,
            store=scale.store(f"bouckaert-frank-{name}-{word}"),
        )
    return found


def repeated(
    scale: Scale, design: str, method: str, runs: Sequence[int | None] = (None,)
) -> list[list[Repetitions]]:
    """Return the repetitions of a method by numbers of runs, for each pair of learners."""
    found = scores(scale, design)
    return [
        [repetitions(found, method, *pair, runs=count, undefined="reject") for count in runs]
        for pair in PAIRS
    ]


SUMMARIES: dict[str, Callable[[Any, int], Any]] = {
    "consistent": lambda k, n: ((k == 0) | (k == n)).sum(axis=-1),
    "almost_consistent": lambda k, n: ((k <= 1) | (k >= n - 1)).sum(axis=-1),
    "R": lambda k, n: np.mean(pair_agreement(k, n), axis=-1),
    "different": lambda k, n: (k > 0).sum(axis=-1),
}
"""What tables and text print of the rejections k of n repetitions, datasets last (R-04 to R-07):
the last counts where a choice of seed could claim a difference (R-22)."""


def spread_of(counts: Any, n: int, key: str) -> float:
    """Return the standard error of a summary of another, equal set of repetitions against ours.

    Repetitions on one dataset are independent given the data, so rejections are binomial. Their
    chances are drawn from Jeffreys' posterior, and both sets of repetitions again.
    """
    rng = np.random.default_rng(SEED)
    k = np.asarray(counts)
    chance = rng.beta(k + 0.5, n - k + 0.5, size=(BOOTSTRAPS, k.size))
    first, second = (SUMMARIES[key](rng.binomial(n, chance), n) for _ in range(2))
    return float(np.std(first - second))


def chance_errors(ours: Any, theirs: Any, n: int) -> Array:
    """Return the standard error of the difference of two counts of n, by their common chance."""
    chance = (ours + theirs + 1) / (2 * n + 2)
    return np.asarray(np.sqrt(2 * n * chance * (1 - chance)))


PAPER = "bouckaert-frank"
OTHER = "another release of the learners and perhaps of the data; Weka 3.3 is no longer available"
FEWER = "fewer datasets or repetitions than published"
ALMOST = 0.1
"""Read into "almost everywhere": all but a tenth."""
SLIGHT = 0.02
"""Read into "differed only very slightly": what cross-validation gains of R in Tables 2 and 3, on
average over the pairs at the largest effort, is .025."""


def table1(scale: Scale) -> Finding:
    """5x2cv: non-rejections on each dataset, on folds of ours (R-16)."""
    told = published(PAPER)["table1"]
    found = [one[0] for one in repeated(scale, "5x2cv/stratified", "five_by_two_t")]
    n, names = found[0].n, datasets(scale)
    other = np.stack([n - one.rejections(0.05) for one in found], axis=1)
    found = [judged_by(one, PRINTED_DF) for one in found]
    counts = np.stack([n - one.rejections(0.05) for one in found], axis=1)
    printed = np.array([told["non_rejections"][name] for name in names])
    errors = chance_errors(counts, printed * n / 10, n)
    values = [
        Value(
            f"{name}, {' vs. '.join(pair)}",
            float(printed[row, col]),
            float(counts[row, col]),
            error=float(errors[row, col]),
            reason=FEWER if scale.quick else OTHER,
            lost=scale.quick,
            most=10.0,
        )
        for row, name in enumerate(names)
        for col, pair in enumerate(PAIRS)
    ]
    over = _summaries(scale, "", [[one] for one in found], [None], told["summary"], 0.05)
    over.append(_seed_shopping(found[0], told["seed_shopping"]))
    return Finding(
        values=(*values, *_quiet(over, scale)),
        statements=(*_below_half(found), _flips(found)),
        header=("dataset", *(" vs. ".join(pair) for pair in PAIRS)),
        rows=beside(names, printed, counts, other),
        fit=global_fit(outcomes(counts, n), outcomes(printed, 10), SEED),
        remarks=(
            f"Printed / ours: non-rejections of {n} repetitions with {PRINTED_DF} degrees of "
            "freedom, in brackets with 5.",
            *remarks(PAPER, "table1"),
        ),
    )


def outcomes(accepted: Any, n: int) -> Array:
    """Return non-rejections and rejections of every cell, one row each."""
    flat = np.asarray(accepted, dtype=np.float64).ravel()
    return np.stack([flat, n - flat], axis=1)


def beside(names: Sequence[str], *counts: Any) -> tuple[tuple[str, ...], ...]:
    """Return the rows of Table 1, printed / ours, in brackets ours with 5 degrees of freedom."""
    return tuple(
        (name, *(f"{p} / {o} ({f})" for p, o, f in zip(*(one[row] for one in counts), strict=True)))
        for row, name in enumerate(names)
    )


def _flips(found: Sequence[Repetitions]) -> Statement:
    """Look for rejections in favour of either side, and how many there are (R-08)."""
    seen = []
    for pair, one in zip(PAIRS, found, strict=True):
        for row, name in enumerate(one.datasets):
            sides = one.sides[row][one.rejected(0.05)[row]]
            if (sides > 0).any() and (sides < 0).any():
                seen.append((f"{name}, {' vs. '.join(pair)}", sides.size))
    told = "; ".join(f"{where}: {count} rejections" for where, count in seen)
    return Statement(
        "the favoured side changes only where all but 2 or 3 repetitions do not reject",
        all(count <= 3 for _, count in seen),
        f"of {len(PAIRS) * len(found[0].datasets)} cells the side changes in {len(seen)}"
        + (f" ({told})" if told else ""),
        reason=OTHER,
    )


PRINTED_DF = 4
"""Degrees of freedom that Table 1 was very probably computed with (E-R14): see `weka_tables`."""


def judged_by(one: Repetitions, df: int) -> Repetitions:
    """Return 5x2cv tests with p-values by other degrees of freedom than 5; infinite t stays so."""
    t = np.asarray(T(5).isf(one.pvalues / 2))
    return replace(one, pvalues=2 * np.asarray(T(df).sf(t)))


def _seed_shopping(found: Repetitions, printed: int) -> Value:
    """Count the datasets on which a choice of seed could claim a difference (R-22)."""
    counts = found.rejections(0.05)
    return Value(
        "datasets on which naive Bayes and C4.5 could be claimed to differ by choosing the seed",
        printed,
        float(SUMMARIES["different"](counts, found.n)),
        error=spread_of(counts, found.n, "different"),
        reason=OTHER,
    )


def _below_half(found: list[Repetitions]) -> list[Statement]:
    """Judge what the text says of Table 1, over datasets."""
    said = []
    for word, key, bound in (("consistent", 0, 0.5), ("almost consistent", 1, 0.66)):
        hits = [_settled_on(one, key) for one in found]
        told, n = ", ".join(map(str, hits)), len(found[0].datasets)
        said.append(
            settled(
                f"for every pair fewer than {bound:.0%} of the results are {word}",
                all_of([binomial(count, n, "below", bound) for count in hits]),
                f"{told} of {n} datasets, binomial tests of each against {bound:g}",
                OTHER,
            )
        )
    return said


def _settled_on(one: Repetitions, exceptions: int) -> int:
    """Count the datasets on which all repetitions but a few agree."""
    k = one.rejections(0.05)
    return int(((k <= exceptions) | (k >= one.n - exceptions)).sum())


def _agreement(found: Sequence[Repetitions]) -> Array:
    """Return R of each dataset, the mean of the pairs of learners."""
    return np.asarray(np.mean([one.replicability().per_dataset for one in found], axis=0))


def table2(scale: Scale) -> Finding:
    """Corrected resampled t by the number of resamples (R-17)."""
    told = published(PAPER)["table2"]
    found = repeated(scale, "100xresampled@1/10", "corrected_t", told["runs"])
    return _by_runs(scale, found, told, "resamples")


def table3(scale: Scale) -> Finding:
    """Corrected repeated ten-fold t by the number of runs (R-19)."""
    told = published(PAPER)["table3"]
    found = repeated(scale, "10x10cv/stratified", "corrected_t", told["runs"])
    return _by_runs(scale, found, told, "runs")


def _by_runs(scale: Scale, found: list[list[Repetitions]], told: Any, what: str) -> Finding:
    columns = [f"{count} {what if count > 1 else what[:-1]}" for count in told["runs"]]
    values = _summaries(scale, "", found, columns, told, 0.05)
    first, last = (_agreement([row[at] for row in found]) for at in (0, -1))
    return Finding(
        values=tuple(_quiet(values, scale)),
        statements=(
            claim(
                f"R increases with the number of {what}",
                mean(last - first),
                "above",
                0.0,
                what=f"gain of R from {told['runs'][0]} to {columns[-1]}, mean of {first.size} "
                "datasets",
                reason=OTHER,
            ),
        ),
        header=("pair", *columns),
        rows=tuple(
            (" vs. ".join(pair), *(f"{one.replicability().R:.3f}" for one in row))
            for pair, row in zip(PAIRS, found, strict=True)
        ),
        remarks=("R of our runs.",),
    )


def table4(scale: Scale) -> Finding:
    """Corrected 10x10 t at four levels (R-21)."""
    told = published(PAPER)["table4"]
    found = repeated(scale, "10x10cv/stratified", "corrected_t")
    values = []
    for column, alpha in enumerate(told["alpha"]):
        part = {key: [row[column] for row in told[key]] for key in told.keys() & SUMMARIES.keys()}
        values += _summaries(
            scale, f"α = {alpha:g}", [[one[0]] for one in found], [None], part, alpha
        )
    above = [
        Measurement(one[0].replicability(alpha).R, _error_of(one[0], alpha))
        for alpha in told["alpha"]
        for one in found
    ]
    least = min(min(row) for row in told["R"])
    return Finding(
        values=tuple(_quiet(values, scale)),
        statements=(
            settled(
                "R is greater than 0.9 in every single case",
                all_of([tails(one, "above", 0.9) for one in above]),
                f"the least of {len(above)} printed is {least:g}, of ours "
                f"{min(above, key=lambda one: one.value)}; each against 0.9, its error that of "
                "other repetitions on the same datasets",
                OTHER,
            ),
        ),
    )


def _error_of(one: Repetitions, alpha: float) -> float:
    """Return the standard error of R over new repetitions."""
    return spread_of(one.rejections(alpha), one.n, "R") / math.sqrt(2)


def equal_effort(scale: Scale) -> Finding:
    """Tables 2 and 3 column by column: as many fits in both (R-28)."""
    told = published(PAPER)
    two, three = told["table2"], told["table3"]
    cells = {
        f"{key.replace('_', ' ')} of {' vs. '.join(pair)} at {runs}": other - one
        for key in ("consistent", "almost_consistent", "R")
        for at, pair in enumerate(PAIRS)
        for one, other, runs in zip(two[key][at], three[key][at], two["runs"], strict=True)
        if other is not None
    }
    better = sum(gain > 0 for gain in cells.values())
    worse = [cell for cell, gain in cells.items() if gain < 0]
    drawn = repeated(scale, "100xresampled@1/10", "corrected_t", two["runs"])
    folds = repeated(scale, "10x10cv/stratified", "corrected_t", three["runs"])
    gains, rows = [], []
    for at, (draws, runs) in enumerate(zip(two["runs"], three["runs"], strict=True)):
        gain = mean(_agreement([row[at] for row in folds]) - _agreement([row[at] for row in drawn]))
        gains.append(gain)
        printed = [
            "lost" if b is None else f"{b - a:+.3f}"
            for a, b in ((two["R"][pair][at], three["R"][pair][at]) for pair in range(len(PAIRS)))
        ]
        ours = [
            f[at].replicability().R - d[at].replicability().R
            for f, d in zip(folds, drawn, strict=True)
        ]
        both = (f"{p} / {o:+.3f}" for p, o in zip(printed, ours, strict=True))
        rows.append((f"{runs} × 10 folds less {draws} resamples", *both, f"{gain}"))
    shown = "; ".join(f"{row[0]}: {gain}" for row, gain in zip(rows, gains, strict=True))
    return Finding(
        statements=(
            Statement(
                "at equal effort cross-validation is almost everywhere as good as resampling, and "
                "often better (the printed tables)",
                len(worse) <= ALMOST * len(cells) and better > len(worse),
                f"of {len(cells)} cells of Tables 2 and 3 better in {better}, worse in "
                f"{len(worse)}; almost everywhere: worse in at most {ALMOST:.0%}",
                reason=f"worse: {'; '.join(worse)}",
            ),
            settled(
                "at equal effort R of cross-validation is larger (our runs)",
                all_of([tails(gain, "above", 0.0) for gain in gains]),
                f"gain of R, mean over the pairs, on the same datasets: {shown}",
                OTHER,
            ),
        ),
        header=("fits", *(" vs. ".join(pair) for pair in PAIRS), "mean gain"),
        rows=tuple(rows),
        remarks=("R of Table 3 minus R of Table 2, printed / ours.",),
    )


def text_results(scale: Scale) -> Finding:
    """Consistent datasets of the 10-fold t and the plain 10x10 t, and the order of tests (R-18)."""
    told = published(PAPER)["text"]
    cv = "10x10cv/stratified"
    tests = {
        "10-fold t": [one[0] for one in repeated(scale, cv, "kfold_t", (1,))],
        "plain 10x10 t": [one[0] for one in repeated(scale, cv, "repeated_kfold_t")],
        "corrected 10x10 t": [one[0] for one in repeated(scale, cv, "corrected_t")],
        "100 x resampling": [
            one[0] for one in repeated(scale, "100xresampled@1/10", "corrected_t", (100,))
        ],
        "10 x resampling": [
            one[0] for one in repeated(scale, "100xresampled@1/10", "corrected_t", (10,))
        ],
        "5x2cv t": [one[0] for one in repeated(scale, "5x2cv/stratified", "five_by_two_t")],
    }
    values = []
    for name, printed in told.items():
        part = {"consistent": printed}
        values += _summaries(scale, name, [[one] for one in tests[name]], [None], part, 0.05)
    by_data = {name: _agreement(found) for name, found in tests.items()}
    return Finding(
        values=tuple(_quiet(values, scale)),
        statements=(
            _replicates(
                "the corrected 10x10 t replicates better than the tests before it, except "
                "the plain 10x10 t",
                "corrected 10x10 t",
                ("10-fold t", "10 x resampling", "100 x resampling", "5x2cv t"),
                by_data,
            ),
            _replicates(
                "the 10-fold t is at least as consistent as 10 x resampling",
                "10-fold t",
                ("10 x resampling",),
                by_data,
            ),
            _replicates(
                "the 10-fold t is less consistent than 100 x resampling",
                "100 x resampling",
                ("10-fold t",),
                by_data,
            ),
            _worst("the 5x2cv t replicates worst of all", "5x2cv t", by_data),
        ),
        header=("test", "mean R of the pairs"),
        rows=tuple((name, f"{r.mean():.3f}") for name, r in by_data.items()),
    )


def _replicates(
    text: str, better: str, others: tuple[str, ...], by_data: dict[str, Array]
) -> Statement:
    """Judge by the gain of R on the same datasets, paired t."""
    gains = {other: mean(by_data[better] - by_data[other]) for other in others}
    return _gains(text, f"R of the {better}", "higher than that of", gains)


def _worst(text: str, worst: str, by_data: dict[str, Array]) -> Statement:
    """Judge by how much every other test gains over one."""
    others = [name for name in by_data if name != worst]
    gains = {other: mean(by_data[other] - by_data[worst]) for other in others}
    return _gains(text, f"R above that of the {worst}", "of", gains)


def _gains(text: str, what: str, word: str, gains: dict[str, Measurement]) -> Statement:
    told = "; ".join(f"{word} {other} by {gain}" for other, gain in gains.items())
    return settled(
        text,
        all_of([tails(gain, "above", 0.0) for gain in gains.values()]),
        f"{what}, mean over the pairs, on the same datasets: {told}",
        OTHER,
    )


def stratification(scale: Scale) -> Finding:
    """Resampling with and without stratification replicates equally well (R-20)."""
    plain, strata = (
        [one[0] for one in repeated(scale, f"100xresampled@1/10{tail}", "corrected_t")]
        for tail in ("", "/stratified")
    )
    gap = mean(_agreement(strata) - _agreement(plain))
    return Finding(
        statements=(
            settled(
                "with stratification replicability differs only very slightly, so stratification "
                "does not explain the advantage of cross-validation",
                within(gap, -SLIGHT, SLIGHT),
                f"R with minus R without, mean over the pairs, on the same datasets, {gap}, "
                f"within ±{SLIGHT:g}",
                OTHER,
            ),
        ),
        header=("pair", "R without", "R with stratification"),
        rows=tuple(
            (" vs. ".join(pair), *(f"{one.replicability().R:.3f}" for one in both))
            for pair, *both in zip(PAIRS, plain, strata, strict=True)
        ),
    )


def _summaries(
    scale: Scale,
    head: str,
    found: list[list[Repetitions]],
    columns: list[Any],
    told: Any,
    alpha: float,
) -> list[Value]:
    """Return printed summaries of every pair and column beside ours."""
    values = []
    for row, pair in enumerate(PAIRS):
        for column, one in enumerate(found[row]):
            counts = one.rejections(alpha)
            for key in told.keys() & SUMMARIES.keys():
                cell = told[key][row]
                printed = cell[column] if isinstance(cell, list) else cell
                words = (head, columns[column], " vs. ".join(pair), key.replace("_", " "))
                values.append(
                    Value(
                        ", ".join(str(word) for word in words if word),
                        printed,
                        float(SUMMARIES[key](counts, one.n)),
                        0.0005 if key == "R" else 0.0,
                        spread_of(counts, one.n, key),
                        reason="missing from the text (E-R7)" if printed is None else OTHER,
                    )
                )
    return sorted(values, key=lambda value: value.name)


def _quiet(values: list[Value], scale: Scale) -> list[Value]:
    """Say why sums over all datasets are not compared with those of fewer."""
    if not scale.quick and not scale.datasets:
        return values
    return [replace(value, reason=FEWER, lost=True) for value in values]
