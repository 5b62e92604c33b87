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

from outperform.lab.item_scenarios import (
    ItemsInARow,
    ItemsInClusters,
    ItemsWithSamples,
    RightWrongItems,
)
from outperform.numerics.confidence_sequences import asymptotic_interval, bets
from outperform.numerics.distributions import T
from outperform.numerics.e_process import e_path
from outperform.numerics.sign_flips import flip_tails
from outperform.procedures.cluster_t import cluster_t
from outperform.procedures.mcnemar import mcnemar
from outperform.procedures.mcnemar_mid_p import mcnemar_mid_p
from outperform.procedures.sampled_items_t import sampled_items_t
from outperform.results.evidence import Pivot

PAGE = Path(__file__).resolve().parent.parent / "docs" / "calibration_items.md"
SEED = 20261118
Z = 1.959963984540054
FLIPPED = 1000
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
        "`python tools/calibration_items.py` writes this page."
    )
    for section in (right_wrong, null_right_wrong, clustered, sampled, raced):
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
    yield "A share p10 of items only the first model has right, p01 only the second."
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
    yield "Both models are equally good; a share p01 = p10 of items differs each way."
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
        "Clusters of 5 to 15 items that correlate by ICC, and no difference. Ignoring clusters is "
        "the paired t-test on all items; CR0 is the plain sandwich with t on G − 1. The sign-flip "
        f"test was run {FLIPPED:,} times, and cannot reach p < 0.05 with 5 clusters."
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


def flipped(d: Any, most: int = FLIPPED) -> str:
    """Return how often the exact test over clusters rejects, in the first replicates."""
    sums = (d.residuals + d.mean[..., None] * d.sizes)[:most]
    tails = (flip_tails(row).sides(math.fsum(row.tolist())) for row in sums)
    return percent(np.mean([2 * math.exp(min(pair)) < 0.05 for pair in tails]))


def sampled(reps: int) -> Iterator[str]:
    yield "## Items with K samples: errors at α = 5 %, in %"
    yield ""
    yield (
        "Both models are equally good on new items. Pooled takes all n·K answers for independent "
        "items; these items only is the right reading of another question, and the wrong one of "
        "this."
    )
    yield ""
    rows = []
    for i, n in enumerate((10, 30, 100, 300, 1000)):
        for j, k in enumerate((1, 3, 10)):
            some = min(reps, 4_000_000 // (n * k))
            d = ItemsWithSamples(n, k).draw(some, rng(4, i, j))
            new = sampled_items_t.on(d)
            gaps = (d.first - d.second).reshape(some, -1)
            pooled = Pivot(
                gaps.mean(axis=1), gaps.std(axis=1, ddof=1) / math.sqrt(n * k), T(n * k - 1)
            )
            these = "–"
            if k > 1:
                these = percent(np.mean(sampled_items_t.on(d, population="these").pvalue() < 0.05))
            rates = [percent(np.mean(f.pvalue() < 0.05)) for f in (new, pooled)]
            rows.append([str(n), str(k), f"{some:,}", *rates, these])
    yield from table(["items", "K", "runs", "new items", "pooled", "these items only"], rows)


def raced(reps: int) -> Iterator[str]:
    yield "## Races: wrong verdicts up to each number of items, in %"
    yield ""
    yield (
        f"{RACES:,} races. Two equally good models differ on a fifth of the items. Looked at after "
        "every item; the z-test is looked at after every 50. α = 5 %."
    )
    yield ""
    horizons = (100, 200, 500, 1000, 2000)
    shown = first_stops(ItemsInARow(2000), 5)
    rows = [
        [name, *(percent(np.mean(stop <= horizon)) for horizon in horizons)]
        for name, stop in shown.items()
    ]
    yield from table(["method", *(f"{h:,} items" for h in horizons)], rows)
    yield ""
    yield "With a difference δ: how often it is found within 2,000 items, and the mean items seen."
    yield ""
    rows = []
    for number, truth in enumerate((0.03, 0.05, 0.1)):
        for name, stop in first_stops(ItemsInARow(2000, truth=truth), 6, number).items():
            if "z-test" not in name:
                seen = np.minimum(stop, 2000).mean()
                rows.append([f"{truth:g}", name, percent(np.mean(stop <= 2000)), f"{seen:.0f}"])
        for n in (1000, 2000):
            z = z_at(ItemsInARow(n, truth=truth), 7, number, n)
            found = percent(np.mean(np.abs(z) > Z))
            rows.append([f"{truth:g}", f"z-test once, at {n:,}", found, f"{n:,}"])
    yield from table(["δ", "method", "found", "items"], rows)


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
    yield "z-test, peeked at", stops((np.abs(z) > Z) & (t % 50 == 0))


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


if __name__ == "__main__":
    main(sys.argv[1:])
