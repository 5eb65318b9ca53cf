"""End a process: kill its group, then reap it.

In this order no signal can reach a new process that was given the same number.
"""

from __future__ import annotations

import os
import select
import signal
from typing import Final, NamedTuple

from harness.model.transcript import Exited, Signalled

DEATH_S: Final = 2.0  # after which a killed process that the kernel does not release is abandoned


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
    """Return the ending that a wait status encodes."""
    if os.WIFSIGNALED(status):
        return Signalled(os.WTERMSIG(status))
    return Exited(os.WEXITSTATUS(status))
