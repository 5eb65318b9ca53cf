"""`xtest completion`: print the script that makes a shell complete xtest."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from harness.cli.common import HELP, refuse_command

__all__ = ["command"]


@click.command("completion", context_settings=HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
@click.pass_context
def command(ctx: click.Context, /, shell: str) -> int:
    """Print the script that makes a shell complete xtest: source <(xtest completion bash)

    zsh: source <(xtest completion zsh), after compinit. fish: xtest completion fish | source.
    To have it in every shell, put that line into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.
    """
    refuse_command("completion", ctx.obj)
    script = get_completion_class(shell)
    assert script is not None, "click.Choice accepts only shells that click completes"
    click.echo(script(ctx.find_root().command, {}, "xtest", "_XTEST_COMPLETE").source())
    return 0
