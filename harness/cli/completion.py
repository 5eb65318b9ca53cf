"""`xtest completion`: print the completion script for a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from harness.options.command import Command
from harness.options.completers import COMPLETION_VARIABLE
from harness.reports.registry import FORMATS


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
def command(shell: str) -> None:
    """Print the completion script for a shell: source <(xtest completion bash)

    zsh: source <(xtest completion zsh), after compinit. fish: xtest completion fish | source. To
    enable it in every new shell, add that line to ~/.bashrc, ~/.zshrc or
    ~/.config/fish/config.fish.
    """
    script = get_completion_class(shell)
    assert script is not None, "click.Choice accepts only shells that click completes"
    root = click.get_current_context().find_root().command
    source = script(root, {}, "xtest", COMPLETION_VARIABLE).source()
    # zsh would look for files whose names begin with "html=".
    prefix = f"compset -P '({'|'.join(FORMATS)})='"
    source = source.replace("_path_files -f", f"{prefix}; _path_files -f")
    # fish would cut values and descriptions at their commas.
    click.echo(source.replace('string split ","', 'string split --max 1 ","'))
