"""Write docs/calibration.md and its figure from calibration/counts.json.

`make calibration` measures; this only reads. `--check` fails if the page is out of date.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from statistics import median

import matplotlib as mpl

import outperform as op
from calibration.cases import (
    BATCH,
    CASES,
    CORE,
    ECONOMY,
    OTHER,
    POOLS,
    TESTS,
    THOROUGH,
    WANTED,
    CalibrationCase,
)
from calibration.counts import DEVELOPMENT, REPORTING, CountsFile
from outperform.lab.scenarios import least_size
from outperform.lab.tested import CountedTest, Tested
from outperform.numerics.measured_sizes import TABLE, Size
from outperform.procedures.accuracy_interval import accuracy_interval
from outperform.report.figures.canvas import STYLE, theme
from outperform.report.sentences import listed
from outperform.views import Counts

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TEMPLATE = Path(__file__).with_name("calibration_template.md")
COUNTS, PAGE = ROOT / "calibration" / "counts.json", DOCS / "calibration.md"
CALIBRATED = tuple(f"calibrated_t {design}" for design in (ECONOMY, THOROUGH))
CORRECTED = "corrected_t 10x10cv"
AT_5, AT_1, POWER, HONEST = 0.065, 0.02, 0.70, 0.055
"""What calibrated_t is to hold: sizes at most, and a share of corrected 10x10's power at least,
wherever that one has a size of at most 5.5 %."""
SHOWN = (
    *(CALIBRATED[0], CALIBRATED[1], CORRECTED, "corrected_t 30xresampled@1/3"),
    *("conservative_z 10x15halves@1/10", "five_by_two_t 5x2cv", "kfold_t 10cv"),
    *("repeated_kfold_t 10x10cv", "mcnemar holdout@1/3"),
)
"""The columns of the table of sizes."""
SHORT = {
    CALIBRATED[0]: "calibrated, economy",
    CALIBRATED[1]: "calibrated, thorough",
    CORRECTED: "corrected 10x10",
    "corrected_t 30xresampled@1/3": "corrected 30 × 1/3",
    "conservative_z 10x15halves@1/10": "conservative Z",
    "five_by_two_t 5x2cv": "5x2cv t",
    "kfold_t 10cv": "k-fold t",
    "repeated_kfold_t 10x10cv": "plain t 10x10",
    "mcnemar holdout@1/3": "McNemar",
}


FEWEST = 40
"""Experiments from which on a case is shown; from 200 on it is judged."""


class Page:
    """What the counts say."""

    def __init__(self, counts: CountsFile) -> None:
        self.counts = counts
        self.cases = [case for name, case in CASES.items() if self.has(name)]

    def has(self, name: str) -> bool:
        """Tell whether a case has so many experiments that it can be shown."""
        kept = self.counts.cases.get(name)
        found = None if kept is None else kept.tallies.get(CORRECTED)
        return found is not None and found["experiments"] >= FEWEST

    def tally(self, case: CalibrationCase, label: str) -> CountedTest | None:
        found = self.counts.cases[case.name].tallies.get(label)
        return found if found is not None and found["experiments"] else None

    def tallies(
        self, label: str, *, adversaries: bool = False
    ) -> dict[CalibrationCase, CountedTest]:
        """Return the counts of a test on all cases, declared adversaries apart."""
        each = {case: self.tally(case, label) for case in self.cases}
        return {
            case: t
            for case, t in each.items()
            if t is not None and (case.kind == "adversary") == adversaries
        }

    def judged(self, label: str) -> dict[CalibrationCase, CountedTest]:
        """Return the counts on cases with enough experiments for a verdict."""
        return {c: t for c, t in self.tallies(label).items() if t["experiments"] >= OTHER}

    def worst(self, label: str, column: str) -> tuple[CalibrationCase, CountedTest]:
        kept = self.judged(label) or self.tallies(label)
        return max(kept.items(), key=lambda kept: rate(kept[1], column))


def rate(t: CountedTest, column: str) -> float:
    trials = {"at_5": "experiments", "at_1": "experiments", "same_0": "pairs"}.get(column)
    if column == "same_2":
        return t["same_2"] / (2 * t["pairs"])
    return t[column] / t[trials or "shifted"]


def limits(t: CountedTest, column: str) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a rate."""
    low, high = accuracy_interval.on(Counts(float(t[column]), float(t["experiments"]))).interval(
        0.95
    )
    return float(low), float(high)


