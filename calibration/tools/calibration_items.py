"""Write docs/calibration_items.md: how often tests and intervals on items err, drawn from the lab.

Run with --reps N for more replicates than the 4,000 of the page; --check compares the page.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from calibration.item_scenarios import (
    ItemsInARow,
    ItemsInClusters,
    ItemsWithSamples,
    RightWrongClusters,
    RightWrongItems,
)
from outperform.numerics.confidence_sequences import asymptotic_interval, bets
from outperform.numerics.distributions import Normal, T
from outperform.numerics.e_process import e_path
from outperform.numerics.placements import area_difference, placements
from outperform.numerics.sign_flips import flip_tails
from outperform.procedures.cluster_t import cluster_t
from outperform.procedures.mcnemar import mcnemar
from outperform.procedures.mcnemar_mid_p import mcnemar_mid_p
from outperform.procedures.paired_bootstrap import paired_bootstrap
from outperform.procedures.sampled_items_t import sampled_items_t
from outperform.results.evidence import Pivot

PAGE = Path(__file__).resolve().parents[2] / "docs" / "calibration_items.md"
SEED = 20261118
Z = 1.959963984540054
FLIPPED = 1000
AREAS = 4000
RESAMPLED, DRAWS = 400, 999
RACES = 10_000


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=4000)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(arguments)
    text = "\n".join(page(asked.reps)) + "\n"
    if asked.check:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == text else f"{PAGE} is not up to date")
    PAGE.write_text(text, encoding="utf-8")


def page(reps: int) -> Iterator[str]:
    error = math.sqrt(0.05 * 0.95 / reps)
    yield "# How often tests on items err"
    yield ""
    yield (
        f"Each number is from {reps:,} simulated comparisons whose truth is known, unless its row "
        "says otherwise; at a rate of 5 % its Monte Carlo standard error is "
        f"{100 * error:.2f} percentage points. "
        "`python calibration/tools/calibration_items.py` writes this page."
    )
    for section in SECTIONS:
        yield ""
        yield from section(reps)


def rng(*path: int) -> np.random.Generator:
    return np.random.default_rng([SEED, *path])


def table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join(["---", *["---:"] * (len(head) - 1)]) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def percent(share: Any) -> str:
    return f"{100 * float(share):.1f}"


def covered(low: Any, high: Any, truth: float) -> str:
    return percent(
        np.mean((np.asarray(low) <= truth + 1e-12) & (np.asarray(high) >= truth - 1e-12))
    )


def wald(c: Any) -> tuple[Any, Any]:
    half = Z * np.sqrt(np.maximum(c.discordant - (c.n10 - c.n01) ** 2 / c.n, 0.0)) / c.n
    return c.estimate - half, c.estimate + half


def right_wrong(reps: int) -> Iterator[str]:
    yield "## Right and wrong items: coverage of 95 % intervals, in %"
    yield ""
    yield (
        "On a share p10 of the items only the first model is right, on a share p01 only the second."
    )
    yield ""
    rows = []
    shares = ((0.10, 0.04), (0.02, 0.0), (0.3, 0.1), (0.005, 0.005))
    for i, n in enumerate((10, 30, 100, 300, 1000)):
        for j, (p10, p01) in enumerate(shares):
            scene = RightWrongItems(n, p10, p01)
            c = scene.draw(reps, rng(1, i, j))
            ends = [wald(c)]
            for kind in ("tango", "newcombe", "bonett-price"):
                ends.append(mcnemar_mid_p.on(c, interval=kind).interval(0.95))
            rows.append([str(n), f"{p10:g}", f"{p01:g}", *(covered(*e, scene.truth) for e in ends)])
    yield from table(["items", "p10", "p01", "Wald", "Tango", "Newcombe", "Bonett–Price"], rows)


def null_right_wrong(reps: int) -> Iterator[str]:
    yield "## Right and wrong items: errors of tests at α = 5 %, in %"
    yield ""
    yield (
        "Both models are equally good: on a share p01 = p10 of the items only one of them is right."
    )
    yield ""
    rows = []
    for i, n in enumerate((10, 30, 100, 300, 1000)):
        for j, share in enumerate((0.005, 0.02, 0.1, 0.25)):
            c = RightWrongItems(n, share, share, both=0.5).draw(reps, rng(2, i, j))
            found = [mcnemar_mid_p.on(c)]
            found += [mcnemar.on(c, variant=kind) for kind in ("exact", "continuity", "plain")]
            rows.append(
                [str(n), f"{share:g}", *(percent(np.mean(f.pvalue() < 0.05)) for f in found)]
            )
    head = ["items", "p01", "mid-p", "exact", "χ² corrected", "χ² plain"]
    yield from table(head, rows)


def clustered(reps: int) -> Iterator[str]:
    yield "## Items in clusters: errors at α = 5 %, in %"
    yield ""
    yield (
        "Clusters have 5 to 15 items with intraclass correlation ICC, and there is no difference "
        "between the models. *Ignored* is the paired t-test on all items; CR0 is the plain "
        "sandwich estimator with t on G − 1 degrees of freedom. The sign-flip test was run "
        f"{FLIPPED:,} times, and cannot reach p < 0.05 with 5 clusters. The intervals invert these "
        "tests, so their coverage is 100 % minus these errors."
    )
    yield ""
    rows = []
    for i, groups in enumerate((5, 10, 20, 50, 100)):
        for j, icc in enumerate((0.0, 0.1, 0.3, 0.7)):
            some = min(reps, 2_000_000 // (groups * 10) or 1)
            d = ItemsInClusters(groups, icc=icc).draw(some, rng(3, i, j))
            naive = Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))
            kinds = [naive, *(cluster_t.on(d, kind=kind) for kind in ("CR0", "CR2", "CR3"))]
            row = [str(groups), f"{icc:g}", f"{some:,}"]
            row += [*(percent(np.mean(f.pvalue() < 0.05)) for f in kinds)]
            rows.append([*row, flipped(d) if groups <= 20 else "–"])
    yield from table(["clusters", "ICC", "runs", "ignored", "CR0", "CR2", "CR3", "sign-flip"], rows)


def clustered_near_one(reps: int) -> Iterator[str]:
    yield "## Right and wrong items in clusters: coverage of 95 % intervals, in %"
    yield ""
    yield (
        "Two equally good models that are right with probability p; the answers in a cluster of 5 "
        "to 15 items correlate by 0.3. Where no item differs, there is no interval; these "
        "comparisons are left out, and their share is given."
    )
    yield ""
    rows = []
    for i, groups in enumerate((5, 10, 20, 50, 100)):
        for j, p in enumerate((0.5, 0.9, 0.98)):
            some = min(reps, 2_000_000 // (groups * 10) or 1)
            d = RightWrongClusters(groups, p).draw(some, rng(8, i, j))
            differ = np.asarray(d.sd) > 0
            naive = Pivot(d.mean, d.sd / math.sqrt(d.n_splits), T(d.n_splits - 1))
            row = [str(groups), f"{p:g}", f"{some:,}", percent(1 - differ.mean())]
            for found in (naive, *(cluster_t.on(d, kind=kind) for kind in ("CR0", "CR2"))):
                low, high = (np.asarray(end)[differ] for end in found.interval(0.95))
                row.append(covered(low, high, 0.0))
            rows.append(row)
    yield from table(["clusters", "p", "runs", "none differs", "ignored", "CR0", "CR2"], rows)


def ranked(reps: int) -> Iterator[str]:
    yield "## Areas under ROC curves: coverage of 95 % intervals, in %"
    yield ""
    yield (
        f"{AREAS:,} test sets with a third of positive items, ranked by two models of the same "
        "area whose scores correlate by 0.5. DeLong is the interval of the difference with the "
        "normal quantile, as in the paper; that of `delong` is wider, with Student's t. Of one "
        "area there are DeLong's symmetric interval and that on the logit scale. An area of 1, "
        "which has no interval, counts as not covered."
    )
    yield ""
    rows = []
    for i, n in enumerate((30, 100, 300, 1000)):
        for j, area in enumerate((0.7, 0.9, 0.97)):
            gap = math.sqrt(2) * float(-Normal().isf(area))
            draws = [_areas(n, gap, rng(9, i, j, k)) for k in range(AREAS)]
            found = np.array(draws)
            difference, error, one, alone = found.T
            with np.errstate(divide="ignore", invalid="ignore"):
                logit = np.log(one / (1 - one))
                half = Z * alone / (one * (1 - one))
            truth = math.log(area / (1 - area))
            inside = (np.abs(logit - truth) <= half) & (one < 1)
            rows.append(
                [
                    str(n),
                    f"{area:g}",
                    percent(np.mean(np.abs(difference) <= Z * error)),
                    percent(np.mean((np.abs(one - area) <= Z * alone) & (one < 1))),
                    percent(np.mean(inside)),
                ]
            )
    yield from table(["items", "area", "DeLong", "one area, symmetric", "one area, logit"], rows)


def _areas(n: int, gap: float, draw: np.random.Generator) -> tuple[float, ...]:
    """Return the difference of two areas and its error, one area and its error."""
    positive = np.arange(n) < n // 3
    shared, *own = draw.normal(size=(3, n))
    sides = [gap * positive + math.sqrt(0.5) * (shared + one) for one in own]
    first, second = placements(positive, np.array(sides))
    pair, alone = area_difference(positive, first - second), area_difference(positive, first)
    return (*map(float, pair), *map(float, alone))


def resampled(reps: int) -> Iterator[str]:
    yield "## F1 by the paired bootstrap: coverage of 95 % intervals, in %"
    yield ""
    yield (
        f"{RESAMPLED} comparisons of two equally good classifiers, {DRAWS} draws each; a share of "
        "the items is positive, of which each model finds a share p, and it errs on a share "
        "1 − p of the others."
    )
    yield ""
    rows = []
    for i, n in enumerate((30, 100, 300)):
        for j, (share, p) in enumerate(((0.3, 0.7), (0.3, 0.95), (0.1, 0.8))):
            hits = dict.fromkeys(("percentile", "bca"), 0)
            for k in range(RESAMPLED):
                sides = _counted(n, share, p, rng(10, i, j, k))
                for kind in hits:
                    found = paired_bootstrap(*sides, metric="f1", kind=kind, n_draws=DRAWS)
                    ends = found.interval(0.95)
                    hits[kind] += ends is None or ends.low <= 0 <= ends.high
            shares = [percent(hit / RESAMPLED) for hit in hits.values()]
            rows.append([str(n), f"{share:g}", f"{p:g}", *shares])
    yield from table(["items", "positive", "p", "percentile", "BCa"], rows)


def _counted(n: int, share: float, p: float, draw: np.random.Generator) -> list[Any]:
    """Return true positives, false positives and false negatives of each item by two models."""
    y = draw.random(n) < share
    said = [np.where(draw.random(n) < p, y, ~y) for _ in range(2)]
    return [np.stack([y & one, ~y & one, y & ~one], axis=1).astype(np.float64) for one in said]


def flipped(d: Any, most: int = FLIPPED) -> str:
    """Return how often the exact test over clusters rejects, in the first replicates."""
    sums = (d.residuals + d.mean[..., None] * d.sizes)[:most]
    tails = (flip_tails(row).sides(math.fsum(row.tolist())) for row in sums)
    return percent(np.mean([2 * math.exp(min(pair)) < 0.05 for pair in tails]))


def sampled(reps: int) -> Iterator[str]:
    yield "## Items with K samples: errors at α = 5 %, in %"
    yield ""
    yield (
        "Both models are equally good on new items; their probability of being right varies from "
        "item to item around p (standard deviation 0.3, truncated at 0 and 1). *Pooled* treats all "
        "n·K answers as independent items. *These items only* is the test of a different question, "
        "whether the models differ on these very items, so its rejections are errors here."
    )
    yield ""
    rows = []
    cells = [(p, k) for p in (0.5, 0.95) for k in (1, 3, 10)]
    for i, n in enumerate((10, 30, 100, 300, 1000)):
        for j, (p, k) in enumerate(cells):
            some = min(reps, 4_000_000 // (n * k))
            d = ItemsWithSamples(n, k, centre=p).draw(some, rng(4, i, j))
            new = sampled_items_t.on(d)
            gaps = (d.first - d.second).reshape(some, -1)
            pooled = Pivot(
                gaps.mean(axis=1), gaps.std(axis=1, ddof=1) / math.sqrt(n * k), T(n * k - 1)
            )
            these = "–"
            if k > 1:
                these = percent(np.mean(sampled_items_t.on(d, population="these").pvalue() < 0.05))
            rates = [percent(np.mean(f.pvalue() < 0.05)) for f in (new, pooled)]
            rows.append([str(n), f"{p:g}", str(k), f"{some:,}", *rates, these])
    yield from table(["items", "p", "K", "runs", "new items", "pooled", "these items only"], rows)


def raced(reps: int) -> Iterator[str]:
    yield "## Races: wrong verdicts up to each number of items, in %"
    yield ""
    yield (
        f"{RACES:,} races between two equally good models that differ on a fifth of the items. "
        "Results are checked after every item, those of the z-test after every 50 items. α = 5 %. "
        "In the last row, the models are equally good on a finite population of 2,000 items."
    )
    yield ""
    horizons = (100, 200, 500, 1000, 2000)
    shown = first_stops(ItemsInARow(2000), 5)
    shown["betting, these items alone"] = np.concatenate(
        [stops_of_these(2000, 0.2, rng(11, part)) for part in range(RACES // 1000)]
    )
    rows = [
        [name, *(percent(np.mean(stop <= horizon)) for horizon in horizons)]
        for name, stop in shown.items()
    ]
    yield from table(["method", *(f"{h:,} items" for h in horizons)], rows)
    yield ""
    yield (
        "With a difference δ: how often it is detected within 2,000 items, and the mean number of "
        "items used. The repeated z-test stops first because it errs most (above)."
    )
    yield ""
    rows = []
    for number, truth in enumerate((0.03, 0.05, 0.1)):
        for name, stop in first_stops(ItemsInARow(2000, truth=truth), 6, number).items():
            seen = np.minimum(stop, 2000).mean()
            rows.append([f"{truth:g}", name, percent(np.mean(stop <= 2000)), f"{seen:.0f}"])
        for n in (1000, 2000):
            z = z_at(ItemsInARow(n, truth=truth), 7, number, n)
            found = percent(np.mean(np.abs(z) > Z))
            rows.append([f"{truth:g}", f"z-test once, at {n:,}", found, f"{n:,}"])
    yield from table(["δ", "method", "detected", "items"], rows)


NEVER = 10**9


def z_at(scene: ItemsInARow, *path: int) -> Any:
    parts = [scene.draw(1000, rng(*path, part)) for part in range(RACES // 1000)]
    return np.concatenate(
        [d.sum(axis=1) / np.sqrt(np.maximum((d != 0).sum(axis=1), 1)) for d in parts]
    )


def first_stops(scene: ItemsInARow, *path: int) -> dict[str, Any]:
    """Return for each method the item at which every race stops with a verdict."""
    parts = [dict(_stops(scene.draw(1000, rng(*path, k)))) for k in range(RACES // 1000)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _stops(d: Any) -> Iterator[tuple[str, Any]]:
    t = np.arange(1, d.shape[1] + 1)
    yield "e-process", stops(e_path(d) >= math.log(20))
    yield "betting", stops(betting_capital_at_zero(d) >= math.log(40))
    mean = np.cumsum(d, axis=1) / t
    variance = np.cumsum(d * d, axis=1) / t - mean**2
    low, high = asymptotic_interval(mean, variance, t, t_star=d.shape[1] / 2)
    yield "asymptotic", stops(((low > 0) | (high < 0)) & (t >= 30))
    wins, losses = np.cumsum(d > 0, axis=1), np.cumsum(d < 0, axis=1)
    z = (wins - losses) / np.sqrt(np.maximum(wins + losses, 1))
    yield "z-test, repeated", stops((np.abs(z) > Z) & (t % 50 == 0))


def stops_of_these(n: int, discordant: float, draw: np.random.Generator) -> Any:
    """Return where 1,000 races through n items stop, on which both models have the same mean."""
    half = round(n * discordant / 2)
    one = np.repeat([1.0, -1.0, 0.0], [half, half, n - 2 * half])
    crossed = np.zeros((1000, n), dtype=bool)
    for row in crossed:
        x = (draw.permutation(one) + 1) / 2
        bet, left = bets(x, 0.05), n - np.arange(n)
        mean = np.clip((n / 2 - (np.cumsum(x) - x)) / left, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            up, down = np.minimum(bet, 0.5 / mean), np.minimum(bet, 0.5 / (1 - mean))
        paths = [np.cumsum(np.log1p(size * (x - mean))) for size in (up, -down)]
        row[:] = np.maximum(*paths) >= math.log(40)
    return stops(crossed)


def stops(crossed: Any) -> Any:
    return np.where(crossed.any(axis=1), crossed.argmax(axis=1) + 1, NEVER)


def betting_capital_at_zero(d: Any) -> Any:
    """Return the larger log capital of both sides, betting against a difference of 0."""
    found = np.empty(d.shape)
    for row, differences in enumerate(d):
        bet = np.minimum(bets((differences + 1) / 2, 0.05), 1.0)
        gain = bet * differences / 2
        found[row] = np.maximum(np.cumsum(np.log1p(gain)), np.cumsum(np.log1p(-gain)))
    return found


SECTIONS = (
    right_wrong,
    null_right_wrong,
    clustered,
    clustered_near_one,
    sampled,
    ranked,
    resampled,
    raced,
)

if __name__ == "__main__":
    main(sys.argv[1:])
