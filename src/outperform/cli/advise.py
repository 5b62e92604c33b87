"""`outperform advise`: Dietterich's nine questions, as flags or as a dialogue (D-01)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ._judgement import JSON
from ._output import answer, as_options, print_json, safe, say
from ._program import verb

if TYPE_CHECKING:
    from ..advice.questions import Question


@verb(
    "advise",
    examples="""
    outperform advise
    outperform advise --domains one --about algorithm --aim compare --n 300
    outperform advise --domains one --about classifier --aim compare --sample large --json
    """,
)
@click.option("--domains", type=click.Choice(["one", "several"]), help="Of one task, or several.")
@click.option(
    "--about",
    type=click.Choice(["classifier", "algorithm"]),
    help="Fitted models, or algorithms that will be trained anew.",
)
@click.option(
    "--aim",
    type=click.Choice(["estimate", "compare"]),
    help="Estimate the accuracy of one, or compare several.",
)
@click.option("--n", type=click.IntRange(min=1), metavar="N", help="How many items there are.")
@click.option(
    "--sample",
    type=click.Choice(["large", "small"]),
    help="Instead of --n: whether there is a test set apart.",
)
@click.option(
    "--loss",
    type=click.Choice(["zero-one", "log", "squared", "absolute"]),
    help="What counts as an error: zero-one.",
)
@click.option("--learners", type=click.IntRange(min=1), metavar="N", help="How many are compared.")
@click.option(
    "--train-size", type=click.IntRange(min=1), metavar="N", help="The training size that matters."
)
@click.option(
    "--fits", type=click.IntRange(min=1), metavar="N", help="How often each can be trained."
)
@click.option(
    "--half",
    type=click.Choice(["yes", "no"]),
    help="Whether half of the data would do about as well.",
)
@click.option(
    "--worse",
    type=click.Choice(["false alarm", "miss", "neither"]),
    help="Which mistake costs more.",
)
@click.option("--defaults", is_flag=True, help="Ask nothing that has a default.")
@JSON
def command(defaults: bool, as_json: bool, **given: Any) -> int:
    """Say which design and which method answer your question.

    On a terminal it asks what was not said; elsewhere defaults are taken, and what has none is
    an error that names the option.
    """
    from ..verbs.advise import advise

    answers = {key: value for key, value in given.items() if value is not None}
    talk = sys.stdin.isatty() and sys.stderr.isatty() and not as_json
    try:
        known = _complete(answers, ask=_ask if talk else _refuse, defaults=defaults)
    except (KeyboardInterrupt, click.Abort):
        say("", "stopped: nothing was advised, and nothing changed. outperform advise begins anew")
        raise SystemExit(128 + signal.SIGINT) from None
    found = advise(**known)
    if as_json:
        about = found.to_dict()
        about.pop("schema")
        print_json("advice", about)
    else:
        answer("\n".join(map(_typed, str(found).split("\n"))))
    return 0


def _typed(line: str) -> str:
    """Return a line with options for arguments, unless it is the Python to paste."""
    return line if line.startswith("  python ") else as_options(line)


def _complete(
    answers: dict[str, Any], *, ask: Callable[[Question], Any], defaults: bool
) -> dict[str, Any]:
    """Ask one question after another until all is known."""
    from ..advice.questions import questions, settled

    known = settled(answers)
    while (asked := questions(known)) is not None:
        quiet = asked.default is not None and (defaults or ask is _refuse)
        if quiet and asked.key == "train_size":
            break  # its default follows from the number of items
        known[asked.key] = asked.default if quiet else ask(asked)
    return known


def _refuse(asked: Question) -> Any:
    option = f"--{asked.key.replace('_', '-')}"
    words = ", or ".join(f"{option} {value}" for value, _ in asked.choices)
    more = ", or --n with the number of items" if asked.key == "sample" else ""
    raise click.UsageError(f"{asked.text} Say {words}{more}")


def _ask(asked: Question) -> Any:
    from ..errors import OutperformError

    say("", asked.text)
    for number, (value, words) in enumerate(asked.choices, 1):
        mark = " (default)" if value == asked.default else ""
        say(f"  {number}  {words}{mark}")
    hint = "" if asked.default is None else f" [{asked.default}]"
    while True:
        click.echo(f"{safe(asked.key)}{safe(hint)}: ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:  # the end of what is typed: the same as Ctrl-C
            raise click.Abort
        typed = line.strip()
        if not typed and asked.default is not None:
            return asked.default
        if asked.choices and typed.isdecimal() and 1 <= int(typed) <= len(asked.choices):
            return asked.choices[int(typed) - 1][0]
        meant = _meant(asked, typed)
        try:
            return asked.read(typed if meant is None else meant)
        except OutperformError as error:
            say(_helped(asked, typed, error))


def _meant(asked: Question, typed: str) -> str | None:
    """Return the answer whose words begin with what was typed: "no" to "no, all data are …"."""
    word = typed.casefold()
    begun = [
        value
        for value, words in asked.choices
        if word and (words.casefold().startswith(word) or value.startswith(word))
    ]
    return begun[0] if len(begun) == 1 else None


def _helped(asked: Question, typed: str, error: Exception) -> str:
    """Say kindly what would be an answer."""
    enter = "" if asked.default is None else f"; Enter alone takes {asked.default}"
    if asked.is_number:
        return (
            f"A whole number is needed here, such as {asked.default or 100}{enter}. Ctrl-C stops."
        )
    _, hint, near = str(error).rpartition("did you mean ")
    said = f"{typed!r} is none of these{f'; {hint}{near}' if hint else ''} "
    return f"{said}Type a number from 1 to {len(asked.choices)}, or a word{enter}. Ctrl-C stops."