def percent(t: CountedTest | None, column: str, *, interval: bool = True) -> str:
    if t is None:
        return "–"
    low, high = limits(t, column)
    shown = f"{100 * rate(t, column):.1f}"
    return f"{shown} ({100 * low:.1f}–{100 * high:.1f})" if interval else shown


def verdict(page: Page) -> list[str]:
    """Say first whether the calibrated test holds what it is to hold."""
    broken, above_bound, below_share = [], {}, {}
    for label in CALIBRATED:
        for case, t in page.judged(label).items():
            for column, bound in (("at_5", AT_5), ("at_1", AT_1)):
                if rate(t, column) > bound:
                    above_bound[case.name] = True
                    low, high = limits(t, column)
                    sure = "" if low > bound else ", and the interval includes the bound"
                    broken.append(
                        f"`{label}` on `{case.name}`: {100 * rate(t, column):.1f} % at "
                        f"{'5' if column == 'at_5' else '1'} % ({100 * low:.1f} to "
                        f"{100 * high:.1f}, {t['experiments']:,} experiments{sure})"
                    )
    weak = []
    for label in CALIBRATED:
        for case, units, (share, low, high) in power_shares(page, label):
            if share < POWER:
                below_share[case.name] = True
                sure = "" if high < POWER else ", and the interval includes the bound"
                weak.append(
                    f"`{label}` on `{case.name}`: {share:.2f} of the power of corrected 10x10 at "
                    f"{units} standard errors ({low:.2f} to {high:.2f}, "
                    f"{page.tally(case, label)['experiments']:,} experiments{sure})"
                )
    cases = page.judged(CALIBRATED[0])
    waiting = len(page.tallies(CALIBRATED[0])) - len(cases)
    worst5 = max(
        (page.worst(label, "at_5") for label in CALIBRATED), key=lambda w: rate(w[1], "at_5")
    )
    worst1 = max(
        (page.worst(label, "at_1") for label in CALIBRATED), key=lambda w: rate(w[1], "at_1")
    )
    promise = (
        f"The target of `calibrated_t`, in its economy design (`{ECONOMY}`, the default) and in "
        f"its thorough one (`{THOROUGH}`), is to reject at most {100 * AT_5:.1f} % of true null "
        f"hypotheses at 5 % and {100 * AT_1:.0f} % at 1 %, and to keep {POWER:.2f} of the power of "
        "the corrected t-test on 10x10 cross-validation (*corrected 10x10*) wherever that test has "
        f"a size of at most {100 * HONEST:.1f} %."
    )
    sizes = (
        f"at worst {percent(worst5[1], 'at_5')} % at 5 % (`{worst5[0].name}`) and "
        f"{percent(worst1[1], 'at_1')} % at 1 % (`{worst1[0].name}`)"
    )
    where = f"on all {len(cases)} cases measured here that are not declared adversaries"
    compared = {case.name for label in CALIBRATED for case, *_ in power_shares(page, label)}
    if not broken and not weak:
        lines = [f"{promise} It holds {where}: {sizes}."]
    else:
        held = f"Sizes are within these bounds {where}: {sizes}."
        if broken:
            held = (
                f"A size is beyond its bound on {len(above_bound)} of {len(cases)} cases, declared "
                f"adversaries apart ({listed([f'`{name}`' for name in above_bound])})."
            )
        lines = [
            f"{promise} **It does not meet this target everywhere.** {held} The power of a design "
            f"is below its share on {len(below_share)} of the {len(compared)} cases where it is "
            "compared. These are the point estimates beyond their bounds:",
            "",
            *(f"- {each}" for each in (*broken, *weak)),
        ]
    if waiting:
        lines[0] += (
            f" Cases with fewer than {OTHER} experiments so far: {waiting}; their rates are in the "
            "tables below, and not judged."
        )
    return lines


Share = tuple[float, float, float]
"""A test's power relative to another's, and a 95 % interval of it."""


def share_of_power(t: CountedTest, other: CountedTest, column: str) -> Share:
    """Return a ratio of two powers with Katz's interval of its logarithm.

    Both tests saw the same datasets, each moved either way. Counts do not show how this makes them
    correlate, so the interval takes both tests for independent, and a dataset for one trial.
    """
    p, q = rate(t, column), rate(other, column)
    if p == 0 or q == 0:
        return p / max(q, 1e-9), 0.0, math.inf
    n, m = t["experiments"], other["experiments"]
    far = math.exp(1.96 * math.sqrt((1 - p) / (n * p) + (1 - q) / (m * q)))
    return p / q, p / q / far, p / q * far


