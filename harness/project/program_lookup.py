"""Find the program of a command; starts nothing.

A name with a slash is a path, relative to the folder where the command starts. A bare name is
looked up on PATH, then beside the running Python; that of a subject with a folder of its own, in
this folder, then on PATH, where programs that come with xtest do not count.
"""

from __future__ import annotations

import difflib
import os
import sys
import sysconfig
from contextlib import suppress
from typing import Final

from harness.errors import Refused, UsageError
from harness.files import find_executable, found_instead, matching_paths, may_execute, open_regular
from harness.model.subject import NOT_BUILT, ExecutionContext, Subject
from harness.text import escape_nonprintable, space_hint

_NEAR: Final = 0.75  # the similarity of names that difflib finds on PATH, where many are
_BEGINNING: Final = 1_024  # bytes of a script that import its module


def find_program(name: str, context: ExecutionContext | None = None) -> str | None:
    """Return the path of a program, or None if a bare name is not found.

    A name with a slash is its own path, whether the file exists or not. Empty elements of PATH do
    not stand for the current folder.
    """
    if "/" in name:
        return name
    if context is not None and context.is_own and find_executable(name, [context.folder]):
        return f"./{name}"
    variables = os.environ if context is None else {**os.environ, **dict(context.environment)}
    searched = [*filter(None, variables.get("PATH", "").split(os.pathsep))]
    if context is not None and context.is_own:
        candidates = (find_executable(name, [folder]) for folder in searched)
        return next((each for each in candidates if each and not _is_bundled(each)), None)
    # Programs installed with xtest, if its virtual environment is not active.
    searched.append(os.path.dirname(sys.executable) or sysconfig.get_path("scripts"))
    return find_executable(name, searched)


def _is_bundled(path: str) -> bool:
    """Return whether a program is one of those that come with xtest, such as xboard."""
    folders = (os.path.dirname(path), os.path.dirname(sys.executable))
    if len(set(map(os.path.realpath, folders))) > 1:
        return False
    with suppress(OSError), open_regular(path) as script:
        return b"xtests" in script.read(_BEGINNING)
    return False


def named_files(subject: Subject) -> list[str]:
    """Return the existing files and folders that a command names, its program first if found.

    A word may be a path in the folder where the command runs, have one after "=", or be a list of
    paths such as "lib/*:build".
    """
    context = subject.context
    folder = context.folder if context is not None else ""
    name, *rest = subject.command
    program = find_program(name, context)
    parts = (part for word in rest for part in (word, word.partition("=")[2]))
    file_names = (
        each.removesuffix("/*") for part in parts for each in (part, *part.split(os.pathsep))
    )
    named = (os.path.join(folder, word) for word in file_names if word)
    own = [] if program is None else [os.path.join(folder, program)]
    return list(dict.fromkeys((*own, *filter(os.path.exists, named))))


def dependency_files(subject: Subject) -> dict[str, list[str]]:
    """Return the files and folders that match each glob of a subject's `depends`.

    Raises TooManyFiles.
    """
    return {pattern: sorted(matching_paths(pattern)) for pattern in subject.depends or ()}


def missing_program(name: str, context: ExecutionContext | None) -> Refused | None:
    """Return why a program cannot run, or None if it can."""
    folder = "" if context is None else context.folder
    if folder and not os.path.isdir(folder):
        return Refused(f"its folder {escape_nonprintable(folder)}: no such folder")
    program = find_program(name, context)
    if program is None:
        return Refused(no_program_text(name, context))
    program = os.path.normpath(os.path.join(folder, program)) if folder else program
    shown = escape_nonprintable(program)
    if kind := _other_kind(program):
        return Refused(f"{shown}: {kind}")
    if not os.path.isfile(program):
        where = "" if os.path.isabs(program) else f" in {escape_nonprintable(os.getcwd())}"
        hint = space_hint(name) or _nearest_text(program)
        if not hint and not os.path.isabs(name):
            hint = escape_nonprintable(found_instead(program))
        return Refused(f"{shown}: no such program{where}{hint}")
    if not may_execute(program):
        is_archive = program.endswith(".jar")  # which the system cannot run anyway
        fix = f"run it with java -jar {shown}" if is_archive else f"chmod +x {shown}"
        return Refused(f"{shown}: not executable ({fix})")
    return None


def _other_kind(program: str) -> str:
    """Return what stands at a path in place of a file, or ""."""
    if os.path.isdir(program):
        return "a folder, not a program"
    if os.path.islink(program) and not os.path.isfile(program):
        return f"a link to {escape_nonprintable(os.readlink(program))}, which is not a file"
    return ""


def no_program_text(name: str, context: ExecutionContext | None = None) -> str:
    """Return the message for a bare name that `find_program` did not find."""
    shown, folder = escape_nonprintable(name), "" if context is None else context.folder
    if context is not None and context.is_own:
        bundled = "; the one that comes with xtest does not count" if find_program(name) else ""
        return f"{shown}: no such program in {escape_nonprintable(folder)} or on PATH{bundled}"
    message = f"{shown}: no such program on PATH or in the folder of xtest's Python"
    if os.path.isfile(os.path.join(folder, name)):
        return f"{message}; the one in this folder is ./{shown}"
    return message + (space_hint(name) or _nearest_text(name))


def _nearest_text(program: str) -> str:
    """Return the end of a message that names a program with a similar name, or ""."""
    folder, name = os.path.split(program)
    folders, cutoff = [folder or "."], 0.6 if folder else _NEAR
    if not folder:
        folders += filter(None, os.environ.get("PATH", "").split(os.pathsep))
    candidates: list[str] = []
    for each in folders:
        with suppress(OSError):
            candidates += (
                os.path.join(folder, entry)
                for entry in difflib.get_close_matches(name, os.listdir(each), 1, cutoff)
                if find_executable(entry, [each])
            )
    near = difflib.get_close_matches(program, candidates, 1, cutoff)
    return f"; did you mean {escape_nonprintable(near[0])}?" if near else ""


def program_file(subject: Subject) -> str:
    """Return the absolute path of the file that a subject's command starts, or "" if unknown."""
    context = subject.context
    program = find_program(subject.command[0], context)
    path = os.path.abspath(os.path.join(context.folder if context else "", program or ""))
    return path if program is not None and os.path.isfile(path) else ""


def command_line(subject: Subject) -> tuple[str, ...] | Refused:
    """Return the command line of a subject with the path of its program, or why it cannot run."""
    if subject.fault:
        return Refused(subject.fault)
    name, *rest = subject.command
    context = subject.context
    program = find_program(name, context)
    if program is None:
        return Refused(no_program_text(name, context))
    return (program, *rest)


def built_command(subject: Subject) -> tuple[str, ...] | Refused:
    """Return the command line of a subject, or why it cannot run; of a failed build that reports
    show, only that it failed."""
    failure = subject.build_failure
    return Refused(NOT_BUILT) if failure is not None and failure.is_shown else command_line(subject)


def require_start(subject: Subject, role: str = "") -> None:
    """Raise UsageError if a subject cannot start on this machine; it names `role` and subject."""
    refused = cannot_start(subject)
    if refused is not None:
        raise UsageError(f"{role}{escape_nonprintable(subject.name)}: {refused.reason}")


def cannot_start(subject: Subject) -> Refused | None:
    """Return why a subject cannot start on this machine, or None if it can."""
    argv = command_line(subject)
    return argv if isinstance(argv, Refused) else missing_program(argv[0], subject.context)
