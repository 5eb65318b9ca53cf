"""Enforce the limits of runs: check clocks and output, and sample processes.

The first two samples, 10 and 30 ms after the start, read the leader alone. Later ones read all
processes of the run, at intervals that keep their processor time below a twentieth of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.model.limits import Limit, Limits, Usage
from harness.process.backend import Process, resource_usage
from harness.process.system import SYSTEM

_LEADER_SAMPLES_S: Final = (0.010, 0.030)
_INTERVAL_S: Final = 0.050
_COST_FACTOR: Final = 20  # an interval is at least this many times what the last sample took


class UsageSampler:
    """The peaks of what one run used, and the time of its next sample."""

    def __init__(self, started_at: float) -> None:
        self.next_at = started_at + _LEADER_SAMPLES_S[0]
        self.peak = Usage()
        self._samples = 0

    @property
    def is_leader_only(self) -> bool:
        """True if the next sample reads only the leader."""
        return self._samples < len(_LEADER_SAMPLES_S)

    def record(self, usage: Usage, now: float, cost_s: float) -> None:
        """Record a sample that took `cost_s` of processor time, and schedule the next one."""
        self.peak = self.peak.peak(usage)
        self._samples += 1
        if self.is_leader_only:
            since_last = _LEADER_SAMPLES_S[self._samples] - _LEADER_SAMPLES_S[self._samples - 1]
            self.next_at = now + since_last
        else:
            self.next_at = now + max(_INTERVAL_S, _COST_FACTOR * cost_s)


def usage_of(members: Sequence[Process], limits: Limits) -> Usage:
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


def exceeded_clock(limits: Limits, elapsed_s: float, *, has_begun: bool) -> Limit | None:
    """Return the clock that has run out, or None; `has_begun`: the subject has printed."""
    if elapsed_s >= limits.wall_s:
        return Limit.WALL
    if not has_begun and limits.first_byte_s is not None and elapsed_s >= limits.first_byte_s:
        return Limit.FIRST_BYTE
    return None
