"""Enforce the limits of runs: check clocks and output, and sample processes.

The first two samples, 10 and 30 ms after the start, read the leader alone. Later ones read all
processes of the run, at intervals that keep their processor time below a twentieth of the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from harness.model.limits import MIB, Limit, Limits, Usage
from harness.model.transcript import Job
from harness.process.backend import Process, RunGroup
from harness.process.reaper import RunProcesses
from harness.process.system import SYSTEM

# Returns the processes that programs may have left behind.
Orphans = Callable[[], Iterable[Process]]

_LEADER_SAMPLES_S: Final = (0.010, 0.030)
_INTERVAL_S: Final = 0.050
_COST_FACTOR: Final = 20  # an interval is at least this many times what the last sample took


class UsageSampler:
    """Measures what one run uses; keeps the peaks, and the time of the next sample."""

    def __init__(
        self, job: Job, processes: RunProcesses, group: RunGroup | None, started_at: float
    ) -> None:
        self.next_at = started_at + _LEADER_SAMPLES_S[0]
        self.peak = Usage()
        self._job = job
        self._processes = processes
        self._group = group
        self._samples = 0

    @property
    def is_leader_only(self) -> bool:
        """True if the next sample reads only the leader."""
        return self._samples < len(_LEADER_SAMPLES_S)

    def members(self, orphans: Orphans) -> list[Process]:
        """Return the processes of the run: its leader, those of the orphans that belong to it, and
        all their descendants."""
        roots = [self._processes.leader]
        roots += (orphan.pid for orphan in orphans() if self._processes.owns(orphan))
        roots += self._group.pids() if self._group is not None else ()
        return self._processes.find(roots)

    def sample(self, orphans: Orphans | None, now: float) -> tuple[Usage, Limit | None]:
        """Measure and record what the run uses, or without `orphans` the program itself.

        Return also the first limit that this exceeds, or None.
        """
        limits, group, begun = self._job.limits, self._group, time.process_time()
        if orphans is None:
            leader = SYSTEM.read_process(self._processes.leader)
            usage = _usage_of([leader] if leader is not None else [], limits)
        else:
            usage = _usage_of(self.members(orphans), limits)
        if group is not None:
            usage = usage._replace(cpu_s=max(usage.cpu_s, group.cpu_s()))
        limit = usage.exceeded(limits)
        if group is not None and limit is not Limit.CPU and group.has_exceeded_memory():
            limit = Limit.MEMORY
        if limit is None and has_written_too_much(self._job):
            limit = Limit.FILE_SIZE
        self._record(usage, now, time.process_time() - begun)
        return usage, limit

    def _record(self, usage: Usage, now: float, cost_s: float) -> None:
        """Record a sample that took `cost_s` of processor time, and schedule the next one."""
        self.peak = self.peak.peak(usage)
        self._samples += 1
        if self.is_leader_only:
            since_last = _LEADER_SAMPLES_S[self._samples] - _LEADER_SAMPLES_S[self._samples - 1]
            self.next_at = now + since_last
        else:
            self.next_at = now + max(_INTERVAL_S, _COST_FACTOR * cost_s)


def exceeded_clock(limits: Limits, elapsed_s: float, *, has_begun: bool) -> Limit | None:
    """Return the clock that has run out, or None; `has_begun`: the subject has printed."""
    if elapsed_s >= limits.wall_s:
        return Limit.WALL
    if not has_begun and limits.first_byte_s is not None and elapsed_s >= limits.first_byte_s:
        return Limit.FIRST_BYTE
    return None


def has_written_too_much(job: Job) -> bool:
    """Return whether a build has written as much as it may, all files together."""
    most_mib = job.limits.file_mib
    return job.written_mib is not None and most_mib is not None and job.written_mib() >= most_mib


def resource_usage(members: Iterable[Process]) -> Usage:
    """Return the sum of what processes use; of a zombie only the CPU time counts."""
    living = resident = 0
    cpu_s = 0.0
    for member in members:
        living += not member.is_zombie
        cpu_s += member.cpu_s
        resident += member.resident
    return Usage(cpu_s=cpu_s, memory_mib=resident / MIB, processes=living)


def _usage_of(members: Sequence[Process], limits: Limits) -> Usage:
    """Return what the processes of a run use together; each comes after its parent.

    If that exceeds a limit, they are measured again, parents first: in this order, no processor
    time counts both for a process and for the parent that has reaped it.
    """
    usage = resource_usage(members)
    if len(members) == 1:
        peak_mib = SYSTEM.peak_resident_mib(members[0].pid)
        usage = usage._replace(memory_mib=max(usage.memory_mib, peak_mib))
    if usage.exceeded(limits) is None:
        return usage
    read = ((old.started, SYSTEM.read_process(old.pid)) for old in members)
    again = [now for started, now in read if now is not None and now.started == started]
    usage = resource_usage(again)
    if limits.is_exceeded(Limit.MEMORY, usage.memory_mib):
        usage = usage._replace(memory_mib=SYSTEM.own_memory_mib(again))
    return usage
