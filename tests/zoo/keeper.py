"""Run one command to its end, and report how it ended, its memory, and the processes that it left.

A process of its own: the kernel counts for a child the memory that its parent had at the start, and
orphans go to the nearest ancestor that adopts them. It imports only the standard library.
Source: wait4(2), getrusage(2), PR_SET_CHILD_SUBREAPER in prctl(2).
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
DYING_S = 2.0  # that killed processes may take to end


def main() -> None:
    """Run keeper.py REPORT PATIENCE COMMAND...; PATIENCE are seconds."""
    report, patience_s, *command = sys.argv[1:]
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    pid = os.posix_spawnp(command[0], command, os.environ)
    hung = not select.select([os.pidfd_open(pid)], [], [], float(patience_s))[0]
    if hung:
        os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    ended = {"status": os.waitstatus_to_exitcode(status), "hung": hung}
    observed = {**ended, "peak_mib": usage.ru_maxrss / 1024, "left": _kill_orphans()}
    with open(report, "w", encoding="ascii") as file:
        json.dump(observed, file)


def _kill_orphans() -> list[str]:
    """Kill all orphans, and those that they leave; return the command line of each."""
    until = time.monotonic() + DYING_S
    while _children() and time.monotonic() < until:
        time.sleep(0.005)
    left: dict[str, None] = {}
    while orphans := _children():
        for pid in orphans:
            left[_name(pid)] = None
            os.kill(pid, signal.SIGKILL)
    return list(left)


def _children() -> list[int]:
    """Return the children that live, and reap the others."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return []
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as listing:
        return [int(pid) for pid in listing.read().split()]


def _name(pid: int) -> str:
    with open(f"/proc/{pid}/cmdline", "rb") as words:
        return words.read().replace(b"\0", b" ").decode("ascii", "replace").strip()


if __name__ == "__main__":
    main()
