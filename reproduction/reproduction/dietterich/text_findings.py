"""Findings in Dietterich's text without a table: folds, clusters, the choice of ½ε and 3⁄2 ε."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..exhibits import (
    Finding,
    HowMany,
    Measurement,
    Scale,
    Statement,
    all_of,
    binomial,
    claim,
    exhibit,
    jackknife,
    published,
    settled,
    share,
    tails,
)
from .tasks import PAPER

N = 200
SETS = HowMany(2000, 200)
RUNS = HowMany(400, 40)
DRAWN = HowMany(200_000, 20_000)
SEEDS = {"single-fold": 2010, "overlap": 2011, "clusters": 2012, "left-tables": 2013}
MIRROR = (
    "Two copies of a learner that selects one feature get exchangeable features: they are equal by "
    "symmetry, and their folds are correlated. The paper does not describe its synthetic data."
)
OUR_DATA = "the paper does not describe its synthetic data; ours are different"


def single_fold(scale: Scale) -> Finding:
    """The k-fold t with one fold in its numerator is well-behaved (D-27, D-59)."""
    from outperform.lab.studies import study

    tests = {"kfold_t": "10-fold t", "single_fold_t": "with a single fold as numerator"}
    found = study(
        list(tests),
        _mirror(),
        n_reps=scale.of(*SETS),
        random_state=scale.seeded(SEEDS["single-fold"]),
        n_jobs=1,
        store=scale.store("dietterich-single-fold"),
    ).rates()
    plain, single = (found[name] for name in tests)
    return Finding(
        statements=(
            settled(
                "the mean of all folds makes t too large: the 10-fold t exceeds .05",
                binomial(plain.hits, plain.n, "above", 0.05),
                f"{plain.rate:.4f} of {plain.n}, binomial test",
                OUR_DATA,
            ),
            settled(
                "with a single fold in the numerator it is well-behaved: not above .05",
                binomial(single.hits, single.n, "below", 0.05),
                f"{single.rate:.4f} of {single.n}, binomial test",
                OUR_DATA,
            ),
        ),
        header=("statistic", "Type I error"),
        rows=tuple(
            (label, f"{row.rate:.4f} [{row.low:.4f}, {row.high:.4f}]")
            for row, label in ((plain, "10-fold t"), (single, "single fold as numerator"))
        ),
        remarks=(MIRROR,),
    )


def overlapping(scale: Scale) -> Finding:
    """Folds that overlap against training sets that do not (D-28, D-60)."""
    from outperform.lab.scenarios import block_seed, reading

    from ..anatomy import overlap

    runs, folds, asked, contest = scale.of(*RUNS), 10, reading("kfold_t"), _mirror()
    seed = scale.seeded(SEEDS["overlap"])
    parts = [
        np.asarray(contest.draw([asked], runs, block_seed(seed, 0, at))[asked].values)
        for at in range(folds + 1)
    ]
    together = parts[0].reshape(runs, folds)
    apart = np.stack([part.reshape(runs, folds)[:, 0] for part in parts[1:]], axis=1)
    shown = jackknife(_log_within, together, apart)
    means = jackknife(_log_of_means, together, apart)
    told = overlap(apart, together)
    return Finding(
        statements=(
            claim(
                "folds that overlap underestimate the variance of the differences",
                shown,
                "below",
                0.0,
                what="logarithm of the variance within a run, folds over disjoint sets",
                reason=OUR_DATA,
            ),
            claim(
                "slightly: by less than a factor of 2",
                shown,
                "above",
                -math.log(2),
                what="the same",
                reason=OUR_DATA,
            ),
            claim(
                "their means are occasionally very poorly estimated: they vary more",
                means,
                "above",
                0.0,
                what="logarithm of the variance of a run's mean, folds over disjoint sets",
                reason=OUR_DATA,
            ),
        ),
        header=("", "disjoint training sets", "folds of one cross-validation"),
        rows=tuple(
            (what, *(f"{told[f'{kind} {what}']:.3g}" for kind in ("disjoint", "overlapping")))
            for what in ("mean", "variance shown", "variance of the mean")
        ),
        remarks=(MIRROR, "The variance shown is that of a run's mean, from its own ten folds."),
    )


def _log_within(together: Any, apart: Any) -> float:
    within = [np.var(part, axis=1, ddof=1).mean() for part in (together, apart)]
    return math.log(within[0] / within[1])


def _log_of_means(together: Any, apart: Any) -> float:
    spread = [np.var(part.mean(axis=1), ddof=1) for part in (together, apart)]
    return math.log(spread[0] / spread[1])


def _mirror() -> Any:
    from calibration.batch_contests import BatchContest
    from calibration.batch_learners import BatchSelector
    from outperform.lab import mirror_population

    return BatchContest(mirror_population("B"), BatchSelector(), BatchSelector(), n=N)


def clusters(scale: Scale) -> Finding:
    """Two-fold errors of nearest neighbour beside a small cluster (D-30, D-61)."""
    from outperform.lab.scenarios import SmallCluster

    from ..learners import NearestNeighbor

    seed, n, source = scale.seeded(SEEDS["clusters"]), 60, SmallCluster()
    errors, whole = [], []
    for number in range(scale.of(*SETS)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        data = source.draw(n, rng)
        order = rng.permutation(n)
        halves = order[: n // 2], order[n // 2 :]
        answers = NearestNeighbor().fit_predict_splits(data.X, data.y, [halves, halves[::-1]])
        pairs = zip(answers, (halves[1], halves[0]), strict=True)
        errors.append([np.mean(said != data.y[test]) for said, test in pairs])
        whole.append(int(data.y[halves[0]].sum()) in (0, source.n_small))
    both, together = np.array(errors), np.array(whole)
    gap = both[together].mean() - both[~together].mean()
    spread = [
        both[at].mean(axis=1).std(ddof=1) / math.sqrt(at.sum()) for at in (together, ~together)
    ]
    return Finding(
        statements=(
            claim(
                "the errors of the two folds are correlated",
                jackknife(lambda pair: float(np.corrcoef(pair.T)[0, 1]), both),
                "above",
                0.0,
                what="correlation of the two error rates",
                reason=OUR_DATA,
            ),
            claim(
                "both err more often where the small cluster falls into one fold",
                Measurement(float(gap), math.hypot(*spread), len(both) - 2),
                "above",
                0.0,
                what="mean error rate of both folds, higher by",
                reason=OUR_DATA,
            ),
        ),
        remarks=(
            f"{source.n_small} of {n} items belong to the small cluster, which falls into one fold "
            f"in {together.mean():.0%} of {len(both)} datasets.",
        ),
    )


SPREADS = (0.25, 0.5, 0.75, 1.0)


def spreads(_: Scale) -> Finding:
    """½ε and 3⁄2 ε against other spreads ε(1 ± s), in exact arithmetic (D-62)."""
    rows, best = [], {}
    for epsilon in published(PAPER)["synthetic"]["epsilons"]:
        product = {}
        for s in SPREADS:
            low, high = epsilon * (1 - s), epsilon * (1 + s)
            within = (low * (1 - low) + high * (1 - high)) / 2
            between = (high - low) ** 2
            product[s] = within * between
            rows.append((f"{epsilon:.2f}", f"{s:g}", f"{within:.4f}", f"{between:.4f}"))
        best[epsilon] = max(product, key=lambda s: product[s])
    told = ", ".join(f"{s:g} at ε = {epsilon:.2f}" for epsilon, s in best.items())
    return Finding(
        statements=(
            Statement(
                "½ε and 3⁄2 ε do the best job of maximizing the variance within and the variation "
                "between the learners",
                set(best.values()) == {0.5},
                f"the product of both, for ε(1 ± s) with s = {', '.join(map(str, SPREADS))}, is "
                f"largest for {told}",
                "the paper does not state how it weighted the two. One decreases and the other "
                "increases with s: every weighted sum of them is largest at an end, s = 0 or 1, "
                "and the product is never largest at ½",
            ),
        ),
        header=("ε", "s", "variance within", "variation between"),
        rows=tuple(rows),
    )


def left_tables(scale: Scale) -> Finding:
    """Tables that only proportions rejects, and the corrected test (D-63, D-64)."""
    from outperform.lab import DesignedPopulation

    from ..exact import mcnemar_rejects, proportions_rejects, rejection_rates, two_sided

    trials, n, z = scale.of(*DRAWN), 100, two_sided(0.05)
    epsilons = (*published(PAPER)["synthetic"]["epsilons"], 0.5)
    rng = np.random.default_rng(scale.seeded(SEEDS["left-tables"]))
    left, right, sizes, rows = {}, {}, {}, []
    for epsilon in epsilons:
        low, high = epsilon / 2, 3 * epsilon / 2
        both, one = low * high, low * (1 - high)
        other = high * (1 - low)
        first = rng.binomial(n, 0.5, trials)
        cells = [both, one, other, 1 - both - one - other]
        turned = [both, other, one, cells[3]]
        counts = rng.multinomial(first, cells) + rng.multinomial(n - first, turned)
        n00, n01, n10 = counts[:, 0], counts[:, 1], counts[:, 2]
        plain = proportions_rejects(n00 + n01, n00 + n10, n, z)
        paired = mcnemar_rejects(n01, n10, z)
        left[epsilon], right[epsilon] = share(plain & ~paired), share(paired & ~plain)
        sizes[epsilon] = rejection_rates(DesignedPopulation(epsilon), ["mcnemar"])["mcnemar"]
        seen = (left[epsilon], right[epsilon])
        rows.append((f"{epsilon:.2f}", *map(str, seen), f"{sizes[epsilon]:.4f}"))
    gaps = [_gap(left[e], right[e]) for e in epsilons]
    near = [_gap(left[0.5], left[e]) for e in epsilons if e < 0.4]
    return Finding(
        statements=(
            settled(
                "tables like the left one are more likely than tables like the right one",
                all_of([tails(gap, "above", 0.0) for gap in gaps]),
                "share of tables where only proportions rejects minus share where only McNemar's "
                f"test does: {', '.join(map(str, gaps))}, each above 0",
            ),
            settled(
                "especially if ε is near .5",
                all_of([tails(gap, "above", 0.0) for gap in near]),
                "share of tables of the left kind at ε = .5 minus that at .1, .2 and .3: "
                f"{', '.join(map(str, near))}, each above 0",
                "the share is nearly the same at all ε",
            ),
            Statement(
                "the corrected test for proportions would not have been affected",
                max(sizes.values()) <= 0.05,
                f"its decisions are those of McNemar's test; exact rates up to "
                f"{max(sizes.values()):.4f}",
            ),
        ),
        header=("ε", "left: only proportions rejects", "right: only McNemar's", "corrected, exact"),
        rows=tuple(rows),
        remarks=(
            f"Tables of {n} items; a table like the left one has many items on which only one "
            "learner errs.",
        ),
    )


def _gap(one: Measurement, other: Measurement) -> Measurement:
    return Measurement(one.value - other.value, math.hypot(one.error, other.error))


TAKES = ("share", "seed")
EXHIBITS = (
    exhibit(
        PAPER,
        "single-fold",
        single_fold,
        {"n": N, "datasets": SETS},
        seed=SEEDS["single-fold"],
        takes=TAKES,
    ),
    exhibit(
        PAPER, "overlap", overlapping, {"n": N, "runs": RUNS}, seed=SEEDS["overlap"], takes=TAKES
    ),
    exhibit(PAPER, "clusters", clusters, {"datasets": SETS}, seed=SEEDS["clusters"], takes=TAKES),
    exhibit(PAPER, "spreads", spreads),
    exhibit(
        PAPER,
        "left-tables",
        left_tables,
        {"tables": DRAWN},
        seed=SEEDS["left-tables"],
        takes=TAKES,
    ),
)
