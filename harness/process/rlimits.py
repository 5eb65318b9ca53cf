"""Set the limits that the kernel enforces on a process and on the children that it starts.

Source: setrlimit(2).
"""

from __future__ import annotations

import math
import resource
from collections.abc import Callable, Mapping
from typing import Final

from harness.model.limits import MIB, Limits

# Not RLIMIT_CPU: the processor time that this process has used already would count. Not
# RLIMIT_NOFILE: posix_spawn refuses to pass on descriptors above it.
_INHERITED: Final = (resource.RLIMIT_FSIZE,)


def rlimits_of(limits: Limits) -> Mapping[int, int]:
    """Return the kernel's limits by their numbers."""
    found: dict[int, int] = {}
    if limits.cpu_s is not None:
        # A second line of defence in whole seconds: sampling ends the run before.
        found[resource.RLIMIT_CPU] = math.ceil(limits.cpu_s) + 1
    if limits.open_files is not None:
        found[resource.RLIMIT_NOFILE] = limits.open_files
    if limits.file_mib is not None:
        found[resource.RLIMIT_FSIZE] = int(limits.file_mib * MIB)
    return found


def call_with_rlimits(rlimits: Mapping[int, int], start: Callable[[], int]) -> int:
    """Call a function that starts a process, with lower soft limits of this one, which must have
    one thread.

    An ordinary user could not raise a hard limit again.
    """
    before = {what: resource.getrlimit(what) for what in _INHERITED if what in rlimits}
    try:
        for what, (_, most) in before.items():
            resource.setrlimit(what, (_least(rlimits[what], most), most))
        return start()
    finally:
        for what, pair in before.items():
            resource.setrlimit(what, pair)


def apply_rlimits(pid: int, rlimits: Mapping[int, int]) -> None:
    """Set soft and hard limits of a process that was started already."""
    for what, value in rlimits.items():
        try:
            _, most = resource.prlimit(pid, what)
            least = _least(value, most)
            resource.prlimit(pid, what, (least, least))
        except (ProcessLookupError, PermissionError):
            pass  # the process has just ended, or changed its user


def _least(value: int, most: int) -> int:
    return value if most == resource.RLIM_INFINITY else min(value, most)
