"""End a process: read what its children print, kill its group, then reap it.

In this order no signal can reach a new process that was given the same number.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Final, NamedTuple

from harness.model.transcript import Exited, Signalled
from harness.process.backend import ExitInfo
from harness.process.system import SYSTEM

_DYING_S: Final = 0.0005  # between two questions to a process that was killed
MOST_STOPS: Final = 10  # by subjects, after which a process of xtest is killed
DEATH_S: Final = 2.0  # after which a killed process that the kernel does not release is abandoned


class Drain(NamedTuple):
    """Times for which pipes are read after the exit of a program, while a child holds one."""

    usual_s: float = 0.5
    most_s: float = 5.0  # while such a child waits for a processor
    most_cpu_s: float = 0.5  # processor time of children after which the drain ends
    check_s: float = 0.05  # between two checks


DRAIN: Final = Drain()


def kill_group(leader: int) -> None:
    """Kill every process of a group whose leader has not been reaped."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # the group is empty, or its processes have changed their user


def group_exists(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # its processes have changed their user
        pass
    return True


def reap(pid: int) -> ExitInfo:
    """Reap a process that has ended or was killed.

    One that the kernel does not release counts as ended by SIGKILL.
    """
    until = time.monotonic() + DEATH_S
    while (found := SYSTEM.exit_of(pid)) is None:
        if time.monotonic() > until:
            return ExitInfo(signal.SIGKILL, 0.0)
        time.sleep(_DYING_S)
    return found


def to_ending(status: int) -> Exited | Signalled:
    code = os.waitstatus_to_exitcode(status)
    return Exited(code) if code >= 0 else Signalled(-code)
