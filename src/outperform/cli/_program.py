"""The program: its verbs, and how it ends."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import cleandoc
from typing import Any, NoReturn

import click
from click.formatting import wrap_text

from ..errors import written_by
from ._output import DEFECT, INCOMPLETE, UNREAD, USAGE, give_up, in_options, say

TYPED = "outperform.typed"


class Verb(click.Command):
    """A command whose help begins with what it does and examples."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = tuple(args)  # for hints that repeat what was typed
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _format_help(self, ctx, formatter)


class Verbs(click.Group):
    """The program: a command for each file beside this one, and a hint for those it lacks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        files = os.listdir(os.path.dirname(__file__))
        return sorted(f[:-3] for f in files if f.endswith(".py") and not f.startswith("_"))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        found: click.Command = import_module(f"{__package__}.{name}").command
        return found

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _format_help(self, ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            from ..errors import did_you_mean

            hint = did_you_mean(args[0], self.list_commands(ctx))
            raise click.UsageError(f"Unknown command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def verb(name: str, *, examples: str) -> Callable[[Callable[..., Any]], Verb]:
    """Make a function a command, with the examples its help begins with."""
    return click.command(name, cls=Verb, epilog=examples)


def _format_help(shown: Any, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    about = cleandoc(shown.help or "")
    formatter.write(f"{wrap_text(about, formatter.width, preserve_paragraphs=True)}\n")
    if shown.epilog:
        with formatter.section("Examples"):
            for line in shown.epilog.strip().splitlines():
                formatter.write(f"  {line.strip()}\n")
    formatter.write_paragraph()
    shown.format_usage(ctx, formatter)
    shown.format_options(ctx, formatter)


GRACE = 3.0
"""Seconds that threads of learners have to end by themselves."""
WIDEST = 100
"""Columns of help: longer lines are hard to read."""
USUAL = 80
INCOMPLETE_ERRORS = (
    "StoreDamaged",
    "StoreIncomplete",
    "RunFailed",
    "DamagedRecord",
    "LogIncomplete",
)


class Signalled(BaseException):
    """SIGTERM or SIGHUP came while no run was there to catch it."""


def _show_version(ctx: click.Context, _: Any, asked: bool) -> None:
    if asked:
        from .._version import __version__

        click.echo(f"outperform {__version__}")
        ctx.exit()


def _width() -> int:
    """Return how wide help is, as click would, without the archives that its way imports."""
    try:
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size().columns
    except (OSError, ValueError):
        columns = 0
    return max(min(columns or USUAL, WIDEST) - 2, 50)


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": _width()},
    epilog="""
    outperform demo
    outperform compare scores.csv
    outperform run data.csv --target species --learner tree --learner nb
    outperform run experiment.py --store results.db --jobs -1
    outperform report results.db -o report.html
    outperform methods --design 10x10cv
    """,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def program(ctx: click.Context) -> None:
    """Does learning algorithm A really outperform B?"""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and exit with its status."""
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what cannot be encoded must not end the program
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _signalled)
    status = _status(arguments)
    _end_in_time(status)
    sys.exit(status)


def _end_in_time(status: int) -> None:
    """End without the threads that learners have left running, unless they end soon."""
    engine = sys.modules.get("outperform.engine.interruptions")
    left = engine.left_threads if engine is not None else dict
    if not left():
        return

    def end() -> None:
        time.sleep(GRACE)
        names = ", ".join(map(repr, left()))
        say(f"Ended without waiting for the threads that {names} left running.")
        os._exit(status)

    threading.Thread(target=end, daemon=True).start()


def _open_closed() -> None:
    """Stand in for streams that were closed, so that no store is opened under their numbers."""
    for name, way in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:  # what is read-only fails when it is written
            number = os.open(os.devnull, way)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))


def _signalled(number: int, _: object) -> None:
    raise Signalled(number)


def _status(arguments: Sequence[str] | None) -> int:
    try:
        with written_by(in_options):
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
        if isinstance(error, OSError) and _while_answering(error):
            give_up(sys.stdout)
            say(f"Error: The output cannot be written: {error.strerror}.")
            return USAGE
        return _refused(error)


def _while_answering(error: OSError) -> bool:
    """Tell whether an error arose where the answer is printed; `say` deals with its own."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code is click.echo.__code__


def _show(error: click.ClickException) -> None:
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        say(f"{ctx.get_usage()}", f"For help: {ctx.command_path} -h")
    say(f"Error: {error.format_message()}")


def _stopped(number: int) -> int:
    say("Stopped. Stores and files of counts keep what was finished; run the same command again.")
    return 128 + number


def _refused(error: Exception) -> int:
    """Say an error of ours in its lines; anything else is a defect and shows where it is."""
    from ..errors import OutperformError

    if not isinstance(error, OutperformError):
        sys.excepthook(type(error), error, error.__traceback__)
        return DEFECT
    first, *rest = str(error).splitlines() or [""]
    rest += getattr(error, "__notes__", [])
    say(f"Error: {first}", *(f"  {line}" for line in rest))
    return INCOMPLETE if type(error).__name__ in INCOMPLETE_ERRORS else USAGE
