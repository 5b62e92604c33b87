"""Running exhibits: what is finished is kept as JSON, so that a run killed at any point goes on.

With it stands what it depends on and how long it took.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from .._version import __version__
from ..references import PAPERS as TITLES
from .exhibits import PAPERS, Agreement, Exhibit, Finding, Scale, Statement, Value, published


def reproduce(
    chosen: Iterable[Exhibit], scale: Scale, *, again: bool = False
) -> Iterator[tuple[Exhibit, Finding]]:
    """Yield each exhibit with its finding; finished ones are read back unless `again`."""
    for exhibit in chosen:
        finding = None if again else kept(exhibit, scale)
        if finding is None:
            scale.say(f"{exhibit.key}: {exhibit.title}")
            clock = _path(exhibit, scale, "seconds")
            with clocked(clock, scale) as watched:
                finding = exhibit.run(watched)
            finding = replace(finding, seconds=spent(clock))
            _keep(_path(exhibit, scale), _key(exhibit), asdict(finding))
        yield exhibit, finding


def kept(exhibit: Exhibit, scale: Scale) -> Finding | None:
    """Return a finding of an earlier run of the same exhibit at the same scale, if there is one."""
    found = _kept(_path(exhibit, scale), _key(exhibit))
    try:
        return None if found is None else _finding(found)
    except (KeyError, TypeError):
        return None  # a damaged file is run again


def _path(exhibit: Exhibit, scale: Scale, what: str = "found") -> Path:
    size = "quick" if scale.quick else "full"
    return scale.folder / f"{exhibit.paper}-{exhibit.name}-{size}.{what}.json"


def _key(exhibit: Exhibit) -> str:
    """Return what a kept finding depends on: a change of it makes the exhibit run anew.

    What is slow is kept apart, in stores with keys of their own: to judge anew takes seconds.
    """
    about = [code(), exhibit.key, exhibit.seed, sorted(exhibit.parameters.items())]
    return digest(about, exhibit.needs)


def _finding(found: dict[str, Any]) -> Finding:
    return Finding(
        values=tuple(Value(**value) for value in found["values"]),
        statements=tuple(Statement(**statement) for statement in found["statements"]),
        header=tuple(found["header"]),
        rows=tuple(tuple(row) for row in found["rows"]),
        remarks=tuple(found["remarks"]),
        curves=found["curves"],
        seconds=found["seconds"],
    )


def remembered(
    scale: Scale, name: str, about: Any, compute: Callable[[], Any], needs: tuple[str, ...] = ()
) -> Any:
    """Return what was computed before with the same settings and data, or compute and keep it."""
    path, key = scale.store(name).with_suffix(".json"), digest(about, needs)
    found = _kept(path, key)
    if found is None:
        found = compute()
        _keep(path, key, found)
    return found


def _kept(path: Path, key: str) -> Any:
    """Return what a file keeps under the key; None where it is absent, damaged or of another."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return read["found"] if read["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(path: Path, key: str, found: Any) -> None:
    """Write a file that is either whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps({"key": key, "found": found}, ensure_ascii=False), encoding="utf-8")
    os.replace(part, path)


def digest(about: Any, needs: tuple[str, ...] = ()) -> str:
    """Return what kept work depends on: settings, the version, and the datasets named."""
    parts = [__version__, about, *(_data(name) for name in needs)]
    return sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def code() -> str:
    """Return a digest of the exhibits' own code: what is judged anew when a judgement changes."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


@cache
def _data(name: str) -> str:
    from ..data import load
    from ..engine.learning_data import fingerprint, read_data

    data = load(name)
    return fingerprint(read_data(data.X, data.y, None))


@contextmanager
def clocked(path: Path, scale: Scale) -> Iterator[Scale]:
    """Add the seconds spent inside to those in a file, at every word said: a kill loses few.

    What was kept before an interruption took time too: `spent` reads the sum of all attempts.
    """
    before, began = spent(path), time.perf_counter()

    def note(text: str = "") -> None:
        _keep(path, "seconds", before + time.perf_counter() - began)
        if text:
            scale.say(text)

    try:
        yield replace(scale, say=note)
    finally:
        note()


def spent(path: Path) -> float:
    """Return the seconds that a file has counted."""
    return float(_kept(path, "seconds") or 0.0)


