"""`outperform reproduce`: the tables and figures of the papers, run again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import counted
from ._judgement import JSON
from ._output import answer, print_json, say
from ._program import verb

if TYPE_CHECKING:
    from ..papers import Exhibit

EXAMPLES = """\
outperform reproduce
outperform reproduce dietterich figure5
outperform reproduce feelders-verkooijen table3 table4
outperform reproduce bradford-brodley table1 --datasets glass,heart --partitions 5
outperform reproduce --all --quick
outperform reproduce --all --write docs/reproduction.md
"""


def _papers(_: Any, __: Any, typed: str) -> list[str]:
    from ..papers.exhibits import PAPERS

    return [paper for paper in PAPERS if paper.startswith(typed)]


@verb("reproduce", examples=EXAMPLES)
@click.argument("paper", required=False, shell_complete=_papers)
@click.argument("names", metavar="[EXHIBIT]...", nargs=-1)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Rerun every table and figure, of PAPER or of all papers.",
)
@click.option("--quick", is_flag=True, help="A smaller version that takes minutes.")
@click.option(
    "--scale",
    "share",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    default=1.0,
    help="Share of the published number of repetitions.",
)
@click.option(
    "--partitions", type=click.IntRange(2), metavar="N", help="Partitions of each dataset."
)
@click.option("--datasets", metavar="NAMES", help="Only these datasets, separated by commas.")
@click.option("--stratified", is_flag=True, help="Partitions that keep the shares of the classes.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Another seed.")
@click.option(
    "--jobs", type=int, metavar="N", default=1, help="Number of workers; -1 for one per core."
)
@click.option(
    "--folder",
    metavar="PATH",
    default="reproduction",
    help="Where finished work is kept, so that a stopped run can resume.",
)
@click.option("--again", is_flag=True, help="Rerun what is already finished.")
@click.option("--write", metavar="FILE", help="Write the page and its figures to this file.")
@JSON
def command(
    paper: str | None,
    names: tuple[str, ...],
    everything: bool,
    quick: bool,
    share: float,
    partitions: int | None,
    datasets: str | None,
    stratified: bool,
    seed: int | None,
    jobs: int,
    folder: str,
    again: bool,
    write: str | None,
    as_json: bool,
) -> int:
    """List the tables and figures of the papers, or rerun them."""
    import os
    from pathlib import Path

    from ..papers import Scale, exhibits, find, reproduce
    from ..papers.reproduction import told
    from ..papers.reproduction_page import page, summary
    from ..papers.reproduction_page import write as write_page

    if names and paper is not None:
        chosen = tuple(find(paper, name) for name in dict.fromkeys(names))
    else:
        chosen = exhibits(paper)
        if not everything:
            _list(chosen, as_json=as_json)
            return 0
    scale = Scale(
        quick=quick,
        n_jobs=jobs,
        folder=Path(folder),
        say=say,
        share=share,
        partitions=partitions,
        datasets=tuple(name.strip() for name in (datasets or "").split(",") if name.strip()),
        stratified=stratified,
        seed=seed,
    )
    say(
        f"Finished work is kept in {folder}{os.sep}, so that a stopped run can resume. Delete "
        "it when "
        "done, or choose another folder with --folder."
    )
    machine = _machine(jobs)
    found = []
    for one, finding in reproduce(chosen, scale, again=again):
        found.append((one, finding))
        say(f"{one.key}: {finding.agreement}, {finding.seconds:.0f} s")
    shown = [told(*pair, scale) for pair in found]
    if write is not None:
        shown = write_page(found, Path(write), scale, machine=machine)
        say(f"Page written to {write}.")
    if as_json:
        print_json("reproduction", {"quick": quick, "exhibits": shown})
    elif write is None:
        answer(page(shown, machine=machine))
    else:
        answer(summary(shown))
    return 0


def _machine(jobs: int) -> str:
    """Say how many workers run on how many cores."""
    from joblib import cpu_count, effective_n_jobs

    workers, cores = effective_n_jobs(jobs), cpu_count()
    return f"{counted(workers, 'worker')} on {counted(cores, 'core')}"


def _list(chosen: tuple[Exhibit, ...], *, as_json: bool) -> None:
    if as_json:
        listed = [
            {"paper": e.paper, "name": e.name, "title": e.title, "takes": list(e.takes)}
            for e in chosen
        ]
        print_json("exhibits", {"exhibits": listed})
        return
    width = max(len(f"{e.paper} {e.name}") for e in chosen)
    answer("\n".join(f"{f'{e.paper} {e.name}':<{width}}  {e.title}" for e in chosen))
