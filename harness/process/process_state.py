"""Check, protect and restore the state of the process that runs subjects.

Subjects must not reach into its descriptors, its memory or its /proc. Source: docs/pytest.md.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from harness.errors import UsageError
from harness.process.reaper import cease_subreaping, is_subreaper, prctl
from harness.text import pluralize

_OPEN_FILES: Final = 32  # of xtest itself: streams, results, reports, workers
_OPEN_FILES_PER_RUN: Final = 8
_PR_SET_DUMPABLE: Final = 4  # <linux/prctl.h>
_FIRST_OTHER: Final = 3  # after the standard streams


@contextmanager
def preserved_process_state() -> Iterator[None]:
    """Restore, after the block, what runs change in this process: inheritable descriptors, the
    adoption of orphans, core files."""
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
            f" use ulimit -n {needed}{', or a lower -j' if parallel > 1 else ''}"
        )


def forbid_tracing() -> None:
    """Keep processes of the same user from tracing this one and its future children.

    They can then neither reopen its descriptors through /proc nor read its memory. Programs that
    those children execute can be traced as usual.
    """
    prctl(_PR_SET_DUMPABLE, 0)


def inheritable_descriptors() -> list[int]:
    """Return the descriptors that a program would inherit other than its standard streams."""
    found = []
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):  # the descriptor of the listing is closed
            if descriptor >= _FIRST_OTHER and os.get_inheritable(descriptor):
                found.append(descriptor)
    return found


def close_on_exec() -> None:
    """Keep started programs from inheriting descriptors other than their standard streams."""
    for descriptor in inheritable_descriptors():
        os.set_inheritable(descriptor, False)
