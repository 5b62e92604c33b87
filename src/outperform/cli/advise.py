"""`outperform advise`: Dietterich's nine questions, as flags or as a dialogue (D-01)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ._judgement import JSON
from ._output import answer, print_json, safe, say
from ._program import verb

if TYPE_CHECKING:
    from ..advice.questions import Question


@verb(
    "advise",
    examples="""
    outperform advise
    outperform advise --domains one --about algorithm --aim compare --n 300
    outperform advise --domains one --about classifier --aim compare --sample large --json
    outperform advise --domains several --results splits
    """,
)
@click.option("--domains", type=click.Choice(["one", "several"]), help="One task, or several.")
@click.option(
    "--about",
    type=click.Choice(["classifier", "algorithm"]),
    help="Fitted models, or algorithms that will be trained again.",
)
@click.option(
    "--aim",
    type=click.Choice(["estimate", "compare"]),
    help="Estimate the accuracy of one, or compare several.",
)
@click.option(
    "--n", type=click.IntRange(min=1), metavar="N", help="Number of items in the dataset."
)
@click.option(
    "--sample",
    type=click.Choice(["large", "small"]),
    help="Instead of --n: whether there is a separate test set.",
)
@click.option(
    "--loss",
    type=click.Choice(["zero-one", "log", "squared", "absolute"]),
    help="What counts as an error (default zero-one).",
)
@click.option(
    "--learners", type=click.IntRange(min=1), metavar="N", help="Number of learners to compare."
)
@click.option(
    "--results",
    type=click.Choice(["table", "splits", "none"]),
    help="Over several datasets: what was measured on each (default table).",
)
@click.option(
    "--train-size", type=click.IntRange(min=1), metavar="N", help="The training size that matters."
)
@click.option(
    "--fits",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many times each learner can be trained.",
)
@click.option(
    "--half",
    type=click.Choice(["yes", "no"]),
    help="Whether half of the data give about the same accuracy.",
)
@click.option(
    "--worse",
    type=click.Choice(["false alarm", "miss", "neither"]),
    help="Which mistake costs more.",
)
@click.option("--defaults", is_flag=True, help="Do not ask questions that have a default.")
@JSON
def command(defaults: bool, as_json: bool, **given: Any) -> int:
    """Recommend a design and a method for your question.

    On a terminal it asks for what is missing; ? explains a question. Elsewhere defaults are used,
    and a missing answer without a default is an error. The recommendation ends with a command.
    """
    from ..verbs.advise import advise

    answers = {key: value for key, value in given.items() if value is not None}
    talk = sys.stdin.isatty() and sys.stderr.isatty() and not as_json
    try:
        known = _complete(answers, ask=_ask if talk else _refuse, defaults=defaults)
    except (KeyboardInterrupt, click.Abort):
        say("", "Cancelled. Run `outperform advise` to start again.")
        raise SystemExit(128 + signal.SIGINT) from None
    found = advise(**known)
    if as_json:
        about = found.to_dict()
        about.pop("schema")
        print_json("advice", about)
    else:
        answer(str(found))
    return 0


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
    words = " or ".join(f"{option} {value}" for value, _ in asked.choices)
    more = ", or --n with the number of items" if asked.key == "sample" else ""
    raise click.UsageError(f"Missing option '{option}'. {asked.text} Add {words}{more}")


def _ask(asked: Question) -> Any:
    from ..errors import OutperformError

    say("", f"{asked.text} (? explains)")
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
        if typed == "?":
            say(asked.explanation)
            continue
        if not typed and asked.default is not None:
            return asked.default
        if asked.choices and typed.isdecimal() and 1 <= int(typed) <= len(asked.choices):
            return asked.choices[int(typed) - 1][0]
        meant = _meant(asked, typed)
        try:
            return asked.read(typed if meant is None else meant)
        except OutperformError:
            say(*_helped(asked, typed))


def _meant(asked: Question, typed: str) -> str | None:
    """Return the answer whose words begin with what was typed: "no" to "no, all data are …"."""
    word = typed.casefold()
    begun = [
        value
        for value, words in asked.choices
        if word and (words.casefold().startswith(word) or value.startswith(word))
    ]
    return begun[0] if len(begun) == 1 else None


def _helped(asked: Question, typed: str) -> tuple[str, ...]:
    """Say what would be an answer."""
    from difflib import get_close_matches

    enter = "" if asked.default is None else f", or press Enter for {asked.default}"
    more = "? explains the question, Ctrl-C stops."
    if asked.is_number:
        return (f"Type a positive integer, such as {asked.default or 100}{enter}. {more}",)
    near = get_close_matches(typed, [value for value, _ in asked.choices], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return (
        f"{typed!r} is not one of the choices{hint}",
        f"Type a number from 1 to {len(asked.choices)} or a word{enter}. {more}",
    )
