"""`outperform compare`: judge the learners of a file of scores or predictions, or of a store."""

from __future__ import annotations

import shlex
from typing import Any

import click

from ._files import check_figure, save_figure, save_tex
from ._judgement import (
    FORCE,
    GRADE,
    JSON,
    ON_UNDECIDED,
    RECORD,
    REQUIRE,
    SUMMARY,
    add_summary,
    as_dict,
    as_text,
    check_asked,
    check_rope,
    compared,
    gate,
    in_summary,
    judging,
    reading,
    say_inferred,
)
from ._logs import reading_logs, scores_given, split_words
from ._output import answer, check_new, say
from ._program import TYPED, verb


@verb(
    "compare",
    examples="""
    outperform compare scores.csv
    outperform compare results.db tree nb --rope 0.01
    outperform compare scores.csv --control baseline
    outperform compare scores.csv new old --design 10x10cv --require outperforms
    outperform compare scores.csv new old --rope 0.01 --require not-worse
    outperform compare predictions.parquet --report report.html
    outperform compare benchmark.csv --plot cd diagram.pdf --tex tables.tex --methods
    outperform compare a.jsonl b.jsonl --cluster subject
    """,
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("names", nargs=-1, metavar="[LEARNER]...")
@judging
@REQUIRE
@GRADE
@ON_UNDECIDED
@reading
@reading_logs
@click.option("--latex", is_flag=True, help="Print a LaTeX table.")
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@click.option(
    "--plot",
    "plots",
    nargs=2,
    multiple=True,
    metavar="KIND FILE",
    help="Draw a figure to a .pdf, .png or .svg file: estimation, intervals, matrix, sorted, qq; "
    "for several datasets also cd (critical-difference diagram), datasets and, for Bayesian "
    "methods, posterior. Can be repeated.",
)
@click.option("--tex", metavar="FILE", help="Write LaTeX tables.")
@click.option(
    "--methods", is_flag=True, help="Also print a methods paragraph and its BibTeX entries."
)
@click.option("--report", metavar="FILE", help="Write an HTML report to this file.")
@RECORD
@SUMMARY
@FORCE
@JSON
def command(
    scores_file: str,
    names: tuple[str, ...],
    method: str,
    alternative: str,
    adjust: str,
    control: str | None,
    alpha: float,
    rope: float | None,
    require: tuple[str, ...],
    grade: str | None,
    on_undecided: str,
    latex: bool,
    markdown: bool,
    plots: tuple[tuple[str, str], ...],
    tex: str | None,
    methods: bool,
    report: str | None,
    record: str | None,
    summary: str | None,
    force: bool,
    as_json: bool,
    **read: Any,
) -> int:
    """Compare learners from a file of scores or predictions.

    SCORES is a file (CSV, Parquet, JSON, Excel, ARFF), - for standard input, a results store or a
    report; or one of several logs of evaluations (JSONL, .eval), which are given one after the
    other. Two learners give one result; more give all pairs, with p-values adjusted for multiple
    comparisons.
    """
    check_asked(alpha, rope)
    check_rope(require, rope, click.get_current_context().meta[TYPED])
    files, names = split_words(scores_file, names)
    if len(names) == 1:
        raise click.UsageError("Name at least two learners, or none to compare all")
    if latex + markdown + as_json > 1:
        raise click.UsageError("--json, --latex and --markdown exclude each other; use one of them")
    check_new(report, "--report", (".html",), force=force)
    check_new(record, "--record", (".outperform.json",), force=force)
    check_new(tex, "--tex", (".tex",), force=force)
    for kind, file in plots:
        check_figure(kind, file, force=force)
    scores = scores_given(files, names, read)
    asked: dict[str, Any] = {
        "method": method,
        "alternative": alternative,
        "adjust": adjust,
        "control": control,
    }
    if require and control is None and len(scores.names) > 2:
        raise click.UsageError(
            f"--require applies to two learners, but there are {len(scores.names)}; name two of "
            "them, "
            "or add --control LEARNER to require it of every other learner vs. that one"
        )
    found = compared(scores, rope, **asked)
    if found.benchmark is not None and any(kind == "matrix" for kind, _ in plots):
        from ..report.figures.benchmark_figures import check_all_pairs

        check_all_pairs(found)  # before any file is written
    say_inferred(found.notes, () if latex or markdown else found.notes)
    sha256 = None
    if record is not None:
        sha256 = found.record(record, force=force, alpha=alpha, rope=rope)
        say(
            f"Record written to {record} (sha256 {sha256[:12]}).",
            f"Check it: outperform verify {shlex.quote(record)}",
        )
    if as_json:
        import json

        click.echo(json.dumps(as_dict(found, alpha=alpha, rope=rope), allow_nan=False))
    elif latex:
        click.echo(found.to_latex(alpha=alpha, rope=rope, record=sha256))
    elif markdown:
        click.echo(found.to_markdown(alpha=alpha, rope=rope))
    else:
        answer(as_text(found, alpha=alpha, rope=rope))
    if methods and not as_json:
        text = found.methods_text(level=1 - alpha, alpha=alpha, record=sha256)
        click.echo(f"\n{text}\n\n{found.bibtex()}")
    for kind, file in plots:
        save_figure(found, kind, file, alpha=alpha, rope=rope)
    if tex is not None:
        save_tex(found, tex, alpha=alpha, rope=rope, record=sha256)
    if report is not None:
        found.report(report, force=force, alpha=alpha, rope=rope)
        say(f"Report written to {report}.")
    status, said = gate(found, require, alpha, rope, grade, on_undecided=on_undecided)
    if summary is not None:
        told = in_summary(status, said, require, grade)
        add_summary(found, summary, alpha=alpha, rope=rope, record=sha256, gate=told)
    say(*said)
    return status
