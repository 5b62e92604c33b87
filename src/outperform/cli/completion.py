"""`outperform completion`: let the shell complete commands, methods and designs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ._judgement import FORCE, JSON
from ._output import print_json, say
from ._program import verb

if TYPE_CHECKING:
    from pathlib import Path

HOMES = {
    "bash": "~/.local/share/bash-completion/completions/outperform",
    "zsh": "~/.zfunc/_outperform",
    "fish": "~/.config/fish/completions/outperform.fish",
}
"""Where each shell looks for the completion of a command by itself; zsh once it is told."""
ZSH = "For zsh, add to ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit"


@verb(
    "completion",
    examples="""
    outperform completion --install
    outperform completion bash > outperform.bash
    """,
)
@click.argument("shell", required=False, type=click.Choice(tuple(HOMES)))
@click.option("--install", is_flag=True, help="Install it where the shell finds it.")
@FORCE
@JSON
@click.pass_context
def command(
    ctx: click.Context, shell: str | None, install: bool, force: bool, as_json: bool
) -> int:
    """Print or install shell completion.

    The shell completes commands, options, methods and designs. By default it is the shell you use.
    """
    from pathlib import Path

    from click.shell_completion import get_completion_class

    if shell is None:
        shell = os.path.basename(os.environ.get("SHELL", ""))
    if shell not in HOMES:
        raise click.UsageError(
            f"Unknown shell {shell!r}; name one of {', '.join(HOMES)}, as in outperform "
            "completion bash"
        )
    kind = get_completion_class(shell)
    assert kind is not None, shell
    root = ctx.find_root()
    script = kind(root.command, {}, "outperform", "_OUTPERFORM_COMPLETE").source()
    path = Path(HOMES[shell]).expanduser() if install else None
    if path is not None:
        _install(script, path, force=force)
        say(f"Written to {path}; start a new shell to use it.", *([ZSH] if shell == "zsh" else []))
    if as_json:
        where = None if path is None else str(path)
        print_json("completion", {"shell": shell, "path": where, "script": script})
    elif path is None:
        click.echo(script)
    return 0


def _install(script: str, path: Path, *, force: bool) -> None:
    if path.exists() and path.read_text(encoding="utf-8") != script and not force:
        raise click.ClickException(f"{str(path)!r} already exists; add --force to overwrite it")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
