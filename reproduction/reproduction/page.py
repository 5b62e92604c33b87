"""The page of all exhibits, written from plain data that lie beside it.

Exhibits that were run are renewed among the data; the others stay as they were, with the version
and the date of their own run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from outperform._version import __version__
from outperform.errors import DataError
from outperform.references import PAPERS as TITLES

from .exhibits import PAPERS, Exhibit, Finding, Scale, exhibits, published
from .running import told

Told: TypeAlias = Mapping[str, Any]
"""An exhibit and what it found, as `told` returns it."""
MARKS = {
    "agrees": "agrees",
    "undecided": "undecided",
    "differs": "**differs**",
    "not comparable": "not comparable",
}
MOST = 60
"""Of more values those that agree are folded away."""
RULE = """\
## How verdicts are made

A printed value agrees if ours is within half a unit of its last digit plus 3.29 standard errors of
the difference (0.001, two-sided), and differs otherwise. The column *error* is that standard error,
ours and the paper's combined, with a dash if nothing is random. A share that is 0 both in print and
in our run, or 1 in both, agrees trivially and is counted separately. A statement of the paper that
involves chance is tested as described next to it: it agrees if its negation is rejected at 0.001,
two-sided, and differs if the statement itself is rejected; otherwise it is *undecided*. Tests that
used the same datasets are compared by their paired differences. A statement of several parts agrees
if each part does, and differs if one part is rejected after Bonferroni's adjustment. Statements
that follow by arithmetic or from exact probabilities are simply true or false. A table of counts is
also compared as a whole: Σz² over its cells is compared with its distribution in copies drawn from
both tables pooled. Results are *not comparable* if they are on EXP6, which the paper does not
define, if they belong to the Boston and Pima studies of Feelders & Verkooijen, whose splits are not
known, or if numbers are missing from the texts; in a quick version, also if values need more
repetitions. For each difference, the page gives the reason if one was found."""
CHANGED_FOR_ALL = (
    'Thresholds for vague words are ours: "ridiculously high" is above .2, "close to 0" below '
    '.1, "equal" and "not much" within .05, "very slightly" within .02 of R, "much better" '
    '5 points, "much higher" and "similarly" a factor of 2, "about one third" closer to that '
    "than to a quarter or a half.",
    "Claims that used to be judged by point estimates, and claims that used to differ unless they "
    "were confirmed at 0.001, are now judged by the one rule above; this was changed after we had "
    "seen quick versions and part of the full run.",
    "No seed of any exhibit was changed.",
)
"""What a reader must know who asks whether rules were made to fit (nothing was tuned to agree)."""


def summary(found: Sequence[Told]) -> str:
    """Return the one line that says how much agrees."""
    counts = {
        mark: sum(one["counts"][mark] for one in found)
        for mark in ("agrees", "trivial", "undecided", "differs", "not comparable")
    }
    total = sum(counts.values())
    trivially = (
        f" ({counts['trivial']} more trivially, 0 = 0 or 1 = 1)" if counts["trivial"] else ""
    )
    papers = _count(len({one["paper"] for one in found}), "paper")
    return (
        f"{_count(len(found), 'exhibit')} of {papers} "
        f"reproduced: of {_count(total, 'printed value')} and statements, "
        f"{counts['agrees']} agree{trivially}, {counts['undecided']} are undecided, "
        f"{counts['differs']} differ and {counts['not comparable']} cannot be compared."
    )


def _count(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def page(found: Sequence[Told], *, machine: str = "", pictures: str = "") -> str:
    """Return the page as Markdown.

    `machine` tells how many workers ran on how many cores; `pictures` is the folder of the figures
    beside the page, if any.
    """
    lines = ["# Reproduction of the papers", "", summary(found), ""]
    command = "make reproduce QUICK=1" if any(one["quick"] for one in found) else "make reproduce"
    lines += [
        f"`{command}` writes this page. {_took(found)}{f' ({machine})' if machine else ''}, "
        "including attempts that were stopped; the time of a run that several exhibits share is "
        f"counted for the first of them. {_runs(found)}",
        "",
        RULE,
        "",
    ]
    lines += ["## What was changed after results had been seen", ""]
    papers = {one["paper"] for one in found}
    mended = [_changed(paper, found) for paper in PAPERS if paper in papers]
    lines += [f"- {text}" for text in (*mended, *CHANGED_FOR_ALL)]
    lines += ["", "## All exhibits", ""]
    lines += ["| exhibit | what | verdict | run | seconds |", "| --- | --- | --- | --- | ---: |"]
    for one in found:
        link = f"[{one['paper']} {one['name']}](#{_file(one)})"
        seconds = f"{one['seconds']:.0f}"
        lines.append(_row((link, one["title"], _verdict(one), _run(one), seconds)))
    for paper in PAPERS:
        mine = [one for one in found if one["paper"] == paper]
        if mine:
            lines += ["", f"## {TITLES[paper]}", "", f"{_took(mine)}."]
        for one in mine:
            lines += _section(one, pictures)
    return "\n".join(lines) + "\n"


def _changed(paper: str, found: Sequence[Told]) -> str:
    """Say what was changed, and what that means for exhibits of an earlier version, if any."""
    words = published(paper)
    old = any(one["paper"] == paper and one["version"] not in ("", __version__) for one in found)
    return " ".join([words["changed"], *([words["before"]] if old and "before" in words else [])])


def _took(found: Sequence[Told]) -> str:
    seconds = sum(one["seconds"] for one in found)
    long = f", {seconds / 3600:.1f} hours" if seconds >= 3600 else ""
    return f"{_count(len(found), 'exhibit')} took {seconds:,.0f} seconds{long}"


def _run(one: Told) -> str:
    return f"{one['date']}, {one['version']}"


def _runs(found: Sequence[Told]) -> str:
    """Say which runs the page stands on."""
    runs = sorted({(one["date"], one["version"]) for one in found})
    told_ = ", ".join(
        f"{sum((one['date'], one['version']) == run for one in found)} on {run[0]} with version "
        f"{run[1]}"
        for run in runs
    )
    return f"Exhibits were run: {told_}."


def write(
    chosen: Iterable[tuple[Exhibit, Finding]],
    path: Path,
    scale: Scale,
    *,
    machine: str = "",
    pictures: bool = True,
) -> list[dict[str, Any]]:
    """Renew the exhibits on the page, and its figures in a folder beside it; return all it shows.

    What the page shows is kept as data in that folder: what is not run again stays.
    """
    chosen = list(chosen)
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "findings.json"
    found = {(one["paper"], one["name"]): one for one in read(data)}
    if {one["scale"] for one in found.values()} - {scale.size}:
        raise DataError(f"{path} holds exhibits of another scale, which are not overwritten")
    for exhibit, finding in chosen:
        if pictures and exhibit.draw is not None:
            figure = exhibit.draw(finding, "light")
            figure.savefig(folder / f"{exhibit.paper}-{exhibit.name}.png", dpi=110)
    found |= {(one.paper, one.name): told(one, finding, scale) for one, finding in chosen}
    known = [(one.paper, one.name) for one in exhibits()]
    shown = [found[key] for key in known if key in found]
    text = json.dumps({"exhibits": shown}, ensure_ascii=False, indent=1)
    data.write_text(f"{text}\n", encoding="utf-8")
    here = machine if len(chosen) == len(shown) else ""  # others ran elsewhere
    path.write_text(page(shown, machine=here, pictures=path.stem), encoding="utf-8")
    return shown


def read(data: Path) -> list[dict[str, Any]]:
    """Return what a page shows; nothing where there is none yet."""
    if not data.exists():
        return []
    try:
        found: list[dict[str, Any]] = json.loads(data.read_text(encoding="utf-8"))["exhibits"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{data} is damaged: it does not hold exhibits") from error
    return found


def _section(one: Told, pictures: str) -> list[str]:
    lines = ["", f'<a id="{_file(one)}"></a>', "", f"### {one['title']}", ""]
    lines += [one["did"], ""]
    if one["ran"]:
        ran = dict(one["ran"])
        seed = ran.pop("seed", None)
        parts = [f"{name} {value}" for name, value in ran.items()]
        lines += [f"Run with: {', '.join(parts)}{f'; seed {seed}' if seed else ''}.", ""]
    if one["version"] and one["version"] != __version__:
        lines += [
            f"Run on {one['date']} with version {one['version']}, before the later changes.",
            "",
        ]
    lines += [f"Verdict: {_verdict(one)}."]
    if one["figure"] and pictures:
        lines += ["", f"![{one['title']}]({pictures}/{_file(one)}.png)"]
    if one["rows"]:
        lines += ["", _row(one["header"]), _row(["---"] * len(one["header"]))]
        lines += [_row(row) for row in one["rows"]]
    if one["statements"]:
        lines += ["", "| statement | judged by | verdict |", "| --- | --- | --- |"]
        lines += [
            _row((s["text"], _judged(s["judged_by"], s["reason"]), MARKS[s["verdict"]]))
            for s in one["statements"]
        ]
    if one["values"]:
        lines += _values(one["values"])
    if one["fit"]:
        lines += ["", _fit(one["fit"])]
    lines += [part for remark in one["remarks"] for part in ("", remark)]
    return lines


def _judged(by: str, reason: str) -> str:
    return f"{by}; {reason}" if reason else by


def _fit(fit: Mapping[str, float]) -> str:
    return (
        f"As a whole: Σz² = {fit['sum']:.1f} over {fit['cells']:.0f} cells that are not 0 in both; "
        f"{fit['expected']:.1f} is expected of another draw of the same table, p = "
        f"{fit['pvalue']:.2g} by simulated copies."
    )


def _verdict(one: Told) -> str:
    """Say the verdict on the whole, in how much it differs, how much is undecided or trivial."""
    counts = one["counts"]
    total = sum(counts.values())
    differs = f" in {counts['differs']} of {total}" if counts["differs"] else ""
    parts = [MARKS[one["verdict"]] + differs]
    if counts["undecided"]:
        parts.append(f"{counts['undecided']} of {total} undecided")
    if counts["trivial"]:
        parts.append(f"{counts['trivial']} of {total} trivial")
    return "; ".join(parts)


def _values(values: Sequence[Told]) -> list[str]:
    agreeing = [value for value in values if value["verdict"] == "agrees"]
    trivial = sum(value["trivial"] for value in values)
    trivially = f", {trivial} of them trivially" if trivial else ""
    agree = "agrees" if len(values) == 1 else "agree"
    lines = ["", f"{len(agreeing)} of {_count(len(values), 'value')} {agree}{trivially}."]
    if len(values) <= MOST:
        return lines + _listed(values)
    others = [value for value in values if value["verdict"] != "agrees"]
    lines += _listed(others) if others else []
    if agreeing:
        folded = f"<details><summary>The {len(agreeing)} that agree</summary>"
        lines += ["", folded, *_listed(agreeing), "", "</details>"]
    return lines


def _listed(values: Sequence[Told]) -> list[str]:
    lines = ["", "| value | published | ours | error | verdict | reason |"]
    lines += ["| --- | ---: | ---: | ---: | --- | --- |"]
    for v in values:
        printed = "missing" if v["published"] is None else f"{v['published']:.6g}"
        error = f"{v['error']:.2g}" if v["error"] else "–"
        mark = "trivial" if v["trivial"] else MARKS[v["verdict"]]
        lines.append(_row((v["name"], printed, f"{v['ours']:.6g}", error, mark, v["reason"])))
    return lines


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _file(one: Told) -> str:
    return f"{one['paper']}-{one['name']}"
