"""Restore the state of a host process, such as a test runner, after subjects ran in it.

Source: docs/pytest.md.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from harness.process.reaper import cease_subreaping, is_subreaper

__all__ = ["embedded"]


@contextmanager
def embedded() -> Iterator[None]:
    """Restore what a run changes: the adoption of orphans, and the size of core files."""
    core_files, was_subreaper = resource.getrlimit(resource.RLIMIT_CORE), is_subreaper()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, core_files)
        if not was_subreaper:
            cease_subreaping()
