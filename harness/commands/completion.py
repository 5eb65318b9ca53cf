"""`xtest completion`, as click reads it: the scripts by which shells complete, and their questions.

A script asks `xtest completion words -- WORDS`, where no parser of ours or of the shell's touches
the words; what stands behind a `--` of theirs the shell completes as a command of its own.
"""

from __future__ import annotations

from typing import Final

import click

from harness.commands.common import HELP, refuse_command
from harness.commands.completing import candidate_lines
from harness.commands.shells import BASH, FISH, ZSH

TYPE_CHECKING = False
if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # older ones take no argument

__all__ = ["command"]

_SCRIPTS: Final = {"bash": BASH, "zsh": ZSH, "fish": FISH}
_WORDS: Final = "words"


class _Shell(_Choice):
    """The shells; what their scripts ask for is nothing for people."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """One of the names."""
        return _WORDS if value == _WORDS else super().convert(value, param, ctx)


@click.command("completion", context_settings=HELP)
@click.argument("shell", type=_Shell(list(_SCRIPTS)), metavar="bash|zsh|fish")
@click.pass_context
def command(ctx: click.Context, /, shell: str) -> int:
    """Print what makes a shell complete xtest: source <(xtest completion bash)

    zsh: source <(xtest completion zsh), after compinit. fish: xtest completion fish | source. To
    have it in every shell, put that line into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.
    """
    words: tuple[str, ...] | None = ctx.obj
    if shell == _WORDS:
        for line in candidate_lines(ctx.find_root().command, words or ()):
            click.echo(line)
        return 0
    refuse_command("completion", words)
    click.echo(_SCRIPTS[shell], nl=False)
    return 0
