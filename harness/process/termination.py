"""End a process: read what its children print, kill its group, then reap it.

In this order no signal can reach a new process that was given the same number.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from harness.model.transcript import Exited, Signalled
from harness.process.procfs import Process

_RUNNABLE: Final = "RD"  # D: waiting for a disk
MOST_STOPS: Final = 10  # by subjects, after which a process of xtest is killed
DEATH_S: Final = 2.0  # after which a killed process that the kernel does not release is abandoned


class Drain(NamedTuple):
    """Times for which pipes are read after the exit of a program, while a child holds one."""

    usual_s: float = 0.5
    most_s: float = 5.0  # while such a child waits for a processor
    most_cpu_s: float = 0.5  # processor time of children after which the drain ends
    check_s: float = 0.05  # between two checks


DRAIN: Final = Drain()


class ExitInfo(NamedTuple):
    """The wait status of a process, and its CPU time including children that it waited for."""

    status: int
    cpu_s: float


def kill_group(leader: int) -> None:
    """Kill every process of a group whose leader has not been reaped."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # the group is empty, or its processes have changed their user


def reap(pid: int, pidfd: int) -> ExitInfo:
    """Reap a process that has ended or was killed.

    One that the kernel does not release counts as ended by SIGKILL.
    """
    reaped, status, usage = os.wait4(pid, os.WNOHANG)
    if reaped == 0:
        death = select.poll()
        death.register(pidfd, select.POLLIN)
        death.poll(DEATH_S * 1000)
        reaped, status, usage = os.wait4(pid, os.WNOHANG)
    if reaped == 0:
        return ExitInfo(signal.SIGKILL, 0.0)
    return ExitInfo(status, usage.ru_utime + usage.ru_stime)


def to_ending(status: int) -> Exited | Signalled:
    code = os.waitstatus_to_exitcode(status)
    return Exited(code) if code >= 0 else Signalled(-code)


def is_starved(members: Sequence[Process], pipes: Collection[int]) -> bool:
    """Return whether a process that holds one of the pipes waits for a processor or a disk."""
    inodes = {os.fstat(pipe).st_ino for pipe in pipes}
    return any(
        member.state in _RUNNABLE and not inodes.isdisjoint(_open_files(member.pid))
        for member in members
    )


def _open_files(pid: int) -> set[int]:
    """Return the inodes of the files that a process has open, as far as they are known."""
    found = set()
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            found.add(os.stat(f"/proc/{pid}/fd/{name}").st_ino)
    except OSError:
        pass  # the process has ended, or belongs to another user
    return found
