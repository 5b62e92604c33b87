"""`python -m reproduction`: the tables and figures of the papers, listed or run again."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import click
from joblib import cpu_count, effective_n_jobs

from outperform.errors import OutperformError, counted

from .exhibits import Exhibit, Scale, exhibits, find
from .page import page, summary
from .page import write as write_page
from .running import reproduce, told

say = partial(click.echo, err=True)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", metavar="[PAPER | PAPER/EXHIBIT]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every exhibit of every paper.")
@click.option("--list", "listing", is_flag=True, help="List the exhibits instead of running them.")
@click.option("--quick", is_flag=True, help="A smaller version that takes minutes.")
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    help="Share of the published number of repetitions.",
)
@click.option("--partitions", type=click.IntRange(2), help="Partitions of each dataset.")
@click.option("--datasets", metavar="NAMES", help="Only these datasets, separated by commas.")
@click.option("--stratified", is_flag=True, help="Partitions that keep the shares of the classes.")
@click.option("--seed", type=click.IntRange(0), help="Another seed.")
@click.option("--jobs", type=int, default=1, help="Number of workers; -1 for one per core.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default="reproduced",
    help="Where finished work is kept, so that a stopped run can resume.",
)
@click.option("--again", is_flag=True, help="Rerun what is already finished.")
@click.option(
    "--write",
    type=click.Path(path_type=Path),
    help="Write the page and its figures to this file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    names: tuple[str, ...],
    everything: bool,
    listing: bool,
    quick: bool,
    share: float,
    partitions: int | None,
    datasets: str | None,
    stratified: bool,
    seed: int | None,
    jobs: int,
    folder: Path,
    again: bool,
    write: Path | None,
    as_json: bool,
) -> None:
    """Run tables and figures of the papers again, such as dietterich/figure5."""
    if not (names or everything or listing):
        raise click.UsageError("Name a paper or an exhibit; --list lists them, --all runs all")
    scale = Scale(
        quick=quick,
        n_jobs=jobs,
        folder=folder,
        say=say,
        share=share,
        partitions=partitions,
        datasets=tuple(name.strip() for name in (datasets or "").split(",") if name.strip()),
        stratified=stratified,
        seed=seed,
    )
    try:
        chosen = exhibits() if everything or not names else _chosen(names)
        if listing:
            _list(chosen, as_json=as_json)
        else:
            _run(chosen, scale, again=again, write=write, as_json=as_json)
    except OutperformError as error:
        raise click.UsageError(str(error)) from None


def _chosen(names: tuple[str, ...]) -> tuple[Exhibit, ...]:
    """Return the exhibits of papers and the single ones that are named, each once."""
    every: dict[str, Exhibit] = {}
    for name in names:
        paper, _, single = name.partition("/")
        for exhibit in (find(paper, single),) if single else exhibits(paper):
            every[exhibit.key] = exhibit
    return tuple(every.values())


def _list(chosen: tuple[Exhibit, ...], *, as_json: bool) -> None:
    if as_json:
        listed = [
            {"paper": e.paper, "name": e.name, "title": e.title, "takes": list(e.takes)}
            for e in chosen
        ]
        click.echo(json.dumps({"exhibits": listed}))
        return
    width = max(len(exhibit.key) for exhibit in chosen)
    click.echo("\n".join(f"{exhibit.key:<{width}}  {exhibit.title}" for exhibit in chosen))


def _run(
    chosen: tuple[Exhibit, ...], scale: Scale, *, again: bool, write: Path | None, as_json: bool
) -> None:
    say(f"Finished work is kept in {scale.folder}, so that a stopped run can resume.")
    machine = _machine(scale.n_jobs)
    findings = []
    for exhibit, finding in reproduce(chosen, scale, again=again):
        findings.append((exhibit, finding))
        say(f"{exhibit.key}: {finding.agreement}, {finding.seconds:.0f} s")
    facts = [told(*pair, scale) for pair in findings]
    if write is not None:
        facts = write_page(findings, write, scale, machine=machine)
        say(f"Page written to {write}.")
    if as_json:
        click.echo(json.dumps({"quick": scale.quick, "exhibits": facts}, allow_nan=False))
    else:
        click.echo(page(facts, machine=machine) if write is None else summary(facts))


def _machine(jobs: int) -> str:
    """Say how many workers run on how many cores."""
    workers, cores = effective_n_jobs(jobs), cpu_count()
    return f"{counted(workers, 'worker')} on {counted(cores, 'core')}"


if __name__ == "__main__":
    main(prog_name="python -m reproduction")
