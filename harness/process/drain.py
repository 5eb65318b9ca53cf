"""Decide how long to read what children print after the exit of a program.

A child that waits for a processor deserves more time than one that sleeps.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Final

from harness.process.procfs import Process, resource_usage

DRAIN_S: Final = 0.5  # for what a child prints after the exit, while it holds a pipe
MOST_DRAIN_S: Final = 5.0  # the same, while a child that holds a pipe waits for a processor
CHECK_S: Final = 0.05  # between two looks at such a child
_CPU_S: Final = 0.5  # processor time with which children had their time
_RUNNABLE: Final = "RD"  # D: waiting for a disk


def is_starved(members: Sequence[Process], cpu_s_before: float, pipes: Collection[int]) -> bool:
    """Return whether a process that can run holds one of the pipes, and all of them together have
    used little processor time since the drain began."""
    if resource_usage(members).cpu_s - cpu_s_before >= _CPU_S:
        return False
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