MARKS: Mapping[Agreement, str] = {
    "agrees": "agrees",
    "differs": "**differs**",
    "not comparable": "not comparable",
}
MOST = 60
"""Of more values those that agree are folded away."""
RULE = """\
## How verdicts are made

A printed value agrees if ours is within half a unit of its last digit plus 3.29 standard errors of
the difference (0.001, two-sided). The column *error* is that standard error, ours and the paper's
combined, with a dash if nothing is random. A statement of the paper that involves chance is tested
as described next to it: it agrees if its contrary is rejected at 0.001, two-sided, and differs if
the statement itself is rejected; otherwise it is *undecided* and counted separately. Tests that
used the same datasets are compared by their paired differences. A statement of several parts agrees
if each part does, and differs if one part is rejected after Bonferroni. Statements that follow by
arithmetic or from exact probabilities are simply true or false. *Not comparable* are results on
EXP6, which no text defines, the Boston and Pima studies of Feelders & Verkooijen, whose splits are
lost, and numbers missing from the texts; a quick version also has values that need more
repetitions. For each difference, the page gives the reason if one was found."""
CHANGED_FOR_ALL = (
    'Thresholds for vague words are ours: "ridiculously high" is above .2, "close to 0" below '
    '.1, "equal" and "not much" within .05, "very slightly" within .02 of R, "much better" '
    '5 points, "much higher" and "similarly" a factor of 2, "about one third" closer to that '
    "than to a quarter or a half.",
    "Claims that used to be judged by point estimates, and claims that used to differ unless they "
    "were confirmed at 0.001, were brought under the one rule above after we had seen quick "
    "versions and part of the full run.",
    "No seed of any exhibit was changed.",
)
"""What a reader must know who asks whether rules were made to fit (nothing was tuned to agree)."""


def summary(found: Sequence[tuple[Exhibit, Finding]]) -> str:
    """Return the one line that says how much agrees."""
    marks = [value.agreement for _, finding in found for value in finding.values]
    marks += [statement.agreement for _, finding in found for statement in finding.statements]
    counts = {mark: marks.count(mark) for mark in MARKS}
    open_ = sum(one.unsettled for _, finding in found for one in finding.statements)
    return (
        f"{_count(len(found), 'exhibit')} of {_count(len({e.paper for e, _ in found}), 'paper')} "
        f"reproduced: of {_count(len(marks), 'printed value')} and statements, "
        f"{counts['agrees'] - open_} agree, {f'{open_} are undecided, ' if open_ else ''}"
        f"{counts['differs']} differ and {counts['not comparable']} cannot be compared."
    )


