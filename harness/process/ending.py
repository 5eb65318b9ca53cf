"""The end of a process: its group is killed while its number is still taken, then it is reaped.

In this order, so that a number that was given to somebody else is never signalled.
"""

from __future__ import annotations

import os
import select
import signal
from typing import Final, NamedTuple

from harness.records import Exited, Signalled

__all__ = ["DEATH_S", "Reaped", "ending_of", "kill_group", "reap"]

DEATH_S: Final = 2.0  # how long a killed process may stay in the kernel before it is given up


class Reaped(NamedTuple):
    """The wait status of a process, and its CPU seconds (with the children that it waited for)."""

    status: int
    cpu_s: float


def kill_group(leader: int) -> None:
    """Kill every process of a group whose leader was not reaped yet."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # the group is empty, or all that is left of it has changed its user


def reap(pid: int, pidfd: int) -> Reaped:
    """Reap a process that has ended or was killed. One that the kernel will not let go is left to
    it, as if our signal had ended it."""
    reaped, status, usage = os.wait4(pid, os.WNOHANG)
    if reaped == 0:
        death = select.poll()
        death.register(pidfd, select.POLLIN)
        death.poll(DEATH_S * 1000)
        reaped, status, usage = os.wait4(pid, os.WNOHANG)
    if reaped == 0:
        return Reaped(signal.SIGKILL, 0.0)
    return Reaped(status, usage.ru_utime + usage.ru_stime)


def ending_of(status: int) -> Exited | Signalled:
    """What a wait status says."""
    if os.WIFSIGNALED(status):
        return Signalled(os.WTERMSIG(status))
    return Exited(os.WEXITSTATUS(status))
