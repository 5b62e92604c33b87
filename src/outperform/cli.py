"""The command line: answers on stdout; progress, inferences and warnings on stderr.

Exit status: 0 done; 1 a gate asked for with --require was not met; 2 bad usage or data; 3 cells
failed, missing or damaged, so no verdict; 129, 130, 143 stopped by a signal with progress kept;
141 nobody reads the output any more; 70 a defect of this program.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
import signal
import sys
import unicodedata
from collections.abc import Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from .errors import RunFailed
    from .result import Result
    from .scores import Scores

__all__ = ["main", "program"]

GATE, USAGE, INCOMPLETE, DEFECT, UNREAD = 1, 2, 3, 70, 141
OBEYED = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Categories of characters that a terminal obeys instead of showing them."""
LONGEST = 20
"""Damages listed; --json lists all."""


class Signalled(BaseException):
    """SIGTERM or SIGHUP came while no run was there to catch it."""


class Verb(click.Command):
    """A command whose help begins with what it does and examples."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _format_help(self, ctx, formatter)


class Verbs(click.Group):
    """The program: its commands, and a hint for those it does not have."""

    command_class = Verb

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _format_help(self, ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from .errors import did_you_mean

            hint = did_you_mean(args[0], self.commands)
            raise click.UsageError(f"There is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _format_help(verb: Any, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    formatter.write(f"{cleandoc(verb.help or '')}\n")
    if verb.epilog:
        with formatter.section("Examples"):
            for line in verb.epilog.strip().splitlines():
                formatter.write(f"  {line.strip()}\n")
    formatter.write_paragraph()
    verb.format_usage(ctx, formatter)
    verb.format_options(ctx, formatter)


def _complete_methods(_: Any, __: Any, typed: str) -> list[str]:
    from .registry import methods

    return [name for name in ("auto", *methods().names) if name.startswith(typed)]


def _complete_designs(_: Any, __: Any, typed: str) -> list[str]:
    from .notation import EXAMPLES

    return [design for design in EXAMPLES if design.startswith(typed)]


def _complete_topics(ctx: Any, parameter: Any, typed: str) -> list[str]:
    from .notes import NOTES

    codes = [code for code in NOTES if code.startswith(typed.upper())]
    return [name for name in _complete_methods(ctx, parameter, typed) if name != "auto"] + codes


def _show_version(ctx: click.Context, _: Any, asked: bool) -> None:
    if asked:
        from ._version import __version__

        click.echo(f"outperform {__version__}")
        ctx.exit()


def _not_zero(_: Any, __: Any, number: int | None) -> int | None:
    if number == 0:
        raise click.BadParameter("0 workers do nothing; use 1, or -1 for one on each core")
    return number


JSON = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""
    outperform run DATA.csv --target species --learner tree --learner nb
    outperform run experiment.py --store results.db --jobs -1
    outperform compare scores.csv tree nb
    outperform methods --design 10x10cv
    eval "$(_OUTPERFORM_COMPLETE=bash_source outperform)"   (completion; or zsh, fish)
    """,
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False,
              callback=_show_version, help="Show the version and exit.")  # fmt: skip
def program() -> None:
    """Does learning algorithm A really outperform B?"""


@program.command(
    epilog="""
    outperform run experiment.py
    outperform run experiment.py --design 5x2cv --store results.db --jobs 4
    outperform run DATA.csv --target species --learner tree --learner nb --seed 0
    outperform run DATA.csv --target y --learner mine=package.module:make_model
    """
)
@click.argument("source", metavar="EXPERIMENT.py|DATA")
@click.option("--target", metavar="COLUMN", help="The column of DATA to predict.")
@click.option("--learner", "learners", multiple=True, metavar="[NAME=]LEARNER",
              help="forest, knn, logistic, nb, tree, or module:object (an estimator, its class, "
              "or a function that makes one); once for each.")  # fmt: skip
@click.option("--design", metavar="DESIGN", shell_complete=_complete_designs,
              help="How data are split, if the experiment does not say: 10x10cv.")  # fmt: skip
