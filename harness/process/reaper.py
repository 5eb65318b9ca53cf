"""Descendants that got away: orphans become our children, are told apart, and are killed.

As a child subreaper the harness inherits whatever a subject leaves behind, however it hid. Only
our own children are ever signalled: their numbers cannot be reused before we have reaped them.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from typing import Final

from harness.process.tree import Process, carries, children, descendants, processes, read_process

__all__ = [
    "Family",
    "Reaper",
    "become_subreaper",
    "cease_subreaping",
    "end_with_parent",
    "is_subreaper",
    "missing_protection",
]

_PR_SET_PDEATHSIG: Final = 1  # <linux/prctl.h>
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_GET_CHILD_SUBREAPER: Final = 37
_LISTING: Final = 4096  # bytes
# Passes that may find nothing of a run and yet not be sure: neighbours that fork without end leave
# zombies at every pass, and must not hold the whole loop up.
_DOUBTS: Final = 10
_SWEEP_S: Final = 2.0  # how long one sweep may go on killing what forks as it dies


def become_subreaper() -> bool:
    """Have orphaned descendants handed to this process. False: the system does not offer it."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def cease_subreaping() -> None:
    """Have orphaned descendants handed to whom they would otherwise go."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 0)


def is_subreaper() -> bool:
    """Whether orphaned descendants are handed to this process."""
    try:
        import ctypes  # pylint: disable=import-outside-toplevel  # as in _prctl

        answer = ctypes.c_int(0)
        asked = ctypes.CDLL(None).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
        return bool(asked == 0 and answer.value)
    except (ImportError, OSError, AttributeError):
        return False


def end_with_parent(parent: int) -> None:
    """Have this process interrupted when its parent ends, however that comes about."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise KeyboardInterrupt  # it ended before


def missing_protection() -> list[str]:
    """What this system does not offer, in sentences; empty where everything is there."""
    missing = []
    if not become_subreaper():
        missing.append("no child subreaper (prctl)")
    listing = _open_listing(os.getpid())
    if listing is None:
        missing.append("no list of a process's children in /proc")
    else:
        os.close(listing)
    said = "a program that a subject leaves behind in a session of its own may live on"
    return [f"this system has {what}: {said}" for what in missing]


class Family:
    """How the processes of one run are known: the leader and its session, the mark in their
    environment, and those that were once seen below it (number and start)."""

    __slots__ = ("leader", "mark", "seen")

    def __init__(self, leader: int, mark: bytes) -> None:
        self.leader = leader
        self.mark = mark
        self.seen: set[tuple[int, int]] = set()

    def owns(self, process: Process) -> bool:
        """Whether a process belongs to this run."""
        return (
            process.session == self.leader
            or (process.pid, process.started) in self.seen
            or carries(process.pid, self.mark)
        )

    def remember(self, members: list[Process]) -> None:
        """These were seen below the leader, or below one that belongs to the run."""
        self.seen.update((member.pid, member.started) for member in members)


class Reaper:
    """The children of this process that no run started: orphans of subjects."""

    def __init__(self, *, sole_parent: bool) -> None:
        self._us = os.getpid()
        self._session = os.getsid(0)
        self._sole_parent = sole_parent
        # Whatever thread a subject was started from, its orphans go to the main one.
        self._listing = _open_listing(self._us)
        # What the process that we live in had started before is no concern of ours.
        self._others = set(children(self._us))
        self._killed: set[int] = set()
        self._is_sure = True  # whether the last listing can have missed nobody

    def orphans(self, leaders: Mapping[int, object], session: int = 0) -> list[Process]:
        """Our children that are neither a run's leader nor somebody else's. Zombies among them
        that are surely ours to reap (as those of this session are) are reaped on the way."""
        found = []
        self._is_sure = True
        for pid in self._children():
            if pid in leaders or pid in self._others:
                continue
            process = read_process(pid)
            if process is None or process.session == self._session:
                continue  # a subject's descendant can never come back into our session
            if not process.is_zombie:
                found.append(process)
            elif self._sole_parent or pid in self._killed or process.session == session:
                # It may have lived when it was listed, and have left a child that was not.
                self._is_sure = False
                self._reap(pid)
        return found

    def sweep(self, family: Family, leaders: Mapping[int, object]) -> None:
        """Kill every orphan that belongs to a run, and what they leave behind, until none is left.
        The run's leader must be among the leaders still."""
        until = time.monotonic() + _SWEEP_S
        doubts = 0
        while time.monotonic() < until:
            found = self.orphans(leaders, family.leader)
            mine = [orphan for orphan in found if family.owns(orphan)]
            doubts = doubts + 1 if not mine else 0
            if not mine and (self._is_sure or doubts == _DOUBTS):
                return
            family.remember(descendants([orphan.pid for orphan in mine], processes()))
            self._kill(mine)

    def sweep_all(self) -> None:
        """No run is left: kill whatever got away without a trace of whose it was."""
        until = time.monotonic() + _SWEEP_S
        while self._sole_parent and time.monotonic() < until:
            strays = self.orphans({})
            if not strays and self._is_sure:
                return
            self._kill(strays)

    def close(self) -> None:
        """Give the listing back."""
        if self._listing is not None:
            os.close(self._listing)

    def _children(self) -> list[int]:
        if self._listing is None:
            return []
        # As long as there is nothing odd it is a handful of numbers; a longer list is cut, which
        # does no harm: whoever sweeps asks again until it is short.
        numbers, whole, cut = os.pread(self._listing, _LISTING, 0).rpartition(b" ")
        return [int(pid) for pid in (numbers if whole else cut).split()]

    def _kill(self, orphans: list[Process]) -> None:
        for orphan in orphans:
            self._killed.add(orphan.pid)
            try:
                # Its whole group with it, where that is its own: what forks must not outrun us.
                if orphan.group == orphan.pid:
                    os.killpg(orphan.pid, signal.SIGKILL)
                os.kill(orphan.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue  # gone, or under a user whom we may not signal
            self._reap(orphan.pid)

    def _reap(self, pid: int) -> None:
        try:
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                self._killed.discard(pid)
        except ChildProcessError:
            self._killed.discard(pid)


def _prctl(option: int, value: int) -> bool:
    try:
        # Imported here: only a harness that runs subjects pays for it.
        import ctypes  # pylint: disable=import-outside-toplevel

        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _open_listing(pid: int) -> int | None:
    """The kernel's list of a process's children; None: this kernel has no such list."""
    try:
        return os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
