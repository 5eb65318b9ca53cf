"""Enforce the limits of runs: check clocks and output, sample /proc, and set kernel limits.

The first two samples, 10 and 30 ms after the start, read the leader alone. Later ones read all
processes of the run, at intervals that keep their cost below a twentieth of the time.
"""

from __future__ import annotations

import math
import resource
from typing import Final

from harness.model.limits import MIB, Limit, Limits
from harness.process.procfs import ResourceUsage, peak_resident, read_process

__all__ = [
    "UsageSampler",
    "apply_rlimits",
    "exceeded_clock",
    "exceeded_output",
    "exceeded_usage",
    "sample_leader",
]

_LEADER_SAMPLES_S: Final = (0.010, 0.030)
_INTERVAL_S: Final = 0.050
_COST_FACTOR: Final = 20  # an interval is at least this many times what the last sample took


class UsageSampler:
    """The peaks of what one run used, and the time of its next sample."""

    __slots__ = ("_samples", "cpu_s", "next_at", "peak_bytes", "processes")

    def __init__(self, started_at: float) -> None:
        self.next_at = started_at + _LEADER_SAMPLES_S[0]
        self.cpu_s = 0.0
        self.peak_bytes = 0
        self.processes = 1
        self._samples = 0

    @property
    def is_leader_only(self) -> bool:
        """True if the next sample reads only the leader."""
        return self._samples < len(_LEADER_SAMPLES_S)

    def record(self, usage: ResourceUsage, now: float, cost_s: float) -> None:
        """Record a sample that took `cost_s`, and schedule the next one."""
        self.cpu_s = max(self.cpu_s, usage.cpu_s)
        self.peak_bytes = max(self.peak_bytes, usage.resident)
        self.processes = max(self.processes, usage.processes)
        self._samples += 1
        if self.is_leader_only:
            since_last = _LEADER_SAMPLES_S[self._samples] - _LEADER_SAMPLES_S[self._samples - 1]
            self.next_at = now + since_last
        else:
            self.next_at = now + max(_INTERVAL_S, _COST_FACTOR * cost_s)


def sample_leader(pid: int) -> ResourceUsage:
    """Return what the program itself uses, without its descendants."""
    leader = read_process(pid)
    if leader is None:
        return ResourceUsage()
    return ResourceUsage(1, leader.cpu_s, max(leader.resident, peak_resident(pid)))


def exceeded_usage(limits: Limits, usage: ResourceUsage) -> Limit | None:
    """Return the first limit that a sample exceeds, or None."""
    if limits.is_exceeded(Limit.CPU, usage.cpu_s):
        return Limit.CPU
    if limits.is_exceeded(Limit.MEMORY, usage.resident / MIB):
        return Limit.MEMORY
    if limits.is_exceeded(Limit.PROCESSES, usage.processes):
        return Limit.PROCESSES
    return None


def exceeded_output(limits: Limits, stdout_bytes: int) -> Limit | None:
    """Return the limit that this much standard output exceeds, or None."""
    return Limit.OUTPUT if limits.is_exceeded(Limit.OUTPUT, stdout_bytes / MIB) else None


def exceeded_clock(limits: Limits, elapsed_s: float, *, has_begun: bool) -> Limit | None:
    """Return the clock that has run out, or None; `has_begun`: the subject has printed."""
    if elapsed_s >= limits.wall_s:
        return Limit.WALL
    if not has_begun and limits.first_byte_s is not None and elapsed_s >= limits.first_byte_s:
        return Limit.FIRST_BYTE
    return None


def apply_rlimits(pid: int, limits: Limits) -> None:
    """Set the limits that the kernel enforces on a process and on the children that it starts."""
    if limits.cpu_s is not None:
        # A second line of defence in whole seconds: sampling ends the run before.
        _set_rlimit(pid, resource.RLIMIT_CPU, math.ceil(limits.cpu_s) + 1)
    if limits.open_files is not None:
        _set_rlimit(pid, resource.RLIMIT_NOFILE, limits.open_files)
    if limits.file_mib is not None:
        _set_rlimit(pid, resource.RLIMIT_FSIZE, int(limits.file_mib * MIB))


def _set_rlimit(pid: int, what: int, value: int) -> None:
    try:
        _, most = resource.prlimit(pid, what)
        least = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.prlimit(pid, what, (least, least))
    except (ProcessLookupError, PermissionError):
        pass  # the process has just ended, or changed its user
