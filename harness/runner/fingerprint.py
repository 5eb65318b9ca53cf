"""Tell whether anything that a verdict depends on has changed since an earlier run.

A run is unchanged while three things are the same: its case (`content_digest` of input and expected
output), its delivery, and the fingerprint of its target made here, of the program and its files,
the policy, the options, the environment, and xtest itself. --resume and --cached require all three,
--new only the case, for the same `target_identity`. Source: docs/resuming.md.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from harness.errors import UsageError
from harness.model.events import RunFingerprint
from harness.model.subject import Subject
from harness.project.program_lookup import find_program
from harness.project.targets import Target
from harness.suites.suite_toml import SUITE_TOML
from harness.text import escape_nonprintable
from harness.tomlio.tables import outcome_settings
from harness.version import VERSION

__all__ = ["fingerprints_of", "lasting_environment", "named_files", "target_identity"]

_FORMAT: Final = "xtest-basis 1"
_DIGITS: Final = 32
# Larger files are identified by size and time: reading an interpreter takes longer than running it.
_MOST_READ: Final = 4 << 20
_VARIABLES: Final = ("LANG", "LANGUAGE", "PATH", "TZ")
_VARIABLE_PREFIXES: Final = ("JAVA", "LC_", "LD_", "NODE", "PYTHON", "RUBY")
_IGNORED_FOLDERS: Final = ("__pycache__", "node_modules")  # written by the programs themselves


def fingerprints_of(
    targets: Sequence[Target],
    options: tuple[str, ...],
    depends: tuple[str, ...],
    environment: Mapping[str, str],
) -> tuple[RunFingerprint, ...]:
    """Return the fingerprint of each target.

    `options` are those that a verdict depends on, `depends` the files and folders that the user
    says the subjects are made of. Raises UsageError.
    """
    for path in depends:
        if not os.path.exists(path):
            raise UsageError(f"--depends {escape_nonprintable(path)}: no such file or folder")
    digests: dict[str, str] = {}
    common = (_FORMAT, VERSION, os.getcwd(), options, lasting_environment(environment))
    declared = [(file, _digest(file, digests)) for path in depends for file in _files_in(path)]
    fingerprints = []
    for target in targets:
        files = [(file, _digest(file, digests)) for file in named_files(target.subject)]
        folder = os.path.realpath(target.suite.folder)
        settings = outcome_settings(SUITE_TOML, target.suite.settings)
        key = _hash((common, declared, files, target.subject, folder, settings))
        fingerprints.append(RunFingerprint(target.suite.name, target.subject.name, key))
    return tuple(fingerprints)


def target_identity(target: Target) -> str:
    """Return what stays the same of a target while its program is edited: its suite and command."""
    # A command on the command line is relative to the current folder.
    where: object = "" if target.is_default_subject else os.getcwd()
    if target.subject.context is not None:
        where = target.subject.context
    return _hash((os.path.realpath(target.suite.folder), where, target.subject.command))


def named_files(subject: Subject) -> list[str]:
    """Return the files that a command names: its program, and each word, or part of a word after
    "=", that is the path of a file in the folder where it runs."""
    context = subject.context
    folder = context.folder if context is not None else ""
    name, *rest = subject.command
    program = find_program(name, dict(context.environment).get("PATH") if context else None)
    words = [part for word in rest for part in (word, word.partition("=")[2]) if part]
    named = [os.path.join(folder, program)] if program is not None else []
    return named + [path for word in words if os.path.isfile(path := os.path.join(folder, word))]


def lasting_environment(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the variables that commonly change what programs do.

    Others differ between any two terminals.
    """
    return sorted(
        (name, value)
        for name, value in environment.items()
        if name in _VARIABLES or name.startswith(_VARIABLE_PREFIXES)
    )


def _files_in(path: str) -> Iterator[str]:
    """Yield a file, or the files in a folder that are not hidden, in a fixed order."""
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if _counts(name))
        yield from (os.path.join(folder, name) for name in sorted(files) if _counts(name))


def _counts(name: str) -> bool:
    return not name.startswith(".") and name not in _IGNORED_FOLDERS


def _digest(path: str, digests: dict[str, str]) -> str:
    if path not in digests:
        digests[path] = _digest_of_file(path)
    return digests[path]


def _digest_of_file(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return "no file"
            if status.st_size > _MOST_READ:
                return f"{status.st_size} {status.st_mtime_ns}"
            return sha256(file.read(_MOST_READ)).hexdigest()
    except OSError as problem:
        return f"unreadable {problem.errno}"


def _hash(value: object) -> str:
    return sha256(repr(value).encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