@click.option("--scoring", metavar="NAME", help="A scoring of scikit-learn.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="The random state of the run."
)
@click.option(
    "--jobs", type=int, metavar="N", callback=_not_zero, help="Workers; -1 for one on each core."
)
@click.option("--store", metavar="PATH", help="Keep every result; the same again resumes.")
@click.option("--retry", is_flag=True, help="Run cells anew that failed in the store.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="For each cell.")
@click.option("--isolate", is_flag=True, help="Run cells in processes of their own.")
@click.option("--dask", metavar="ADDRESS", help="Run on the workers of a Dask scheduler.")
@click.option("--confirm-large", is_flag=True, help="Allow more than ten million fits.")
@click.option("--export", metavar="FILE", help="Write scores to a .csv or .parquet file.")
@click.option("--force", is_flag=True, help="Overwrite the exported file.")
@JSON
def run(
    source: str, target: str | None, learners: tuple[str, ...], design: str | None,
    scoring: str | None, seed: int | None, jobs: int | None, store: str | None, retry: bool,
    time_limit: float | None, isolate: bool, dask: str | None, confirm_large: bool,
    export: str | None, force: bool, as_json: bool,
) -> int:  # fmt: skip
    """Fit learners over the splits of a design, and judge two.

    An experiment is a Python file that defines learners (a mapping), X and y, and perhaps
    design, scoring, groups and random_state. DATA is a CSV or Parquet file.
    """
    _check_run_options(source, target, learners, store, retry=retry, export=export)
    _check_export(export, force)
    from . import engine, experiments
    from .errors import RunFailed

    if source.endswith(".py"):
        asked = experiments.from_file(source)
    else:
        asked = experiments.from_table(source, target or "", learners)
    _say(*asked.inferred)
    if retry and store is not None:
        _forget_failed(store)
    with experiments.cluster(dask):
        try:
            scores = engine.run(
                asked.learners,
                asked.X,
                asked.y,
                design=asked.design if design is None and asked.design is not None else
                design or "10x10cv",
                scoring=asked.scoring if scoring is None else scoring,
                random_state=asked.random_state if seed is None else seed,
                n_jobs=jobs,
                store=store,
                groups=asked.groups,
                time_limit=time_limit,
                isolate=isolate,
                confirm_large=confirm_large,
            )  # fmt: skip
        except RunFailed as error:
            return _run_failed(error, store, as_json=as_json)
        except KeyboardInterrupt:  # the engine has said how to resume
            raise SystemExit(128 + signal.SIGINT) from None
    _say(*map(str, scores.notes))
    if export is not None and store is not None:
        _export(store, export, force=force)
    result = _verdict_of_two(scores)
    if as_json:
        _print_json("run", _run_facts(scores, store), result=result and result.to_dict())
        return 0
    click.echo(_table(scores))
    if result is not None:
        click.echo("\n" + _block(result, said=scores.notes))
    elif len(scores.names) > 2:
        file = "FILE" if store is None else store
        how = shlex.join(["outperform", "compare", file, *scores.names[:2]])
        _say(f"to compare two of them{' keep a store and' if store is None else ''}: {_safe(how)}")
    return 0


def _check_run_options(
    source: str, target: str | None, learners: Sequence[str], store: str | None,
    *, retry: bool, export: str | None,
) -> None:  # fmt: skip
    if source.endswith(".py") and (target is not None or learners):
        raise click.UsageError(
            "--target and --learner are for a data file; a .py file defines learners, X and y"
        )
    if not source.endswith(".py") and (target is None or not learners):
        raise click.UsageError(
            "A data file needs --target COLUMN and --learner, as in --target species --learner "
            "tree --learner nb; an experiment is a file that ends in .py"
        )
    if store is None and (retry or export is not None):
        raise click.UsageError("--retry and --export read a store; add --store results.db")


def _check_export(export: str | None, force: bool) -> None:
    """Refuse before anything is run."""
    if export is None:
        return
    if not export.lower().endswith((".csv", ".parquet")):
        raise click.ClickException(f"--export {export!r}: a name in .csv or .parquet is needed")
    if os.path.exists(export) and not force:
        raise click.ClickException(f"{export!r} is there already; add --force to overwrite it")


def _export(store: str, to: str, *, force: bool) -> None:
    from .store import export

    export(store, to, force=force)
    _say(f"scores written to {to}")


def _forget_failed(store: str) -> None:
    from .store import Store

    if os.path.exists(store):
        with Store.open(store, mode="write") as kept:
            _say(f"{kept.forget_failed()} failed cells will be run anew")


def _run_failed(error: RunFailed, store: str | None, *, as_json: bool) -> int:
    """Name the learners whose cells failed, with one traceback; there is no verdict."""
    groups = [_problem(problem) for problem in error.failures]
    if as_json:
        about: dict[str, Any] = {"failures": groups, "result": None, "store": store}
        if error.scores is not None:
            about = _run_facts(error.scores, store) | about
        _print_json("run", about)
    n_bad = sum(group["count"] for group in groups)
    _say(f"incomplete: {n_bad} cells have no score, so there is no verdict")
    _say(*map(_problem_line, groups))
    example = next((p.example for p in error.failures if p.example), "")
    _say(*(f"    {line}" for line in example.rstrip().splitlines()))
    kept = "nothing is kept; add --store results.db to keep what succeeds"
    if store is not None:
        kept = f"what succeeded is kept in {store}; to try the failed cells again add --retry"
    _say(f"Mend or leave out the learner and run again; {kept}")
    return INCOMPLETE


def _problem(problem: Any) -> dict[str, Any]:
    address = None if problem.address is None else list(problem.address)
    return {
        "learner": problem.learner,
        "status": problem.status,
        "count": problem.count,
        "line": problem.line,
        "address": address,
    }


def _problem_line(group: dict[str, Any]) -> str:
    words = {"timeout": "ran out of time", "killed": "killed their process"}
    status = words.get(group["status"], group["status"])
    where = f" (first at {tuple(group['address'])})" if group["address"] else ""
    line = f": {group['line']}" if group["line"] else ""
    return f"{group['learner']!r}: {group['count']} {status}{where}{line}"


def _verdict_of_two(scores: Scores) -> Result | None:
    """Judge two learners by the default method; say why where that cannot be."""
    from .errors import OutperformError

    if len(scores.names) != 2:
        return None
    try:
        return _judge(scores, scores.pair(), "auto", "two-sided")
    except OutperformError as error:
        _say(f"no verdict: {error}")
        return None


def _judge(scores: Scores, pair: tuple[str, str], method: str, alternative: str) -> Result:
    from .errors import DataError
    from .registry import default_method, get

    if method == "auto":
        if scores.datasets is not None and len(set(scores.datasets)) > 1:
            method = default_method("datasets")
        elif scores.design is None:
            raise DataError("no design was read, and the method follows from it; add --design")
        else:
            method = default_method(scores.design)
        # McNemar's test reads right and wrong; other losses of items have a test of their own.
        if method == "mcnemar" and scores.items is not None and scores.items.loss != "zero-one":
            method = "paired_t"
    return get(method)(scores, *pair, alternative=alternative)


def _run_facts(scores: Scores, store: str | None) -> dict[str, Any]:
    return {
        "names": list(scores.names),
        "metric": scores.metric,
        "design": str(scores.design),
        "n": scores.n_splits,
        "scores": [
            {"name": name, "mean": mean, "sd": sd}
            for name, (mean, sd) in zip(scores.names, _means(scores), strict=True)
        ],
        "notes": [{"code": note.code, "text": note.text} for note in scores.notes],
        "seed": scores.seed,
        "store": store,
        "failures": [],
    }


def _means(scores: Scores) -> list[tuple[float, float | None]]:
    from . import sums

    several = scores.n_splits > 1
    return [
        (float(sums.mean(row)), float(row.std(ddof=1)) if several else None)
        for row in scores.values
    ]


def _table(scores: Scores) -> str:
    from .report.clean import terminal
    from .report.numbers import decimals_for, fixed

    names = [terminal(name) for name in scores.names]
    width = max(map(len, names))
    design = "" if scores.design is None else f"{scores.design.describe()}, "
    rows = [
        f"mean {terminal(scores.metric)} ({design}{scores.n_splits} splits, seed {scores.seed})"
    ]
    means = _means(scores)
    digits = max(3, *(decimals_for(sd, mean) for mean, sd in means))
    for name, (mean, sd) in zip(names, means, strict=True):
        spread = "" if sd is None else f"  (standard deviation over splits {fixed(sd, digits)})"
        rows.append(f"  {name:<{width}}  {fixed(mean, digits)}{spread}")
    return "\n".join(rows)


def _block(
    result: Result, *, alpha: float = 0.05, rope: float | None = None, said: Sequence[Any] = ()
) -> str:
    """Return the result as text, judged by the α and rope asked, without notes already said."""
    from .report import prose
    from .report.clean import terminal

    design = "" if result.design is None else f", {result.design.describe()}"
    rows = [
        ("effect", prose.effect(result)),
        ("interval", prose.interval_line(result, _level(alpha))),
        ("test", prose.test_line(result)),
        ("verdict", result.verdict(alpha, rope).sentence),
    ]
    rows += [("note", terminal(str(note))) for note in result.notes if note not in said]
    head = f"{prose.heading(result)} ({result.n} values{design})"
    return "\n".join([head, *(f"  {name:<9} {words}" for name, words in rows)])


def _level(alpha: float) -> float:
    return round(1 - alpha, 12)


@program.command(
    epilog="""
    outperform compare scores.csv
    outperform compare results.db tree nb --rope 0.01
    outperform compare scores.csv new old --design 10x10cv --require outperforms
    """
)
@click.argument("scores_file", metavar="SCORES")
@click.argument("first", required=False)
@click.argument("second", required=False)
@click.option("--design", metavar="DESIGN", shell_complete=_complete_designs,
              help="The design that made the scores, if the file does not tell.")  # fmt: skip
@click.option("--method", default="auto", metavar="METHOD", shell_complete=_complete_methods,
              help="By default that of the design; see outperform methods.")  # fmt: skip
@click.option("--alternative", type=click.Choice(["two-sided", "greater", "less"]),
              default="two-sided", help="What is tested; greater: FIRST is better.")  # fmt: skip
@click.option("--alpha", type=float, default=0.05, help="The level of the verdict: 0.05.")
@click.option("--rope", type=float, help="Differences within ±ROPE are equivalent.")
@click.option("--require", type=click.Choice(["outperforms", "outperformed", "equivalent"]),
              help="Exit with 1 unless this is the verdict.")  # fmt: skip
@JSON
def compare(
    scores_file: str, first: str | None, second: str | None, design: str | None, method: str,
    alternative: str, alpha: float, rope: float | None, require: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Judge two learners of a store, or of a file of scores."""
    from . import experiments, inputs
    from .columns import listed

    inputs.fraction(alpha, "alpha")
    if rope is not None:
        inputs.rope_width(rope)
    elif require == "equivalent":
        raise click.UsageError("--require equivalent needs --rope, such as --rope 0.01")
    if first is not None and second is None:
        raise click.UsageError("Name both learners, or none if there are two")
    asked = () if first is None or second is None else (first, second)
    scores = experiments.read_scores(scores_file, asked, design)
    if not asked and len(scores.names) != 2:
        raise click.ClickException(
            f"{scores_file!r} holds {len(scores.names)} learners: {listed(scores.names, 50)}; two "
            f"are compared: {shlex.join(['outperform', 'compare', scores_file])} FIRST SECOND"
        )
    result = _judge(scores, scores.pair(first, second), method, alternative)
    outcome = result.verdict(alpha, rope).outcome
    inferred = [note for note in result.notes if note.severity == "info"]
    _say(*map(str, inferred))
    if as_json:
        about = result.to_dict(level=_level(alpha), alpha=alpha)
        click.echo(json.dumps(about | {"verdict": outcome, "alpha": alpha, "rope": rope}))
    else:
        click.echo(_block(result, alpha=alpha, rope=rope, said=inferred))
    if require is not None and outcome != require:
        _say(f"required: {require}; the verdict is: {outcome}")
        return GATE
    return 0


@program.command(
    epilog="""
    outperform check results.db
    outperform check results.db --drop
    outperform check results.db --export scores.csv
    """
)
@click.argument("store")
@click.option("--drop", is_flag=True, help="Take damaged cells away; the next run makes them.")
@click.option("--export", metavar="FILE", help="Write scores to a .csv or .parquet file.")
@click.option("--force", is_flag=True, help="Overwrite the exported file.")
@JSON
def check(store: str, drop: bool, export: str | None, force: bool, as_json: bool) -> int:
    """Verify a store, and name damaged, failed and missing cells."""
    _check_export(export, force)
    from . import store as stores

    before = stores.drop_damaged(store) if drop else None
    found = stores.check(store)
    groups = _problems(store) if found.ok else []
    dropped = before is not None and not before.ok
    shown = before if before is not None and dropped else found
    whole = found.ok and not groups and not found.missing_splits
    if as_json:
        about = {
            "path": found.path,
            "ok": found.ok,
            "complete": whole,
            "dropped": dropped,
            "damages": [
                {"what": d.what, "learner": d.learner, "address": d.address and list(d.address)}
                for d in shown.damages
            ],
            "structure": list(shown.structure),
            "learners": {name: counts._asdict() for name, counts in found.counts.items()},
            "problems": groups,
            "missing_splits": found.missing_splits,
        }
        _print_json("check", about)
    else:
        _print_check(found, shown, groups, dropped=dropped)
    if export is not None:
        _export(store, export, force=force)
    return 0 if whole else INCOMPLETE


def _problems(path: str) -> list[dict[str, Any]]:
    """Return what failed and what is missing in a sound store, with where the first is."""
    import numpy as np

    from .store import Store
    from .store.rows import pack, unpack

    with Store.open(path, mode="read") as store:
        groups = [_problem(problem) for problem in store.problems()]
        for group in groups:
            if group["status"] == "missing":
                done = pack(store.done(store.current()[group["learner"]]))
                lacking = np.setdiff1d(pack(store.splits().addresses), done)
                group["address"] = unpack(lacking[:1]).tolist()[0] if lacking.size else None
    return groups


def _print_check(found: Any, shown: Any, groups: list[dict[str, Any]], *, dropped: bool) -> None:
    said = [f"{found.path} is {'sound' if shown.ok else 'damaged'}"]
    said += [f"  damaged: {damage}" for damage in shown.damages[:LONGEST]]
    if len(shown.damages) > LONGEST:
        said.append(f"  … and {len(shown.damages) - LONGEST} more; --json lists all")
    said += [f"  SQLite says: {line}" for line in shown.structure]
    for name, (planned, ok, failed, missing) in found.counts.items():
        said.append(f"{name!r}: {ok} of {planned} cells ok, {failed} failed, {missing} missing")
    said += [f"  {_problem_line(group)}" for group in groups]
    if found.missing_splits:
        said.append(f"{found.missing_splits} splits are missing; the next run writes them")
    click.echo("\n".join(map(_safe, said)))
    if dropped:
        _say("what was damaged is taken away; run the same again to compute it. The damaged file "
             f"is kept beside it, as {os.path.basename(found.path)}.damaged")  # fmt: skip
    elif not found.ok:
        command = shlex.join(["outperform", "check", found.path, "--drop"])
        _say(f"to have what is damaged computed again: {command}")


@program.command(epilog="outperform methods\noutperform methods --design 10x10cv")
@click.option("--design", metavar="DESIGN", shell_complete=_complete_designs,
              help="Only those that are valid for it.")  # fmt: skip
@JSON
def methods(design: str | None, as_json: bool) -> int:
    """List the methods, recommended ones first."""
    from .registry import methods

    found = methods(design)
    if not as_json:
        click.echo(repr(found))
        return 0
    facts = ("name", "title", "standing", "designs", "default_for", "paper", "summary")
    listed = [{fact: getattr(method, fact) for fact in facts} for method in found]
    _print_json("methods", {"design": design, "methods": listed})
    return 0


@program.command(epilog="outperform explain corrected_t\noutperform explain OP102")
@click.argument("name_or_code", metavar="METHOD|CODE", shell_complete=_complete_topics)
@JSON
def explain(name_or_code: str, as_json: bool) -> int:
    """Explain a method, or the code of a note."""
    from .explanations import explain

    found = explain(name_or_code)
    if as_json:
        _print_json("explanation", {"name": found.name, "text": found.text})
    else:
        click.echo(found.text)
    return 0


def _print_json(kind: str, about: dict[str, Any], **more: Any) -> None:
    """Print in ASCII: what a terminal would obey is escaped."""
    from .result import versions

    whole = {"schema": f"outperform/{kind}/1", **about, **more, "versions": versions()}
    click.echo(json.dumps(whole, allow_nan=False))


def _say(*lines: str) -> None:
    for line in lines:
        click.echo(_safe(line), err=True)


def _safe(text: str) -> str:
    """Return text on one line, without what a terminal would obey."""
    words = str(text).replace("\n", " ")
    return "".join(c for c in words if unicodedata.category(c) not in OBEYED)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what cannot be encoded must not end the program
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _signalled)
    sys.exit(_status(arguments))


def _signalled(number: int, _: object) -> None:
    raise Signalled(number)


def _status(arguments: Sequence[str] | None) -> int:
    try:
        status = program.main(arguments, prog_name="outperform", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.Abort:
        return _stopped(signal.SIGINT)
    except Signalled as stop:
        return _stopped(stop.args[0])
    except SystemExit as stop:  # from a run that was stopped; 1 is click's at a closed pipe
        return UNREAD if stop.code == 1 else int(stop.code or 0)
    except click.ClickException as error:
        _show(error)
        return USAGE
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.EIO:  # the terminal was closed
            return 128 + signal.SIGHUP
        return _refused(error)


def _show(error: click.ClickException) -> None:
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        _say(f"{ctx.get_usage()}", f"For help: {ctx.command_path} -h")
    _say(f"Error: {error.format_message()}")


def _stopped(number: int) -> int:
    _say("stopped: no run was under way; what a store holds is kept, run the same again to resume")
    return 128 + number


def _refused(error: Exception) -> int:
    """Say an error of ours in one line; anything else is a defect and shows where it is."""
    from .errors import OutperformError

    if not isinstance(error, OutperformError):
        sys.excepthook(type(error), error, error.__traceback__)
        return DEFECT
    _say(f"Error: {error}")
    return INCOMPLETE if type(error).__name__ in ("StoreDamaged", "StoreIncomplete") else USAGE
