"""Which processes belong to a run, and what they use: /proc, read and taken apart.

Reads only; nothing is signalled here. A process that goes away while it is read is simply not
there. Source: proc(5), children in proc_pid_task(5).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

__all__ = [
    "Process",
    "Use",
    "carries",
    "children",
    "descendants",
    "peak_resident",
    "processes",
    "read_process",
    "use_of",
]

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """One process as the kernel lists it. With `started` a number that was used before is told
    from the process that has it now. `cpu_s` counts the children that it waited for."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    started: int  # clock ticks since boot
    cpu_s: float
    resident: int  # bytes

    @property
    def is_zombie(self) -> bool:
        """Whether it has ended, and only waits to be reaped."""
        return self.state in "ZX"


class Use(NamedTuple):
    """What the processes of a run use together."""

    processes: int = 0
    cpu_s: float = 0.0
    resident: int = 0


def read_process(pid: int) -> Process | None:
    """One process; None: there is none of this number."""
    try:
        text = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The name stands in brackets and may hold anything; behind the last one all are numbers.
    words = text[text.rindex(b")") + 2 :].split()
    ticks = sum(int(word) for word in words[11:15])
    state, resident = chr(words[0][0]), int(words[21]) * _PAGE
    if state == "Z" and int(words[17]) > 1:  # it has other threads
        state, resident = _without_main_thread(pid)
    return Process(
        pid=pid,
        state=state,
        parent=int(words[1]),
        group=int(words[2]),
        session=int(words[3]),
        started=int(words[19]),
        cpu_s=ticks * _TICK_S,
        resident=resident,
    )


def _without_main_thread(pid: int) -> tuple[str, int]:
    """A process whose main thread left is listed as a zombie without memory; another thread of it
    knows better."""
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            resident = int(_read(f"/proc/{pid}/task/{thread}/statm").split()[1])
            if resident:
                return "S", resident * _PAGE
    except OSError:
        pass
    return "Z", 0


def processes() -> dict[int, Process]:
    """Every process that can be seen, by number."""
    numbers = (int(name) for name in os.listdir("/proc") if name.isdecimal())
    return {pid: found for pid in numbers if (found := read_process(pid)) is not None}


def children(pid: int) -> list[int]:
    """The numbers of a process's children, zombies included. The kernel may miss one while the
    list changes: ask again before you believe that there is none."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass  # it ended meanwhile
    return found


def descendants(roots: Iterable[int], everyone: Mapping[int, Process]) -> list[Process]:
    """The roots that are there, and all below them."""
    below: dict[int, list[int]] = {}
    for process in everyone.values():
        below.setdefault(process.parent, []).append(process.pid)
    found: dict[int, Process] = {}
    todo = list(roots)
    while todo:
        pid = todo.pop()
        if pid in everyone and pid not in found:
            found[pid] = everyone[pid]
            todo += below.get(pid, ())
    return list(found.values())


def use_of(members: Iterable[Process]) -> Use:
    """What these use together; a zombie has given everything back but its CPU time."""
    living = processor = resident = 0.0
    for member in members:
        living += not member.is_zombie
        processor += member.cpu_s
        resident += member.resident
    return Use(int(living), processor, int(resident))


def peak_resident(pid: int) -> int:
    """The most memory that a living process was ever seen to hold, in bytes; 0: it has ended."""
    try:
        for line in _read(f"/proc/{pid}/status").splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def carries(pid: int, mark: bytes) -> bool:
    """Whether a process was started with this mark (NAME=value) in its environment."""
    try:
        return mark in _read(f"/proc/{pid}/environ").split(b"\0")
    except OSError:
        return False  # it ended, or changed its user


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        text = os.read(descriptor, 65_536)
        while len(text) % 4096 == 0 and (more := os.read(descriptor, 65_536)):
            text += more
        return text
    finally:
        os.close(descriptor)
