"""Choose the sandbox of a run, and refuse a run without what its suites require."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from harness.errors import UsageError
from harness.model.protection import SandboxKind
from harness.process.inventory import Exposure
from harness.process.sandbox import Sandbox, find_sandbox
from harness.project.config import find_config
from harness.project.subjects import configured_suites, read_project
from harness.suites.bundled import test_cases_folder
from harness.suites.discovery import find_all
from harness.suites.loading import CorpusError, Suite
from harness.text import escape_nonprintable

__all__ = ["choose_sandbox", "sandbox_words"]

_AUTO = "auto"


def choose_sandbox(
    choice: str | None, suites: Sequence[Suite], results: Sequence[str], shown: Sequence[str]
) -> Sandbox | None:
    """Return the chosen sandbox, or None without one.

    No subject sees the suites and the files `results`. Raises UsageError if the sandbox does not
    work here, or does not promise what a suite requires.
    """
    if shown and not choice:
        raise UsageError("--show requires --sandbox")
    sandbox = _find(choice, _exposure(suites, results, shown)) if choice else None
    promised = frozenset(sandbox.protections) if sandbox is not None else frozenset()
    for suite in suites:
        missing = [each for each in suite.settings.sandbox.require if each not in promised]
        if missing:
            names = ", ".join(each.value for each in missing)
            fix = "xtest doctor shows what this machine has" if choice else "add --sandbox"
            raise UsageError(f"{suite.name}: its suite.toml requires {names}; {fix}")
    return sandbox


def sandbox_words(choice: str | None, shown: Sequence[str]) -> tuple[str, ...]:
    """Return the options that choose this sandbox."""
    words = {None: (), _AUTO: ("--sandbox",)}.get(choice, (f"--sandbox={choice}",))
    return (*words, *(word for path in shown for word in ("--show", path)))


def _exposure(suites: Iterable[Suite], results: Sequence[str], shown: Sequence[str]) -> Exposure:
    hidden = [str(test_cases_folder()), *(str(suite.folder) for suite in suites)]
    path = find_config()
    if path is not None:
        hidden += _folders(configured_suites(read_project(path), ()))
    hidden += (name for name in results if name)
    for name in shown:
        if not os.path.exists(name):
            raise UsageError(f"--show {escape_nonprintable(name)}: no such file or folder")
    return Exposure(tuple(map(os.path.abspath, shown)), tuple(map(os.path.abspath, hidden)))


def _folders(arguments: Sequence[str]) -> list[str]:
    try:
        return [str(found.folder) for found in find_all(arguments, test_cases_folder())]
    except CorpusError:  # reported when the suite is used
        return []


def _find(choice: str, exposure: Exposure) -> Sandbox:
    kinds = list(SandboxKind) if choice == _AUTO else [SandboxKind(choice)]
    reasons: list[str] = []
    for kind in kinds:
        sandbox = find_sandbox(kind, exposure)
        if not isinstance(sandbox, str):
            if reasons:
                print(f"xtest: note: {reasons[0]}; using {kind.value}", file=sys.stderr)
            return sandbox
        reasons.append(sandbox)
    raise UsageError(f"--sandbox: {'; '.join(reasons)}")
