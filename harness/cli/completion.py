"""`xtest completion`: print the completion script for a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from harness.cli import common


@click.command("completion", context_settings=common.HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
@common.without_command
def command(shell: str) -> int:
    """Print the completion script for a shell: source <(xtest completion bash)

    zsh: source <(xtest completion zsh), after compinit. fish: xtest completion fish | source.
    To have it in every shell, put that line into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.
    """
    script = get_completion_class(shell)
    assert script is not None, "click.Choice accepts only shells that click completes"
    click.echo(
        script(
            click.get_current_context().find_root().command, {}, "xtest", "_XTEST_COMPLETE"
        ).source()
    )
    return 0
