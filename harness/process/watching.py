"""What a run uses while it runs, looked at now and then, and which limit that makes fall.

A short run is not looked at at all: its first look is at its leader alone, 10 ms after the start;
the whole tree follows, each look as far from the last as it costs little.
"""

from __future__ import annotations

from typing import Final

from harness.process.tree import Use, peak_resident, read_process
from harness.records import MIB, Limit, Limits

__all__ = ["Watch", "fallen_clock", "fallen_use"]

_FIRST_LOOKS_S: Final = (0.010, 0.030)  # at the leader alone
_BETWEEN_S: Final = 0.050


class Watch:
    """The looks at one run: when the next one is due, and the most that was seen."""

    __slots__ = ("_looks", "cpu_s", "next_at", "peak_bytes", "processes")

    def __init__(self, started_at: float) -> None:
        self.next_at = started_at + _FIRST_LOOKS_S[0]
        self.cpu_s = 0.0
        self.peak_bytes = 0
        self.processes = 1
        self._looks = 0

    @property
    def is_at_leader_only(self) -> bool:
        """Whether the next look is one of the first, cheap ones."""
        return self._looks < len(_FIRST_LOOKS_S)

    def look_at_leader(self, pid: int) -> Use:
        """What the program itself uses; for the very short time that it may be alone."""
        leader = read_process(pid)
        if leader is None:
            return Use()
        return Use(1, leader.cpu_s, max(leader.resident, peak_resident(pid)))

    def record(self, use: Use, now: float, cost_s: float) -> None:
        """Keep the most, and say when to look again. A look may take a twentieth of the time."""
        self.cpu_s = max(self.cpu_s, use.cpu_s)
        self.peak_bytes = max(self.peak_bytes, use.resident)
        self.processes = max(self.processes, use.processes)
        self._looks += 1
        if self.is_at_leader_only:
            self.next_at = now + _FIRST_LOOKS_S[self._looks] - _FIRST_LOOKS_S[self._looks - 1]
        else:
            self.next_at = now + max(_BETWEEN_S, 20 * cost_s)


def fallen_use(limits: Limits, use: Use) -> Limit | None:
    """The limit that this use breaks."""
    if limits.cpu_s is not None and use.cpu_s > limits.cpu_s:
        return Limit.CPU
    if limits.memory_mib is not None and use.resident > limits.memory_mib * MIB:
        return Limit.MEMORY
    if limits.processes is not None and use.processes > limits.processes:
        return Limit.PROCESSES
    return None


def fallen_clock(limits: Limits, elapsed_s: float, *, has_begun: bool) -> Limit | None:
    """The clock that has fallen after so many seconds, for a run that has printed or not."""
    if elapsed_s >= limits.wall_s:
        return Limit.WALL
    if not has_begun and limits.first_byte_s is not None and elapsed_s >= limits.first_byte_s:
        return Limit.FIRST_BYTE
    return None