def power_shares(page: Page, label: str) -> list[tuple[CalibrationCase, int, Share]]:
    """Return the power relative to corrected 10x10 at 2 and 3 units, where that one is honest."""
    found = []
    for case, t in page.judged(label).items():
        corrected = page.tally(case, CORRECTED)
        if corrected is None or rate(corrected, "at_5") > HONEST:
            continue
        for units in (2, 3):
            column = f"power_{units}"
            found.append((case, units, share_of_power(t, corrected, column)))
    return found


def summary(page: Page) -> list[str]:
    """One row for each test: sizes over cases, power, cost and replicability."""
    lines = [
        "| test | cases | above 6.5 % | experiments | median size | largest size | "
        "largest at 1 % | power at 1, 2, 3 SE | same verdict | fits | rows / n |",
        "| --- | ---: | ---: | ---: | ---: | --- | --- | --- | ---: | ---: | ---: |",
    ]
    for one in TESTS:
        kept = page.judged(one.label)
        if not kept:
            continue
        sizes = [rate(t, "at_5") for t in kept.values()]
        case5, t5 = page.worst(one.label, "at_5")
        case1, t1 = page.worst(one.label, "at_1")
        total = sum(t["experiments"] for t in kept.values())
        paired = [t for t in kept.values() if t["pairs"]]
        same = median(rate(t, "same_2" if t["shifted"] else "same_0") for t in paired)
        fits, rows = cost(one)
        over = len(above(page, one.label))
        lines.append(
            f"| `{one.label}` | {len(kept)} | {over} | {total:,} | {100 * median(sizes):.1f} | "
            f"{100 * rate(t5, 'at_5'):.1f} ({case5.name}) | {100 * rate(t1, 'at_1'):.1f} "
            f"({case1.name}) | {powers(kept)} | {100 * same:.0f} % | {fits} | {rows:.1f} |"
        )
    return lines


def above(page: Page, label: str, most: float = AT_5) -> list[CalibrationCase]:
    """Return the cases on which a test rejects more; by default, more than calibrated_t may."""
    return [case for case, t in page.judged(label).items() if rate(t, "at_5") > most]


def size_on(page: Page, name: str, label: str) -> str:
    """Return the size of a test on a case, in %."""
    return percent(page.tally(CASES[name], label), "at_5", interval=False)


def lowest_shares(page: Page, many: int = 4) -> str:
    """Return the cases where the economy design has the least of corrected 10x10's power."""
    found = []
    for case, t in page.judged(CALIBRATED[0]).items():
        corrected = page.tally(case, CORRECTED)
        if corrected is not None:
            found.append((share_of_power(t, corrected, "power_2")[0], case.name))
    return listed([f"{share:.2f} on `{name}`" for share, name in sorted(found)[:many]])


def worse_than(page: Page, label: str, other: str) -> str:
    """Return the cases on which a test rejects too often, and more often than another."""
    kept = [
        f"`{case.name}`"
        for case in above(page, label)
        if rate(page.judged(label)[case], "at_5") > rate(page.judged(other)[case], "at_5")
    ]
    return listed(kept) if kept else "no case"


def span_of(page: Page, cases: list[CalibrationCase], label: str) -> str:
    """Return the smallest and the largest size of a test on these cases, in %."""
    sizes = [100 * rate(t, "at_5") for c, t in page.judged(label).items() if c in cases]
    return f"{min(sizes):.1f} and {max(sizes):.1f}"


def powers(kept: dict[CalibrationCase, CountedTest]) -> str:
    shifted = [t for t in kept.values() if t["shifted"]]
    if not shifted:
        return "–"
    return ", ".join(f"{median(rate(t, f'power_{k}') for t in shifted):.2f}" for k in (1, 2, 3))


def cost(one: Tested) -> tuple[int, float]:
    """Return how often each learner is fitted, and on how many times n rows in all."""
    sizes = op.parse(one.design).sizes(600)
    return len(sizes.n_train), float(sizes.n_train.sum()) / 600


def size_table(page: Page, cases: list[CalibrationCase], column: str) -> list[str]:
    lines = [
        f"| case | experiments | {' | '.join(SHORT[label] for label in SHOWN)} |",
        "| --- | ---: |" + " ---: |" * len(SHOWN),
    ]
    for case in cases:
        tallies = [page.tally(case, label) for label in SHOWN]
        many = {t["experiments"] for t in tallies if t is not None}
        cells = " | ".join(percent(t, column) for t in tallies)
        lines.append(f"| `{case.name}` | {'–'.join(f'{n:,}' for n in sorted(many))} | {cells} |")
    return lines


