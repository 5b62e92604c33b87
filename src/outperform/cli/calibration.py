"""`outperform calibration`: measure tests on a case of the public benchmark, again or further."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import counted
from ._judgement import JSON
from ._output import answer, print_json, say
from ._program import verb

if TYPE_CHECKING:
    from ..lab.calibration_runs import CaseCounts

QUICK = 8
"""Experiments of each case in a quick run, which shows that it works and nothing else."""


@verb(
    "calibration",
    examples="""
    outperform calibration
    outperform calibration stump-B200 --reps 400
    outperform calibration lda-B200 --test "corrected_t 10x10cv" --seed 7
    outperform calibration --all --counts counts.json
    """,
)
@click.argument("cases", nargs=-1, metavar="[CASE]...")
@click.option("--all", "every", is_flag=True, help="Run every case of the table.")
@click.option(
    "--test",
    "labels",
    multiple=True,
    metavar="TEST",
    help="Only this test, as the page names it: 'corrected_t 10x10cv'. Can be repeated.",
)
@click.option(
    "--reps",
    type=click.IntRange(min=1),
    metavar="N",
    help="Experiments per case (default 200; with --all, as many as on the page).",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Use a different seed from the page, for independent experiments.",
)
@click.option("--counts", metavar="FILE", help="Add to the counts in this file (.json).")
@click.option("--quick", is_flag=True, help="Run only a few experiments per case.")
@JSON
def command(
    cases: tuple[str, ...],
    every: bool,
    labels: tuple[str, ...],
    reps: int | None,
    seed: int | None,
    counts: str | None,
    quick: bool,
    as_json: bool,
) -> int:
    """Measure how often each test rejects a true null hypothesis.

    Runs cases of the public benchmark; without a case, all cases are listed. With the same seed a
    rerun gives the same counts as the page. With --counts a stopped run resumes, and no experiment
    is counted twice.
    """
    from pathlib import Path

    from ..lab.calibration_cases import CASES, OTHER, TESTS, case_named
    from ..lab.calibration_runs import COLUMNS, REPORTING, CountsFile, run_cases

    if every and cases:
        raise click.UsageError(
            "--all runs every case; leave the names of cases out, or leave out --all"
        )
    if quick and counts is not None:
        raise click.UsageError(
            "--quick measures the unit of power roughly, and --counts would keep it; leave out one "
            "of them"
        )
    if not every and not cases:
        listed = [f"  {case.name:<28}{case.title} ({case.kind})" for case in CASES.values()]
        text = "\n".join(["Cases, each a true null hypothesis:", *listed])
        if as_json:
            print_json("calibration", {"cases": {c.name: c.title for c in CASES.values()}})
        else:
            answer(text)
        return 0
    chosen = list(CASES.values()) if every else [case_named(name) for name in cases]
    known = {one.label: one for one in TESTS}
    for label in labels:
        if label not in known:
            from ..errors import did_you_mean

            raise click.UsageError(f"Unknown test {label!r}; {did_you_mean(label, tuple(known))}")
    kept = CountsFile(None if counts is None else Path(counts), REPORTING if seed is None else seed)
    run_cases(
        kept,
        chosen,
        reps=QUICK if quick else reps if reps is not None or every else OTHER,
        tests=[known[label] for label in labels] or None,
        pilots=QUICK if quick else None,
        said=say,
    )
    found = {case.name: kept.cases[case.name] for case in chosen}
    if as_json:
        rows = {
            name: {label: t.counts.tolist() for label, t in one.tallies.items()}
            for name, one in found.items()
        }
        print_json("calibration", {"columns": list(COLUMNS), "cases": rows, "seed": kept.seed})
    else:
        answer("\n\n".join(_table(name, one) for name, one in found.items()))
    return 0


def _table(name: str, found: CaseCounts) -> str:
    from ..lab.calibration_cases import case_named

    case = case_named(name)
    lines = [
        f"{case.name}: {case.title}; true null hypotheses rejected at 5 % and 1 %, power at 2 SE"
    ]
    for label, tally in found.tallies.items():
        n: Any = tally["experiments"]
        if n:
            power = tally["power_2"] / tally["shifted"] if tally["shifted"] else None
            lines.append(
                f"  {label:<36}{tally['at_5'] / n:7.4f}{tally['at_1'] / n:8.4f}"
                f"{'       –' if power is None else f'{power:8.4f}'}  {counted(n, 'experiment')}"
            )
    return "\n".join(lines)
