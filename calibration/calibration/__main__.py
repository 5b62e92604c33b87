"""`python -m calibration`: measure tests on a case of the public benchmark, again or further."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

from outperform.engine.progress import Progress
from outperform.errors import OutperformError, counted, did_you_mean
from outperform.lab.tested import COLUMNS
from outperform.procedures.accuracy_interval import accuracy_interval
from outperform.views import Counts

from .cases import CASES, OTHER, TESTS, CalibrationCase, case_named
from .counts import REPORTING, CaseCounts, CountsFile
from .runs import run_cases

QUICK = 8
"""Experiments of each case in a quick run, which shows that it works and nothing else."""
say = partial(click.echo, err=True)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
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
@click.option(
    "--counts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Add to the counts in this file (JSON).",
)
@click.option(
    "--quick",
    is_flag=True,
    help="Run only a few experiments per case, and measure the unit of power roughly.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    cases: tuple[str, ...],
    every: bool,
    labels: tuple[str, ...],
    reps: int | None,
    seed: int | None,
    counts: Path | None,
    quick: bool,
    as_json: bool,
) -> None:
    """Measure how often each test rejects a true null hypothesis.

    Runs cases of the public benchmark; without a case, all cases are listed. With the same seed a
    rerun gives the same rates as the page, and with --json the same counts. With --counts a stopped
    run resumes, and no experiment is counted twice.
    """
    if every and cases:
        raise click.UsageError(
            "--all runs every case; leave the names of cases out, or leave out --all"
        )
    if quick and counts is not None:
        raise click.UsageError(
            "--quick measures the unit of power roughly, and --counts would keep it; leave out one "
            "of them"
        )
    given = {"--test": labels, "--reps": reps, "--seed": seed, "--counts": counts}
    unused = [name for name, value in given.items() if value not in (None, ())]
    if not every and not cases and (unused or quick):
        raise click.UsageError(
            f"{(unused or ['--quick'])[0]} needs cases; name one, such as stump-B200, or pass --all"
        )
    if quick and reps is not None:
        raise click.UsageError(
            "--quick and --reps both set the number of experiments; use one of them"
        )
    if not every and not cases:
        _list(as_json=as_json)
        return
    n_reps = QUICK if quick else reps if reps is not None or every else OTHER
    try:
        chosen = list(CASES.values()) if every else [case_named(n) for n in dict.fromkeys(cases)]
        chosen, tests = _applying(chosen, labels, every=every)
        kept = CountsFile(counts, REPORTING if seed is None else seed)
        kept.write()  # a file that cannot be written is better found now
        with Progress(None, 0, unit="experiments") as progress:
            run_cases(
                kept,
                chosen,
                reps=n_reps,
                tests=tests or None,
                pilots=QUICK if quick else None,
                progress=progress,
            )
    except OutperformError as error:
        raise click.UsageError(str(error)) from None
    _print(kept, chosen, as_json=as_json)


def _list(*, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"cases": {case.name: case.title for case in CASES.values()}}))
        return
    rows = [f"  {case.name:<28}{case.title} ({case.kind})" for case in CASES.values()]
    click.echo("\n".join(["Cases, each a true null hypothesis:", *rows]))


def _applying(
    chosen: list[CalibrationCase], labels: tuple[str, ...], *, every: bool
) -> tuple[list[CalibrationCase], list[Any]]:
    """Return the cases to which one of the tests applies, and the tests."""
    known = {one.label: one for one in TESTS}
    for label in labels:
        if label not in known:
            raise click.UsageError(f"Unknown test {label!r}; {did_you_mean(label, tuple(known))}")
    tests = [known[label] for label in labels]
    none = [case for case in chosen if labels and not {*tests} & {*case.tests}]
    if none and not every:
        do = "does" if len(labels) == 1 else "do"
        raise click.UsageError(
            f"{', '.join(labels)} {do} not apply to {none[0].name}; use another case, or "
            f"one of: {', '.join(one.label for one in none[0].tests)}"
        )
    chosen = [case for case in chosen if case not in none]
    for case in (*none, *chosen):
        for test in tests:
            if test not in case.tests:
                say(f"{case.name}: {test.label} does not apply and is skipped.")
    return chosen, tests


def _print(kept: CountsFile, chosen: list[CalibrationCase], *, as_json: bool) -> None:
    counts = {case.name: kept.cases[case.name] for case in chosen}
    if as_json:
        rows = {
            name: {label: tally.counts.tolist() for label, tally in case.tallies.items()}
            for name, case in counts.items()
        }
        click.echo(json.dumps({"columns": list(COLUMNS), "cases": rows, "seed": kept.seed}))
        return
    say(f"Seed {kept.seed}; blocks of {chosen[0].contest().block} experiments are run whole.")
    click.echo("\n\n".join(_table(name, case) for name, case in counts.items()))


def _table(name: str, found: CaseCounts) -> str:
    lines = [
        f"{name}: {case_named(name).title}; true null hypotheses rejected and power 2 "
        "standard errors away, in %",
        f"  {'test':<36}{'at 5 %':>7}  {'95 % interval':<15}{'at 1 %':>6}{'power':>7}",
    ]
    for label, tally in found.tallies.items():
        n: Any = tally["experiments"]
        if n:
            size = accuracy_interval.on(Counts(float(tally["at_5"]), float(n)))
            low, high = (100 * float(end) for end in size.interval(0.95))
            power = 100 * tally["power_2"] / tally["shifted"] if tally["shifted"] else None
            lines.append(
                f"  {label:<36}{100 * tally['at_5'] / n:7.1f}  {f'{low:.1f} to {high:.1f}':<15}"
                f"{100 * tally['at_1'] / n:6.1f}{'–' if power is None else f'{power:.0f}':>7}  "
                f"{counted(n, 'experiment')}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    main(prog_name="python -m calibration")
