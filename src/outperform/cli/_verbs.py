"""Verbs: found by the file they are in, imported when asked for, explained by examples first."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from typing import Any

import click

__all__ = ["TYPED", "Verb", "Verbs", "verb"]

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
            raise click.UsageError(f"There is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def verb(name: str, *, examples: str) -> Callable[[Callable[..., Any]], Verb]:
    """Make a function a command, with the examples its help begins with."""
    return click.command(name, cls=Verb, epilog=examples)


def _format_help(shown: Any, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    formatter.write(f"{cleandoc(shown.help or '')}\n")
    if shown.epilog:
        with formatter.section("Examples"):
            for line in shown.epilog.strip().splitlines():
                formatter.write(f"  {line.strip()}\n")
    formatter.write_paragraph()
    shown.format_usage(ctx, formatter)
    shown.format_options(ctx, formatter)
