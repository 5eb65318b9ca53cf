"""Subjects under bubblewrap: no network, nothing to write to but a private /tmp, no home.

Pure: a command in, the command that runs it in a sandbox out, and the ending put right again.
Source: bwrap(1).
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from harness.records import Ending, Exited, Signalled

__all__ = ["BWRAP", "Sandbox", "ending_outside"]

BWRAP: Final = "bwrap"
# What is hidden with all that lies in it.
_CLOSED: Final = ("/run", "/var/tmp")


class Sandbox(NamedTuple):
    """What a sandbox is built from: the path of bwrap, the caller's folder and home, and what
    stays visible although it lies in the home or in /tmp."""

    bwrap: str
    folder: str
    home: str
    visible: tuple[str, ...]

    @property
    def hiding(self) -> str:
        """What hides the caller's own folder, so that nothing can be run there; empty: nothing."""
        return next((closed for closed in _CLOSED if _lies_in(self.folder, closed)), "")

    def wrap(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """The command line that runs a command in the sandbox."""
        hidden = ("/home", "/root", "/tmp", self.home)
        options = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
        options += ["--dev", "/dev", "--proc", "/proc"]
        for folder in sorted({*hidden, *_CLOSED}):
            if folder != "/" and os.path.isdir(folder):
                options += ["--tmpfs", folder]
        for path in sorted({self.folder, *self.visible, os.path.dirname(os.path.abspath(argv[0]))}):
            if any(_lies_in(path, folder) for folder in hidden):
                options += ["--ro-bind-try", path, path]
        options += ["--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp"]
        return (self.bwrap, *options, "--chdir", self.folder, "--", *argv)


def ending_outside(ending: Ending) -> Ending:
    """How the program itself ended. bwrap tells of a signal as shells do, by the status 128 plus
    its number; a program that exits with such a status of its own cannot be told from that."""
    if isinstance(ending, Exited) and 128 < ending.status <= 128 + 64:
        return Signalled(ending.status - 128)
    return ending


def _lies_in(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder
