"""Running subjects inside a process that is somebody else's, and leaving it as it was.

What the loop switches on for a whole xtest, a test runner gets back after each run. Source:
docs/pytest.md.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from harness.process.reaper import cease_subreaping, is_subreaper

__all__ = ["as_guest"]


@contextmanager
def as_guest() -> Iterator[None]:
    """Put back afterwards what a run changes of this process: who inherits its orphans, so that a
    daemon of somebody else's still goes to init, and whether core files are written."""
    core_files, was_subreaper = resource.getrlimit(resource.RLIMIT_CORE), is_subreaper()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, core_files)
        if not was_subreaper:
            cease_subreaping()
