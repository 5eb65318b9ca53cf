"""Runs one command to its end, and says what became of it and of all that it started.

A process of its own, because the kernel adds to what it says of a child all that this child has
waited for, and all that its parent was when it started it; and because orphans go to the nearest
ancestor that wants them. Standard library only; no test lives here.
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
DYING_S = 2.0  # how long what was killed may take to be gone


def main() -> None:
    """keeper.py REPORT PATIENCE COMMAND...: run the command, for PATIENCE seconds at most."""
    report, patience_s, *command = sys.argv[1:]
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    # The child shares our memory until it executes, and that counts as its own peak: hence this
    # process, which holds little, and not the tests, which hold much.
    pid = os.posix_spawn(command[0], command, os.environ)
    hung = not _ends_within(pid, float(patience_s))
    if hung:
        os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    left = _what_is_left()
    with open(report, "w", encoding="ascii") as file:
        ended = {"status": os.waitstatus_to_exitcode(status), "hung": hung}
        json.dump({**ended, "peak_mib": usage.ru_maxrss / 1024, "left": left}, file)


def _ends_within(pid: int, seconds: float) -> bool:
    end = select.poll()
    end.register(os.pidfd_open(pid), select.POLLIN)
    return bool(end.poll(seconds * 1000))


def _what_is_left() -> list[str]:
    """The orphans, which are ours by now, each once; they are killed, and theirs with them."""
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
    """Those that live: what has died is reaped on the way."""
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