def _count(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def page(
    found: Sequence[tuple[Exhibit, Finding]], *, quick: bool, machine: str = "", pictures: str = ""
) -> str:
    """Return the page as Markdown.

    `machine` tells how many workers ran on how many cores; `pictures` is the folder of the figures
    beside the page, if any.
    """
    lines = ["# Reproduction of the papers", "", summary(found), ""]
    command = "make reproduce QUICK=1" if quick else "make reproduce"
    lines += [
        f"`{command}` writes this page. {_took(found)}{f' ({machine})' if machine else ''}, "
        "including attempts that were stopped; the time of a run that exhibits share is counted "
        "for the first of them.",
        "",
        RULE,
        "",
    ]
    lines += ["## What was changed after results had been seen", ""]
    papers = {exhibit.paper for exhibit, _ in found}
    mended = [published(paper)["changed"] for paper in PAPERS if paper in papers]
    lines += [f"- {text}" for text in (*mended, *CHANGED_FOR_ALL)]
    lines += ["", "## All exhibits", ""]
    lines += ["| exhibit | what | verdict | seconds |", "| --- | --- | --- | ---: |"]
    for exhibit, finding in found:
        link = f"[{exhibit.paper} {exhibit.name}](#{_anchor(exhibit)})"
        cells = (link, exhibit.title, _verdict(finding), f"{finding.seconds:.0f}")
        lines.append(_row(cells))
    for paper in PAPERS:
        mine = [pair for pair in found if pair[0].paper == paper]
        if mine:
            lines += ["", f"## {TITLES[paper]}", "", f"{_took(mine)}."]
        for exhibit, finding in mine:
            lines += _section(exhibit, finding, pictures)
    return "\n".join(lines) + "\n"


def _took(found: Sequence[tuple[Exhibit, Finding]]) -> str:
    seconds = sum(finding.seconds for _, finding in found)
    long = f", {seconds / 3600:.1f} hours" if seconds >= 3600 else ""
    return f"{_count(len(found), 'exhibit')} took {seconds:,.0f} seconds{long}"


def write(
    found: Iterable[tuple[Exhibit, Finding]],
    path: Path,
    *,
    quick: bool,
    machine: str = "",
    pictures: bool = True,
) -> None:
    """Write the page, and its figures into a folder beside it."""
    found = list(found)
    path.parent.mkdir(parents=True, exist_ok=True)
    if pictures:
        folder = path.with_suffix("")
        folder.mkdir(exist_ok=True)
        for exhibit, finding in found:
            if exhibit.draw is not None:
                figure = exhibit.draw(finding, "light")
                figure.savefig(folder / f"{_file(exhibit)}.png", dpi=110)
    folder_name = path.stem if pictures else ""
    told = page(found, quick=quick, machine=machine, pictures=folder_name)
    path.write_text(told, encoding="utf-8")


def _section(exhibit: Exhibit, finding: Finding, pictures: str) -> list[str]:
    lines = ["", f'<a id="{_anchor(exhibit)}"></a>', "", f"### {exhibit.title}", ""]
    lines += [exhibit.did, ""]
    if exhibit.parameters:
        told = ", ".join(f"{name} {value}" for name, value in exhibit.parameters.items())
        lines += [f"Parameters: {told}; seed {exhibit.seed}.", ""]
    lines += [f"Verdict: {_verdict(finding)}."]
    if exhibit.draw is not None and pictures:
        lines += ["", f"![{exhibit.title}]({pictures}/{_file(exhibit)}.png)"]
    if finding.rows:
        lines += ["", _row(finding.header), _row(["---"] * len(finding.header))]
        lines += [_row(row) for row in finding.rows]
    if finding.statements:
        lines += ["", "| statement | judged by | verdict |", "| --- | --- | --- |"]
        lines += [
            _row((s.text, s.judged_by + (f"; {s.why}" if s.why else ""), _mark(s)))
            for s in finding.statements
        ]
    if finding.values:
        lines += _values(finding.values)
    lines += [part for remark in finding.remarks for part in ("", remark)]
    return lines


def _verdict(finding: Finding) -> str:
    """Say the verdict on the whole, in how much it differs, and how much of it is not shown."""
    judged: tuple[Value | Statement, ...] = (*finding.values, *finding.statements)
    differing = sum(one.agreement == "differs" for one in judged)
    unsettled = sum(one.unsettled for one in finding.statements)
    told = MARKS[finding.agreement] + (f" in {differing} of {len(judged)}" if differing else "")
    return f"{told}; {unsettled} of {len(judged)} undecided" if unsettled else told


def _mark(statement: Statement) -> str:
    return "undecided" if statement.unsettled else MARKS[statement.agreement]


def _values(values: Sequence[Value]) -> list[str]:
    agreeing = [value for value in values if value.agreement == "agrees"]
    lines = ["", f"{len(agreeing)} of {_count(len(values), 'value')} agree."]
    if len(values) <= MOST:
        return lines + _listed(values)
    others = [value for value in values if value.agreement != "agrees"]
    lines += _listed(others) if others else []
    if agreeing:
        folded = f"<details><summary>The {len(agreeing)} that agree</summary>"
        lines += ["", folded, *_listed(agreeing), "", "</details>"]
    return lines


def _listed(values: Sequence[Value]) -> list[str]:
    lines = ["", "| value | published | ours | error | verdict | reason |"]
    lines += ["| --- | ---: | ---: | ---: | --- | --- |"]
    for v in values:
        printed = "lost" if v.published is None else f"{v.published:.6g}"
        error = f"{v.error:.2g}" if v.error else "–"
        lines.append(_row((v.name, printed, f"{v.ours:.6g}", error, MARKS[v.agreement], v.why)))
    return lines


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _anchor(exhibit: Exhibit) -> str:
    return f"{exhibit.paper}-{exhibit.name}"


def _file(exhibit: Exhibit) -> str:
    return f"{exhibit.paper}-{exhibit.name}"
