"""From the command as it was written to the program that is run.

A bare name is looked up in the running interpreter's scripts folder, then on PATH; a name with a
slash is relative to the caller's folder. Looks at the file system; starts nothing.
"""

from __future__ import annotations

import os
import sys

from harness.records import Subject
from harness.suites.naming import CONFIG_FILE
from harness.usage import UsageFault
from harness.words import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.process.sandbox import Sandbox

__all__ = [
    "command_line",
    "find_config",
    "find_program",
    "missing_program",
    "need_config",
    "no_program_text",
    "scripts_folder",
    "space_hint",
]


def find_program(name: str, path: str | None = None) -> str | None:
    """The path of a program; None: a bare name that nothing answers to. A name with a slash is
    its own path, whether or not there is such a file. `path` stands for the caller's PATH."""
    if "/" in name:
        return name
    # Not shutil.which: to import shutil takes as long as several small cases.
    folders = os.environ.get("PATH", "") if path is None else path
    for folder in (scripts_folder(), *folders.split(os.pathsep)):
        file = os.path.join(folder, name)
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    return None


def missing_program(name: str, folder: str) -> str:
    """Why a program cannot be run in a folder, to which a name with a slash is relative; the empty
    text: it is there."""
    path = find_program(name)
    if path is None:
        return no_program_text(name)
    path = os.path.join(folder, path)
    if not os.path.isfile(path):
        return f"{visible(path)}: no such program"
    return "" if os.access(path, os.X_OK) else f"{visible(path)}: not executable"


def no_program_text(name: str, folder: str = "") -> str:
    """Why a program of this name is not run: find_program has none. `folder`: where it would."""
    said = f"{visible(name)}: no such program, neither beside this Python nor on PATH"
    if os.path.isfile(os.path.join(folder, name)):
        return f"{said}; in this folder it is ./{visible(name)}"
    return said + space_hint(name)


def space_hint(name: str) -> str:
    """What to say beside a program that is not there, whose name may be a whole command."""
    if " " not in name:
        return ""
    return (
        "; the space is taken for a part of its name: a program with arguments stands behind --,"
        f" or in {CONFIG_FILE}, in words of their own"
    )


def command_line(subject: Subject, sandbox: Sandbox | None) -> tuple[str, ...] | str:
    """The command line of a subject, its program found; or why there is none."""
    if subject.fault:
        return subject.fault
    name, *rest = subject.command
    setting = subject.setting
    program = find_program(name, dict(setting.environment).get("PATH") if setting else None)
    if program is None:
        return no_program_text(name, setting.folder if setting else "")
    if sandbox is None:
        return (program, *rest)
    if setting is None:
        return sandbox.wrap((program, *rest))
    inside = sandbox._replace(folder=setting.folder)
    return inside.wrap((os.path.join(setting.folder, program), *rest))


def find_config() -> str | None:
    """The path of the xtest.toml that is valid here: in the caller's folder, otherwise in the
    nearest one above it; None: there is none."""
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        return None
    while True:
        path = os.path.join(folder, CONFIG_FILE)
        if os.path.lexists(path):
            return path
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def need_config(what: str) -> str:
    """The same for what cannot do without. Raises UsageFault."""
    path = find_config()
    if path is None:
        raise UsageFault(
            f"{what}: there is no {CONFIG_FILE}, neither here nor in a folder above; xtest init"
            " writes one"
        )
    return path


def scripts_folder() -> str:
    """Where the running interpreter's environment keeps its console scripts."""
    beside = os.path.dirname(sys.executable)
    if beside:
        return beside
    import sysconfig  # pylint: disable=import-outside-toplevel  # seldom needed, and slow

    return sysconfig.get_path("scripts")
