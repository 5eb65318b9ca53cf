"""From the command as it was written to the program that is run.

A bare name is looked up in the running interpreter's scripts folder, then on PATH; a name with a
slash is relative to the caller's folder. Looks at the file system; starts nothing.
"""

from __future__ import annotations

import os
import sys

__all__ = ["find_program", "scripts_folder"]


def find_program(name: str) -> str | None:
    """The path of a program; None: a bare name that nothing answers to. A name with a slash is
    its own path, whether or not there is such a file."""
    if "/" in name:
        return name
    # Not shutil.which: to import shutil takes as long as several small cases.
    for folder in (scripts_folder(), *os.environ.get("PATH", "").split(os.pathsep)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def scripts_folder() -> str:
    """Where the running interpreter's environment keeps its console scripts."""
    beside = os.path.dirname(sys.executable)
    if beside:
        return beside
    import sysconfig  # pylint: disable=import-outside-toplevel  # seldom needed, and slow

    return sysconfig.get_path("scripts")
