"""What the modules of several commands share: how help is asked for, and commands refused."""

from __future__ import annotations

from typing import Final

from harness.usage import UsageFault

__all__ = ["HELP", "refuse_command"]

HELP: Final = {"help_option_names": ["-h", "--help"]}


def refuse_command(name: str, command: tuple[str, ...] | None) -> None:
    """Raises UsageFault where a command that runs no subject was given one."""
    if command is not None:
        raise UsageFault(f"{name} takes no command behind --")