def power_table(page: Page) -> list[str]:
    lines = [
        "| case | corrected 10x10: size | its power at 1, 2, 3 SE | calibrated, economy | "
        "calibrated, thorough | economy / corrected at 2 SE |",
        "| --- | ---: | --- | --- | --- | ---: |",
    ]
    for case in page.cases:
        corrected, *ours = (page.tally(case, label) for label in (CORRECTED, *CALIBRATED))
        if corrected is None or None in ours:
            continue
        share, low, high = share_of_power(ours[0], corrected, "power_2")
        cells = " | ".join(powers({case: t}) for t in (corrected, *ours))
        size = percent(corrected, "at_5", interval=False)
        lines.append(f"| `{case.name}` | {size} | {cells} | {share:.2f} ({low:.2f}–{high:.2f}) |")
    return lines


def replicability(page: Page) -> list[str]:
    lines = [
        "| test | datasets | same verdict, null true | same verdict, 2 SE apart |",
        "| --- | ---: | ---: | ---: |",
    ]
    for one in TESTS:
        kept = [t for t in page.tallies(one.label).values() if t["pairs"]]
        if kept:
            pairs = sum(t["pairs"] for t in kept)
            none = sum(t["same_0"] for t in kept) / pairs
            shifted = sum(t["same_2"] for t in kept) / (2 * pairs) if kept[0]["shifted"] else None
            apart = "–" if shifted is None else f"{100 * shifted:.1f} %"
            lines.append(f"| `{one.label}` | {pairs:,} | {100 * none:.1f} % | {apart} |")
    return lines


