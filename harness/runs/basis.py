"""What verdicts rest on beside the cases: the subject's program and files, the policy, ourselves.

Reads those files, and makes a fingerprint of all of it. Two runs with one fingerprint are not told
apart, so that what is missing here is missing in docs/resuming.md, which is the source.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from harness.events import Basis
from harness.lookup import find_program
from harness.records import Subject
from harness.runs.plan import Target
from harness.suites.policy import Grading
from harness.usage import UsageFault
from harness.version import VERSION
from harness.words import visible

__all__ = ["bases_of", "files_named", "lasting_environment"]

_FORMAT: Final = "xtest-basis 1"
_DIGITS: Final = 32
# Larger files are known by size and time: an interpreter takes longer to read than to run.
_READ: Final = 4 << 20
_VARIABLES: Final = ("LANG", "LANGUAGE", "PATH", "TZ")
_FAMILIES: Final = ("JAVA", "LC_", "LD_", "NODE", "PYTHON", "RUBY")
# What grows in a folder by itself.
_PASSED_OVER: Final = ("__pycache__", "node_modules")


def bases_of(
    targets: Sequence[Target],
    options: tuple[str, ...],
    depends: tuple[str, ...],
    environment: Mapping[str, str],
) -> tuple[Basis, ...]:
    """The basis of each target. `options` are those that decide what comes of a run, `depends` the
    files and folders that somebody says the subjects are made of. Raises UsageFault."""
    for path in depends:
        if not os.path.exists(path):
            raise UsageFault(f"--depends {visible(path)}: no such file or folder")
    digests: dict[str, str] = {}
    ours = (_FORMAT, VERSION, os.getcwd(), options, lasting_environment(environment))
    declared = [(file, _digest(file, digests)) for path in depends for file in _inside(path)]
    bases = []
    for target in targets:
        files = [(file, _digest(file, digests)) for file in files_named(target.subject)]
        folder = os.path.realpath(target.suite.folder)
        said = (ours, declared, files, target.subject, folder, _policy(target))
        key = sha256(repr(said).encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
        bases.append(Basis(target.suite.name, target.subject.name, key))
    return tuple(bases)


def files_named(subject: Subject) -> list[str]:
    """The files that a subject's command names: its program, and each word that is the path of one,
    whole or behind a `=`; where it runs, not where we are."""
    setting = subject.setting
    folder = setting.folder if setting is not None else ""
    name, *rest = subject.command
    program = find_program(name, dict(setting.environment).get("PATH") if setting else None)
    words = [part for word in rest for part in (word, word.partition("=")[2]) if part]
    named = [os.path.join(folder, program)] if program is not None else []
    return named + [path for word in words if os.path.isfile(path := os.path.join(folder, word))]


def lasting_environment(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """The variables on which it commonly depends how programs work. Others differ between any two
    windows of a terminal."""
    return sorted(
        (name, value)
        for name, value in environment.items()
        if name in _VARIABLES or name.startswith(_FAMILIES)
    )


def _policy(target: Target) -> object:
    """What suite.toml says, but for what no verdict rests on."""
    settings = target.suite.settings
    rules = tuple(rule._replace(points=None, visibility=None) for rule in settings.rules)
    ungraded = settings._replace(rules=rules, grading=Grading())
    return ungraded._replace(title="", program="", deliveries=(), render=None)


def _inside(path: str) -> Iterator[str]:
    """A file, or all the files in a folder, in an order that is always the same. Hidden ones are
    passed over, and so is what programs leave there."""
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if _counts(name))
        yield from (os.path.join(folder, name) for name in sorted(files) if _counts(name))


def _counts(name: str) -> bool:
    return not name.startswith(".") and name not in _PASSED_OVER


def _digest(path: str, digests: dict[str, str]) -> str:
    if path not in digests:
        digests[path] = _digest_of(path)
    return digests[path]


def _digest_of(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            seen = os.fstat(descriptor)
            if not stat.S_ISREG(seen.st_mode):
                return "no file"
            if seen.st_size > _READ:
                return f"{seen.st_size} {seen.st_mtime_ns}"
            return sha256(file.read(_READ)).hexdigest()
    except OSError as problem:
        return f"unreadable {problem.errno}"
