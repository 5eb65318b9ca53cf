"""Skip tests whose needs the system or its back end does not meet: `pytest.mark.needs("adoption")`.

Trials show what a system offers, not its name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from harness.model.protection import Accounting
from harness.process.system import SYSTEM


def _adopts() -> bool:
    """Return whether orphans of programs become children of xtest."""
    before = SYSTEM.adopts_orphans()
    adopts = SYSTEM.adopt_orphans()
    if adopts and not before:
        SYSTEM.adopt_orphans(False)
    return adopts


_OFFERS: Final[Mapping[str, Callable[[], bool]]] = {
    "adoption": _adopts,
    "all promises": lambda: not SYSTEM.missing_protections(),  # a note says which do not hold
    "namespaces": lambda: SYSTEM.has_namespaces,  # private folders, sandboxes, fork sessions
    "no tracing": lambda: SYSTEM.has_namespaces,  # both are the kernel's
    "samples": lambda: SYSTEM.accounting is not Accounting.EXIT,
    "/proc": lambda: os.path.exists("/proc/self/stat"),  # the test reads it, or psutil does
}
# Of whole files and folders.
_NEEDS: Final = {
    "adoption": ("cli/callers.md", "cli/requirements.md"),
    "all promises": ("cli/terminal.md",),
    "namespaces": (
        "authoring/import.md",
        "cli/doctor.md",
        "cli/run/sandbox.md",
        "cli/run/workspaces.md",
        "cli/sandboxed-references.md",
        "cli/subjects/milestones.md",
        "engine/sessions/forks.md",
        "examples/json-pointer.md",
        "fest/fest-builds.md",
        "process/test_cgroups.py",
        "process/test_sandbox.py",
        "process/test_workspace.py",
        "process/zygote",
        "pytest_plugin/fixture.md",
        "pytest_plugin/private-folders.md",
        "sessions_zoo",
    ),
    "/proc": ("cluster", "engine/test_worker_pool.py", "support/test_fork_server.py"),
}


def skip_without_needs(item: pytest.Item) -> None:
    """Skip a test if this machine does not offer what it needs."""
    wanted = [name for mark in item.iter_markers("needs") for name in mark.args]
    for name in (*wanted, *_needs_of_file(item.path)):
        if not _offers(name):
            item.add_marker(pytest.mark.skip(f"needs {name}"))


@cache
def _needs_of_file(path: Path) -> list[str]:
    here = Path(__file__).resolve().parents[1]
    return [
        name
        for name, files in _NEEDS.items()
        if any(path.is_relative_to(here / each) for each in files)
    ]


@cache
def _offers(name: str) -> bool:
    return _OFFERS[name]()
