"""Find the program of a command: on PATH, then beside the running Python; starts nothing.

A name with a slash is a path, relative to the caller's folder.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig

from harness.errors import Refused, UsageError
from harness.files import matching_paths
from harness.model.subject import ExecutionContext, Subject
from harness.text import escape_nonprintable, space_hint


def find_program(name: str, path: str | None = None) -> str | None:
    """Return the path of a program, or None if a bare name is not found.

    A name with a slash is its own path, whether the file exists or not. `path` replaces PATH; its
    empty elements do not stand for the current folder.
    """
    if "/" in name:
        return name
    folders = os.environ.get("PATH", "") if path is None else path
    # Programs installed with xtest, if its virtual environment is not active.
    scripts = os.path.dirname(sys.executable) or sysconfig.get_path("scripts")
    searched = (*filter(None, folders.split(os.pathsep)), scripts)
    return shutil.which(name, path=os.pathsep.join(searched))


def named_files(subject: Subject) -> list[str]:
    """Return the existing files and folders that a command names, its program first if found.

    A word may be a path in the folder where the command runs, have one after "=", or be a list of
    paths such as "lib/*:build".
    """
    context = subject.context
    folder = context.folder if context is not None else ""
    name, *rest = subject.command
    program = find_program(name, search_path(context))
    parts = (part for word in rest for part in (word, word.partition("=")[2]))
    words = (each.removesuffix("/*") for part in parts for each in (part, *part.split(os.pathsep)))
    named = (os.path.join(folder, word) for word in words if word)
    found = [] if program is None else [os.path.join(folder, program)]
    return list(dict.fromkeys((*found, *filter(os.path.exists, named))))


def dependency_files(subject: Subject) -> dict[str, list[str]]:
    """Return the files and folders that match each glob of a subject's `depends`.

    Raises TooManyFiles.
    """
    return {pattern: sorted(matching_paths(pattern)) for pattern in subject.depends or ()}


def search_path(context: ExecutionContext | None) -> str | None:
    """Return the PATH of a subject's environment, or None if that of xtest applies."""
    return dict(context.environment).get("PATH") if context is not None else None


def missing_program(name: str, folder: str, path: str | None = None) -> Refused | None:
    """Return why a program cannot run in a folder, or None if it can; `path` replaces PATH."""
    if folder and not os.path.isdir(folder):
        return Refused(f"its folder {escape_nonprintable(folder)}: no such folder")
    program = find_program(name, path)
    if program is None:
        return Refused(no_program_text(name))
    program = os.path.join(folder, program)
    if not os.path.isfile(program):
        return Refused(f"{escape_nonprintable(program)}: no such program")
    if not os.access(program, os.X_OK):
        return Refused(f"{escape_nonprintable(program)}: not executable")
    return None


def no_program_text(name: str, folder: str = "") -> str:
    """Return the message for a bare name that `find_program` did not find.

    The command would run in `folder`, or in the current folder if empty.
    """
    message = (
        f"{escape_nonprintable(name)}: no such program on PATH or in the folder of xtest's Python"
    )
    if os.path.isfile(os.path.join(folder, name)):
        return f"{message}; the one in this folder is ./{escape_nonprintable(name)}"
    return message + space_hint(name)


def command_line(subject: Subject) -> tuple[str, ...] | Refused:
    """Return the command line of a subject with the path of its program, or why it cannot run."""
    if subject.fault:
        return Refused(subject.fault)
    name, *rest = subject.command
    context = subject.context
    program = find_program(name, search_path(context))
    if program is None:
        return Refused(no_program_text(name, context.folder if context else ""))
    return (program, *rest)


def require_start(subject: Subject, role: str = "") -> None:
    """Raise UsageError if a subject cannot start on this machine; it names `role` and subject."""
    refused = cannot_start(subject)
    if refused is not None:
        raise UsageError(f"{role}{escape_nonprintable(subject.name)}: {refused.reason}")


def cannot_start(subject: Subject) -> Refused | None:
    """Return why a subject cannot start on this machine, or None if it can."""
    argv = command_line(subject)
    folder = subject.context.folder if subject.context is not None else ""
    return argv if isinstance(argv, Refused) else missing_program(argv[0], folder)
