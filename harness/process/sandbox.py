"""Build bubblewrap command lines: no network, no home, and only a private /tmp is writable.

Source: bwrap(1).
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from harness.model.transcript import Ending, Exited, Signalled

__all__ = ["BWRAP", "Sandbox", "ending_outside"]

BWRAP: Final = "bwrap"
_HIDDEN: Final = ("/run", "/var/tmp")


class Sandbox(NamedTuple):
    """The path of bwrap, the current folder, the home folder, and paths that stay visible although
    they are in the home folder or in /tmp."""

    bwrap: str
    folder: str
    home: str
    visible: tuple[str, ...]

    @property
    def hiding(self) -> str:
        """The hidden folder that the current one is in, where nothing can run; "" if none."""
        return next((hidden for hidden in _HIDDEN if _is_in(self.folder, hidden)), "")

    def wrap(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """Return the command line that runs a command in the sandbox."""
        hidden = ("/home", "/root", "/tmp", self.home)
        options = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
        options += ["--dev", "/dev", "--proc", "/proc"]
        for folder in sorted({*hidden, *_HIDDEN}):
            if folder != "/" and os.path.isdir(folder):
                options += ["--tmpfs", folder]
        for path in sorted({self.folder, *self.visible, os.path.dirname(os.path.abspath(argv[0]))}):
            if any(_is_in(path, folder) for folder in hidden):
                options += ["--ro-bind-try", path, path]
        options += ["--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp"]
        return (self.bwrap, *options, "--chdir", self.folder, "--", *argv)


def ending_outside(ending: Ending) -> Ending:
    """Return how the program inside the sandbox ended.

    bwrap reports a signal as shells do, by the status 128 plus its number, which cannot be
    distinguished from a program that exits with that status.
    """
    if isinstance(ending, Exited) and 128 < ending.status <= 128 + 64:
        return Signalled(ending.status - 128)
    return ending


def _is_in(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder
