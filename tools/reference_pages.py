"""The reference pages of the site, from the code: names, verbs, designs, notes, store and JSON."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import click

import outperform as op
from outperform import notes
from outperform.cli._program import program
from outperform.designs.notation import EXAMPLES
from outperform.storage.contents import SCHEMA
from reference_names import name_pages, names_page, table

LISTED = """\
- [Methods](methods/index.md): one page for each test, with its formula, its designs and an example.
- [Public names](reference/names.md): every function, class and method of `import outperform`.
- [Verbs](reference/verbs.md): every verb of the command line with its options.
- [Designs](reference/designs.md): their notation, their cost, and the methods valid for them.
- [Notes](reference/notes.md): every OP code that can accompany a result, explained.
- [Store and JSON](reference/store.md): the tables of a store, and the keys of JSON documents.
"""
"""What the first page lists."""
MORE_DESIGNS = (
    *("10x10cv/stratified", "10cv/grouped", "5seeds*10cv", "20seeds/unpaired"),
    *("5forward/sliding100", "10x5cv+40halves"),
)
"""Notation that the examples of an error message have no room for."""
COLUMN = re.compile(r", (?=\w+ (?:INTEGER|TEXT|REAL|BLOB)|PRIMARY|UNIQUE)")
BREAK = ",\n    "
JSON_TYPES = {str: "string", bool: "true or false", int: "number", float: "number"}
JSON_TYPES |= {list: "list", dict: "object", type(None): "value or `null`"}


MEANS = {
    "schema": "name and version of this document",
    "method": "the test, as `op.methods.table()` lists it",
    "names": "the learners; in a pair, the first and the second",
    "metric": "what was measured",
    "greater_is_better": "false for errors and losses, whose differences are flipped",
    "design": "the notation of the design",
    "n": "splits, items or datasets that were compared",
    "estimate": "the difference, first minus second; positive means that the first is better",
    "stderr": "its standard error",
    "statistic": "the test statistic",
    "df": "its degrees of freedom, two for F",
    "pvalue": "the p-value of this pair alone",
    "log_pvalue": "its natural logarithm, which does not underflow",
    "adjusted": "the p-value adjusted for the family of pairs",
    "log_adjusted": "its natural logarithm",
    "low": "lower limit of the interval",
    "high": "upper limit of the interval",
    "level": "confidence level of the interval",
    "alternative": "two-sided, less or greater",
    "mu0": "the difference under the null hypothesis",
    "options": "options of the test, such as the weight of clusters",
    "verdict": "outperforms, outperformed, equivalent or no decision",
    "grade": "evidence: exact, measured, assumed or discouraged",
    "not_worse": "with a rope: whether the first is worse by less than that",
    "details": "what the method reports besides",
    "notes": "every note: its code and text",
    "seed": "the seed of the run",
    "versions": "versions of outperform, NumPy and Python",
    "estimand": "what the verdict applies to",
    "robustness": "what single repeats would have said",
    "adjust": "how p-values are adjusted",
    "interval_kind": "simultaneous, or this pair alone",
    "control": "the learner that all others are compared with, if any",
    "pairs": "one object for each pair",
    "groups": "learners that are not significantly different, best first",
    "detectable": "smallest difference detected with 80 % power",
}
"""What each key of a JSON document means."""


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    return {
        "names.md": names_page(),
        "verbs.md": _verbs(),
        "designs.md": _designs(),
        "notes.md": _notes(),
        "store.md": _store(),
        **name_pages(),
    }


def _verbs() -> str:
    lines = [
        "# Verbs",
        "",
        "Every verb of `outperform` with its options, as `outperform VERB -h` prints them.",
    ]
    top = click.Context(program, info_name="outperform")
    for name in program.list_commands(top):
        command = program.get_command(top, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=top)
        about = inspect.cleandoc(command.help or "").replace("<", "\\<")
        usage = " ".join(command.collect_usage_pieces(context))
        lines += ["", f"## {name}", "", about, "", "```", f"outperform {name} {usage}", ""]
        lines += [line.strip() for line in (command.epilog or "").strip().splitlines()]
        rows = [_option(each) for each in command.params if isinstance(each, click.Option)]
        lines += ["```", "", table(("option", "does"), rows)]
    return "\n".join(lines) + "\n"


def _option(option: click.Option) -> tuple[str, str]:
    takes = ""
    if isinstance(option.type, click.Choice):
        takes = " " + "|".join(map(str, option.type.choices))
    elif not option.is_flag and not option.count:
        takes = " " + (option.metavar or option.type.name.upper())
    spelt = " / ".join([", ".join(option.opts), *option.secondary_opts])
    return f"`{spelt}{takes}`".replace("|", "\\|"), (option.help or "").replace("|", "\\|")


def _designs() -> str:
    rows = []
    for text in dict.fromkeys([*EXAMPLES, *MORE_DESIGNS]):
        design = op.parse(text)
        fits = "one for each item" if design.shape is None else f"{design.n_fits():,}"
        valid = [m for m in op.methods.table(design=text) if m.standing == "recommended"]
        valid.sort(key=lambda m: design.kind not in m.default_for)
        first = [f"[`{m.name}`](../methods/{m.name}.md)" for m in valid]
        rows.append((f"`{text}`", design.describe(), design.kind, fits, ", ".join(first) or "–"))
    return "\n".join(
        [
            "# Designs",
            "",
            "A design says how data are split. `design=` and `--design` take its notation.",
            "`/stratified` keeps the shares of classes, `/grouped` the rows of a group together.",
            "The first method is the default; *fits* is how often each learner is trained.",
            "",
            table(("design", "means", "kind", "fits", "recommended methods"), rows),
            "",
            "A scikit-learn splitter, an object with `split` or a list of pairs of row numbers is",
            "run exactly as given; [the guide](../guide.md#compare-learners) shows what it is read",
            "as.",
            "",
        ]
    )


def _notes() -> str:
    lines = [
        "# Notes",
        "",
        "Notes accompany a result. An *info* says what was done, a *caution* what to keep in mind,",
        "and a *warning* what makes the result doubtful. `outperform explain OP201` prints one.",
    ]
    own = sorted(code for code in notes.NOTES if code.startswith("OP"))
    for code in own:
        entry = notes.NOTES[code]
        lowers = " The evidence is then graded assumed." if entry.lowers else ""
        lines += ["", f"## {code}", "", f"*{entry.severity}*: **{_plain(entry.line)}**", ""]
        lines += [f"{_plain(entry.explanation)}{lowers}"]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return re.sub(r"([*_<|])", r"\\\1", text)


def _store() -> str:
    arrays = {"tree": [0.81, 0.79, 0.84], "bayes": [0.80, 0.76, 0.85]}
    compared = op.compare(op.Scores.from_arrays(arrays, design="3cv"))
    family = json.loads(compared.to_json())
    pair = json.loads(compared["tree", "bayes"].to_json())
    lines = [
        "# Store and JSON",
        "",
        "## Store",
        "",
        "A store is one SQLite file, written by `op.run(store=…)` and `outperform run --store`.",
        "Results have checksums, which `outperform check FILE` verifies. The view `result` is for",
        "the `sqlite3` shell: `select learner, repeat, fold, score from result`. The schema:",
        "",
        "```sql",
        "\n\n".join(f"{COLUMN.sub(BREAK, line)};" for line in SCHEMA),
        "```",
        "",
        "## JSON of two learners",
        "",
        "`Result.to_json()` has these keys. Missing values are `null`. [`outperform",
        "compare --json`](../command_line.md#json) adds `estimand`, `robustness`, `alpha` (the",
        "significance level) and `rope`.",
        "",
        _keys(pair),
        "",
        "## JSON of several learners",
        "",
        "`Comparison.to_json()` has the keys",
        "",
        _keys(family),
        "",
        "and each of the `pairs` has the keys",
        "",
        _keys(family["pairs"][0]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _keys(document: dict[str, Any]) -> str:
    rows = [(f"`{key}`", JSON_TYPES[type(document[key])], MEANS[key]) for key in document]
    return table(("key", "value", "means"), rows)
