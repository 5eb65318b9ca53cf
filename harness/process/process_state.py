"""Check and restore the state of the process that runs subjects.

Source: docs/pytest.md.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from harness.errors import UsageError
from harness.process.protection import inheritable_descriptors
from harness.process.reaper import cease_subreaping, is_subreaper
from harness.text import pluralize

_OPEN_FILES: Final = 32  # of xtest itself: streams, results, reports, workers
_OPEN_FILES_PER_RUN: Final = 8


@contextmanager
def embedded() -> Iterator[None]:
    """Restore what a run changes: inheritable descriptors, the adoption of orphans, core files."""
    inheritable = inheritable_descriptors()
    core_files, was_subreaper = resource.getrlimit(resource.RLIMIT_CORE), is_subreaper()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, core_files)
        for descriptor in inheritable:
            os.set_inheritable(descriptor, True)
        if not was_subreaper:
            cease_subreaping()


def require_open_files(parallel: int) -> None:
    """Raise UsageError if this process may not open enough files for so many runs at once."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _OPEN_FILES + _OPEN_FILES_PER_RUN * parallel
    if most != resource.RLIM_INFINITY and most < needed:
        raise UsageError(
            f"{pluralize(parallel, 'run')} at once: {needed} open files are needed, {most} allowed;"
            f" use ulimit -n {needed}, or a lower -j"
        )