def figure(page: Page, name: str, path: Path) -> None:
    """Draw a dot for each case, a row for each test, and the nominal line."""
    from matplotlib.figure import Figure

    colours = theme(name)
    labels = [one.label for one in TESTS if page.tallies(one.label)]
    with mpl.rc_context({**STYLE, "svg.fonttype": "path"}):
        drawn = Figure(figsize=(8.4, 0.3 * len(labels) + 1.0), facecolor=colours["paper"])
        axes = drawn.add_subplot(facecolor=colours["paper"])
        for row, label in enumerate(labels):
            for adversaries, marker, colour in ((False, "o", "first"), (True, "x", "second")):
                sizes = [
                    max(100 * rate(t, "at_5"), 0.15)
                    for t in page.tallies(label, adversaries=adversaries).values()
                ]
                spread = [0.22 * ((7 * at) % 5 - 2) / 2 for at in range(len(sizes))]
                places = [row + (0.36 if adversaries else by) for by in spread]
                axes.scatter(
                    sizes,
                    places,
                    s=14,
                    marker=marker,
                    color=colours[colour],
                    alpha=0.75,
                    linewidths=0.8,
                )
        axes.axvline(5, color=colours["ink"], linewidth=0.9)
        axes.axvline(100 * AT_5, color=colours["muted"], linewidth=0.7, linestyle=":")
        axes.set_xscale("log")
        axes.set_xlim(0.13, 100)
        axes.set_xticks(
            [0.15, 0.5, 1, 2, 5, 10, 20, 50], ["0", "0.5", "1", "2", "5", "10", "20", "50"]
        )
        axes.minorticks_off()
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.set_xlabel(
            "true null hypotheses rejected at 5 %, in % (each dot a case, × a declared adversary; "
            "solid line 5 %, dotted 6.5 %)"
        )
        axes.grid(axis="y", color=colours["faint"], linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(colors=colours["ink"])
        axes.xaxis.label.set_color(colours["ink"])
        for spine in axes.spines.values():
            spine.set_color(colours["muted"])
        drawn.tight_layout()
        drawn.savefig(path, metadata={"Date": None}, facecolor=colours["paper"])


def short_of(page: Page) -> list[str]:
    """Return the cases that some test has too few experiments on."""
    found = []
    for name, case in CASES.items():
        kept = page.counts.cases.get(name)
        tallies = [kept.tallies.get(one.label) if kept else None for one in case.tests]
        least = CORE if case.kind == "core" else OTHER
        if min(t["experiments"] if t else 0 for t in tallies) < least:
            found.append(name)
    return found


def unfinished(short: list[str]) -> str:
    """Say which cases lack experiments, and what a further run does."""
    if not short:
        return (
            "All cases have the experiments that were planned. `make calibration` goes on until "
            f"each case outside the core has {WANTED:,}."
        )
    names = ", ".join(f"`{name}`" for name in short)
    return (
        f"Cases with fewer experiments than planned ({CORE:,} in the core, {OTHER} elsewhere): "
        f"{names}. `make calibration` continues with them."
    )


def text(page: Page) -> str:
    """Return the page."""
    of_kind = {
        kind: [case for case in page.cases if case.kind in kind.split()]
        for kind in ("core", "mirror pool", "adversary")
    }
    totals = [page.tally(case, CORRECTED) for case in page.cases]
    parts = {
        "verdict": verdict(page),
        "summary": summary(page),
        "core_5": size_table(page, of_kind["core"], "at_5"),
        "core_1": size_table(page, of_kind["core"], "at_1"),
        "others": size_table(page, of_kind["mirror pool"], "at_5"),
        "adversaries": size_table(page, of_kind["adversary"], "at_5"),
        "power": power_table(page),
        "replicability": replicability(page),
    }
    pools = [case for case in page.cases if case.kind == "pool"]
    taken = [case.n / case.contest().source.n for case in pools]
    return TEMPLATE.read_text(encoding="utf-8").format(
        **{name: "\n".join(lines) for name, lines in parts.items()},
        n_cases=len(page.cases),
        n_datasets=sum(t["experiments"] for t in totals if t is not None),
        core=CORE,
        wanted=WANTED,
        other=OTHER,
        pools=", ".join(POOLS),
        shares=listed([f"{100 * share:.0f} %" for share in taken]),
        least=listed([f"{100 * least_size(share):.1f}" for share in taken]),
        reporting=REPORTING,
        development=DEVELOPMENT,
        short=unfinished(short_of(page)),
        folds=in_short(page, "corrected_t 10cv"),
        repeats=in_short(page, CORRECTED),
        resamples=in_short(page, "corrected_t 30xresampled@1/3"),
        settings={
            "lasso": BATCH["lasso"].penalty,
            "svm": BATCH["svm"].cost,
            "l1": BATCH["l1"].strength,
            "pruned": BATCH["pruned"].penalty,
            "least": min(BATCH["tuned"].penalties),
            "most": max(BATCH["tuned"].penalties),
        },
        conservative=in_short(page, "conservative_z 10x15halves@1/10").partition(", power")[0],
        half_duplicates=size_on(page, "neighbor-AA200", f"half_sample_t {ECONOMY}"),
        mcnemar_duplicates=size_on(page, "neighbor-AA200", "mcnemar holdout@1/3"),
        lowest=lowest_shares(page),
        worse=worse_than(page, "corrected_t 30xresampled@1/3", CORRECTED),
        n_core=len(of_kind["core"]),
        five=len({*above(page, "five_by_two_t 5x2cv", 0.05)} & {*of_kind["core"]}),
        mcnemar=span_of(page, of_kind["core"], "mcnemar holdout@1/3"),
    )


def in_short(page: Page, label: str) -> str:
    """Return on how many cases a test rejects too often, and its power."""
    kept = page.judged(label)
    power = median(rate(t, "power_2") for t in kept.values())
    return (
        f"above 6.5 % on {len(above(page, label))} of {len(kept)} cases, power {power:.2f} at 2 "
        "standard errors"
    )


def sizes_table(page: Page) -> str:
    """Return the table that messages, advice and pages quote: percents, of judged cases."""
    rows = []
    for one in TESTS:
        sizes = [100 * rate(t, "at_5") for t in page.judged(one.label).values()]
        if sizes:
            size = Size(len(sizes), *(round(f(sizes), 1) for f in (min, median, max)))
            rows.append(f"  {json.dumps(one.label)}: {json.dumps(size)}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def main(arguments: list[str]) -> None:
    page = Page(CountsFile(COUNTS))
    made = text(page)
    if "--check" in arguments:
        if PAGE.read_text(encoding="utf-8") != made:
            raise SystemExit(
                "docs/calibration.md is out of date: python calibration/tools/calibration_page.py"
            )
        return
    PAGE.write_text(made, encoding="utf-8")
    TABLE.write_text(sizes_table(page), encoding="utf-8")
    for name in ("light", "dark"):
        figure(page, name, DOCS / "figures" / f"calibration_{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
